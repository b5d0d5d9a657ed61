"""Foreign text made harmless for the place where it lands: Markdown, HTML, a workflow command, a terminal.

Foreign is everything that a suite, a report or a repository brings: ids, messages, paths, labels. Nothing is dropped
unseen but terminal sequences: what can't be shown becomes a picture, a code point in brackets, or U+FFFD.
"""

from __future__ import annotations

import re

MARKDOWN_LIMIT = 300
CODE_LIMIT = 200
LINE_LIMIT = 2_000
BLOCK_LIMIT = 20_000
EMPTY = "(empty)"

_SEQUENCES = re.compile(
    r"\x1b\][^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)"  # operating system commands: titles, links
    r"|\x1b[PX^_][^\x1b\x9c]*(?:\x1b\\|\x9c)"  # device control and other strings
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # colours, cursor moves
)
_UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff0-\uffff\ud800-\udfff\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff]"
)
_COMMAND_START = re.compile(r"^(\s*)::", re.MULTILINE)
_BACKTICKS = re.compile(r"`+")
_QUOTED = re.compile(r"`([^`]+)`")
_NEEDS_ENTITIES = re.compile(r"[`|<>&\\$]|^ | $|##")
_ENTITIES = {ord(character): f"&#{ord(character)};" for character in "\\`*_[]<>&|~!$^#"}
_FIRST = re.compile(r"^(?:[=:]|[-+](?=[-+\s]|$)|\d{1,9}(?=[.)](?:\s|$)))")
_BREAKS = re.compile(r"@|://|www(?=\.)|mailto:|xmpp:", re.IGNORECASE)
_LINKED = re.compile(
    r"[@#$]"  # mentions, e-mail addresses, references, formulas
    r"|://|www\.|mailto:|xmpp:"
    r"|\b(?:gh|ghsa|cve)-\w"
    r"|[A-Z]{2,}-\d"  # references to other trackers that a repository may define
    r"|[0-9a-f]{7}"  # commits
    r"|:[\w+-]+:"  # emoji
    r"|::|\w_\w|/[\w-]+\.\w",  # not linked, but names of code
    re.IGNORECASE,
)
_AROUND = re.compile(r"""([("']*)(.*?)([),.;!?"']*)""", re.DOTALL)
_HTML = {ord("&"): "&amp;", ord("<"): "&lt;", ord(">"): "&gt;", ord('"'): "&quot;", ord("'"): "&#39;"}


def shorten(text: str, limit: int) -> str:
    """At most `limit` characters (5 or more), cut in the middle: both ends of an id tell tests apart."""
    if len(text) <= limit:
        return text
    head = (limit - 1) // 2
    tail = limit - 1 - head
    return f"{text[:head]}…{text[len(text) - tail :]}"


def line(text: str, limit: int = LINE_LIMIT) -> str:
    """One line without anything unseen; no other escaping."""
    flat = _SEQUENCES.sub("", text).replace("\t", " ").replace("\r\n", "\n").replace("\n", "↵")
    return shorten(_UNSEEN.sub(_picture, flat), limit)


def markdown(text: str, limit: int = MARKDOWN_LIMIT) -> str:
    """Inline Markdown (GFM), safe in a table cell too.

    Words that GitHub would link (mentions, references, addresses, commits), and what stands between backticks, are
    shown as code, where nothing is linked.
    """
    shown = line(text, limit).strip()
    escaped = ""
    for place, part in enumerate(_QUOTED.split(shown)):
        piece = code(part, limit) if place % 2 else " ".join(_word(word) for word in part.split(" "))
        apart = " " if escaped.endswith("`") and piece.startswith("`") else ""
        escaped += apart + piece
    return _FIRST.sub(_first_as_entities, escaped)


def cell(text: str, limit: int = MARKDOWN_LIMIT) -> str:
    """A cell of a GFM table; an empty one is a dash."""
    return markdown(text, limit) or "–"


