"""Let action.yml name the published image by its digest: `python release/pin.py IMAGE sha256:…`.

Whoever uses the action then runs the image that was tested, and builds nothing.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ACTION = Path(__file__).resolve().parents[1] / "action.yml"
_IMAGE = re.compile(r"^  image: (?:Dockerfile|docker://\S+)$", re.MULTILINE)
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_NAME = re.compile(r"[a-z0-9.-]+(?::\d+)?(?:/[a-z0-9._-]+)+")


def pinned(text: str, image: str, digest: str) -> str:
    """The text of action.yml with the image at its digest.

    Args:
        image: registry and name without a tag, such as `ghcr.io/owner/name`.
        digest: of the manifest over all architectures.

    Raises:
        ValueError: a name or digest that can't be, or an action.yml without one image.
    """
    if not _NAME.fullmatch(image) or not _DIGEST.fullmatch(digest):
        raise ValueError(f"no image by digest: {image!r:.200} {digest!r:.100}")
    made, count = _IMAGE.subn(f"  image: docker://{image}@{digest}", text)
    if count != 1:
        raise ValueError(f"action.yml names {count} images")
    return made


if __name__ == "__main__":
    ACTION.write_text(pinned(ACTION.read_text(encoding="utf-8"), sys.argv[1], sys.argv[2]), encoding="utf-8")
