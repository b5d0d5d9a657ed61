"""After all tests have run as ever, each process tries one mutant after the other on the marked tests."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from gate.errors import RecordingError
from gate.record.plugin import pauses
from gate.record.plugin.attempt import SCOPE
from gate.record.plugin.mutation import commands, prepare, sources
from gate.record.plugin.mutation.alone import Alone, Facts, doubt_job, own_job
from gate.record.plugin.mutation.attempts import TrialMaker, leave
from gate.record.plugin.mutation.measure import Measure
from gate.record.plugin.mutation.prepare import Prepared
from gate.record.plugin.mutation.shared import Shared
from gate.record.plugin.mutation.shares import Shares
from gate.record.plugin.mutation.todo import Action, actions, content_of, proven_by_main
from gate.record.plugin.mutation.verdicts import Around, Verdicts
from gate.record.plugin.timed import TimedTrials
from gate.trials.plan import Plan

if TYPE_CHECKING:
    from gate.record.plugin.calls import Calls

Todo = Mapping[str, Mapping[str, Action]]
"""Of each target what is done about each mutant, by the id of its case."""


class MutationRunner(TimedTrials):
    """Stands in every process that runs tests.

    Args:
        plan: what main knows, and how many trials a sample has.
        timeout: seconds of one trial, where its test names none.
        shared: what the processes of the run share.
        workers: how many there are.
        own: files of the gate's own.
    """

    def __init__(
        self, config: pytest.Config, plan: Plan, *, timeout: float, shared: Shared, workers: int, own: tuple[Path, ...]
    ) -> None:
        super().__init__()
        self._config = config
        self._plan = plan
        self._shared = shared
        self._workers = workers
        self._own_files = own
        self._prepared = Prepared()
        self._sources: sources.Sources | None = None
        self._calls: Calls | None = config.pluginmanager.get_plugin("gate-calls")
        self._facts = Facts(shared, self._calls)
        self._maker = TrialMaker(self, shared, self._calls, timeout)
        self._looked: Counter[str] = Counter()
        self._rewriting: set[str] = set()
        self._timeout = timeout
        self._measure = Measure(self._maker, shared, self._calls, _ended, pauses.Pauses())

    @property
    def prepared(self) -> Prepared:
        """What this process is to do."""
        return self._prepared

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        from gate.record.plugin.mutation.suppressed import suppressions_of

        root, everything = Path(self._config.rootpath), list(items)
        self._prepared = prepare.check(
            self._config,
            items,
            lambda: prepare.prepare(
                everything,
                root,
                known=self._plan.known,
                whole=_whole(self._config),
                suppressions=suppressions_of(root, self._config),
                rewriter=self._rewriter,
            ),
        )
        if self._prepared.items and not self._config.option.collectonly:
            environ = dict(os.environ) if self._calls is None else self._calls.environ()
            self._sources = sources.look(
                self._config, everything, self._prepared.items.values(), own=self._own_files, environ=environ
            )

    def pytest_report_collectionfinish(self) -> list[str]:
        if not self._config.option.collectonly or not self._prepared.items:
            return []
        from gate.record.plugin.mutation.listing import lines_of

        return list(lines_of(self.preview()))

    def preview(self) -> dict[str, Any]:
        """What a run would do."""
        from gate.record.plugin.mutation.preview import calls_of_a_trial, preview
        from gate.record.recordings.store import Store

        store = Store(Path(self._config.rootpath) / self._config.getoption("--gate-recordings"))
        found = preview(self._prepared, self._plan, calls_of_a_trial(store, self._prepared.items))
        for target in found["targets"]:
            if target["target"] in self._rewriting:
                target["notes"].append("what the semantic operator makes of each rule is not asked for a preview")
        return found

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> bool | None:
        if SCOPE not in item.__dict__ or not self._maker.busy:
            return None
        self._maker.protocol()
        return True

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.nodeid in self._prepared.items:
            self._facts.take(report)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, object, object]:
        try:
            done = yield
            if not session.config.option.collectonly:
                self._facts.tell()
                self._shared.gather(self._workers)
                if self._prepared.items and self._sources is not None:
                    self._mutate(session, self._sources)
        finally:
            self._shared.flush()
        return done

    def _mutate(self, session: pytest.Session, files: sources.Sources) -> None:
        """Everything that this process can find to do."""
        root, targets = Path(self._config.rootpath), self._prepared.targets
        contents = {spec: content_of(each, files, root) for spec, each in targets.items()}
        todo = {spec: actions(self._prepared, each, self._plan, contents[spec]) for spec, each in targets.items()}
        first = [(spec, case) for spec, found in todo.items() for case, action in found.items() if action == "first"]
        tries = [targets[spec].tries[case] for spec, case in first]
        shares = Shares(
            [(case, len(tests)) for (_, case), tests in zip(first, tries, strict=True)],
            [frozenset(wanted.alpha for wanted in tests.values()) for tests in tries],
        )
        around = Around(
            self._prepared,
            self._plan,
            files,
            contents,
            shares,
            self._shared.earlier(),
            lambda: self._halted(session),
        )
        proven = proven_by_main(self._prepared, self._plan, contents)
        alone = Alone(self._shared, self._measure, self._prepared, self._plan, proven)
        verdicts = Verdicts(around, self._shared, self._measure, alone, self._calls)
        if self._shared.claim("prepared"):
            from gate.record.plugin.mutation.described import described

            self._shared.add("prepared", **described(self._prepared, contents, todo, self._plan.known))
        try:
            for job, work in self._jobs(todo, alone, verdicts):
                if self._halted(session):
                    break
                if self._shared.claim(job):
                    work()
        finally:
            self._maker.rest()
            leave(session, None)

    def _jobs(self, todo: Todo, alone: Alone, verdicts: Verdicts) -> Iterator[tuple[str, Callable[[], None]]]:
        """Everything to do, in an order that is the same in every process: what many need first, doubts last."""
        needed = [
            (prompted, test, next(tries[test] for tries in prompted.tries.values() if test in tries))
            for spec, found in todo.items()
            for prompted in [self._prepared.targets[spec]]
            for test in prompted.tests
            if any(action == "first" and test in prompted.tries[case] for case, action in found.items())
        ]
        for _, test, wanted in needed:
            yield own_job(test, wanted), partial(alone.measure_own, test, wanted)
        for spec, found in todo.items():
            for case, action in found.items():
                yield f"mutant {case}", partial(verdicts.reach, self._prepared.targets[spec], case, action)
        for prompted, test, _ in needed:
            yield doubt_job(test, prompted.spec), partial(alone.doubt, test, prompted)

    def _rewriter(self, spec: str, rewrite: Callable[[str], object]) -> Callable[[str], object]:
        """A semantic operator that is asked once a rule in the whole run; its calls belong to no test."""
        self._rewriting.add(spec)

        def rewritten(text: str) -> object:
            job = f"rewrite {spec} {prepare.prompt_digest(text)}"
            while (entry := self._shared.first("rewritten", job=job)) is None:
                if self._shared.claim(job):
                    self._shared.add("rewritten", job=job, answer=self._answer(rewrite, text))
                else:
                    self._shared.wait(lambda: self._shared.first("rewritten", job=job) is not None, job)
            return entry["answer"]

        rewritten.__qualname__ = getattr(rewrite, "__qualname__", getattr(rewrite, "name", type(rewrite).__name__))
        return rewritten

    def _answer(self, rewrite: Callable[[str], object], text: str) -> object:
        """What the operator makes of a rule; nothing in a preview, nor where a replay lacks it, which is told."""
        from gate.suites.mutation.operators.command import Command

        if self._config.option.collectonly:
            return None
        if not isinstance(rewrite, Command):
            return rewrite(text)
        root = Path(self._config.rootpath)
        try:
            return commands.asked(rewrite, text, self._calls, folder=root, timeout=self._timeout)
        except RecordingError:
            if self._calls is None or not self._calls.replays:
                raise
            return None

    def _halted(self, session: pytest.Session) -> bool:
        """Whether nothing more is to be begun: somebody ended the run, or a limit of calls was reached."""
        if session.shouldstop or session.shouldfail or self._shared.first("halted") is not None:
            return True
        over = self._over()
        if over is not None:
            self._shared.add("halted", reason=over.get("reason") or over.get("refused") or "a limit was reached")
        return over is not None

    def _over(self) -> dict[str, Any] | None:
        """An entry that says that a limit was reached, among those that were not looked at yet."""
        for kind in ("pair", "own", "canary"):
            for entry in self._shared.since(kind, self._looked[kind]):
                self._looked[kind] += 1
                if entry.get("over"):
                    return entry
        return None


def _ended(item: pytest.Item) -> bool:
    """Whether somebody ended the run."""
    return bool(item.session.shouldstop or item.session.shouldfail)


def _whole(config: pytest.Config) -> bool:
    """Whether the run collects all tests, so that what none of them names is nowhere."""
    names = "keyword", "markexpr", "deselect", "lf", "ignore", "ignore_glob", "gate_shard"
    folders = all(Path(config.invocation_params.dir, each.partition("::")[0]).is_dir() for each in config.args)
    return folders and not any(getattr(config.option, name, None) for name in names)
