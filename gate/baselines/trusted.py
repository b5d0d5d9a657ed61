"""What decides about a pull request, read from its base before any of its code runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from gate.baselines.age import in_words
from gate.baselines.base import Base, Fetch, read_at
from gate.baselines.git import Git, MissingObjectError
from gate.baselines.paths import changed_groups
from gate.baselines.settings_files import local_layers, read_layer, settings_differences
from gate.errors import BaselineError, RepositoryError, SettingsError
from gate.schema.changes import Changes
from gate.settings import Layer, Settings, resolve

__all__ = ["TrustedBase", "local_layers", "read_folder", "read_trusted", "require_baseline", "settings_layers"]

BASELINES = "baselines/"
_POINTER = b"version https://git-lfs.github.com/spec/"


@dataclass(frozen=True, slots=True)
class TrustedBase:
    """Everything of the base, and how the head differs from it.

    Attributes:
        layers: settings of base and checkout, in the order in which `resolve` joins them; give these to
            `settings_layers` with the environment's, the inputs' and the command line's.
        settings_from: where the deciding settings stand (`base 3f9c1e2:gate.toml`, `defaults`).
        baseline: content, or None when neither base nor head has one.
        baseline_name: path with its origin, for errors.
        baseline_from: `base 3f9c1e2`, `this pull request`, `the checkout`, or empty.
        baseline_commit: commit that last changed it; empty when unknown.
        baseline_time: when that was, in Unix seconds; None when unknown (a shallow clone).
        baseline_age: the same in words (`2 days old`); empty when unknown.
        other_suites: suites that the base has baselines of, when it has none of this one.
        notices: sentences that a reviewer must see.
    """

    base: Base | None
    layers: tuple[Layer, ...] = ()
    settings_from: str = "defaults"
    baseline: bytes | None = None
    baseline_path: str = ""
    baseline_name: str = ""
    baseline_from: str = ""
    baseline_commit: str = ""
    baseline_time: int | None = None
    baseline_age: str = ""
    other_suites: tuple[str, ...] = ()
    changes: Changes = field(default_factory=Changes)
    notices: tuple[str, ...] = ()

    @property
    def proposed(self) -> bool:
        """Whether only the base may decide."""
        return self.base is not None and self.base.proposed

    @property
    def changed_groups(self) -> Mapping[str, tuple[str, ...]]:
        """Changed paths that can change what is measured, by heading."""
        return changed_groups(self.changes.paths)


def settings_layers(trusted: TrustedBase, others: Sequence[Layer] = ()) -> list[Layer]:
    """All layers for `resolve`: on a proposal nothing but the base's may decide, in a shell all may."""
    if not trusted.proposed:
        return [*trusted.layers, *others]
    return [*trusted.layers, *(replace(layer, trusted=False) for layer in others)]


def read_folder(folder: Path, others: Sequence[Layer] = ()) -> TrustedBase:
    """The settings and the baseline of a folder without git; here nothing is proposed, so they decide.

    Raises:
        SettingsError, BaselineError: what stands there can't be used.
    """
    layers = tuple(local_layers(folder))
    settings = resolve([*layers, *others]).settings
    path = _inside(settings.baseline_path)
    data = _on_disk(folder / path, settings.max_report_bytes)
    return TrustedBase(
        base=None,
        layers=layers,
        settings_from=layers[0].name if layers else "defaults",
        baseline=data,
        baseline_path=path,
        baseline_name=path,
        baseline_from="" if data is None else "the checkout",
        other_suites=() if data is not None else _suites(_names_on_disk(folder), settings.suite),
    )


def read_trusted(
    git: Git, base: Base, *, others: Sequence[Layer] = (), fetch: Fetch | None = None, now: float | None = None
) -> TrustedBase:
    """Deciding settings, baseline and changes of a checkout against its base.

    Args:
        others: layers of the environment, the inputs and the command line; they may name the suite.
        fetch: the contents API, for a clone that lacks the base's objects.
        now: the time in Unix seconds, for the age of the baseline in words.

    Raises:
        SettingsError: settings of base or head that can't be read.
        RepositoryError: objects are missing, or a file is a link or too large.
        BaselineError: the baseline is a pointer of Git LFS.
    """
    at_base = read_layer(lambda file: read_at(git, base, git.prefix + file, fetch=fetch), f"base {base.short}")
    layers, sentences = _layers(git, base, at_base)
    trusted = TrustedBase(base, layers, settings_from=_origin(base, at_base, layers))
    settings = resolve(settings_layers(trusted, others)).settings
    found = _baseline(git, base, trusted, settings, fetch)
    paths, renames, notices = _changed(git, base)
    changes = replace(found.changes, paths=paths, renames=renames, settings=sentences)
    age = in_words(found.baseline_time, now) if now is not None else ""
    return replace(found, changes=changes, notices=notices, baseline_age=age)


