"""An overlay precedes what main recorded, so it must come from a trusted job and not from the commits under review."""

from __future__ import annotations

import os
from pathlib import Path

from gate.baselines.git import Git
from gate.errors import RepositoryError


def refuse_tracked_overlay(git: Git, head: str, overlay: str) -> None:
    """Refuse an overlay of which the head has something, at its path or where a link of the checkout leads.

    Args:
        head: commit that is judged.
        overlay: as the setting names it, from the folder of the settings.

    Raises:
        RepositoryError: it is tracked.
    """
    named = git.root / overlay
    top = git.top.resolve()
    for path in {Path(os.path.normpath(named.absolute())), named.resolve()}:
        if not path.is_relative_to(top):
            continue
        inside = path.relative_to(top).as_posix()
        if inside == "." or git.entry(head, inside) is not None:
            raise RepositoryError(
                "the overlay is tracked in git, so the commits under review could bring the answers they are judged by",
                where=overlay,
                remedy="take it out of git (`git rm -r --cached`); let the job that runs `gate record` hand it over",
            )
