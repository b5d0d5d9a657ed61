"""Where settings and baselines stand: the path that a setting names, what is near it, and the folder that has them."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from pathlib import Path, PurePosixPath, PureWindowsPath

from gate.baselines.settings_files import OWN_FILE, SHARED_FILE, local_layers
from gate.errors import SettingsError
from gate.settings import Settings

BASELINES = "baselines/"
_NEAR = 3


def baseline_path(settings: Settings) -> str:
    """Path of the baseline below the folder of the settings, with forward slashes and without `.` parts.

    Raises:
        SettingsError: it leads out of that folder.
    """
    return inside(settings.baseline_path)


def inside(path: str) -> str:
    """A baseline's path as `baseline_path` gives it.

    Raises:
        SettingsError: it leads out of its folder.
    """
    pure = PurePosixPath(path.replace("\\", "/"))
    if pure.is_absolute() or PureWindowsPath(path).drive or ".." in pure.parts or not pure.parts:
        raise SettingsError(
            f"`baseline` can't be {path!r:.80}: it lies outside the repository",
            remedy="give a path below the folder of the settings, for example baselines/default.jsonl",
        )
    return pure.as_posix()


def nearest(path: str, names: Iterable[str]) -> tuple[str, ...]:
    """Baselines among paths that somebody who wrote `path` may have meant, the likeliest first."""
    known = sorted(name for name in set(names) if name.endswith(".jsonl"))
    close = difflib.get_close_matches(path, known, n=_NEAR, cutoff=0.6)
    rest = [name for name in known if name.startswith(BASELINES) and name not in close]
    return tuple([*close, *rest][:_NEAR])


def folder_above(folder: Path) -> Path | None:
    """The nearest folder above that has settings or baselines, where this one has neither; up to the top of the git.

    None where the folder has its own, or nobody up to the top has any.
    """
    here = folder.absolute()
    if _has_own(here):
        return None
    top = next((each for each in (here, *here.parents) if (each / ".git").exists()), here)
    above = [each for each in here.parents if each.is_relative_to(top)]
    return next((each for each in above if _has_own(each)), None)


def _has_own(folder: Path) -> bool:
    if (folder / OWN_FILE).exists() or any((folder / BASELINES).glob("*.jsonl")):
        return True
    try:
        return (folder / SHARED_FILE).is_file() and bool(local_layers(folder))
    except SettingsError:
        return True  # whoever reads them there is told what is wrong
