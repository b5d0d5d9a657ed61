"""Where recordings are that a run reads, as paths within its checkout."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable

from gate.settings.fields import Settings


def recorded_folders(settings: Settings) -> tuple[str, ...]:
    """The folder of recordings and the overlay, relative to the folder of the settings; those outside are left out.

    `recordings` is named from `working-directory`, `overlay` from the folder of the settings.
    """
    named = [posixpath.join(settings.working_directory, settings.recordings)]
    if settings.overlay:
        named.append(settings.overlay)
    found = [posixpath.normpath(path.replace("\\", "/")) for path in named]
    return tuple(path for path in found if not path.startswith(("/", "../")) and path != "..")


def within(path: str, folders: Iterable[str]) -> bool:
    """Whether a path of a repository is in one of these folders, wherever in it the folder of the settings stands."""
    return any(folder == "." or f"/{folder}/" in f"/{path}/" for folder in folders)
