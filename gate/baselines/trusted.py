"""What decides about a pull request, read from its base before any of its code runs."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from gate.baselines import waivers
from gate.baselines.age import in_words
from gate.baselines.anchor import NO_ANCHOR, Anchor, read_anchor
from gate.baselines.attached import Read, attach, on_disk
from gate.baselines.base import Base, Fetch, read_at
from gate.baselines.deciding import of_head, read_deciding
from gate.baselines.git import Git, MissingObjectError
from gate.baselines.paths import changed_groups
from gate.baselines.places import BASELINES, baseline_path, inside, nearest
from gate.baselines.price_table import prices_at
from gate.baselines.settings_files import local_layers
from gate.baselines.stored_witnesses import stored, witnesses_path
from gate.baselines.suppressed import suppressed_at
from gate.baselines.untracked import refuse_tracked_overlay
from gate.errors import BaselineError, RepositoryError
from gate.schema.acceptance import Waiver
from gate.schema.changes import Changes
from gate.settings import Layer, Settings, resolve
from gate.settings.recorded import recorded_folders

__all__ = ["TrustedBase", "local_layers", "read_folder", "read_trusted", "settings_layers"]

_POINTER = b"version https://git-lfs.github.com/spec/"


@dataclass(frozen=True, slots=True)
class TrustedBase:
    """Everything of the base, and how the head differs from it.

    Attributes:
        layers: the settings file that counts, at most one: of a proposal the base's, else the checkout's; give these
            to `settings_layers` with the environment's, the inputs' and the command line's.
        proposed_layer: the head's own settings file where it sets nothing.
        settings_from: where the deciding settings stand (`base 3f9c1e2:gate.toml`, `defaults`).
        baseline: content, or None when neither base nor head has one.
        baseline_name: path with its origin, for errors.
        baseline_from: `base 3f9c1e2`, `this pull request`, `the checkout`, or empty.
        baseline_commit: commit that last changed it; empty when unknown.
        baseline_time: when that was, in Unix seconds; None when unknown (a shallow clone).
        baseline_age: the same in words (`2 days old`); empty when unknown.
        other_suites: suites that the base has baselines of, when it has none of this one.
        named: whether the setting `baseline` names its path.
        witnesses: content of the file beside the baseline, from where that was read; empty without one.
        near: baselines that are there, when that path is not.
        notices: sentences that a reviewer must see.
        recorded: folders of recordings and of an overlay, as the settings name them.
        waivers: findings that main permits; on a proposal those of the base.
        anchor: the baseline as it stood at the anchor; nothing on the way to a first baseline.
        today: day on which they are looked at, `YYYY-MM-DD`; empty keeps every one.
        prices: text of the table that `prices` names, as the base has it; None where the checkout's counts.
    """

    base: Base | None
    layers: tuple[Layer, ...] = ()
    proposed_layer: Layer | None = None
    settings_from: str = "defaults"
    baseline: bytes | None = None
    baseline_path: str = ""
    baseline_name: str = ""
    baseline_from: str = ""
    baseline_commit: str = ""
    baseline_time: int | None = None
    baseline_age: str = ""
    other_suites: tuple[str, ...] = ()
    named: bool = False
    witnesses: bytes = b""
    near: tuple[str, ...] = ()
    changes: Changes = field(default_factory=Changes)
    notices: tuple[str, ...] = ()
    recorded: tuple[str, ...] = ()
    prices: str | None = None
    waivers: tuple[Waiver, ...] = ()
    today: str = ""
    anchor: Anchor = NO_ANCHOR

    @property
    def proposed(self) -> bool:
        """Whether only the base may decide."""
        return self.base is not None and self.base.proposed

    @property
    def changed_groups(self) -> Mapping[str, tuple[str, ...]]:
        """Changed paths that can change what is measured, by heading."""
        return changed_groups(self.changes.paths, self.recorded)


def settings_layers(trusted: TrustedBase, others: Sequence[Layer] = ()) -> list[Layer]:
    """All layers for `resolve`: on a proposal nothing but the base's may decide, in a shell all may."""
    if not trusted.proposed:
        return [*trusted.layers, *others]
    return [*trusted.layers, *(replace(layer, trusted=False) for layer in others)]


