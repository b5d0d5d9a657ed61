"""A marked test by itself: how often it passes without any mutant, and whether it notices an empty prompt."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from gate.record.plugin.carrier import FACETS
from gate.record.plugin.mutation.marker import Wanted
from gate.record.plugin.mutation.measure import Measure
from gate.record.plugin.mutation.pairing import LEAST_RATE, Own

if TYPE_CHECKING:
    from gate.record.plugin.calls import Calls
    from gate.record.plugin.mutation.prepare import Prepared, Prompted
    from gate.record.plugin.mutation.shared import Shared
    from gate.trials.plan import Plan

Json = dict[str, Any]
_MOST_DIGESTS = 1_000


class Facts:
    """What the run of all tests, in which no mutant stands, said of the marked ones; of one process."""

    def __init__(self, shared: Shared, calls: Calls | None) -> None:
        self._shared = shared
        self._calls = calls
        self._facts: dict[str, Json] = {}

    def take(self, report: Any) -> None:
        """One report of a marked test."""
        fact = self._facts.setdefault(report.nodeid, {"outcome": "passed", "outcomes": ""})
        if report.failed or (report.skipped and fact["outcome"] == "passed"):
            fact["outcome"] = report.outcome
        trials = getattr(report, FACETS, {}).get("trials")
        if trials is not None:
            sessions = trials["sessions"] if isinstance(trials, dict) else trials
            fact["outcomes"] = "".join(each["outcomes"] for each in sessions)

    def tell(self) -> None:
        """Let all processes know."""
        observed = None if self._calls is None else self._calls.observed
        for test, fact in self._facts.items():
            sent = []
            if observed is not None:
                sent = [each for number in observed.trials(test) for each in observed.sent(test, number)]
                observed.forget(test)
            requests = sorted({each.digest for each in sent})[:_MOST_DIGESTS]
            answers = sorted({each.answer for each in sent if each.answer})[:_MOST_DIGESTS]
            self._shared.add("fact", test=test, sent=requests, answers=answers, **fact)


class Alone:
    """Measures each test once in a run, by whichever process needs it first.

    Args:
        plan: what main knows of the tests' pass rates.
        proven: tests and targets of which main shows that the one depends on the other, see `todo.proven_by_main`.
    """

    def __init__(
        self, shared: Shared, measure: Measure, prepared: Prepared, plan: Plan, proven: Iterable[tuple[str, str]] = ()
    ) -> None:
        self._shared = shared
        self._measure = measure
        self._prepared = prepared
        self._plan = plan
        self._seen = 0
        self._proven = set(proven)
        self._owns: dict[tuple[str, float | None], Own] = {}

    def own(self, test: str, wanted: Wanted) -> Own:
        """How often a test passes without any mutant."""
        if (test, wanted.p0) not in self._owns:
            self._owns[test, wanted.p0] = self._own(test, wanted)
        return self._owns[test, wanted.p0]

    def _own(self, test: str, wanted: Wanted) -> Own:
        entry = self._once(
            "own", own_job(test, wanted), lambda: self.measure_own(test, wanted), test=test, p0=wanted.p0
        )
        fact = self._fact(test)
        sent = frozenset(entry.get("sent", ())) | frozenset(fact.get("sent", ()))
        answers = frozenset(entry.get("answers", ())) | frozenset(fact.get("answers", ()))
        return Own(entry["n0"], entry["s0"], entry["p0"], entry["source"], refusal(entry), sent, answers)

    def canary(self, test: str, prompted: Prompted) -> Json:
        """What a test made of an empty prompt."""
        job = canary_job(test, prompted.spec)
        return self._once("canary", job, lambda: self.measure_canary(test, prompted), test=test, target=prompted.spec)

    def known_canary(self, test: str, spec: str) -> Json | None:
        """What a test made of an empty prompt, where that was tried."""
        return self._shared.first("canary", test=test, target=spec)

    def proven(self, test: str, spec: str) -> bool:
        """Whether a test killed a mutant of a target, here or on main: then it depends on the prompt, and reads it."""
        for entry in self._shared.since("pair", self._seen):
            self._seen += 1
            if entry["status"] == "killed":
                self._proven.add((entry["test"], entry["target"]))
        return (test, spec) in self._proven

    def measure_own(self, test: str, wanted: Wanted) -> None:
        """Find the pass rate of a test where it is known already, else by trials."""
        fact, ask = self._fact(test), self._plan.asks.get(test)
        if fact.get("outcome", "skipped") != "passed":
            how = {"failed": "it fails", "skipped": "it is skipped"}.get(fact.get("outcome", ""), "it did not run")
            self._know(test, wanted, "measured", refused=f"{how} without any mutant")
        elif wanted.p0 is not None:
            low = wanted.p0 < LEAST_RATE
            self._know(
                test, wanted, "p0", refused=f"its rate p0 = {wanted.p0:g} is below {LEAST_RATE:g}" if low else ""
            )
        elif ask is not None:
            self._know(test, wanted, "committed", ask.n0, ask.s0)
        elif fact["outcomes"]:
            self._know(test, wanted, "trials", len(fact["outcomes"]), fact["outcomes"].count("1"))
        else:
            self._measure.own(self._prepared.items[test], self._plan.fixed or self._plan.estimate)

    def doubt(self, test: str, prompted: Prompted) -> None:
        """Try an empty prompt on a test that killed nothing in this run, so that one that is vacuous is named."""
        if not self.proven(test, prompted.spec):
            self.canary(test, prompted)

    def measure_canary(self, test: str, prompted: Prompted) -> None:
        """One trial with an empty prompt, unless the test is not mutated anyway."""
        wanted = next(tries[test] for tries in prompted.tries.values() if test in tries)
        own = self.own(test, wanted)
        if own.refused:
            self._shared.add("canary", test=test, target=prompted.spec, state="unknown", reason=own.refused, calls=0)
        else:
            self._measure.canary(self._prepared.items[test], prompted, own)

    def _know(self, test: str, wanted: Wanted, source: str, n0: int = 0, s0: int = 0, *, refused: str = "") -> None:
        self._shared.add("own", test=test, p0=wanted.p0, n0=n0, s0=s0, source=source, refused=refused, calls=0)

    def _once(self, kind: str, job: str, measure: Any, **fields: Any) -> Json:
        """The entry of something that one process of the run measures; the others wait for it."""
        while (entry := self._shared.first(kind, **fields)) is None:
            if self._shared.claim(job):
                measure()
            else:
                self._shared.wait(lambda: self._shared.first(kind, **fields) is not None, job)
        return entry

    def _fact(self, test: str) -> Json:
        return self._shared.first("fact", test=test) or {"outcomes": ""}


def own_job(test: str, wanted: Wanted) -> str:
    """Name of the work to find a test's pass rate."""
    return f"own {test} {wanted.p0}"


def doubt_job(test: str, spec: str) -> str:
    """Name of the work to look whether an empty prompt is needed. Where it is not, nothing comes of it, so that nobody
    may wait for it: to try the empty prompt is a job of its own."""
    return f"doubt {test} {spec}"


def canary_job(test: str, spec: str) -> str:
    """Name of the work to try an empty prompt."""
    return f"canary {test} {spec}"


def refusal(own: Mapping[str, Any]) -> str:
    """Why no mutant is tried on a test; empty where they are."""
    if own["refused"] or not own["n0"]:
        return str(own["refused"])
    low = own["s0"] / own["n0"] < LEAST_RATE
    return f"it passes {own['s0']} of {own['n0']} times without any mutant, fewer than {LEAST_RATE:.0%}" if low else ""
