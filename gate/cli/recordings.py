"""`gate recordings`: list, check, prune, compare, merge and import the stored answers of models."""

from __future__ import annotations

import datetime as dt
import os
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gate.cli.console import Console
from gate.errors import EXIT_HOLDS, EXIT_REGRESSION, RecordingError, UsageError

if TYPE_CHECKING:
    from gate.record.recordings.store import Store


def of_settings() -> Path:
    """The folder of the recordings that the settings of this folder name, from here.

    Raises:
        SettingsError: they can't be read.
    """
    from gate.cli.files import local_settings

    settings = local_settings(Path.cwd())
    return Path(os.path.normpath(Path(settings.working_directory, settings.recordings)))


_FOLDER = click.option(
    "--recordings",
    "folder",
    type=click.Path(path_type=Path),
    default=None,
    callback=lambda context, option, value: of_settings() if value is None else value,
    help="Folder of the recordings; by default that of the settings.",
)
_LARGEST_CASSETTE = 512 * 1024 * 1024
_LIKE = 0.6
"""How alike two words are, from 0 to 1, of which one may have been meant by the other."""


@click.group(epilog="Example: gate recordings check")
def recordings() -> None:
    """List, check, prune, compare, merge and import the stored answers of models.

    Exit codes: 0 fine; 1 `check` found a problem, `diff` a difference, or `prune --dry-run` something to take away;
    2 wrong usage; 3 a file can't be read.
    """


@recordings.command("list", short_help="Say what is stored, case by case.", epilog="Example: gate recordings list chat")
@click.argument("words", nargs=-1)
@click.option("--prices", "table", type=click.Path(path_type=Path), default=None, help="A price table of your own.")
@_FOLDER
@click.pass_obj
def list_(console: Console, words: tuple[str, ...], table: Path | None, folder: Path) -> int:
    """List the cases whose id holds all WORDS: trials, answers, models, dates, bytes, and what a replay saves."""
    from gate.cli.recordings_text import as_table
    from gate.record.recordings.prices import prices_of
    from gate.record.recordings.summary import summary

    store = _store(folder)
    stored = summary(store, prices_of(table))
    found = [each for each in stored if all(word in each.case for word in words)]
    if stored and not found:
        raise _no_case(words, [each.case for each in stored])
    console.result(as_table(found))
    _say_notices(console, store)
    return EXIT_HOLDS


@recordings.command(short_help="Look for damage and secrets.", epilog="Example: gate recordings check")
@_FOLDER
@click.pass_obj
def check(console: Console, folder: Path) -> int:
    """Read every line of every file; look for damage, merge conflicts, contradictions, and what looks like a secret.

    A secret is named by its file, line, kind and length, and never shown. Answers that are older than the setting
    stale-days, and those of another version of their model than the newest, are warned of.
    """
    from gate.cli.recordings_stale import outdated_lines
    from gate.cli.recordings_text import as_problems
    from gate.record.recordings.check import problems

    store = _store(folder)
    found = problems(store)
    console.result(as_problems(found, len(store.files())))
    for line in () if found else outdated_lines(store, _today(), Path.cwd()):
        console.warn(line)
    return EXIT_REGRESSION if found else EXIT_HOLDS


@recordings.command(
    short_help="Take away what is old or unused.",
    epilog="Example: gate recordings prune --unused .gate/candidate.json --dry-run",
)
@click.option(
    "--unused",
    "report",
    type=click.Path(path_type=Path),
    default=None,
    help="The report of a whole replay; takes away what it did not ask for.",
)
@click.option("--older-than", "days", type=click.IntRange(min=0), default=None, help="Days; takes away what is older.")
@click.option("--dry-run", is_flag=True, help="Take nothing away; exit with 1 if there is something.")
@_FOLDER
@click.pass_obj
def prune(console: Console, report: Path | None, days: int | None, dry_run: bool, folder: Path) -> int:
    """Take away answers that a run did not ask for, and answers that are older than a number of days.

    With both options, an answer goes that is either, and those to the same request that come after it in its trial.
    Answers without a date are never too old.
    """
    from gate.cli.recordings_text import as_pruned
    from gate.record.recordings.prune import call_of, unused_in, unwanted

    if report is None and days is None:
        raise UsageError("nothing says what to take away", remedy="give --unused REPORT, --older-than DAYS, or both")
    store = _store(folder)
    unused = unused_in(read_named(report), str(report)) if report is not None else frozenset()
    before = None if days is None else _today() - dt.timedelta(days=days)
    going = unwanted(store.entries(), unused, before)
    found = [entry for entry in store.entries() if call_of(entry) in going]
    if not dry_run:
        store.remove(lambda entry: call_of(entry) in going)
    console.result(as_pruned(found, dry_run))
    return EXIT_REGRESSION if found and dry_run else EXIT_HOLDS


@recordings.command(
    short_help="Say which answers changed.", epilog="Example: gate recordings diff main recordings --limit 5"
)
@click.argument("before", default="HEAD")
@click.argument("after", type=click.Path(path_type=Path), required=False)
@click.option(
    "--limit", type=click.IntRange(min=0), default=20, show_default=True, help="Most differences to show whole."
)
@_FOLDER
@click.pass_obj
def diff(console: Console, before: str, after: Path | None, limit: int, folder: Path) -> int:
    """Say which answers came, went or changed since BEFORE: a folder, or a commit or branch of this repository.

    By default what HEAD holds is compared with the files here. AFTER is a folder, by default that of the recordings.
    """
    from gate.cli.recordings_at import recordings_at
    from gate.cli.recordings_text import as_changes
    from gate.record.recordings.changes import changes
    from gate.record.recordings.store import Store

    new = _store(after or folder)
    with tempfile.TemporaryDirectory() as place:
        old = Store(recordings_at(before, folder, Path(place)))
        found = changes(old, new)
    console.result(as_changes(found, limit))
    return EXIT_REGRESSION if found else EXIT_HOLDS


