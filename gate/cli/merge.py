"""`gate merge`: the reports of a suite that ran in shards become one candidate."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gate.cli.console import Console
from gate.cli.files import CANDIDATE, local_settings, read_bytes
from gate.errors import EXIT_HOLDS, EXIT_UNDECIDED, GateError, UndecidedError, UsageError

if TYPE_CHECKING:
    from gate.ingest.merge import Merged, Part


@click.command(epilog="Example: gate merge shards/*/ -o .gate/candidate.json")
@click.argument("shards", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    default=CANDIDATE,
    show_default=True,
    help="Where the report goes; trials, witnesses and what a replay lacked go beside it.",
)
@click.pass_obj
def merge(console: Console, shards: tuple[Path, ...], output: Path) -> int:
    """Join SHARDS, the reports of `gate run --shard` or of `gate ci --shard`, or the folders that hold them.

    A shard that is missing, empty, given twice, or of another commit, suite, collection, mode or plan makes a run that
    is not whole: the file then says why, and `gate ci --report` and `gate compare` can't decide.

    Exit codes: 0 the run is whole; 2 wrong usage; 3 it is not.
    """
    from gate.ingest.merge import fitted
    from gate.render.words import plural

    paths = [path / CANDIDATE.name if path.is_dir() else path for path in shards]
    if any(path.resolve() == output.resolve() for path in paths):
        raise UsageError("is one of the shards", where=str(output), remedy="name another file with --output")
    _forget(output)
    limit = local_settings(Path.cwd()).max_report_bytes
    parts, reasons = _read(paths, limit)
    merged = fitted(parts, reasons)
    _write(output, merged, limit)
    _join_beside(console, paths, output, merged)
    for reason in merged.reasons:
        console.error(f"the run is not whole: {reason}")
    console.say(
        f"{plural(len(merged.parts), 'shard')}, {plural(sum(len(part.ids) for part in merged.parts), 'case')}: {output}"
    )
    return EXIT_HOLDS if merged.complete else EXIT_UNDECIDED


def _forget(output: Path) -> None:
    """Remove what stands there: whatever ends this merge, that must not be taken for what it wrote."""
    try:
        output.unlink(missing_ok=True)
    except OSError as error:
        raise UsageError(f"can't be written: {error.strerror or error}", where=str(output), remedy="check it") from None


def _read(paths: Sequence[Path], limit: int) -> tuple[list[Part], list[str]]:
    """The parts that can be read, one after the other, and why the others can't."""
    from gate.ingest.merge import read_part

    parts, reasons = [], []
    for path in paths:
        try:
            parts.append(read_part(read_bytes(path, limit), str(path), limit=limit))
        except UndecidedError as error:
            reasons.append(_unreadable(error, str(path)))
    return parts, reasons


def _unreadable(error: UndecidedError, name: str) -> str:
    """Why a part can't be read, one sentence."""
    where = error.where if error.where.startswith(name) else name
    return f"{where}: {error.message}"


def _write(output: Path, merged: Merged, limit: int) -> None:
    """Write beside and rename, one part at a time."""
    from gate.ingest.merge import merged_text
    from gate.ingest.text import decode

    def text_of(part: Part) -> str:
        return decode(read_bytes(Path(part.name), limit), part.name, limit)

    partial = output.with_name(f".{output.name}.partial")
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        with partial.open("wb") as stream:
            for piece in merged_text(merged, text_of):
                stream.write(piece.encode("utf-8", "surrogatepass"))
        partial.replace(output)
    except OSError as error:
        raise UsageError(f"can't be written: {error.strerror or error}", where=str(output), remedy="check it") from None
    finally:
        with contextlib.suppress(OSError):  # the folder could not be made
            partial.unlink()


def _join_beside(console: Console, paths: Sequence[Path], output: Path, merged: Merged) -> None:
    """What stands beside the parts that count, joined: trials, witnesses, and what a replay lacked."""
    from gate.baselines.write import write_atomically
    from gate.cli.trials import TRIALS
    from gate.record.locally import MISSING, WITNESSES

    counted = {part.name for part in merged.parts}
    folders = [path.parent for path in paths if str(path) in counted]
    joiners: dict[str, Callable[[Sequence[bytes]], bytes]] = {TRIALS: _trials, WITNESSES: _witnesses, MISSING: _missing}
    for name, join in joiners.items():
        try:
            found = join(list(_left(folders, name, output.parent / name)))
        except GateError as error:  # it can save a later run some calls, and decides nothing
            console.warn(f"{name} of the shards can't be joined: {error.message}")
            found = b""
        (output.parent / name).unlink(missing_ok=True)  # what another run left is not this one's
        if found:
            write_atomically(output.parent / name, found)


def _left(folders: Sequence[Path], name: str, output: Path) -> Iterator[bytes]:
    from gate.cli.trials import MOST_BYTES
    from gate.sandbox.worlds import read_left

    for folder in dict.fromkeys(folders):
        path = folder / name
        if path.resolve() == output.resolve() or not path.is_file():
            continue
        yield read_left(path, MOST_BYTES)


def _missing(found: Sequence[bytes]) -> bytes:
    from gate.record.recordings.missing import MissingEntry, read_missing, to_bytes

    entries: list[MissingEntry] = [entry for data in found for entry in read_missing(data)]
    return to_bytes(entries) if entries else b""


def _trials(found: Sequence[bytes]) -> bytes:
    from gate.deliver.earlier import joined
    from gate.record.memory import read_lines

    return joined([read_lines(each).trials for each in found]).data


def _witnesses(found: Sequence[bytes]) -> bytes:
    from gate.suites.perturbation.witness_file import dumps, loads

    groups = {group: each for data in found for group, each in loads(data).items()}
    return dumps(groups) if groups else b""
