"""What a prompt's author fills in later, and other text that is no prose: operators don't write into it.

Known are `str.format` and f-string fields, Jinja and Mustache expressions, statements and comments, `string.Template`
names, and `%` formatting; besides them inline code, tags and addresses.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from operator import attrgetter

from gate.suites.mutation.prompt.model import Span

_LONGEST = 300  # characters: without a limit, text full of opening braces would be read again from each of them

# Each branch starts with a plain character, which lets the search skip to the next one of them.
_PLACEHOLDER = re.compile(
    rf"""
      \{{%[^{{}}%]{{0,{_LONGEST}}}%\}}                 # Jinja statement
    | \{{\#[^{{}}\#]{{0,{_LONGEST}}}\#\}}              # Jinja comment
    | \{{\{{[^{{}}\r\n]{{0,{_LONGEST}}}\}}\}}          # Jinja or Mustache expression
    | \{{(?:[A-Za-z_][\w.]*|\d{{1,9}})?(?:\[[^\]\r\n]{{0,80}}\])*
      (?:\([^{{}}\r\n]{{0,{_LONGEST}}}\))?(?:![rsa])?(?::[^{{}}\r\n]{{0,80}})?\}}
    | \$\{{[^{{}}\r\n]{{1,80}}\}}                      # string.Template, in braces
    | \$[A-Za-z_]\w*                                   # string.Template, bare
    | %\([^()\r\n]{{1,80}}\)[-+ \#0]*[\d.]*[diouxXeEfFgGcrsa]
    | %[srd](?![A-Za-z])
    """,
    re.VERBOSE,
)
_PROTECTED = re.compile(
    _PLACEHOLDER.pattern
    + rf"""
    | ``(?!`)(?:[^`\r\n]|`(?!`)){{1,{_LONGEST}}}``(?!`)           # inline code
    | `(?!`)[^`\r\n]{{1,{_LONGEST}}}`(?!`)
    | </?[A-Za-z][^<>\r\n]{{0,{_LONGEST}}}>            # tag
    | https?://[^\s<>"')\]]+                           # address
    | www\.[^\s<>"')\]]+
    | @[\w.-]+                                         # the end of a mail address, or a name
    """,
    re.VERBOSE,
)
_HINTS = ("{", "$", "%", "`", "<", "@", "://", "www.")
_end = attrgetter("end")
_POSITIONAL = re.compile(r"\{(?:![rsa])?(?::[^{}]*)?\}|%[-+ #0]*[\d.]*[srd]")
_OPENS = re.compile(r"\{%-?\+?\s*(if|for|block|macro|call|filter|set|raw|with|autoescape)\b")
_CLOSES = re.compile(r"\{%-?\+?\s*end(\w+)")


def protected_spans(text: str) -> tuple[Span, ...]:
    """Spans that don't overlap, in order."""
    if not any(hint in text for hint in _HINTS):
        return ()
    return tuple(Span._make(found.span()) for found in _PROTECTED.finditer(text))


def placeholders(text: str) -> Counter[str]:
    """Every placeholder of a text and how often it stands there."""
    return Counter(found.group() for found in _PLACEHOLDER.finditer(text))


def is_positional(text: str) -> bool:
    """Whether a text holds a placeholder that is filled by its place, so that leaving it out shifts the others."""
    return any(_POSITIONAL.fullmatch(found) for found in placeholders(text))


def is_unbalanced(text: str) -> bool:
    """Whether a text holds one half of a Jinja statement, such as an `if` without its `endif`."""
    found = [name for name in placeholders(text) if name.startswith("{%")]
    if not found:
        return False
    depth = 0
    for statement in _PLACEHOLDER.findall(text):
        if _OPENS.match(statement) and not re.match(r"\{%-?\s*set\b[^%]*=", statement):
            depth += 1
        elif _CLOSES.match(statement):
            depth -= 1
        elif re.match(r"\{%-?\s*(?:else|elif)\b", statement) and depth == 0:
            return True
        if depth < 0:
            return True
    return depth != 0


def overlapping(spans: Sequence[Span], span: Span) -> list[Span]:
    """Those of ordered, disjoint spans that share a character with `span`."""
    place = bisect_right(spans, span.start, key=_end)
    found = []
    while place < len(spans) and spans[place].start < span.end:
        found.append(spans[place])
        place += 1
    return found


def is_touched(spans: Sequence[Span], start: int, end: int) -> bool:
    """Whether one of ordered, disjoint spans shares a character with the text between two offsets."""
    place = bisect_right(spans, start, key=_end) if spans else 0
    return place < len(spans) and spans[place].start < end
