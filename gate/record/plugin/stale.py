"""What is stale of the recordings that a run replayed, and what of them it did not ask for, for its report.

Nothing is said of a recording that the run had no reason to ask for: of a test that was skipped or failed on the way,
of trials that were not made, of files that were left out.
"""

from __future__ import annotations

import datetime as dt
import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from gate.errors import GateError
from gate.record.recordings import staleness
from gate.record.recordings.entry import JUDGED_AGAIN, Head
from gate.record.recordings.missing import MissingEntry
from gate.record.recordings.overlay import Layers
from gate.record.recordings.prune import unused_fields
from gate.record.recordings.session import RecordingSession
from gate.record.recordings.store import Store
from gate.record.recordings.volatile import NONE, Volatile
from gate.schema.mutation import MUTANT, SUMMARY
from gate.schema.stale import LONGEST_TEXT, MOST_CALLS, MOST_ENTRIES, Recordings, recordings_to_json

PLUGIN = "gate-stale"
_LEFT = "gate_unasked"
_FIXTURE = "::fixture "
_OF_MUTANTS = MUTANT, SUMMARY
UNMUTATED = f"{SUMMARY}unmutated "
"""Before the id of a test: its trials without any mutant."""

Call = tuple[int, str, int]
"""Trial, key and number of an answer within its case."""


def register(
    config: pytest.Config,
    session: RecordingSession,
    folders: Sequence[Path],
    lacked: Callable[[], Iterable[MissingEntry]],
    volatile: Volatile = NONE,
) -> None:
    """Have the report of this run say what is stale, unless it recorded everything anew.

    Args:
        folders: of the recordings, in the order in which they precede each other.
        lacked: what the run had no answer to, asked when it is over; on a controller that of all workers.
        volatile: parts of requests that don't count.
    """
    if session.mode in ("replay", "auto"):
        config.pluginmanager.register(StaleRecordings(config, session, folders, lacked, volatile), PLUGIN)


class StaleRecordings:
    """Stands in every process that runs tests; the one that writes the report asks for `found`."""

    def __init__(
        self,
        config: pytest.Config,
        session: RecordingSession,
        folders: Sequence[Path],
        lacked: Callable[[], Iterable[MissingEntry]],
        volatile: Volatile,
    ) -> None:
        self._config = config
        self._session = session
        self._folders = folders
        self._lacked = lacked
        self._volatile = volatile
        self._told: list[dict[str, set[Call]]] = []

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """What a worker of pytest-xdist asked for."""
        told = (getattr(node, "workeroutput", None) or {}).get(_LEFT, "")
        if told:
            left = json.loads(told)
            self._told.append({case: {(trial, key, n) for trial, key, n in calls} for case, calls in left.items()})

    def pytest_sessionfinish(self) -> None:
        output: dict[str, Any] | None = getattr(self._config, "workeroutput", None)
        if output is not None:
            output[_LEFT] = json.dumps({case: sorted(calls) for case, calls in self._left().items()})

    def _left(self) -> dict[str, set[Call]]:
        """Of every case that asked in this process, the answers that it was not given."""
        left: dict[str, set[Call]] = {case: set() for case in self._session.cases()}
        for head in self._session.unused(left):
            left[head.case].add((head.trial, head.key, head.n))
        return left

    def found(self, report: Mapping[str, Any]) -> dict[str, Any]:
        """The object `recordings` of a report.

        Args:
            report: what was gathered so far: `tests`, `collectors`, and of `gate` its `completeness`.
        """
        try:
            return self._found(report)
        except GateError as error:
            return recordings_to_json(Recordings(unjudged=f"the recordings can't be read: {error}"[:LONGEST_TEXT]))

    def _found(self, report: Mapping[str, Any]) -> dict[str, Any]:
        stores = [Store(folder) for folder in self._folders]
        missing = tuple(self._lacked())
        days = self._config.getoption("--gate-stale-days", 0)
        today = dt.datetime.now(dt.UTC).date()
        stale = staleness.outdated(stores, missing, today, days, self._volatile)
        unjudged = _selected(self._config, report)
        unused: list[Head] = []
        if not unjudged:
            lacking = {asked.case for entry in missing for asked in entry.asked}
            suite = _Suite(report, Path(self._config.rootpath), _folders(self._config))
            unused = sorted(self._unused(stores, suite, lacking), key=lambda head: head.order)
            unused = [head for head in unused if not _judged_again(stores, head)]
            stale += staleness.unused(unused)
        found = Recordings(stale[:MOST_ENTRIES], len(stale[MOST_ENTRIES:]), unjudged)
        return recordings_to_json(found) | ({} if unjudged else {"unused": unused_fields(unused[:MOST_CALLS])})

    def _unused(self, stores: Sequence[Store], suite: _Suite, lacking: set[str]) -> Iterator[Head]:
        """Answers that no process asked for. What lacks an answer is recorded anew, which replaces the others."""
        told = [*self._told, self._left()]
        heads: dict[str, list[Head]] = defaultdict(list)
        for head in Layers(stores[-1], stores[0] if len(stores) > 1 else None).heads():
            if not head.failed:
                heads[head.case].append(head)
        for case, stored in heads.items():
            if case in lacking:
                continue
            asked = [left[case] for left in told if case in left]
            if asked and suite.ended(case):
                yield from _of_trials_made(stored, set.intersection(*asked))
            elif not asked and suite.had_no_use(case):
                yield from stored


