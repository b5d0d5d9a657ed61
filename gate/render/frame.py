"""The HTML document around every page: one file that loads nothing, links nothing, and lets nothing run."""

from __future__ import annotations

import base64
import hashlib

from gate.render import escape
from gate.render.page_style import STYLE

_SKIP = '<a class="skip" href="#content">Skip to the content</a>\n'


def framed(title: str, body: str, style: str = STYLE, *, before: str = "", after: str = "") -> str:
    """The whole document, with one trailing newline.

    Args:
        title, body: HTML that is harmless already.
        style: the one style sheet that is allowed, by its digest.
        before, after: landmarks around the main part, harmless too; with `before` comes a link past it.
    """
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    head, foot = f"{_SKIP}{before}\n" if before else "", f"{after}\n" if after else ""
    main = '<main id="content" tabindex="-1">' if before else "<main>"
    return escape.no_command_in_html(
        "<!doctype html>\n"
        '<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>{title}</title>\n<style>{style}</style>\n</head>\n"
        f"<body>\n{head}{main}\n{body}\n</main>\n{foot}</body>\n</html>\n"
    )
