"""Whose settings file counts: of a proposal the base branch's alone, else that of the checkout."""

from __future__ import annotations

from dataclasses import dataclass, replace

from gate.baselines.base import Base, Fetch, read_at
from gate.baselines.git import Git, MissingObjectError
from gate.baselines.settings_files import local_layers, read_layer, readable, settings_differences
from gate.errors import RepositoryError, SettingsError
from gate.settings import Layer


@dataclass(frozen=True, slots=True)
class Deciding:
    """Settings files of a checkout.

    Attributes:
        layers: the file that counts, at most one.
        proposed: the head's own, which sets nothing; None where it counts, and where there is none.
        differences: how the head's would change what counts, one sentence each.
        notices: sentences that a reviewer must see.
    """

    layers: tuple[Layer, ...] = ()
    proposed: Layer | None = None
    differences: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()


def read_deciding(git: Git, base: Base, fetch: Fetch | None) -> Deciding:
    """The settings files of a checkout, each checked.

    Raises:
        SettingsError: one of them can't be read, the head's too: once merged, it would stop every pull request.
        RepositoryError: objects are missing, or a file is a link or too large.
    """
    if not base.proposed:
        return Deciding(tuple(local_layers(git.root)))
    counts, fork, said = _of_base(git, base, fetch)
    layers = () if counts is None else (counts,)
    if not base.head_checked_out:
        return Deciding(layers, notices=said)
    head = of_head(git, base)
    return Deciding(layers, head, settings_differences(counts, head, fork), said)


def _of_base(git: Git, base: Base, fetch: Fetch | None) -> tuple[Layer | None, Layer | None, tuple[str, ...]]:
    """Settings at the tip of the base branch, those where the head branched off, and why the first may be the second.

    The tip's, since a branch that is older than a stricter rule would else escape it.
    """

    def at(commit: str) -> Layer | None:
        return read_layer(
            lambda file: read_at(git, base, git.prefix + file, commit=commit, fetch=fetch), f"base {commit[:7]}"
        )

    if base.deciding == base.commit:
        return at(base.commit), None, ()
    try:
        counts = at(base.deciding)
    except MissingObjectError:
        said = f"the settings are those of {base.short}, where this branched off: the clone lacks the base branch's tip"
        return at(base.commit), None, (f"{said}; `fetch-depth: 0` shows it",)
    try:
        return counts, at(base.commit) or Layer("defaults", {}), ()
    except (SettingsError, RepositoryError):
        return counts, None, ()  # mended on the base branch since


def readable_layers(git: Git, base: Base | None, fetch: Fetch | None = None) -> tuple[Layer, ...]:
    """The settings that count as far as they can be read: whether, where and how to tell that something is wrong.

    Never raises. Without a base it is only the suite's name, as the checkout has it: that decides nothing.
    """

    def read(file: str) -> bytes | None:
        if base is not None and base.proposed:
            return read_at(git, base, git.prefix + file, commit=base.deciding, fetch=fetch)
        path = git.root / file
        return path.read_bytes() if path.is_file() and not path.is_symlink() else None

    try:
        found = readable(read)
    except OSError:
        return ()
    if found is not None and base is None:
        found = replace(found, values={key: value for key, value in found.values.items() if key == "suite"})
    return () if found is None else (found,)


def of_head(git: Git, base: Base) -> Layer | None:
    """The head's own settings, of the working tree where somebody judges their own; they may not decide."""
    if not base.shell:
        return read_layer(lambda file: git.read(base.head, git.prefix + file), f"head {base.head[:7]}", trusted=False)
    return next((replace(layer, trusted=False) for layer in local_layers(git.root)), None)
