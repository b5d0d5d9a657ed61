"""From the journal of a run to what became of every mutant, the score, and which rules a test guards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from gate.record.plugin.mutation.against_main import AgainstMain, against_main, guards, standing
from gate.record.plugin.mutation.alone import refusal
from gate.schema.mutation import DECIDED, STATUSES, RuleState

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class TargetResult:
    """One target.

    Attributes:
        described: as `described` gave it.
        mutants: in the order of the prompt: what it is and what became of it.
        canaries: of each test with an empty prompt.
    """

    described: Json
    mutants: tuple[Json, ...]
    canaries: tuple[Json, ...] = ()

    @property
    def spec(self) -> str:
        return str(self.described["target"])

    def count(self, *statuses: str) -> int:
        return sum(each["status"] in statuses for each in self.mutants)

    @property
    def counts(self) -> dict[str, int]:
        """How many mutants have each status; all eight are named."""
        found = Counter(each["status"] for each in self.mutants)
        return {status: found.get(status, 0) for status in STATUSES}

    @property
    def killed(self) -> int:
        """Those that count as killed: undecided ones that main killed among them, see `against_main`."""
        return sum(standing(each) == "killed" for each in self.mutants)

    @property
    def decided(self) -> int:
        """Mutants that count for the score."""
        return self.count(*DECIDED)

    @property
    def score(self) -> float | None:
        """Killed / (killed + survived + undecided), 0 to 1; None where nothing was measured."""
        return self.killed / self.decided if self.decided else None

    @property
    def least_score(self) -> float | None:
        """The score if no mutant without a verdict were noticed: what a threshold is held against.

        So neither a flaky test nor a skipped one can lift the score over it. None where there is no mutant to measure.
        """
        whole = len(self.mutants) - self.count("suppressed")
        return self.count("killed") / whole if whole else None

    def interval(self) -> tuple[float, float] | None:
        """Interval of the score (Wilson 1927) at 95 %."""
        from gate.stats.intervals import Interval, wilson

        found = wilson(self.killed, self.decided)
        return (found.low, found.high) if isinstance(found, Interval) else None

    @property
    def rules(self) -> tuple[RuleState, ...]:
        """Every rule of the prompt and whether a test guards it."""
        found = guards((each["rule"], standing(each)) for each in self.mutants)
        return tuple(
            RuleState(each["rule"], each["text"][:500], found.get(each["rule"], "not measured"))
            for each in self.described["rules"]
        )

    @property
    def against_main(self) -> AgainstMain | None:
        """None without a baseline."""
        return against_main(self.mutants, self.rules)

    @property
    def coverage(self) -> float | None:
        """Share of the rules of which a mutant has a verdict, 0 to 1; None without any rule."""
        rules = self.rules
        return sum(rule.state != "not measured" for rule in rules) / len(rules) if rules else None

    @property
    def calls(self) -> int:
        """Of this target's mutants and empty prompts."""
        return sum(int(each["calls"]) for each in (*self.mutants, *self.canaries))


@dataclass(frozen=True, slots=True)
class Results:
    """A run.

    Attributes:
        owns: each test without any mutant.
        facts: what each test came to in the run of all tests.
        pairs: every test under every mutant that was tried.
        reasons: why the run is not whole, one sentence each.
    """

    targets: tuple[TargetResult, ...] = ()
    owns: tuple[Json, ...] = ()
    pairs: tuple[Json, ...] = ()
    reasons: tuple[str, ...] = ()
    facts: Mapping[str, Json] = field(default_factory=dict)

    @property
    def calls(self) -> int:
        """Calls of the whole of it: pass rates, empty prompts, trials, those that were no trials too."""
        return sum(target.calls for target in self.targets) + sum(int(each.get("calls", 0)) for each in self.owns)

    @property
    def score(self) -> float | None:
        decided = sum(target.decided for target in self.targets)
        return sum(target.killed for target in self.targets) / decided if decided else None

    @property
    def least_score(self) -> float | None:
        """As of a target, over all."""
        whole = sum(len(target.mutants) - target.count("suppressed") for target in self.targets)
        return sum(target.count("killed") for target in self.targets) / whole if whole else None

    @property
    def coverage(self) -> float | None:
        rules = [rule for target in self.targets for rule in target.rules]
        return sum(rule.state != "not measured" for rule in rules) / len(rules) if rules else None

    @property
    def vacuous(self) -> tuple[str, ...]:
        """Tests that pass with an empty prompt, with the target."""
        found = [each for target in self.targets for each in target.canaries if each["state"] == "vacuous"]
        return tuple(f"{each['test']} ({each['target']})" for each in found)

    @property
    def refused(self) -> tuple[tuple[str, str], ...]:
        """Tests on which no mutant is tried, and why."""
        return tuple((each["test"], why) for each in self.owns if (why := refusal(each)))


