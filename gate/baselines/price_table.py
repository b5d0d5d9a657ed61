"""The user's own prices of models as the base has them: a limit in money is theirs, so a proposal can't lower them."""

from __future__ import annotations

import os
from pathlib import Path

from gate.baselines.base import Base, Fetch, read_at
from gate.baselines.git import Git, MissingObjectError
from gate.errors import SettingsError
from gate.settings import Settings

_MOST_BYTES = 1_000_000
_NONE = '{"models": []}'


def prices_at(git: Git, base: Base, settings: Settings, fetch: Fetch | None) -> str | None:
    """Text of the table that the setting `prices` names, as the base branch has it; one without entries where it has
    no such file.

    Returns:
        None where nothing is proposed, no file is named, or it lies outside of the repository, out of a proposal's
        reach.

    Raises:
        SettingsError: the file holds no JSON object.
        RepositoryError: it is no plain file, too large, or can't be had.
    """
    if not base.proposed or not settings.prices:
        return None
    path, top = Path(os.path.normpath((git.root / settings.prices).absolute())), git.top.absolute()
    if not path.is_relative_to(top):
        return None
    inside = path.relative_to(top).as_posix()
    try:
        data = read_at(git, base, inside, commit=base.deciding, fetch=fetch, limit=_MOST_BYTES)
    except MissingObjectError:
        data = read_at(git, base, inside, fetch=fetch, limit=_MOST_BYTES)
    if data is None:
        return _NONE
    text = data.decode("utf-8-sig", "replace").strip()
    if not text.startswith("{"):
        raise SettingsError(
            "is no table of prices", where=f"base {base.short}:{inside}", remedy='write {"models": […]} on main'
        )
    return text