@recordings.command(
    "import",
    short_help="Take over cassettes of other recorders.",
    epilog="Example: gate recordings import tests/cassettes/test_chat/test_greets.yaml",
)
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--case", default=None, metavar="ID", help="The test they belong to; by default as pytest-recording says."
)
@click.option("--trial", type=click.IntRange(min=0), default=0, show_default=True, help="The trial of the test.")
@_FOLDER
@click.pass_obj
def import_(console: Console, files: tuple[Path, ...], case: str | None, trial: int, folder: Path) -> int:
    """Take over the calls of cassettes in FILES, or below them: vcrpy, pytest-recording, betamax, VCR for Ruby.

    Secrets are taken out. What is stored already for the same call is replaced. Nothing is stored unless every file can
    be used. YAML needs the extra `cassettes`.
    """
    from gate.cli.files import local_settings
    from gate.record.recordings.cassettes import Interaction, as_entries, case_of, read_cassette
    from gate.record.recordings.store import Store
    from gate.record.recordings.volatile import read_volatile
    from gate.render.words import plural

    volatile = read_volatile(local_settings(Path.cwd()).volatile)
    calls: dict[str, list[Interaction]] = {}
    paths = [path for file in files for path in _cassettes(file)]
    for path in paths:
        owner = case or case_of(path)
        if not owner:
            raise UsageError(
                "where it lies doesn't say to which test this cassette belongs",
                where=str(path),
                remedy="name it with --case tests/test_module.py::test_name",
            )
        calls.setdefault(owner, []).extend(read_cassette(read_named(path), str(path)))
    entries = [entry for owner, found in calls.items() for entry in as_entries(found, owner, trial, volatile=volatile)]
    Store(folder).put(entries)
    cases = plural(len(calls), "case")
    told = f"{plural(len(entries), 'answer')} of {plural(len(paths), 'cassette')}"
    console.result(f"{told} for {cases} in {folder.as_posix()}")
    return EXIT_HOLDS


@recordings.command(
    short_help="Put an overlay into the recordings.", epilog="Example: gate recordings merge .gate/overlay"
)
@click.argument("overlay", type=click.Path(path_type=Path))
@_FOLDER
@click.pass_obj
def merge(console: Console, overlay: Path, folder: Path) -> int:
    """Put the answers of OVERLAY, as `gate record` made it, into the recordings, and its ledger into theirs.

    An answer replaces that of the same call. The overlay keeps its answers, so that this can be done again.
    """
    from gate.record.recordings.ledger import Ledger
    from gate.record.recordings.overlay import merge as merged
    from gate.record.recordings.store import Store

    source = _store(overlay)
    _say_notices(console, source)
    count = merged(source, Store(folder))
    Ledger(folder).take_over(Ledger(overlay))
    answers = f"{count:,} answer{'' if count == 1 else 's'}"
    console.result(f"{answers} of {overlay.as_posix()} in {folder.as_posix()}")
    return EXIT_HOLDS


def _no_case(words: Sequence[str], cases: Sequence[str]) -> UsageError:
    """That no case is called so, with one whose id has a word like it."""
    from difflib import SequenceMatcher

    def likeness(case: str) -> float:
        parts = [*re.findall(r"\w+", case), *re.findall(r"[^\W_]+", case)]
        return min(max((SequenceMatcher(None, word, part).ratio() for part in parts), default=0.0) for word in words)

    near = max(cases, key=likeness)
    remedy = f"did you mean {near:.200}?" if likeness(near) >= _LIKE else "`gate recordings list` names all"
    return UsageError(f"no case that is stored holds {' and '.join(words):.100}", remedy=remedy)


def _store(folder: Path) -> Store:
    """The recordings of a folder.

    Raises:
        UsageError: there is none.
    """
    from gate.record.recordings.store import Store

    if not folder.is_dir():
        raise UsageError(
            "there is no such folder of recordings",
            where=str(folder),
            remedy="`gate run --mode record` makes one; name another with --recordings",
        )
    return Store(folder)


def read_named(path: Path) -> bytes:
    """Content of a file that the command line names.

    Raises:
        UsageError: there is none.
        RecordingError: it can't be read.
    """
    try:
        if path.stat().st_size > _LARGEST_CASSETTE:
            raise RecordingError(f"more than {_LARGEST_CASSETTE:,} bytes", where=str(path), remedy="split it")
        return path.read_bytes()
    except FileNotFoundError:
        raise UsageError("there is no such file", where=str(path), remedy="check the path") from None
    except (OSError, ValueError) as error:  # a path with a NUL is a ValueError
        reason = getattr(error, "strerror", None) or error
        raise RecordingError(f"can't be read: {reason}", where=str(path), remedy="check its permissions") from None


def _cassettes(path: Path) -> list[Path]:
    """A file, or all cassettes below a folder, sorted.

    Raises:
        UsageError: nothing is there, or a folder without cassettes.
    """
    if not path.exists():
        raise UsageError("there is no such file or folder", where=str(path), remedy="check the path")
    if not path.is_dir():
        return [path]
    found = sorted(each for each in path.rglob("*") if each.suffix in (".yaml", ".yml", ".json") and each.is_file())
    if not found:
        raise UsageError(
            "there are no cassettes below this folder", where=str(path), remedy="name *.yaml or *.json files"
        )
    return found


def _say_notices(console: Console, store: Store) -> None:
    for notice in store.notices:
        console.warn(notice)


def _today() -> dt.date:
    return dt.datetime.now(dt.UTC).date()