def _judged_again(stores: Sequence[Store], head: Head) -> bool:
    """Whether a run asked for it that judged stored answers again: a run of the suite has no use for it."""
    for store in stores:
        held = store.held(head.slot)
        if held is not None and head.n in held.answers:
            return store.entry(held.answers[head.n]).meta.purpose == JUDGED_AGAIN
    return False


def _of_trials_made(stored: Sequence[Head], left: set[Call]) -> Iterator[Head]:
    """Of the answers that were left over, those of trials that asked at all: a design may need fewer trials."""
    made = {head.trial for head in stored if (head.trial, head.key, head.n) not in left}
    for head in stored:
        if (head.trial, head.key, head.n) in left and (not made or head.trial in made):
            yield head


class _Suite:
    """What ran, and what a case that did not ask therefore means.

    Args:
        report: as `StaleRecordings.found` takes it.
        root: folder that ids are relative to.
        folders: that were asked for, relative to the root; empty for all.
    """

    def __init__(self, report: Mapping[str, Any], root: Path, folders: Sequence[str]) -> None:
        self._root = root
        self._folders = folders
        self._outcomes = {test["nodeid"]: "carried" if _carried(test) else test["outcome"] for test in report["tests"]}
        self._files = {nodeid.partition("::")[0] for nodeid in self._outcomes}
        self._all_passed = all(outcome == "passed" for outcome in self._outcomes.values())
        self._mutants = [case["id"] for case in report["gate"].get("cases", ())]

    def ended(self, case: str) -> bool:
        """Whether a case that asked came to its end, so that it would have asked for all that it needs."""
        return self._outcomes.get(case, "passed") in ("passed", "carried")

    def had_no_use(self, case: str) -> bool:
        """Whether a case that did not ask would have asked, had it any use for its recordings."""
        if case in self._outcomes:
            return self._outcomes[case] == "passed"
        if case.startswith(_OF_MUTANTS):  # of a mutant that is gone; others may only not have been asked this time
            return (
                bool(self._mutants)
                and not case.startswith(UNMUTATED)
                and not any(case.startswith(f"{name} ") for name in self._mutants)
            )
        path, separator, _ = case.partition("::")
        if not separator:  # the calls of no test; other names are of other suites than pytest's
            return not case and self._all_passed and not self._folders
        if self._folders and not any(path == folder or path.startswith(f"{folder}/") for folder in self._folders):
            return False
        if _FIXTURE in case:
            return self._all_passed
        return path in self._files or not (self._root / path).exists()  # else the file was left out


def _carried(test: Mapping[str, Any]) -> bool:
    """Whether trials of an earlier run stand for those of this one."""
    ours = test.get("metadata", {}).get("gate", {})
    trials = ours.get("trials") if isinstance(ours, dict) else None
    return isinstance(trials, dict) and bool(trials.get("carried"))


def _selected(config: pytest.Config, report: Mapping[str, Any]) -> str:
    """Why the run can't say what nothing asks for; empty where the whole suite ran."""
    run = report["gate"]["completeness"]
    if run["deselected"]:
        return f"{run['deselected']:,} of the tests were deselected"
    if config.getoption("--gate-shard", None) is not None:
        return "the suite ran in shards"
    if config.getoption("lf", False):
        return "only tests that failed before were run"
    broken = any(each.get("outcome") == "failed" for each in report.get("collectors", ()))
    if run["exit_code"] not in (0, 1) or run["reported"] < run["collected"] or broken:
        return "the run is not whole"
    if None in [_folder(argument, config) for argument in _arguments(config)]:
        return "only some files or tests were run"
    return ""


def _arguments(config: pytest.Config) -> list[str]:
    """What the command line names; nothing where the configuration or the folder decides what runs."""
    return list(config.args) if config.args_source is config.ArgsSource.ARGS else []


def _folder(argument: str, config: pytest.Config) -> str | None:
    """The folder that an argument names, relative to the root; None for a file, a test, or what lies elsewhere."""
    path = config.invocation_params.dir / argument
    if "::" in argument or not path.is_dir():
        return None
    try:
        return path.resolve().relative_to(config.rootpath.resolve()).as_posix()
    except ValueError:
        return None


def _folders(config: pytest.Config) -> list[str]:
    """Folders that the command line names; none where it names the root or nothing."""
    found = [folder for argument in _arguments(config) if (folder := _folder(argument, config)) is not None]
    return [] if "." in found else found