def require_baseline(trusted: TrustedBase, suite: str) -> None:
    """Refuse to welcome a suite whose name is new where the base already has baselines.

    Raises:
        BaselineError: the base has baselines of other suites only.
    """
    if trusted.baseline is None and trusted.other_suites:
        known = ", ".join(f"`{name}`" for name in trusted.other_suites[:5])
        raise BaselineError(
            f"the base has baselines of {known}, none of the suite `{suite}`",
            where=trusted.baseline_path,
            remedy=f"check the name of the suite; for a new one commit `gate baseline create --suite {suite}`",
        )


def _layers(git: Git, base: Base, at_base: Layer | None) -> tuple[tuple[Layer, ...], tuple[str, ...]]:
    if not base.proposed:
        return tuple(local_layers(git.root)), ()
    if not base.head_checked_out:
        return (() if at_base is None else (at_base,)), ()
    at_head = read_layer(lambda file: git.read(base.head, git.prefix + file), f"head {base.head[:7]}", trusted=False)
    sentences = settings_differences(at_base, at_head)
    layers = [] if at_base is None else [at_base]
    if at_head is not None:
        # another name of the suite is another baseline: the base's file or the workflow names it
        layers.append(replace(at_head, values={k: v for k, v in at_head.values.items() if k != "suite"}))
    return tuple(layers), sentences


def _origin(base: Base, at_base: Layer | None, layers: Sequence[Layer]) -> str:
    if base.proposed:
        return at_base.name if at_base is not None else "defaults"
    return layers[0].name if layers else "defaults"


def _baseline(git: Git, base: Base, trusted: TrustedBase, settings: Settings, fetch: Fetch | None) -> TrustedBase:
    path = git.prefix + _inside(settings.baseline_path)
    limit = settings.max_report_bytes
    data = read_at(git, base, path, fetch=fetch, limit=limit)
    found = replace(trusted, baseline_path=path)
    if data is not None:
        last = _last_change(git, base, path)
        return replace(
            found,
            baseline=_usable(data, f"{path} at {base.short}"),
            baseline_name=f"{path} at {base.short}",
            baseline_from=f"base {base.short}",
            baseline_commit=last[0] if last else "",
            baseline_time=last[1] if last else None,
            changes=Changes(baseline_changed=_differs(git, base, path, data)),
        )
    others = _suites(_names_in_git(git, base), settings.suite)
    path, data = _first(git, base, settings, limit)
    if data is None:
        return replace(found, other_suites=others)
    origin = "this pull request" if base.proposed else "the checkout"
    return replace(
        found,
        baseline=_usable(data, path),
        baseline_path=path,
        baseline_name=f"{path} of {origin}",
        baseline_from=origin,
        other_suites=others,
        changes=Changes(first_baseline=True),
    )


def _first(git: Git, base: Base, settings: Settings, limit: int) -> tuple[str, bytes | None]:
    """The baseline that the head brings where the base has none, at the base's path or where the head says."""
    expected = _inside(settings.baseline_path)
    if not base.proposed:
        return git.prefix + expected, _on_disk(git.root / expected, limit)
    if not base.head_checked_out:
        return git.prefix + expected, None
    own = read_layer(lambda file: git.read(base.head, git.prefix + file), f"head {base.head[:7]}")
    named = "" if own is None else str(own.values.get("baseline", ""))
    for path in dict.fromkeys([expected, _inside(named or expected)]):
        data = git.read(base.head, git.prefix + path, limit=limit)
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


def _inside(path: str) -> str:
    """A baseline's path without `.` parts; never outside the repository."""
    pure = PurePosixPath(path)
    if pure.is_absolute() or ".." in pure.parts or not pure.parts:
        raise SettingsError(
            f"`baseline` can't be {path!r:.80}: it lies outside the repository",
            remedy="give a path below the folder of the settings, for example baselines/default.jsonl",
        )
    return pure.as_posix()


def _differs(git: Git, base: Base, path: str, data: bytes) -> bool:
    at_head = git.entry(base.head, path)
    try:
        at_base = git.entry(base.commit, path) if base.local else None
    except MissingObjectError:
        at_base = None
    if at_base is not None:
        return at_head != at_base
    return at_head is None or at_head[1] != git.name_of(data)


def _last_change(git: Git, base: Base, path: str) -> tuple[str, int] | None:
    try:
        return git.last_commit_of(path, base.commit) if base.local else None
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


def _names_in_git(git: Git, base: Base) -> tuple[str, ...]:
    try:
        return git.list(base.commit if base.local else base.head, git.prefix + BASELINES)
    except MissingObjectError:
        return ()


def _names_on_disk(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / BASELINES).glob("*.jsonl") if path.is_file())


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
