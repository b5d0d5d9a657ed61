"""The baseline that counts: of the base, or the first one that a head brings; and which others stand beside it."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from gate.baselines.attached import Read, attach, on_disk
from gate.baselines.base import Base, Fetch, read_at
from gate.baselines.deciding import of_head
from gate.baselines.git import Git, MissingObjectError
from gate.baselines.places import BASELINES, baseline_path, inside, nearest
from gate.baselines.stored_witnesses import stored, witnesses_path
from gate.baselines.trusted_base import TrustedBase
from gate.errors import BaselineError, RepositoryError
from gate.schema.changes import Changes
from gate.settings import Settings

_POINTER = b"version https://git-lfs.github.com/spec/"


def with_baseline(git: Git, base: Base, trusted: TrustedBase, settings: Settings, fetch: Fetch | None) -> TrustedBase:
    """The same with the baseline, and how the head's differs from it. Raises as `read_trusted`."""
    path = git.prefix + baseline_path(settings)
    limit = settings.max_report_bytes
    found = replace(trusted, baseline_path=path, named=bool(settings.baseline))
    others = suites_of(_names_in_git(git, base, BASELINES), settings.suite)
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
        return git.prefix + expected, plain_file(git.root / expected, limit)
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
        return plain_file(git.root / path, limit)
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


def _names_in_git(git: Git, base: Base, folder: str) -> tuple[str, ...]:
    found: list[str] = []
    for commit in {base.commit, base.deciding} if base.local else {base.head}:
        with contextlib.suppress(MissingObjectError):
            found += git.list(commit, git.prefix + folder)
    return tuple(sorted(set(found)))


def _near(git: Git, base: Base, path: str) -> tuple[str, ...]:
    there = [name.removeprefix(git.prefix) for name in _names_in_git(git, base, "")]
    return nearest(path.removeprefix(git.prefix), [*there, *(names_on_disk(git.root) if base.shell else [])])


def names_on_disk(folder: Path) -> list[str]:
    """Baselines of a folder, as settings name them."""
    return sorted(BASELINES + path.name for path in (folder / BASELINES).glob("*.jsonl") if path.is_file())


def suites_of(paths: Sequence[str], suite: str) -> tuple[str, ...]:
    """Suites that have a baseline among these files, without `suite`."""
    found = {path.rsplit("/", 1)[-1].removesuffix(".jsonl") for path in paths if path.endswith(".jsonl")}
    return tuple(sorted(found - {suite}))


def plain_file(path: Path, limit: int) -> bytes | None:
    """Content of a file on disk; None where there is none.

    Raises:
        BaselineError: it is a link, too large or can't be read.
    """
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