def results_of(entries: Iterable[Json]) -> Results:
    """What the journal says."""
    by_kind: dict[str, list[Json]] = {}
    for entry in entries:
        by_kind.setdefault(entry["kind"], []).append(entry)
    prepared = by_kind.get("prepared", [])
    if not prepared:
        return Results()
    finals = {entry["case"]: entry for entry in by_kind.get("mutant", [])}
    pairs = by_kind.get("pair", [])
    calls: Counter[str] = Counter()
    costs: dict[str, list[Json]] = {}
    for pair in pairs:
        calls[pair["mutant"]] += pair.get("calls", 0)
        costs.setdefault(pair["mutant"], []).append(pair.get("cost", {}))
    canaries = by_kind.get("canary", [])
    targets = tuple(
        TargetResult(
            each,
            tuple(_mutant(mutant, finals.get(mutant["case"]), calls, costs) for mutant in each["mutants"]),
            tuple(
                entry
                for test in each["tests"]
                for entry in canaries
                if (entry["target"], entry["test"]) == (each["target"], test)
            ),
        )
        for each in prepared[0]["targets"]
    )
    halted = [str(entry["reason"]) for entry in by_kind.get("halted", [])]
    tests = {test: place for each in prepared[0]["targets"] for place, test in enumerate(each["tests"])}
    order = {mutant["case"]: place for target in targets for place, mutant in enumerate(target.mutants)}
    return Results(
        targets,
        tuple(sorted(by_kind.get("own", []), key=lambda own: tests.get(own["test"], 0))),
        tuple(
            sorted(pairs, key=lambda pair: (order.get(pair["mutant"], 0), tests.get(pair["test"], 0), pair["asked"]))
        ),
        tuple(dict.fromkeys(_reasons(targets, halted))),
        {entry["test"]: entry for entry in by_kind.get("fact", [])},
    )


def _mutant(described: Json, final: Json | None, calls: Counter[str], costs: Mapping[str, list[Json]]) -> Json:
    case = described["case"]
    told = final or {"status": "skipped", "reason": "the run ended before its turn", "killer": "", "unmeasured": True}
    tried = told.get("tests") or []
    return {
        **described,
        "status": told["status"],
        "reason": told["reason"],
        "killer": told.get("killer", ""),
        "tests": tried,
        "assigned": described["tests"],
        "carried": bool(told.get("carried")),
        "kills": told.get("kills"),
        "fingerprint": told.get("fingerprint", ""),
        "unmeasured": bool(told.get("unmeasured")),
        "calls": calls.get(case, 0),
        "cost": added(costs.get(case, [])),
    }


def _reasons(targets: Iterable[TargetResult], halted: list[str]) -> Iterable[str]:
    """A run that was ended early says so once, with how much is missing."""
    left = [mutant for target in targets for mutant in target.mutants if mutant["unmeasured"]]
    if left:
        why = f": {halted[0]}" if halted else ""
        yield f"{len(left):,} mutant{'s' if len(left) > 1 else ''} not measured{why}"[:500]


def added(costs: Iterable[Mapping[str, Any]]) -> Json:
    """The sum of what calls took, by name."""
    total: Json = {}
    for cost in costs:
        for name, value in cost.items():
            total[name] = total.get(name, 0) + value
    return total
