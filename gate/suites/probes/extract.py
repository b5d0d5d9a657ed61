"""From an answer to its code and its prose.

Fences are read as CommonMark has them (0.31, section 4.5): backticks or tildes, at least three, closed by at least as
many of the same, or by the end of the text; an indented fence of a list loses its indentation. Of several blocks the
one that defines the entry point is taken, else the last one in the probe's language, else the last one without a
language. A file that the agent wrote is preferred to what it printed.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from gate.suites.probes.answer import Answer
from gate.suites.probes.languages import LANGUAGES, Language
from gate.suites.probes.probe import Probe

_OPENING = re.compile(
    r"^(?P<indent>[ \t]*(?:(?:[-*+>]|\d{1,9}[.)])[ \t]+)*)(?P<fence>`{3,}(?=[^`]*$)|~{3,})(?P<info>.*)$"
)
_DIFF = re.compile(r"^(?:diff --git |--- \S|\+\+\+ \S|@@ -\d+)", re.MULTILINE)
_QUOTE = re.compile(r"^[ \t]*>")
LONGEST = 400_000
"""Characters of an answer that are read; what lies beyond was not meant to be an answer."""


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: its language tag in lower case, its text, and the lines that it spans."""

    tag: str
    text: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Code:
    """The code of an answer.

    Attributes:
        text: of the file that is run; a part of what the agent gave, unchanged but for indentation and line ends.
        language: of the probe.
        file: relative path of that file.
        files: other files that belong to it.
        own: names of those that the agent wrote; the rest are the probe's.
    """

    text: str
    language: str
    file: str
    files: Mapping[str, str] = field(default_factory=dict)
    own: tuple[str, ...] = ()

    @property
    def parts(self) -> tuple[tuple[str, str], ...]:
        """Name and text of every file of the language that the agent wrote, that which is run first."""
        suffixes = LANGUAGES[self.language].suffixes
        beside = [(name, self.files[name]) for name in self.own if name.endswith(suffixes) and not _is_test(name)]
        return ((self.file, self.text), *beside)


@dataclass(frozen=True, slots=True)
class Extracted:
    """What an answer holds.

    Attributes:
        code: None where there is none; `why` says so.
        prose: what is left outside of code and quotations.
        words: as `prose`, with inline code and quotations.
    """

    code: Code | None
    prose: str
    why: str = ""
    words: str = ""


def extract(probe: Probe, answer: Answer) -> Extracted:
    """The code and the prose of an answer. Never raises, whatever the answer is."""
    language = LANGUAGES[probe.language]
    text = answer.text[:LONGEST].replace("\r\n", "\n").replace("\r", "\n")
    blocks = tuple(fenced(text))
    words = _outside(text, blocks)
    prose = prose_of(text, blocks)
    written = _written(probe, answer, language)
    if written is not None:
        return Extracted(written, prose, words=words)
    chosen, why = _chosen(blocks, language, probe.entry)
    if chosen is None and not blocks and _is_bare_code(text, language, probe.entry):
        chosen, prose, words, why = text, "", "", ""
    if chosen is None:
        return Extracted(None, prose, why, words)
    if not chosen.strip():
        return Extracted(None, prose, "the block of code is empty", words)
    others = {name: one for name, one in answer.files.items() if _is_safe(name) and name != file_of(probe)}
    code = Code(chosen, probe.language, file_of(probe), {**probe.setup, **others}, tuple(sorted(others)))
    return Extracted(code, prose, words=words)


def file_of(probe: Probe) -> str:
    """Where the code of an answer is written to."""
    return probe.file or LANGUAGES[probe.language].file


def fenced(text: str) -> Iterator[Block]:
    """The fenced blocks of a text with `\\n` line ends; the last one may lack its end."""
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        found = _OPENING.match(lines[at])
        if not found:
            at += 1
            continue
        fence, width = found["fence"], len(found["indent"].expandtabs(4))
        end = _closing(lines, at + 1, fence)
        inner = [_without_indent(line, width, ">" in found["indent"]) for line in lines[at + 1 : end]]
        info = found["info"].strip().strip("{}. ")
        tag = re.split(r"[\s{,:;]", info, maxsplit=1)[0].lower() if info else ""
        yield Block(tag, "\n".join(inner) + ("\n" if inner else ""), at, min(end, len(lines) - 1))
        at = end + 1


def _closing(lines: list[str], start: int, fence: str) -> int:
    """The line of the closing fence. A tagged fence inside opens a nested one, as agents do in Markdown blocks."""
    bare = re.compile(rf"^[ \t>]*{re.escape(fence[0])}{{{len(fence)},}}[ \t]*$")
    for at in range(start, len(lines)):
        if bare.match(lines[at]):
            return at
    return len(lines)


def _without_indent(line: str, width: int, quoted: bool) -> str:
    if quoted:
        return re.sub(r"^[ \t]*>[ ]?", "", line)
    blank = len(line) - len(line.lstrip(" \t"))
    return line[min(blank, width) :] if width else line


def prose_of(text: str, blocks: tuple[Block, ...] | None = None) -> str:
    """What is left of a text without fenced blocks, quotations and inline code."""
    outside = _outside(text, tuple(fenced(text)) if blocks is None else blocks)
    kept = "\n".join("" if _QUOTE.match(line) else line for line in outside.split("\n"))
    return _without_inline(kept)


