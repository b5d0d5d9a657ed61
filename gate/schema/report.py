"""A report and its cases: one value with a few facets, whatever the suite measured.

The comparator and the renderers know these facets and never a suite, so a new suite needs no new comparison.
Everything here is immutable, built from builtins, and free of clocks and machine facts that are compared.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

from gate.schema.evidence import Block
from gate.schema.mutation import Mutation, RuleState
from gate.schema.outcome import Outcome
from gate.schema.probes import Probed, ProbeDesign
from gate.schema.rejudged import Rejudged
from gate.schema.stale import Recordings

SCHEMA_VERSION = 1
"""Version of the `gate` objects in a candidate and of the baseline. A newer one is refused."""

Better = Literal["higher", "lower"]
Mode = Literal["live", "record", "replay", "auto"]


class Kind(StrEnum):
    """Which family measured a case."""

    TEST = "test"
    SWEEP = "sweep"
    MUTANT = "mutant"
    PROBE = "probe"


@dataclass(frozen=True, slots=True)
class Location:
    """Where a case stands in the repository.

    Attributes:
        path: relative to the root of the report, with forward slashes.
        line: from 1; None when unknown.
    """

    path: str
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Session:
    """The trials of one run of the suite.

    Attributes:
        id: which run (a commit, an attempt); trials of one session may be correlated.
        outcomes: one character a trial in order, `1` passed and `0` failed.
        fixed: whether the number of trials was fixed beforehand; a sample that a design or an error stopped is not,
            and never joins a fixed one.
        answers: digest of what models answered, where all trials were given the very same; else empty.
        alike: how many trials were given these answers. Where all of them ended alike, `outcomes` holds one.
    """

    id: str
    outcomes: str
    fixed: bool = True
    answers: str = ""
    alike: int = 0


@dataclass(frozen=True, slots=True)
class Trials:
    """Bernoulli trials of a stochastic case, oldest session first.

    Attributes:
        asked: what the test code asked for (max_trials, delta, min_rate, power, …), JSON text by name; the baseline's
            decides.
        errors: infrastructure errors of a candidate's run, which are no trials.
        timed_out: how many of a candidate's failed trials ran out of time.
        shared: fixtures of a wider scope than one test, which all trials of a candidate's session shared.
        carried: how many of a candidate's trials an earlier run of the same content made.
        excerpt: of a candidate's first failed trial, at most 300 characters; untrusted text.
        recorded: of how many trials a candidate's replay had answers, where it would have made more; else 0.
    """

    sessions: tuple[Session, ...]
    asked: Mapping[str, str] = field(default_factory=dict)
    errors: int = 0
    timed_out: int = 0
    shared: tuple[str, ...] = ()
    carried: int = 0
    excerpt: str = ""
    recorded: int = 0

    @property
    def outcomes(self) -> str:
        """Of all sessions, as each has them."""
        return "".join(session.outcomes for session in self.sessions)

    @property
    def passes(self) -> int:
        return self.outcomes.count("1")

    @property
    def count(self) -> int:
        return len(self.outcomes)

    @property
    def varies(self) -> bool:
        return 0 < self.passes < self.count


@dataclass(frozen=True, slots=True)
class Calls:
    """Calls of models that a test made.

    Attributes:
        live: left the machine.
        replayed: answered from a recording.
        tokens: of the live ones, in and out, where they are known.
        money: USD of the live ones, where it is known.
        saved: USD that the replayed ones would have cost.
        unpriced: calls whose cost is not known.
        missing: requests that a replay had no answer to, so that the test measured nothing.
    """

    live: int = 0
    replayed: int = 0
    tokens: int = 0
    money: float = 0.0
    saved: float = 0.0
    unpriced: int = 0
    missing: int = 0

    def __add__(self, other: Calls) -> Calls:
        return Calls(
            self.live + other.live,
            self.replayed + other.replayed,
            self.tokens + other.tokens,
            round(self.money + other.money, 9),
            round(self.saved + other.saved, 9),
            self.unpriced + other.unpriced,
            self.missing + other.missing,
        )


@dataclass(frozen=True, slots=True)
class Metric:
    """One number that a case measured.

    Attributes:
        value: None when it was not measured; `unscored` then says why. Never NaN, never infinite.
        better: which direction is good.
        threshold: the value that the test code declares it must not be worse than; the baseline's decides.
        tolerance: the absolute worsening that the test code declares harmless; the baseline's decides.
        interval: a confidence interval (low, high) of the value.
        count: how many examples the value is over.
    """

    name: str
    value: float | None
    better: Better = "higher"
    threshold: float | None = None
    tolerance: float | None = None
    interval: tuple[float, float] | None = None
    count: int | None = None
    unscored: str = ""


WITNESSED = ", a stored witness"
"""Ends a move that an earlier run found and this one tried again."""


@dataclass(frozen=True, slots=True)
class Attack:
    """Which examples one perturbation flipped.

    Attributes:
        name: for example `gaussian ε=0.05`; stable across runs.
        flipped: one character an example: `1` flipped, `0` stable, `.` not measured.
        moves: for some flipped examples (by index), how far which input moved, in units of scale, not in raw values.
        scores: one character an example (see `gate.schema.symbols`): probability of the predicted class under attack.
    """

    name: str
    flipped: str
    moves: Mapping[int, str] = field(default_factory=dict)
    scores: str = ""


@dataclass(frozen=True, slots=True)
class Reseeds:
    """How many examples honest retrains flip, of a baseline only: measured by `gate baseline floor`.

    Attributes:
        negatives: negative flips of each retrain against the model of the baseline.
        total: examples with a known truth.
        bound: upper tolerance bound of the negative flips; no more than these are a finding.
        attacks: by name the same of adversarial regressions under each attack.
    """

    negatives: tuple[int, ...]
    total: int
    bound: int
    attacks: Mapping[str, Reseeds] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Predictions:
    """Predictions over named examples; one character an example, since 100,000 examples are normal.

    Attributes:
        name: which model or data set; unique within its case.
        ids: keyed ids of the examples, unique, in the order of the strings below.
        labels: the classes; `symbol(i)` stands for `labels[i]`.
        expected: one symbol an example; `.` where the truth is unknown.
        predicted: one symbol an example; `.` where the model gave no answer (unscored).
        scores: one character an example: probability of the predicted class, see `gate.schema.symbols`; or empty.
        attacks: what perturbations did to the same examples.
        design: what decided the measurement (epsilons, protected, seed, …), JSON text by name; the baseline's decides.
        floor: what an honest retrain flips; the baseline's decides.
    """

    name: str
    ids: tuple[str, ...]
    labels: tuple[str, ...]
    expected: str
    predicted: str
    scores: str = ""
    attacks: tuple[Attack, ...] = ()
    design: Mapping[str, str] = field(default_factory=dict)
    floor: Reseeds | None = None


@dataclass(frozen=True, slots=True)
class Case:
    """The unit that can regress.

    Attributes:
        id: stable across runs; for pytest the node id with forward slashes in its path.
        outcome: None where the case has only other facets.
        stochastic: whether the suite declares that the outcome varies from trial to trial.
        message: first line of the failure, at most 300 characters; untrusted text.
        calls: of models, of a candidate; a baseline has none.
        mutation: of a mutant of a prompt; its trials count how often its killer noticed it.
        rules: of the prompt that the summary of a mutated target is about.
        probe: of a probe of a coding agent; its trials count how often the agent passed it.
        probes: what decides the composite score of probes, in the case that holds it.
        marks: names of the marks that the suite gave it, sorted; pytest's own and the gate's are left out.
        measured_at: commit at which a baseline last changed this case; empty in a candidate.
    """

    id: str
    kind: Kind = Kind.TEST
    outcome: Outcome | None = None
    location: Location | None = None
    message: str = ""
    fingerprint: str = ""
    stochastic: bool = False
    trials: Trials | None = None
    metrics: tuple[Metric, ...] = ()
    predictions: tuple[Predictions, ...] = ()
    evidence: tuple[Block, ...] = ()
    marks: tuple[str, ...] = ()
    calls: Calls | None = None
    mutation: Mutation | None = None
    rules: tuple[RuleState, ...] = ()
    probe: Probed | None = None
    probes: ProbeDesign | None = None
    measured_at: str = ""


@dataclass(frozen=True, slots=True)
class Completeness:
    """How far a run came.

    Attributes:
        exit_code: pytest's own, or None for a format that has none.
        collected: how many cases the run meant to report after deselection; None when the format doesn't say.
        deselected: how many were deselected (`-k`, `-m`, `--lf`).
        reasons: why the run is not whole, each one sentence; empty for a whole run.
    """

    exit_code: int | None = None
    collected: int | None = None
    deselected: int = 0
    collection_errors: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()

    @property
    def complete(self) -> bool:
        return not self.reasons


@dataclass(frozen=True, slots=True)
class Source:
    """Where a report came from. `commit` may be empty; `tool` and `format` are for the foot of the comment."""

    commit: str = ""
    tool: str = ""
    format: str = ""
    root: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that one run of a suite measured.

    Attributes:
        cases: in the order of the file. An id may stand twice in a candidate; the comparison deals with it.
        fingerprints: what the result depends on (prompts, data, model as answered, judge, agent) by name.
        packages: versions of installed packages that the suite loaded, by name.
        machine: interpreter, runner, processor and threads of a candidate; a baseline, which is one for all machines,
            has none.
        judges: names of the judges of a candidate's cases, by id.
        rejudged: of a report that is about stored answers, which were judged again.
        forced: the reason with which a baseline was made from an incomplete run; empty otherwise.
        recordings: of a candidate that was replayed, what is stale of them; a baseline has none.
        plan: of a candidate that was joined from shards, digest of what all of them were asked; else empty.
    """

    cases: tuple[Case, ...]
    suite: str = "default"
    source: Source = field(default_factory=Source)
    mode: Mode = "live"
    completeness: Completeness = field(default_factory=Completeness)
    fingerprints: Mapping[str, str] = field(default_factory=dict)
    packages: Mapping[str, str] = field(default_factory=dict)
    machine: Mapping[str, str] = field(default_factory=dict)
    judges: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    rejudged: Rejudged | None = None
    forced: str = ""
    recordings: Recordings | None = None
    plan: str = ""
