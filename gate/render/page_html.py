"""Pieces of a page's HTML: sections, tables with captions, and Markdown made accessible once it is harmless."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

_MARKS = re.compile(
    r"<h[1-6]>(?P<heading>.*?)</h[1-6]>|<summary>(?P<summary>.*?)</summary>|<p><strong>(?P<strong>(?:(?!</strong>).)*)</strong></p>"
    r"|(?P<table><table>)",
    re.DOTALL,
)
_TAG = re.compile(r"<[^>]*>")
_DIFF = re.compile(r'(<pre><code class="language-diff">)(.*?)(</code></pre>)', re.DOTALL)
_CLASSES = {"+": "plus", "-": "minus"}


def section(key: str, title: str, body: str) -> str:
    """A named part of the page; key and title are words of ours."""
    return f'<section aria-labelledby="{key}">\n<h2 id="{key}">{title}</h2>\n{body}\n</section>'


def table(caption: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table of cells that are HTML already, the first of each row its header; a wide one scrolls by keyboard.

    Args:
        caption: words of ours; no two tables of a page have the same.
    """
    top = "".join(f'<th scope="col">{name}</th>' for name in heads)
    body = "".join(
        f'<tr><th scope="row">{first}</th>{"".join(f"<td>{cell}</td>" for cell in rest)}</tr>' for first, *rest in rows
    )
    return f"{_opened(caption)}<thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>"


def accessible(body: str, title: str) -> str:
    """Sanitised HTML whose tables are named by what stands above them, whose headers say what they head.

    Args:
        title: what the text stands under, for a table without a heading of its own.
    """
    scoped = body.replace("<th>", '<th scope="col">')
    return _DIFF.sub(_coloured, _captioned(scoped, title)).replace("</table>", "</table></div>")


def _captioned(body: str, title: str) -> str:
    above, own, used = title, "", Counter[str]()

    def marked(match: re.Match[str]) -> str:
        nonlocal above, own
        heading = match["heading"] or match["summary"]
        if heading is not None:
            above, own = _words(heading), ""
        elif match["strong"] is not None:
            own = _words(match["strong"])
        else:
            used[above] += 1
            again = f" ({used[above]})" if used[above] > 1 else ""
            return _opened(f"{above}{again}", f": {own}" if own else "")
        return match.group()

    return _MARKS.sub(marked, body)


def _opened(name: str, more: str = "") -> str:
    """The start of a table; its name is words of ours, what follows in its caption may be foreign."""
    region = f'<div class="wide" tabindex="0" role="region" aria-label="Table: {name}">'
    return f"{region}<table><caption>{name}{more}</caption>"


def _words(html: str) -> str:
    """Text of a piece of HTML, escaped as it was, harmless in an attribute too."""
    return _TAG.sub("", html).replace('"', "&quot;").strip()


def _coloured(match: re.Match[str]) -> str:
    lines = "\n".join(_line(each) for each in match[2].split("\n"))
    return f"{match[1]}{lines}{match[3]}"


def _line(text: str) -> str:
    name = _CLASSES.get(text[:1]) if not text.startswith(("+++", "---")) else None
    return f'<span class="{name}">{text}</span>' if name is not None else text
