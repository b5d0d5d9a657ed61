"""Reads Markdown as GitHub would, to say what a rendering became: cells, text outside code, links, HTML."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.token import Token

OUR_HTML = re.compile(
    r"</?(?:code|sub)>|<!-- -->|<details><summary>[^<>@#&]*</summary>\n*|</details>\n*"
    r"|<!-- robustness-gate(?:-record)?:1 [^<>]* -->\n*"
)
LINKED = {
    "mention": re.compile(r"(?<![\w`])@[A-Za-z0-9]"),
    "address": re.compile(r"\w@\w"),
    "reference": re.compile(r"#\d|\bgh-\d", re.IGNORECASE),
    "url": re.compile(r"[a-z]://\S|\bwww\.", re.IGNORECASE),
    "commit": re.compile(r"(?<![0-9a-z])[0-9a-f]{7,40}(?![0-9a-z])", re.IGNORECASE),
    "emoji": re.compile(r":[\w+-]+:"),
    "formula": re.compile(r"\$"),
}
IN_HTML_CODE = ("address", "url")
"""What a parser links in the text of a `<code>` element; GitHub's own filters leave code alone."""


@dataclass
class Read:
    """What a text became.

    Attributes:
        rows: cells of all tables as a reader sees them: a parser drops what is too many and adds what is missing.
        tables: the lines of each table as they are written.
    """

    rows: list[list[str]] = field(default_factory=list)
    tables: list[list[str]] = field(default_factory=list)
    text: list[str] = field(default_factory=list)
    code: list[str] = field(default_factory=list)
    html_code: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    html: list[str] = field(default_factory=list)
    headings: int = 0
    blocks: list[str] = field(default_factory=list)


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark").enable(["table", "strikethrough"])


def read(markdown: str) -> Read:
    """Parse, and sort every piece by where it landed."""
    found = Read()
    row: list[str] | None = None
    for token in _parser().parse(markdown):
        found.blocks.append(token.type)
        if token.type == "table_open" and token.map is not None:
            found.tables.append(markdown.split("\n")[slice(*token.map)])
        if token.type == "tr_open":
            row = []
            found.rows.append(row)
        elif token.type == "tr_close":
            row = None
        elif token.type == "heading_open":
            found.headings += 1
        elif token.type == "html_block":
            found.html.append(token.content)
        elif token.type == "inline":
            shown = _inline(token.children or [], found)
            if row is not None:
                row.append(shown)
    return found


def _inline(tokens: list[Token], found: Read) -> str:
    shown = ""
    run = ""
    within = False
    for token in [*tokens, Token("end", "", 0)]:
        if token.type in ("text", "text_special"):
            run += token.content
            shown += token.content
            continue
        if run:
            (found.html_code if within else found.text).append(run)
            run = ""
        if token.type == "code_inline":
            found.code.append(token.content)
            shown += token.content
        elif token.type == "html_inline":
            found.html.append(token.content)
            within = token.content == "<code>" or (within and token.content != "</code>")
        elif token.type in ("link_open", "image"):
            found.links.append(str(token.attrGet("href") or token.attrGet("src")))
    return shown


def harm(found: Read, own_links: tuple[str, ...] = ()) -> list[str]:
    """What GitHub would link, run or draw that is not ours; empty when all is well."""
    wrong = [f"link {link}" for link in found.links if link not in own_links]
    wrong += [f"html {html!r}" for html in found.html if OUR_HTML.sub("", html).strip()]
    for name, pattern in LINKED.items():
        wrong += [f"{name} in {text!r}" for text in found.text if pattern.search(text)]
        if name in IN_HTML_CODE:
            wrong += [f"{name} in code {text!r}" for text in found.html_code if pattern.search(text)]
    return wrong


COMMAND = re.compile(r"^\s*::|##\[", re.MULTILINE)
UNSEEN = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]")