def read_folder(folder: Path, others: Sequence[Layer] = (), *, now: float | None = None) -> TrustedBase:
    """The settings and the baseline of a folder without git; here nothing is proposed, so they decide.

    Raises:
        SettingsError, BaselineError: what stands there can't be used.
    """
    layers = tuple(local_layers(folder))
    settings = resolve([*layers, *others]).settings
    path = baseline_path(settings)
    limit = settings.max_report_bytes
    data = _on_disk(folder / path, limit)
    if data is not None:
        data = attach(data, path, on_disk(limit, folder), limit=limit)
    witnesses, notices = stored(None if data is None else _on_disk(folder / witnesses_path(path), limit), path)
    return TrustedBase(
        base=None,
        layers=layers,
        settings_from=layers[0].name if layers else "defaults",
        baseline=data,
        baseline_path=path,
        baseline_name=path,
        baseline_from="" if data is None else "the checkout",
        other_suites=() if data is not None else _suites(_names_on_disk(folder), settings.suite),
        named=bool(settings.baseline),
        witnesses=witnesses,
        notices=notices,
        near=() if data is not None else nearest(path, _names_on_disk(folder)),
        waivers=waivers.of_file(_on_disk(folder / waivers.PATH, limit)),
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
    found = _baseline(git, base, trusted, settings, fetch)
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


def _baseline(git: Git, base: Base, trusted: TrustedBase, settings: Settings, fetch: Fetch | None) -> TrustedBase:
    path = git.prefix + baseline_path(settings)
    limit = settings.max_report_bytes
    found = replace(trusted, baseline_path=path, named=bool(settings.baseline))
    others = _suites(_names_in_git(git, base, BASELINES), settings.suite)
    suites = 1 + len(others)
    # one that the base branch has by now counts before one that the head brings
    for commit in dict.fromkeys([base.commit, base.deciding]):
        data = read_at(git, base, path, commit=commit, fetch=fetch, limit=limit)
        if data is None:
            continue
        last = _last_change(git, base, commit, path)
        beside = read_at(git, base, witnesses_path(path), commit=commit, fetch=fetch, limit=limit)
        witnesses, notices = stored(beside, f"{witnesses_path(path)} at {commit[:7]}")
        name = f"{path} at {commit[:7]}"
        return replace(
            found,
            baseline=attach(
                _usable(data, name), path, _beside(git, base, commit, fetch, limit), limit=limit, where=name
            ),
            baseline_name=name,
            baseline_from=f"base {commit[:7]}",
            baseline_commit=last[0] if last else "",
            baseline_time=last[1] if last else None,
            witnesses=witnesses,
            notices=notices,
            changes=Changes(baseline_changed=_differs(git, base, commit, path, data), suites=suites),
        )
    path, data = _first(git, base, settings, limit)
    if data is None:
        return replace(found, other_suites=others, near=_near(git, base, path) if found.named else ())
    origin = "this pull request" if base.proposed and not base.shell else "the checkout"
    witnesses, notices = stored(_at_head(git, base, witnesses_path(path).removeprefix(git.prefix), limit), path)
    return replace(
        found,
        baseline=attach(_usable(data, path), path, _of_head(git, base, limit), limit=limit),
        baseline_path=path,
        baseline_name=f"{path} of {origin}",
        baseline_from=origin,
        other_suites=others,
        witnesses=witnesses,
        notices=notices,
        changes=Changes(first_baseline=True, suites=suites),
    )


def _beside(git: Git, base: Base, commit: str, fetch: Fetch | None, limit: int) -> Read:
    """Reads what is attached to the baseline of a commit, from that commit."""
    return lambda name: read_at(git, base, name, commit=commit, fetch=fetch, limit=limit)


def _of_head(git: Git, base: Base, limit: int) -> Read:
    """Reads what is attached to a baseline that the head brings, from where `_first` found it."""
    if base.shell or not base.proposed:
        return on_disk(limit, git.top)
    return lambda name: git.read(base.head, name, limit=limit)


def _first(git: Git, base: Base, settings: Settings, limit: int) -> tuple[str, bytes | None]:
    """The baseline that the head brings where the base has none, at the base's path or where the head says."""
    expected = baseline_path(settings)
    if not base.proposed:
        return git.prefix + expected, _on_disk(git.root / expected, limit)
    if not base.head_checked_out:
        return git.prefix + expected, None
    own = of_head(git, base)
    named = "" if own is None else str(own.values.get("baseline", ""))
    for path in dict.fromkeys([expected, inside(named or expected)]):
        data = _at_head(git, base, path, limit)
        if data is not None and not base.local:
            # the API answers 404 for what is absent and for what the token may not read
            raise RepositoryError(
                f"the clone lacks the base {base.short}, so a first baseline can't be told from one that was not read",
                where=git.prefix + path,
                remedy="set `fetch-depth: 2` at actions/checkout",
            )
        if data is not None:
            return git.prefix + path, data
    return git.prefix + expected, None


def _at_head(git: Git, base: Base, path: str, limit: int) -> bytes | None:
    if base.shell:
        return _on_disk(git.root / path, limit)
    return git.read(base.head, git.prefix + path, limit=limit)


def _differs(git: Git, base: Base, commit: str, path: str, data: bytes) -> bool:
    """Whether the head has another baseline than `data` of the base; in a shell also one that is not committed."""
    on_disk = git.top / path
    if base.shell and (on_disk.is_symlink() or not on_disk.is_file() or _lines(on_disk.read_bytes()) != _lines(data)):
        return True
    at_head = git.entry(base.head, path)
    try:
        at_base = git.entry(commit, path) if base.local else None
    except MissingObjectError:
        at_base = None
    if at_base is not None:
        return at_head != at_base
    return at_head is None or at_head[1] != git.name_of(data)


def _lines(data: bytes) -> bytes:
    return data.replace(b"\r\n", b"\n")  # git may check text out with other ends of lines


def _last_change(git: Git, base: Base, commit: str, path: str) -> tuple[str, int] | None:
    try:
        return git.last_commit_of(path, commit) if base.local else None
    except MissingObjectError:
        return None


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


def _names_in_git(git: Git, base: Base, folder: str) -> tuple[str, ...]:
    found: list[str] = []
    for commit in {base.commit, base.deciding} if base.local else {base.head}:
        with contextlib.suppress(MissingObjectError):
            found += git.list(commit, git.prefix + folder)
    return tuple(sorted(set(found)))


def _near(git: Git, base: Base, path: str) -> tuple[str, ...]:
    there = [name.removeprefix(git.prefix) for name in _names_in_git(git, base, "")]
    return nearest(path.removeprefix(git.prefix), [*there, *(_names_on_disk(git.root) if base.shell else [])])


def _names_on_disk(folder: Path) -> list[str]:
    return sorted(BASELINES + path.name for path in (folder / BASELINES).glob("*.jsonl") if path.is_file())


def _suites(paths: Sequence[str], suite: str) -> tuple[str, ...]:
    found = {path.rsplit("/", 1)[-1].removesuffix(".jsonl") for path in paths if path.endswith(".jsonl")}
    return tuple(sorted(found - {suite}))


def _on_disk(path: Path, limit: int) -> bytes | None:
    if path.is_symlink():
        raise BaselineError("is a symbolic link, not a file", where=str(path), remedy="put a plain file there")
    try:
        if path.stat().st_size > limit:
            raise BaselineError(
                f"is larger than the limit of {limit:,} bytes", where=str(path), remedy="raise `max-report-bytes`"
            )
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise BaselineError(
            f"can't be read: {error.strerror or error}", where=str(path), remedy="check the path and its permissions"
        ) from None


def _usable(data: bytes, where: str) -> bytes:
    if data.startswith(_POINTER):
        raise BaselineError(
            "is a pointer of Git LFS, not the baseline itself",
            where=where,
            remedy="take baselines out of Git LFS: they are small text, and the base's must be readable from git",
        )
    return data
