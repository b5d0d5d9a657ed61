"""What a comment on a pull request asks of the gate: lines that begin with `/gate`, outside quotes and code.

The text is read as GitHub shows it: what stands in a fenced or indented block, in a quote, in an HTML comment or in raw
HTML that holds code says nothing. Reading is all that happens here; who may ask is `gate.deliver.permissions`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, get_args

from gate.schema.acceptance import MOST_REASON
from gate.settings import SUITE

Verb = Literal["accept", "record", "refresh", "explain"]
VERBS: tuple[Verb, ...] = get_args(Verb)
ALL = "all"
_LONGEST_BODY = 70_000
_MOST_COMMANDS = 20
_FENCE = re.compile(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})")
_ID = re.compile(rf"(?:(?P<suite>{SUITE}):)?(?P<id>[Ff][1-9][0-9]{{0,5}}|[Aa][Ll][Ll]),?")
_CODE_TAGS = re.compile(r"<(pre|code|script|style|textarea|blockquote|details|summary)\b", re.IGNORECASE)
_ITEM_FENCE = re.compile(r"[ \t]*(?:(?:[-+*]|\d{1,9}[.)])[ \t]+)+(`{3,}(?=[^`]*$)|~{3,})")
_QUOTE = re.compile(r"[ \t]*(?:(?:[-+*]|\d{1,9}[.)])[ \t]+)*>")


@dataclass(frozen=True, slots=True)
class Command:
    """One command.

    Attributes:
        findings: numbers as `F3`, or `all` alone; for accept and explain.
        reason: of an acceptance; at most 500 characters, untrusted text.
        suite: whose verdict is meant, as in `default:F3`; empty where the comment does not say.
    """

    verb: Verb
    findings: tuple[str, ...] = ()
    reason: str = ""
    suite: str = ""


@dataclass(frozen=True, slots=True)
class Mistake:
    """A line that means to be a command and is none.

    Attributes:
        line: as it was written, at most 120 characters; untrusted text.
        message: what is wrong, one sentence of our own.
    """

    line: str
    message: str


def read_commands(body: str) -> tuple[Command | Mistake, ...]:
    """Commands of a comment in their order, at most 20."""
    found = [_command(line) for line in _spoken(body[:_LONGEST_BODY]) if re.match(r"/gate(?:\s|$)", line)]
    return tuple(found[:_MOST_COMMANDS])


def _spoken(body: str) -> Iterator[str]:
    """Lines that are a person's own words and begin at the margin, outside everything that holds other words."""
    text = re.sub(r"<!--.*?(?:-->|\Z)", lambda gone: "\n" * gone[0].count("\n"), _lines(body), flags=re.DOTALL)
    fence, hidden = "", ""
    listed = False  # whether the fence stands in an item of a list, which a line at the margin ends
    paragraph: list[str] = []
    for line in text.split("\n"):
        if hidden:
            hidden = "" if f"</{hidden}>" in line.lower() else hidden
            continue
        if fence and listed and line[:1].strip():
            fence = ""
        if fence:
            mark = _FENCE.match(line.lstrip() if listed else line)
            if mark and mark[1][0] == fence[0] and len(mark[1]) >= len(fence) and not line.strip().strip(fence[0]):
                fence = ""
            continue
        mark, item = _FENCE.match(line), _ITEM_FENCE.match(line)
        if mark or item:
            fence, listed, paragraph = (mark or item)[1], mark is None, []  # type: ignore[index]
            continue
        if not line.strip():
            paragraph = []
            continue
        opened = _CODE_TAGS.search(line)
        if opened:
            hidden = "" if f"</{opened[1].lower()}>" in line.lower()[opened.end() :] else opened[1].lower()
            continue
        if line[:1].strip() and not _goes_on(paragraph):
            yield line.strip()
        paragraph.append(line)


def _goes_on(paragraph: list[str]) -> bool:
    """Whether a line below belongs to a quote, or to code between backticks, that lines above have begun."""
    runs = re.findall(r"`+", "\n".join(paragraph))
    unpaired = any(runs.count(run) % 2 for run in runs)
    return unpaired or any(_QUOTE.match(line) for line in paragraph)


def _lines(body: str) -> str:
    return body.replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "")


def _command(line: str) -> Command | Mistake:
    words = line.split()[1:]
    if not words:
        return Mistake(line[:120], f"a command is one of: {', '.join(f'`/gate {verb}`' for verb in VERBS)}")
    verb = next((each for each in VERBS if each == words[0].lower()), None)
    if verb is None:
        return Mistake(
            line[:120], f"there is no such command; there are {', '.join(f'`/gate {each}`' for each in VERBS)}"
        )
    if verb in ("record", "refresh"):
        return Command(verb) if len(words) == 1 else Mistake(line[:120], f"`/gate {verb}` takes nothing else")
    return _about_findings(verb, line, words[1:])


def _about_findings(verb: Verb, line: str, words: list[str]) -> Command | Mistake:
    names: list[str] = []
    suites: dict[str, None] = {}
    while words and (found := _ID.fullmatch(words[0])):
        names.append(found["id"])
        suites[found["suite"] or ""] = None
        words.pop(0)
    findings = tuple(dict.fromkeys(name.lower() if name.lower() == ALL else name.upper() for name in names))
    if len(suites) > 1:
        return Mistake(line[:120], "name one suite, and name it with each finding: `default:F3 default:F4`")
    if not findings or (ALL in findings and len(findings) > 1):
        return Mistake(
            line[:120], f"say which: `/gate {verb} F3`" + (", several, or `all`" if verb == "accept" else "")
        )
    if verb == "explain":
        if ALL in findings or words:
            return Mistake(line[:120], "say which: `/gate explain F3`")
        return Command(verb, findings, suite="".join(suites))
    reason = " ".join(words)[:MOST_REASON]
    if not any(sign.isalnum() for sign in reason):
        return Mistake(line[:120], "say why: `/gate accept F3 the reason`")
    return Command(verb, findings, reason, "".join(suites))
