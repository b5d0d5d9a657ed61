"""What decides about a pull request, read from its base before any of its code runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from gate.baselines import waivers
from gate.baselines.age import in_words
from gate.baselines.anchor import NO_ANCHOR, read_anchor
from gate.baselines.attached import attach, on_disk
from gate.baselines.base import Base, Fetch, read_at
from gate.baselines.deciding import read_deciding
from gate.baselines.git import Git, MissingObjectError
from gate.baselines.places import baseline_path, nearest
from gate.baselines.price_table import prices_at
from gate.baselines.settings_files import local_layers
from gate.baselines.stored_baseline import names_on_disk, plain_file, suites_of, with_baseline
from gate.baselines.stored_witnesses import stored, witnesses_path
from gate.baselines.suppressed import suppressed_at
from gate.baselines.trusted_base import TrustedBase, settings_layers
from gate.baselines.untracked import refuse_tracked_overlay
from gate.settings import Layer, Settings, resolve
from gate.settings.recorded import recorded_folders

__all__ = ["TrustedBase", "local_layers", "read_folder", "read_trusted", "settings_layers"]


def read_folder(folder: Path, others: Sequence[Layer] = (), *, now: float | None = None) -> TrustedBase:
    """The settings and the baseline of a folder without git; here nothing is proposed, so they decide.

    Raises:
        SettingsError, BaselineError: what stands there can't be used.
    """
    layers = tuple(local_layers(folder))
    settings = resolve([*layers, *others]).settings
    path = baseline_path(settings)
    limit = settings.max_report_bytes
    data = plain_file(folder / path, limit)
    if data is not None:
        data = attach(data, path, on_disk(limit, folder), limit=limit)
    witnesses, notices = stored(None if data is None else plain_file(folder / witnesses_path(path), limit), path)
    return TrustedBase(
        base=None,
        layers=layers,
        settings_from=layers[0].name if layers else "defaults",
        baseline=data,
        baseline_path=path,
        baseline_name=path,
        baseline_from="" if data is None else "the checkout",
        other_suites=() if data is not None else suites_of(names_on_disk(folder), settings.suite),
        named=bool(settings.baseline),
        witnesses=witnesses,
        notices=notices,
        near=() if data is not None else nearest(path, names_on_disk(folder)),
        waivers=waivers.of_file(plain_file(folder / waivers.PATH, limit)),
        today=waivers.day_of(now),
    )


def read_trusted(
    git: Git, base: Base, *, others: Sequence[Layer] = (), fetch: Fetch | None = None, now: float | None = None
) -> TrustedBase:
    """Deciding settings, baseline and changes of a checkout against its base.

    Args:
        others: layers of the environment, the inputs and the command line; they may name the suite.
        fetch: the contents API, for a clone that lacks the base's objects.
        now: the time in Unix seconds, for the age of the baseline in words and the last days of waivers.

    Raises:
        SettingsError: settings of base or head that can't be read.
        RepositoryError: objects are missing, a file is a link or too large, or the overlay is tracked.
        BaselineError: the baseline is a pointer of Git LFS.
    """
    deciding = read_deciding(git, base, fetch)
    layers = deciding.layers
    trusted = TrustedBase(base, layers, deciding.proposed, layers[0].name if layers else "defaults")
    settings = resolve(settings_layers(trusted, others)).settings
    if settings.overlay:
        refuse_tracked_overlay(git, base.head, settings.overlay)
    found = with_baseline(git, base, trusted, settings, fetch)
    paths, renames, notices = _changed(git, base)
    suppressed = _suppressed(git, base, settings, found.baseline, fetch)
    changes = replace(found.changes, paths=paths, renames=renames, settings=deciding.differences, suppressed=suppressed)
    age = in_words(found.baseline_time, now) if now is not None else ""
    first = found.baseline is None or found.changes.first_baseline
    anchor = NO_ANCHOR if first else read_anchor(git, settings, fetch=fetch, now=now)
    return replace(
        found,
        changes=changes,
        notices=(*deciding.notices, *found.notices, *notices, *((anchor.notice,) if anchor.notice else ())),
        baseline_age=age,
        recorded=recorded_folders(settings),
        prices=prices_at(git, base, settings, fetch),
        waivers=waivers.at_base(git, base, fetch),
        today=waivers.day_of(now),
        anchor=anchor,
    )


def _suppressed(
    git: Git, base: Base, settings: Settings, baseline: bytes | None, fetch: Fetch | None
) -> frozenset[str]:
    """Mutants that the base suppresses; nothing is read where its baseline has none."""
    if baseline is None or b'"mutation"' not in baseline:
        return frozenset()

    def read(path: str) -> bytes | None:
        return read_at(git, base, path, commit=base.deciding, fetch=fetch)

    return suppressed_at(read, git.prefix + settings.working_directory)


def _changed(git: Git, base: Base) -> tuple[tuple[str, ...], dict[str, str], tuple[str, ...]]:
    since = base.since or base.commit
    if since == base.head:
        return (), {}, ()
    try:
        return (*git.changed(since, base.head), ())
    except MissingObjectError:
        if not base.proposed:
            return (), {}, ()
        said = "the clone lacks the base, so changed and renamed files are unknown; `fetch-depth: 2` shows them"
        return (), {}, (said,)
