"""What `gate doctor` asks of the checkout: git's trust and depth, settings, the baseline, the recordings."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from gate.cli.doctor_check import Check
from gate.errors import GateError, SettingsError

if TYPE_CHECKING:
    from gate.baselines.git import Git
    from gate.settings import Settings

OLD_DAYS = 180
"""A baseline that nothing has changed for so long is probably not refreshed."""
_DAY = 86_400


def settings_check(folder: Path) -> tuple[Settings, Check]:
    """The settings of a folder, the defaults where they can't be read."""
    from gate.baselines.trusted import local_layers
    from gate.cli.files import local_settings
    from gate.settings import Settings

    try:
        settings = local_settings(folder)
        names = [layer.name for layer in local_layers(folder)]
    except SettingsError as error:
        return Settings(), Check("settings", "problem", error.message, error.remedy, error.where)
    if not names:
        return settings, Check("settings", "warning", "there is no settings file, so defaults count", "gate init")
    return settings, Check("settings", "fine", f"settings of the suite `{settings.suite}` can be read", where=names[0])


def repository_checks(folder: Path, settings: Settings, environ: Mapping[str, str], now: float) -> Iterator[Check]:
    """Git, the base, the baseline and the recordings.

    Args:
        now: Unix time in seconds.
    """
    from gate.baselines.git import Git

    git: Git | None = None
    try:
        found = Git(folder)
        found.head()
    except GateError as error:
        name = "safe-directory" if "another user owns it" in error.message else "repository"
        yield Check(name, "problem", error.message, error.remedy, error.where)
    else:
        git = found
        yield Check("safe-directory", "fine", "git reads this checkout")
        yield _base(found, folder, environ)
    yield _baseline(git, folder, settings, now)
    yield recordings_check(folder, settings)


def _base(git: Git, folder: Path, environ: Mapping[str, str]) -> Check:
    from gate.cli.tools import find_base, read_event
    from gate.collaborators import Request

    try:
        request = Request(root=folder, environ=environ)
        base = find_base(git, request, read_event(request))
    except GateError as error:
        fix = error.remedy or "check out with `fetch-depth: 0`"
        return Check("fetch-depth", "problem", f"the base is not in this checkout: {error.message}", fix)
    return Check("fetch-depth", "fine", f"the base is {base.short} ({base.how})")


def _baseline(git: Git | None, folder: Path, settings: Settings, now: float) -> Check:
    from gate.baselines.age import in_words
    from gate.cli.files import read_report_file

    path = settings.baseline_path
    place = folder / path
    if not place.exists():
        return Check("baseline", "problem", "there is no baseline", "`gate baseline create`, and commit it", path)
    try:
        report = read_report_file(place, settings.max_report_bytes)
    except GateError as error:
        return Check("baseline", "problem", error.message, error.remedy or "`gate baseline create`", error.where)
    cases = f"{len(report.cases):,} case{'s' if len(report.cases) != 1 else ''}"
    prefix = git.prefix if git is not None else ""
    last = git.last_commit_of(prefix + path, "HEAD") if git is not None else None
    if last is None and git is not None and git.entry("HEAD", prefix + path) is not None:
        return Check("baseline", "fine", f"{cases}; this clone is too shallow for its age", where=path)
    if last is None:
        return Check("baseline", "problem", f"{cases}, not committed", f"git add {path}, and commit it", path)
    age = f"{cases}, {in_words(last[1], now)}"
    if now - last[1] > OLD_DAYS * _DAY:
        fix = "let the workflow baseline.yml run, or `gate run` and `gate baseline refresh .gate/candidate.json`"
        return Check("baseline", "warning", age, fix, path)
    return Check("baseline", "fine", age, where=path)


def recordings_check(folder: Path, settings: Settings) -> Check:
    """The folder of the recordings: absent where a replay needs it, damaged, or with what looks like a secret."""
    from gate.record.recordings.check import problems
    from gate.record.recordings.store import Store

    place = Path(os.path.normpath(folder / settings.working_directory / settings.recordings))
    name = os.path.relpath(place, folder)
    if not place.is_dir():
        if settings.mode == "replay":
            return Check("recordings", "problem", "mode replay has nothing to replay", "gate run --mode record", name)
        return Check("recordings", "fine", "there are none, and none are needed")
    try:
        store = Store(place)
        found = problems(store)
    except GateError as error:
        return Check("recordings", "problem", error.message, error.remedy, error.where)
    if found:
        first = found[0]
        more = f", and {len(found) - 1} more" if len(found) > 1 else ""
        fix = f"{first.remedy}; `gate recordings check` lists all"
        return Check("recordings", "problem", f"{first.text}{more}", fix, f"{name}/{first.where}")
    files = len(store.files())
    return Check("recordings", "fine", f"{files} file{'s' if files != 1 else ''} without damage or secret", where=name)
