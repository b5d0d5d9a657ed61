"""After all tests have run as ever, each process tries one mutant after the other on the marked tests."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from gate.record.plugin.attempt import SCOPE
from gate.record.plugin.carrier import FACETS
from gate.record.plugin.mutation import prepare, sources
from gate.record.plugin.mutation.attempts import TrialMaker, leave
from gate.record.plugin.mutation.marker import Wanted
from gate.record.plugin.mutation.measure import LEAST_RATE, Measure, Own, Pairing, pair_scope
from gate.record.plugin.mutation.prepare import Prepared, Prompted, tests_digest
from gate.record.plugin.mutation.shared import Shared
from gate.record.plugin.mutation.todo import Action, Content, actions, content_of
from gate.record.plugin.timed import TimedTrials
from gate.trials.designs import Fixed
from gate.trials.plan import Plan
from gate.trials.question import pose

if TYPE_CHECKING:
    from gate.record.plugin.calls import Calls

Json = dict[str, Any]
_STRENGTH = ("killed", "undecided", "survived", "error", "unread", "vacuous", "skipped")
"""Of several tests the first of these counts: what is known, before what is not."""


class MutationRunner(TimedTrials):
    """Stands in every process that runs tests.

    Args:
        plan: what main knows, and how many trials a sample has.
        timeout: seconds of one trial, where its test names none.
        shared: what the processes of the run share.
        workers: how many there are.
        own: files of the gate's own.
    """

    def __init__(  # noqa: PLR0913
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
        self._facts: dict[str, Json] = {}
        self._calls: Calls | None = config.pluginmanager.get_plugin("gate-calls")
        self._maker = TrialMaker(self, shared, self._calls, timeout)
        self._measure = Measure(self._maker, shared, self._calls, self._stopped)
        self._contents: dict[str, Content] = {}
        self._share_among = 1
        self._earlier: list[Json] = []
        self._asked: dict[Any, Any] = {}

    @property
    def prepared(self) -> Prepared:
        """What this process is to do."""
        return self._prepared

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        from gate.record.plugin.mutation.suppressed import suppressions_of

        root = Path(self._config.rootpath)

        def prepared() -> Prepared:
            return prepare.prepare(
                items,
                root,
                known=self._plan.known,
                whole=_whole(self._config),
                suppressions=suppressions_of(root, self._config),
                rewriter=self._rewriter,
            )

        everything = list(items)
        self._prepared = prepare.check(self._config, items, prepared)
        if self._prepared.items and not self._config.option.collectonly:
            environ = dict(os.environ) if self._calls is None else self._calls.environ()
            self._sources = sources.look(
                self._config, everything, self._prepared.items.values(), own=self._own_files, environ=environ
            )

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> bool | None:
        if SCOPE not in item.__dict__ or not self._maker.busy:
            return None
        self._maker.protocol()
        return True

    def pytest_runtest_logreport(self, report: Any) -> None:
        """What a marked test came to without any mutant, as the run of all tests found it."""
        if report.nodeid not in self._prepared.items:
            return
        fact = self._facts.setdefault(report.nodeid, {"outcome": "passed", "outcomes": ""})
        if report.failed or (report.skipped and fact["outcome"] == "passed"):
            fact["outcome"] = report.outcome
        trials = getattr(report, FACETS, {}).get("trials")
        if trials is not None:
            sessions = trials["sessions"] if isinstance(trials, dict) else trials
            fact["outcomes"] = "".join(each["outcomes"] for each in sessions)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, object, object]:
        done = yield
        if not session.config.option.collectonly and not (session.shouldstop or session.shouldfail):
            self._mutate(session)
        return done

    def _mutate(self, session: pytest.Session) -> None:
        """Everything that this process can find to do."""
        self._tell_facts()
        self._shared.gather(self._workers)
        if not self._prepared.items:
            return
        self._earlier = self._shared.earlier()
        root = Path(self._config.rootpath)
        assert self._sources is not None  # noqa: S101
        self._contents = {spec: content_of(each, self._sources, root) for spec, each in self._prepared.targets.items()}
        todo = {
            spec: actions(self._prepared, each, self._plan, self._contents[spec])
            for spec, each in self._prepared.targets.items()
        }
        self._share_among = max(
            sum(
                len(self._prepared.targets[spec].tries[case])
                for spec, found in todo.items()
                for case, action in found.items()
                if action == "first"
            ),
            1,
        )
        if self._shared.claim("prepared"):
            from gate.record.plugin.mutation.described import described

            self._shared.add("prepared", **described(self._prepared, self._contents, todo))
        try:
            for job, work in self._jobs(todo):
                if self._halted(session):
                    break
                if self._shared.claim(job):
                    work()
        finally:
            leave(session, None)

    def _jobs(self, todo: dict[str, dict[str, Action]]) -> Iterator[tuple[str, Callable[[], None]]]:
        """Everything to do, in an order that is the same in every process."""
        for spec, found in todo.items():
            prompted = self._prepared.targets[spec]
            needed = {name for case, action in found.items() if action == "first" for name in prompted.tries[case]}
            for test in [name for name in prompted.tests if name in needed]:
                wanted = next(tries[test] for tries in prompted.tries.values() if test in tries)
                yield f"own {test} {wanted.p0}", lambda test=test, wanted=wanted: self._measure_own(test, wanted)
        for spec, found in todo.items():
            prompted = self._prepared.targets[spec]
            needed = {name for case, action in found.items() if action == "first" for name in prompted.tries[case]}
            for test in [name for name in prompted.tests if name in needed]:
                yield f"canary {test} {spec}", lambda test=test, prompted=prompted: self._measure_canary(test, prompted)
        for spec, found in todo.items():
            prompted = self._prepared.targets[spec]
            for case, action in found.items():
                yield (
                    f"mutant {case}",
                    lambda case=case, action=action, prompted=prompted: self._one(prompted, case, action),
                )

    def _one(self, prompted: Prompted, case: str, action: Action) -> None:
        """One mutant to its end."""
        known = self._plan.known.get(case)
        if action == "suppressed":
            self._final(prompted, case, "suppressed", reason=prompted.suppressed[case].reason)
        elif action == "carry" and known is not None:
            self._final(prompted, case, known.status, killer=known.killer, carried=True)
        elif action == "sample" and known is not None:
            entry = self._kills(prompted, case, known.killer)
            most = entry["outcomes"].count("1") * 2 > len(entry["outcomes"])
            status = "killed" if most else entry["status"] if not entry["outcomes"] else "survived"
            self._final(prompted, case, status, killer=known.killer, kills=entry, reason=entry["reason"])
        elif action == "ask" and known is not None:
            self._ask(prompted, case, known.killer)
        else:
            self._first(prompted, case)

    def _ask(self, prompted: Prompted, case: str, killer: str) -> None:
        """Whether the test that killed it on main still does; where it seems not to, whether another one does."""
        entry = self._kills(prompted, case, killer)
        self._final(prompted, case, entry["status"], killer=killer, kills=entry, reason=entry["reason"], tests=[killer])

    def _first(self, prompted: Prompted, case: str) -> None:
        """Decide about a mutant that main does not know."""
        found: list[Json] = []
        for test in self._ordered(prompted, case):
            found.append(self._pair(prompted, case, test))
            if found[-1]["status"] == "killed" or self._halted(prompted_session(self._prepared)):
                break
        best = min(found, key=lambda entry: _STRENGTH.index(entry["status"]))
        kills: Json | None = None
        if best["status"] == "killed":
            kills = self._kills(prompted, case, best["test"]) if self._plan.fixed is not None else _as_kills(best)
        self._final(
            prompted,
            case,
            best["status"],
            killer=best["test"] if best["status"] == "killed" else "",
            kills=kills,
            reason=best["reason"],
            tests=[entry["test"] for entry in found if entry["outcomes"]],
        )

    def _ordered(self, prompted: Prompted, case: str) -> list[str]:
        """Tests that try a mutant: first the one that killed it on main, then those that killed another one here."""
        known = self._plan.known.get(case)
        first = known.killer if known is not None else ""
        return sorted(prompted.tries[case], key=lambda test: test != first)

    def _pair(self, prompted: Prompted, case: str, test: str) -> Json:
        """One test under one mutant, unless something stands in the way."""
        wanted = prompted.tries[case][test]
        own = self._own(test, wanted)
        nothing = {"mutant": case, "test": test, "outcomes": "", "status": "skipped", "reason": own.refused}
        if own.refused:
            return nothing
        canary = self._canary(test, prompted)
        if canary["state"] in ("vacuous", "unread"):
            return {**nothing, "status": canary["state"], "reason": canary["reason"]}
        design, s0 = self._measure.design(wanted, own, wanted.alpha / self._share_among)
        return self._measure.pair(self._pairing(prompted, case, test, own, design, wanted.max_trials, s0, asked=False))

    def _kills(self, prompted: Prompted, case: str, test: str) -> Json:
        """Trials in which the test that killed a mutant is asked whether it still does, or a sample of them."""
        wanted = prompted.tries[case].get(test) or next(iter(prompted.tries[case].values()))
        if self._plan.fixed is not None:
            job = self._pairing(prompted, case, test, Own(), Fixed(self._plan.fixed), self._plan.fixed, 0, asked=True)
        else:
            posed = pose(self._plan, case, wanted, self._asked)
            job = self._pairing(prompted, case, test, Own(), posed.design, posed.cap, posed.s0, asked=True)
        entry = self._measure.pair(job)
        entry["fixed"] = self._plan.fixed is not None and entry["whole"]
        entry["wanted"] = wanted.deciding()
        return entry

    def _pairing(  # noqa: PLR0913
        self, prompted: Prompted, case: str, test: str, own: Own, design: Any, cap: int, s0: int, *, asked: bool
    ) -> Pairing:
        scope = pair_scope(case, test, asked=asked)
        content = self._content(prompted, case, test, asked=asked)
        outcomes, excerpt = (
            ("", "") if asked and self._plan.fixed is not None else self._carried(scope, case, test, content)
        )
        stored = self._calls.stored_trials(scope) if self._calls is not None and self._calls.replays else 0
        return Pairing(
            self._prepared.items[test],
            prompted,
            case,
            prompted.mutants[case],
            own,
            design,
            min(cap, stored) if stored else cap,
            s0,
            asked,
            content,
            outcomes,
            excerpt,
        )

    def _content(self, prompted: Prompted, case: str, test: str, *, asked: bool) -> str:
        """Digest of all that the trials of a pair depend on."""
        assert self._sources is not None  # noqa: S101
        mode = "live" if self._calls is None else self._calls.mode
        parts = [case, test, self._prepared.sources[test], asked, mode, self._contents[prompted.spec].text]
        told = json.dumps([*parts, self._sources.around])
        return hashlib.blake2b(told.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()

    def _carried(self, scope: str, case: str, test: str, content: str) -> tuple[str, str]:
        """Trials of the same content that an earlier run made: one that was interrupted, or of the same pull request."""
        if self._calls is not None and self._calls.mode == "replay":
            return "", ""
        for carried in self._plan.carried.get(scope, ()):
            if carried.fingerprint == content:
                return carried.outcomes, carried.excerpt
        for entry in reversed(self._earlier):
            if entry["kind"] == "pair" and entry.get("content") == content and entry.get("outcomes"):
                return str(entry["outcomes"]), str(entry.get("excerpt", ""))
        return "", ""

    def _final(  # noqa: PLR0913
        self,
        prompted: Prompted,
        case: str,
        status: str,
        *,
        killer: str = "",
        reason: str = "",
        kills: Json | None = None,
        tests: list[str] | None = None,
        carried: bool = False,
    ) -> None:
        """Write what became of a mutant."""
        by = [killer] if killer else list(prompted.tries[case])
        self._shared.add(
            "mutant",
            case=case,
            status=status,
            killer=killer,
            reason=reason,
            tests=tests or [],
            carried=carried,
            kills=kills,
            fingerprint=tests_digest(self._prepared, by),
        )

    def _own(self, test: str, wanted: Wanted) -> Own:
        """How often a test passes without any mutant, measured by whoever comes first."""
        job = f"own {test} {wanted.p0}"
        while (entry := self._shared.first("own", test=test, p0=wanted.p0)) is None:
            if self._shared.claim(job):
                self._measure_own(test, wanted)
            else:
                self._shared.wait(lambda: self._shared.first("own", test=test, p0=wanted.p0) is not None, job)
        fact = self._fact(test)
        n0, s0 = entry["n0"], entry["s0"]
        refused = entry["refused"]
        if not refused and n0 and s0 / n0 < LEAST_RATE:
            refused = f"it passes {s0} of {n0} times without any mutant, fewer than {LEAST_RATE:.0%}"
        sent = frozenset(entry.get("sent", ())) | frozenset(fact.get("sent", ()))
        answers = frozenset(entry.get("answers", ())) | frozenset(fact.get("answers", ()))
        return Own(n0, s0, entry.get("p0"), entry["source"], refused, sent, answers)

    def _measure_own(self, test: str, wanted: Wanted) -> None:
        fact = self._fact(test)
        ask = self._plan.asks.get(test)
        say = lambda n0, s0, source, refused="": self._shared.add(  # noqa: E731
            "own", test=test, n0=n0, s0=s0, source=source, refused=refused, p0=wanted.p0, calls=0
        )
        if fact.get("outcome", "skipped") != "passed":
            how = {"failed": "it fails", "skipped": "it is skipped"}.get(fact.get("outcome", ""), "it did not run")
            say(0, 0, "measured", f"{how} without any mutant")
        elif wanted.p0 is not None:
            say(0, 0, "p0", "" if wanted.p0 >= LEAST_RATE else f"its rate p0 = {wanted.p0:g} is below {LEAST_RATE:g}")
        elif ask is not None:
            say(ask.n0, ask.s0, "committed")
        elif fact["outcomes"]:
            say(len(fact["outcomes"]), fact["outcomes"].count("1"), "trials")
        else:
            count = self._plan.fixed or self._plan.estimate
            self._measure.own(self._prepared.items[test], count)

    def _canary(self, test: str, prompted: Prompted) -> Json:
        job = f"canary {test} {prompted.spec}"
        while (entry := self._shared.first("canary", test=test, target=prompted.spec)) is None:
            if self._shared.claim(job):
                self._measure_canary(test, prompted)
            else:
                self._shared.wait(
                    lambda: self._shared.first("canary", test=test, target=prompted.spec) is not None, job
                )
        return entry

    def _measure_canary(self, test: str, prompted: Prompted) -> None:
        wanted = next(tries[test] for tries in prompted.tries.values() if test in tries)
        own = self._own(test, wanted)
        if own.refused:
            self._shared.add("canary", test=test, target=prompted.spec, state="unknown", reason=own.refused, calls=0)
        else:
            self._measure.canary(self._prepared.items[test], prompted, own)

    def _fact(self, test: str) -> Json:
        return self._shared.first("fact", test=test) or {"outcomes": ""}

    def _tell_facts(self) -> None:
        observed = None if self._calls is None else self._calls.observed
        for test, fact in self._facts.items():
            sent = []
            if observed is not None:
                sent = [each for number in observed.trials(test) for each in observed.sent(test, number)]
                observed.forget(test)
            requests = sorted({each.digest for each in sent})[:1000]
            answers = sorted({each.answer for each in sent if each.answer})[:1000]
            self._shared.add("fact", test=test, sent=requests, answers=answers, **fact)

    def _rewriter(self, spec: str, rewrite: Callable[[str], object]) -> Callable[[str], object]:
        """A semantic operator that is asked once a rule in the whole run."""

        def rewritten(text: str) -> object:
            job = f"rewrite {spec} {prepare.prompt_digest(text)}"
            while (entry := self._shared.first("rewritten", job=job)) is None:
                if self._shared.claim(job):
                    self._shared.add("rewritten", job=job, answer=rewrite(text))
                else:
                    self._shared.wait(lambda: self._shared.first("rewritten", job=job) is not None, job)
            return entry["answer"]

        return rewritten

    def _stopped(self, item: pytest.Item) -> bool:
        return bool(item.session.shouldstop or item.session.shouldfail)

    def _halted(self, session: pytest.Session) -> bool:
        """Whether nothing more is to be begun: somebody ended the run, or a limit of calls was reached."""
        if session.shouldstop or session.shouldfail:
            return True
        if self._shared.first("halted") is not None:
            return True
        refused = next((entry for entry in self._shared.entries("pair") if entry.get("over")), None)
        if refused is None:
            return False
        self._shared.add("halted", reason=refused["reason"])
        return True


def prompted_session(prepared: Prepared) -> pytest.Session:
    """The session of the tests."""
    return next(iter(prepared.items.values())).session


def _as_kills(entry: Json) -> Json:
    """A decision's trials, in which `1` means that the test passed, as those of a kill."""
    return {**entry, "outcomes": entry["outcomes"].translate(str.maketrans("01", "10")), "fixed": False}


def _whole(config: pytest.Config) -> bool:
    """Whether the run collects all tests, so that what none of them names is nowhere."""
    option = config.option
    chosen = any(
        getattr(option, name, None) for name in ("keyword", "markexpr", "deselect", "lf", "ignore", "ignore_glob")
    )
    folders = all(Path(config.invocation_params.dir, each.partition("::")[0]).is_dir() for each in config.args)
    return not chosen and folders