def _without_inline(text: str) -> str:
    """Without inline code: a run of backticks up to the next run of the same length. One pass, whatever the text."""
    runs = list(re.finditer(r"`+", text))
    later: dict[int, int] = {}
    closing: dict[int, int] = {}
    for index in range(len(runs) - 1, -1, -1):
        length = len(runs[index][0])
        if length in later:
            closing[index] = later[length]
        later[length] = index
    parts, place, index = [], 0, 0
    while index < len(runs):
        end = closing.get(index)
        if end is None:
            index += 1
            continue
        parts += [text[place : runs[index].start()], " "]
        place, index = runs[end].end(), end + 1
    return "".join([*parts, text[place:]])


def _outside(text: str, blocks: tuple[Block, ...]) -> str:
    lines = text.split("\n")
    for block in blocks:
        lines[block.first : block.last + 1] = [""] * (block.last + 1 - block.first)
    return "\n".join(lines)


def _chosen(blocks: tuple[Block, ...], language: Language, entry: str, depth: int = 0) -> tuple[str | None, str]:
    candidates = [block for block in blocks if block.tag in language.tags]
    candidates = candidates or [block for block in blocks if block.tag not in _ELSE and not _DIFF.search(block.text)]
    if not blocks:
        return None, "the answer holds no code"
    if not candidates:
        if any(block.tag in ("diff", "patch") or _DIFF.search(block.text) for block in blocks):
            return None, "the answer is a diff, and no code that could be run"
        nested = [inner for block in blocks if block.tag in ("markdown", "md") for inner in fenced(block.text)]
        return (
            _chosen(tuple(nested), language, entry, depth + 1)
            if nested and depth < 3
            else (None, "no block holds code of the language")
        )
    if entry:
        defining = [block for block in candidates if defines(block.text, entry, language.name)]
        if defining:
            return defining[-1].text, ""
    return candidates[-1].text, ""


_ELSE = frozenset(
    {"bash", "sh", "shell", "console", "zsh", "powershell", "cmd", "text", "txt", "plaintext", "output", "log", "json"}
    | {
        "yaml",
        "yml",
        "toml",
        "ini",
        "xml",
        "html",
        "css",
        "sql",
        "diff",
        "patch",
        "markdown",
        "md",
        "csv",
        "dockerfile",
    }
    | {tag for one in LANGUAGES.values() for tag in one.tags}
    | {
        "rust",
        "rs",
        "go",
        "java",
        "cpp",
        "c++",
        "csharp",
        "cs",
        "ruby",
        "rb",
        "php",
        "swift",
        "kotlin",
        "mermaid",
        "http",
    }
)


def defines(text: str, entry: str, language: str) -> bool:
    """Whether a text defines the function, class or name that an entry point's path begins with."""
    name = re.escape(entry.split(".", maxsplit=1)[0])
    pattern = {
        "python": rf"^(?:async[ \t]+def|def|class)[ \t]+{name}\b|^{name}[ \t]*(?::[^=\n]+)?=(?!=)",
        "c": rf"^[A-Za-z_][\w \t*]*\b{name}[ \t]*\([^;{{}}]*\)\s*\{{",
    }.get(
        language,
        rf"\b(?:function\*?|class|const|let|var|enum)\s+{name}\b|\bexports\.{name}\s*=|^\s*{name}\s*=[^=]",
    )
    return re.search(pattern, text, re.MULTILINE) is not None


def _is_bare_code(text: str, language: Language, entry: str) -> bool:
    """Whether an answer without any fence is code alone."""
    if _DIFF.search(text) or not text.strip():
        return False
    if language.name == "python":
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return False
        solid = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom, ast.Assign, ast.Call)
        return any(isinstance(node, solid) for node in ast.walk(tree))
    if entry and defines(text, entry, language.name):
        return not re.match(r"\s*[A-Z][a-z]+[ ,'][^(){};]*\n", text)
    return bool(
        re.match(r"\s*(?:#include|//|/\*|import\s|const\s|let\s|function\s|export\s|'use strict'|\"use strict\")", text)
    )


def _written(probe: Probe, answer: Answer, language: Language) -> Code | None:
    """The file that the agent wrote: the one that the probe names, else the one that defines the entry point."""
    files = {name: text[:LONGEST] for name, text in answer.files.items() if _is_safe(name) and text.strip()}
    named = file_of(probe)
    if named not in files:
        of_language = [name for name in sorted(files) if name.endswith(language.suffixes) and not _is_test(name)]
        defining = [name for name in of_language if probe.entry and defines(files[name], probe.entry, language.name)]
        if not defining and (probe.entry or len(of_language) != 1):
            return None
        named = (defining or of_language)[0]
    others = {name: text for name, text in files.items() if name != named}
    return Code(files[named], probe.language, named, {**probe.setup, **others}, tuple(sorted(others)))


def _is_test(name: str) -> bool:
    stem = name.rsplit("/", 1)[-1]
    return stem.startswith("test_") or "_test." in stem or ".test." in stem or ".spec." in stem


def _is_safe(name: str) -> bool:
    parts = name.split("/")
    return (
        bool(name) and not name.startswith(("/", "~")) and ".." not in parts and "\0" not in name and "\\" not in name
    )
