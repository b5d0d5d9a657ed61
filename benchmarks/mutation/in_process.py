"""Whole pull requests that change nothing, with mutants that main killed, without pytest: only the trials are drawn.

All else is what `gate ci` does: the ledger says what each mutant may spend, the plan asks about it, its design walks
along the drawn trials, `Round.settle` confirms the suspects by fresh trials of both arms, and `compare` decides. The
baseline is drawn anew for each pull request, as main's trials are noise as well.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from benchmarks.mutation.unchanged import BORDERLINE, KINDS, N0, PULL_REQUESTS
from benchmarks.stats.line import Line
from gate.compare import compare
from gate.compare.align import align
from gate.deliver.earlier import History
from gate.record.arms import Arm, Turn
from gate.rounds import Round, open_round
from gate.schema.changes import Changes
from gate.schema.mutation import COVERAGE, SCORE, Mutation, RuleState, case_id, summary_id
from gate.schema.report import Case, Kind, Metric, Report, Session, Trials
from gate.schema.verdict import ExitCode, Verdict
from gate.settings import Settings
from gate.trials.carry import Carried, Entry, Inputs, entry_line, inputs_line, inputs_name
from gate.trials.plan import Known
from gate.trials.question import design_of

MOST_RED = 17
"""Of 200 pull requests at 5 %, with what chance allows: 97.5 of 100 such series have no more."""
SESSIONS = 5
TARGET, TEST, BASE = "agent:PROMPT", "tests/test_agent.py::test_agent", "b" * 40
ASKED = {"delta": "0.3", "max_trials": "60", "power": "0.9"}
_NOTHING: Mapping[int, float] = MappingProxyType({})
RATES = tuple(rate for rate, count in sorted(KINDS.items()) for _ in range(count))


@dataclass(frozen=True, slots=True)
class Ended:
    """One pull request: its verdict, how many mutants were suspects, and the trials of a mutant."""

    verdict: Verdict
    suspects: int
    trials: float


class PullRequest:
    """One pull request.

    Args:
        rates: with which chance a trial of its killer notices each mutant, on both sides.
        seed: of all that is drawn.
        designs: of questions, kept from one pull request to the next.
        now: other chances of the pull request, by the mutant's place.
    """

    def __init__(
        self, rates: Sequence[float], seed: int, designs: dict[Any, Any], now: Mapping[int, float] = _NOTHING
    ) -> None:
        self._chance = random.Random(seed)
        self._designs = designs
        self._rates = {case_id(TARGET, f"{place:012x}"): rate for place, rate in enumerate(rates)}
        self._now = {case_id(TARGET, f"{place:012x}"): rate for place, rate in now.items()}
        self._suspects = 0

    def run(self, settings: Settings) -> Ended:
        baseline = Report((*(self._mutant(name, self._sample(name)) for name in self._rates), self._summary()))
        this = open_round(
            baseline,
            settings,
            suites=1,
            history=History,
            session="head",
            base=BASE,
            confirmable=True,
        )
        if this is None:
            raise ValueError("killed mutants of a baseline are asked about")
        candidate, lines = self._measured(this)
        pairs = align(baseline, candidate, {}).pairs
        settled = this.settle(candidate, pairs, lines, self._turn, self._never)
        changes = this.told(Changes(), settled.trials)
        verdict = compare(baseline, settled.candidate, settings, changes=changes, fresh=settled.fresh)
        made = sum(case.trials.count for case in candidate.cases if case.trials is not None)
        fresh = 0 if settled.fresh is None else settled.fresh.calls
        return Ended(verdict, self._suspects, (made + fresh) / len(self._rates))

    def _sample(self, name: str) -> Trials:
        drawn = self._drawn(name, N0)
        part = N0 // SESSIONS
        sessions = [Session(f"s{place}", drawn[place * part : (place + 1) * part], True) for place in range(SESSIONS)]
        return Trials(tuple(sessions), asked=ASKED)

    def _measured(self, this: Round) -> tuple[Report, bytes]:
        """What the suite reports, and what it leaves for later runs."""
        cases: list[Case] = []
        name = inputs_name(Inputs())
        lines = [inputs_line(name, Inputs())]
        for case, ask in this.plan.asks.items():
            design, outcomes = design_of(ask, self._designs), ""
            while (answer := design.walk(ask.s0, outcomes).answer) == "more":
                outcomes += self._drawn(case, 1, here=True)
            trials = Trials((Session("head", outcomes),), asked=ASKED)
            cases.append(self._mutant(case, trials, "survived" if answer == "regression" else "killed"))
            lines.append(entry_line(Entry(case, Carried("content", outcomes, answer, Inputs()), "head"), name))
        return Report((*cases, self._summary())), "".join(lines).encode()

    def _turn(
        self, arm: Arm, names: Sequence[str], count: int, /, *, known: Mapping[str, Known] = MappingProxyType({})
    ) -> Turn:
        self._suspects = max(self._suspects, len(names))
        return Turn({name: self._drawn(name, count, here=arm == "head") for name in names})

    def _never(self, plan: str) -> tuple[Report, bytes]:
        raise ValueError("every suspect can be confirmed here")

    def _drawn(self, name: str, count: int, *, here: bool = False) -> str:
        """Trials of main, or of the pull request."""
        rate = self._now.get(name, self._rates[name]) if here else self._rates[name]
        return "".join("1" if self._chance.random() < rate else "0" for _ in range(count))

    def _mutant(self, case: str, trials: Trials, status: Any = "killed") -> Case:
        name = case.rpartition("#")[2]
        mutation = Mutation(TARGET, name, "delete-constraint", name, f"Rule {name}.", "", "", "delete it", status, TEST)
        return Case(id=case, kind=Kind.MUTANT, stochastic=True, fingerprint="f", trials=trials, mutation=mutation)

    def _summary(self) -> Case:
        rules = tuple(RuleState(name.rpartition("#")[2], "a rule", "guarded") for name in self._rates)
        metrics = Metric(SCORE, 1.0, count=len(rules)), Metric(COVERAGE, 1.0, count=len(rules))
        return Case(id=summary_id(TARGET), kind=Kind.MUTANT, fingerprint="p", metrics=metrics, rules=rules)


def runs(count: int, rates: Sequence[float] = RATES, first: int = 0) -> Iterator[Ended]:
    """So many pull requests, each with seeds of its own."""
    designs: dict[Any, Any] = {}
    for seed in range(first, first + count):
        yield PullRequest(rates, seed, designs).run(Settings())


def lines(count: int = PULL_REQUESTS) -> Iterator[Line]:
    """Red checks."""
    found = list(runs(count))
    red = sum(each.verdict.exit_code is ExitCode.REGRESSION for each in found)
    codes = sorted({int(each.verdict.exit_code) for each in found})
    limit = round(MOST_RED * count / PULL_REQUESTS)
    yield Line(
        5,
        f"red checks of {count} unchanged pull requests at most, {len(RATES)} mutants of which {BORDERLINE} are "
        "borderline, whole and in process",
        {
            "red": red,
            "exit codes": codes,
            "with suspects": sum(each.suspects > 0 for each in found),
            "trials a mutant": sum(each.trials for each in found) / len(found),
        },
        limit,
        red <= limit and set(codes) <= {0, 1},
    )