def code(text: str, limit: int = CODE_LIMIT) -> str:
    """Inline code, safe in a table cell too.

    Backticks enclose ordinary text. Text with backticks, pipes, backslashes, dollars or markup becomes a `<code>`
    element of entities, which every Markdown parser reads alike; parsers differ on `\\|` in code within tables.
    """
    shown = line(text, limit)
    if not shown.strip():
        return f"<code>{EMPTY}</code>" if not shown else f"<code>{'&#32;' * len(shown)}</code>"
    if not _NEEDS_ENTITIES.search(shown):
        return f"`{shown}`"
    return f"<code>{_BREAKS.sub(_broken, shown.translate(_ENTITIES))}</code>"


def fenced(text: str, language: str = "", limit: int = BLOCK_LIMIT) -> str:
    """A fenced block whose fence is longer than any run of backticks inside.

    Args:
        language: our own word (`diff`, `text`), never foreign: `math` and `mermaid` would be drawn.
    """
    body = block(text, limit)
    longest = max((len(run) for run in _BACKTICKS.findall(body)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{body}\n{fence}"


def block(text: str, limit: int = BLOCK_LIMIT) -> str:
    """Several lines without anything unseen and without a workflow command."""
    lines = _SEQUENCES.sub("", text).replace("\r\n", "\n").replace("\r", "\n").split("\n")
    shown = "\n".join(_UNSEEN.sub(_picture, each.expandtabs(4)).rstrip() for each in lines)
    return no_command(shorten(shown.strip("\n"), limit))


def html(text: str, limit: int = LINE_LIMIT) -> str:
    """Text or attribute value of HTML, on one line. GitHub still links mentions in it outside `<code>`."""
    return no_command(line(text, limit).translate(_HTML))


def workflow_data(text: str, limit: int = LINE_LIMIT) -> str:
    """The message of a workflow command; lines are kept."""
    lines = _SEQUENCES.sub("", text).replace("\r\n", "\n").split("\n")
    shown = shorten("\n".join(_UNSEEN.sub(_picture, each.replace("\t", " ")) for each in lines), limit)
    return shown.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def workflow_property(text: str, limit: int = LINE_LIMIT) -> str:
    """A property (file, title) of a workflow command."""
    return workflow_data(line(text, limit)).replace(":", "%3A").replace(",", "%2C")


def terminal(text: str, limit: int = LINE_LIMIT) -> str:
    """One line for a terminal or a log: no sequences, no control characters, no workflow command."""
    return no_command(line(text, limit))


def no_command(text: str) -> str:
    """Lines that a runner would obey, made to look the same and do nothing.

    A runner obeys `::` at the start of a line, spaces aside, and `##[` anywhere in it.
    """
    return _COMMAND_START.sub("\\1∷", text).replace("##[", "##［")


def _picture(match: re.Match[str]) -> str:
    point = ord(match.group())
    if point < 0x20:
        return chr(0x2400 + point)
    if point == 0x7F:
        return "␡"
    if point < 0xA0 or 0xD800 <= point <= 0xDFFF or 0xFFF0 <= point <= 0xFFFF:
        return "\ufffd"
    return f"⟨U+{point:04X}⟩"


def _word(word: str) -> str:
    if not _LINKED.search(word):
        return word.translate(_ENTITIES)
    found = _AROUND.fullmatch(word)
    before, name, after = found.groups() if found else ("", word, "")
    return f"{before}{code(name, MARKDOWN_LIMIT)}{after.translate(_ENTITIES)}"


def _broken(match: re.Match[str]) -> str:
    """An address in a text node is linked even inside `<code>`; a comment makes two nodes of it."""
    found = match.group()
    return f"{found[0]}<!-- -->{found[1:]}"


def _first_as_entities(match: re.Match[str]) -> str:
    return "".join(f"&#{ord(character)};" for character in match.group())


def no_command_in_html(page: str) -> str:
    """The same for HTML source: entities, so that a reader sees what stands there."""
    return _COMMAND_START.sub("\\1&#58;:", page).replace("##[", "##&#91;")
