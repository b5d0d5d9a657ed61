"""How lines begin that need no Markdown parser, as patterns."""

from __future__ import annotations

import re

from gate.suites.mutation.prompt.lines import CUT_OUT

_EOL = r"(?=[\r\n]|\Z)"
_TEXT = (  # the first character of a line that begins no block of another kind, whatever follows
    r"(?:[^\s>#\-=*_+0-9`~]|(?=[#\-=*_+0-9`~])"
    rf"(?!\#{{1,6}}(?:[ \t]|{_EOL})|[-=*_+ \t]+{_EOL}|[*+-][ \t]|[0-9]{{1,9}}[.)](?:[ \t]|{_EOL})|```|~~~).)"
)
_WHOLE = rf"(?!{CUT_OUT}){_TEXT}(?>(?:[^\r\n]*\S)?)"  # a line that is a block by itself, if it stands alone
_BLANK_FOLLOWS = rf"[^\S\r\n]*+(?>\r\n?|\n)[ \t]*+{_EOL}"
_ITEM_FOLLOWS = rf"(?>\r\n?|\n)(?:[ \t]*+{_EOL}|[ ]*+(?:[*+-]|[0-9]{{1,9}}[.)])[ ]{{1,4}}{_TEXT})"
LINE = re.compile(
    rf"""
    [ ]*+(?:
        (?P<lone>{_WHOLE}){_BLANK_FOLLOWS}
      | (?P<text>{_TEXT})
      | (?P<blank>[ \t]*+{_EOL})
      | (?P<sign>[*+-]|[0-9]{{1,9}}[.)])[ ]{{1,4}}(?:
            (?P<entry>{_WHOLE})[^\S\r\n]*+(?={_ITEM_FOLLOWS})
          | (?P<item>)(?={_TEXT})
        )
    )
    | (?P<level>\#{{1,6}})[ \t]+(?:
            (?P<title>[^\s\#\x00](?>(?:[^\r\n\#]*[^\s\#])?))[^\S\r\n]*+{_EOL}
          | (?P<heading>[^\s\#\x00][^\r\n\#]*)
      )
    | (?:>[ \t]?)++(?:(?P<said>{_WHOLE}){_BLANK_FOLLOWS} | (?P<quote>{_TEXT}) | (?P<hollow>[ \t]*){_EOL})
    | (?P<empty>\#{{1,6}}[ \t]*){_EOL}
    | (?P<fence>`{{3,}}(?=[^`\r\n]*+{_EOL})|~{{3,}})
    | (?P<under>=+|-+)[ \t]*{_EOL}
    | (?P<break>\*{{3,}}|_{{3,}})[ \t]*{_EOL}
    """,
    re.VERBOSE,
)
"""What a line is, named by its last group."""

BEGINS_TEXT = re.compile(_TEXT)
NEXT_MARKER = re.compile(rf"\s*+\Z|(?>\r\n?|\n)(?:[ ]*+|[ \t]*+(?>\r\n?|\n))(?:[*+-]|[0-9]{{1,9}}[.)])(?:[ \t]|{_EOL})")
"""Behind an item without text: the next item, with at most one blank line between, or the end."""

RESUMES = re.compile(rf"(?>\r\n?|\n)[ \t]*(?>\r\n?|\n)(?={_TEXT}|\#{{1,6}}[ ])")
"""Ends where something begins that stands outside of every list and quotation."""

RESUMES_FAR = re.compile(rf"{RESUMES.pattern}|\S[ \t]*(?>\r\n?|\n)(?=[*+-][ ]{{1,4}}\S)")
"""Likewise, or where an item begins its line right behind another line: what stands before it is over as well."""

CLOSES = re.compile(rf"[\r\n][ \t]*(`{{3,}}|~{{3,}})[ \t]*{_EOL}")
"""The end of a fence."""
