"""What a comparison concludes: findings made by rules, and one verdict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from typing import Literal

from gate import errors
from gate.schema.acceptance import Permission
from gate.schema.agent_scores import ScoreChange
from gate.schema.evidence import Block
from gate.schema.rejudged import Part
from gate.schema.report import Calls, Location


class Level(StrEnum):
    """How much a finding weighs. Only an `ERROR` fails the check."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"
    OFF = "off"


class ExitCode(IntEnum):
    """What the process says; when several apply, the order of `DECIDING_ORDER` decides."""

    HOLDS = errors.EXIT_HOLDS
    REGRESSION = errors.EXIT_REGRESSION
    USAGE = errors.EXIT_USAGE
    UNDECIDED = errors.EXIT_UNDECIDED
    INTERNAL = errors.EXIT_INTERNAL


DECIDING_ORDER = (ExitCode.INTERNAL, ExitCode.USAGE, ExitCode.REGRESSION, ExitCode.UNDECIDED, ExitCode.HOLDS)


class RuleName(StrEnum):
    """File in `compare/rules/`, heading in `docs/rules.md`, configuration key and the code in the comment."""

    NEWLY_FAILING = "newly-failing"
    NEWLY_ERRORING = "newly-erroring"
    MISSING_CASE = "missing-case"
    INCOMPLETE_RUN = "incomplete-run"
    NEWLY_SKIPPED = "newly-skipped"
    UNSTABLE_ID = "unstable-id"
    NEGATIVE_FLIP = "negative-flip"
    PREDICTION_CHURN = "prediction-churn"
    ADVERSARIAL_REGRESSION = "adversarial-regression"
    METRIC_REGRESSION = "metric-regression"
    SUITE_REGRESSION = "suite-regression"
    MUTANT_SURVIVES = "mutant-survives"
    INSECURE_OUTPUT = "insecure-output"
    STALE_RECORDING = "stale-recording"
    UNUSED_RECORDING = "unused-recording"
    FLAKY = "flaky"
    BASELINE_CHANGED = "baseline-changed"
    SETTINGS_CHANGED = "settings-changed"
    UNDECIDED = "undecided"
    ANCHOR_LOSS = "anchor-loss"
    SINGLE_RUN_FLIPS = "single-run-flips"
    FIXED = "fixed"
    NEW_CASE = "new-case"
    POSITIVE_FLIP = "positive-flip"


@dataclass(frozen=True, slots=True)
class ExampleChange:
    """One example that flipped; ids are keyed, moves are in units of scale, so nothing raw is here.

    Attributes:
        moved: `clean input`, or how far which input moved under the attack.
        score_before, score_after: probability of the predicted class, None when unknown.
    """

    id: str
    before: str
    after: str
    moved: str = "clean input"
    score_before: float | None = None
    score_after: float | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """One difference that matters, made by one rule. All strings may hold untrusted text.

    Attributes:
        id: `F1`, `F2`, … worst first, given by the judge.
        what: the sentence of the table, without Markdown; `subject` is the id in it that is shown as code.
        before, after: the cells of main and here.
        why: why it is not noise.
        amount: how much got worse (cases, examples, metric units); an acceptance is bound to it.
        total: of how many, where that makes sense (examples of a data set), else 0.
        known_on_base: main's own latest run already shows it, so it does not fail.
        accepted: what permits it, so that it does not fail.
        judged: whose doing it is where its judge changed; None where none did, or nothing was judged again.
        examples: the worst, at most 1,000; `amount` counts all.
        command: the one command that shows it again.
    """

    rule: RuleName
    level: Level
    case_id: str
    subject: str
    what: str
    before: str = ""
    after: str = ""
    why: str = ""
    id: str = ""
    amount: float = 1
    total: int = 0
    location: Location | None = None
    known_on_base: bool = False
    accepted: Permission | None = None
    judged: Part | None = None
    examples: tuple[ExampleChange, ...] = ()
    evidence: tuple[Block, ...] = ()
    command: str = ""

    @property
    def fails(self) -> bool:
        """Whether it fails the check."""
        return self.level is Level.ERROR and not self.known_on_base and self.accepted is None


Answer = Literal["regression", "holds", "undecided"]


REPLAYED = "replayed identically"
"""How a case is decided whose recorded answers gave, trial by trial, what they gave on main."""


@dataclass(frozen=True, slots=True)
class CaseDecision:
    """What the trials of one stochastic case say. The id is untrusted text.

    Attributes:
        answer: `regression`, `holds` (a drop of `delta` or more would have been found) or `undecided`.
        how: which test decided: `sequential`, `fixed sample`, `both arms`, `pooled`, `floor`; `recorded trials` where a
            replay had no more; `same answers` where the very answers of main's trials end worse; `replayed identically`
            where recordings gave what they gave on main.
        level: attained one-sided level of "the rate fell"; None where no test was made.
        limit: level at or below which it is a regression: the share of the budget that this test spent.
        baseline, candidate: (passes, trials).
        smallest_drop: the smallest drop that would have been found with the power asked for; None when none would.
        carried: how many of the candidate's trials come from an earlier run of the same content.
        errors: attempts that an error of the infrastructure ended; they are no trials.
        measured: whether the trials came to an end; one that was cut short holds nothing.
        shared: names of fixtures that all trials shared, since their scope is wider than one test; untrusted text.
    """

    case_id: str
    answer: Answer
    how: str
    level: float | None
    limit: float
    baseline: tuple[int, int]
    candidate: tuple[int, int]
    delta: float = 0.30
    smallest_drop: float | None = None
    carried: int = 0
    errors: int = 0
    measured: bool = True
    shared: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Budget:
    """The false-alarm budget of one pull request, and who may spend which part of it.

    Attributes:
        alpha: chance that noise fails an unchanged pull request, over everything.
        suites: how many suites share it.
        cases: stochastic cases of the whole baseline of the base, which share `for_cases`.
        for_cases, for_suite, for_singles, for_dimensions: parts of alpha for the cases one by one, for the test over
            all of them, for tests that run once each, and for the dimensions of sampled probes one by one; they add up
            to at most `alpha / suites`.
        dimensions: of sampled probes, which share `for_dimensions`.
        for_floors: of `for_cases`, what the absolute floors of cases may spend.
        power: chance to find a drop of `delta` in a case whose baseline allows it.
        reached: cases whose baseline allows it.
        correlation: estimated correlation of trials within a session; None where the baseline can't tell.
        inflated: what the chance of a false alarm becomes under that correlation; None where it stays.
        heads: how many heads of this pull request were measured, this one included; None where unknown.
        made: trials that this run made, fresh ones of the base included; those carried over were made before.
        cost: USD of these at the price of a trial that the settings name; 0 where they name none.
    """

    alpha: float = 0.05
    suites: int = 1
    cases: int = 0
    for_cases: float = 0.0
    for_suite: float = 0.0
    for_singles: float = 0.0
    for_floors: float = 0.0
    dimensions: int = 0
    for_dimensions: float = 0.0
    delta: float = 0.30
    power: float = 0.90
    reached: int = 0
    correlation: float | None = None
    inflated: float | None = None
    heads: int | None = None
    made: int = 0
    cost: float = 0.0

    @property
    def share(self) -> float:
        """What one case may spend."""
        return self.for_cases / max(self.cases, 1)


@dataclass(frozen=True, slots=True)
class Tally:
    """What was compared, for the line of what held.

    Attributes:
        held, attacks, metrics: only those that held; `attacks` and `metrics` are main's.
        mutants: of main that were compared; rules, guarded: of the prompts here, and how many of them a test guards.
        probes, dimensions: of main that were compared; probes_held, dimensions_held: how many of them held.
        transitions: how many cases went from an outcome to another; keys are (before, after) with `absent`.
    """

    cases: int = 0
    held: int = 0
    stochastic: int = 0
    trials: int = 0
    examples: int = 0
    negative_flips: int = 0
    positive_flips: int = 0
    attacks: int = 0
    metrics: int = 0
    mutants: int = 0
    rules: int = 0
    guarded: int = 0
    probes: int = 0
    probes_held: int = 0
    dimensions: int = 0
    dimensions_held: int = 0
    transitions: Mapping[tuple[str, str], int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where both sides came from, for the foot of the comment. Empty strings where unknown.

    Attributes:
        baseline_age: in words, for example `2 days old`; computed at the edge, never compared.
        anchor: its name, commit and age in words; empty without one.
        mode: how calls were answered; empty where two files were compared.
        changed: paths that the pull request changes and that can change what is measured, grouped by heading.
        settings_from: where the deciding settings were read (`base 3f9c1e2`, `defaults`).
    """

    suite: str = "default"
    base: str = ""
    head: str = ""
    attempt: int = 1
    pull_request: int | None = None
    mode: str = "live"
    baseline_age: str = ""
    anchor: str = ""
    baseline_from: str = ""
    settings_from: str = "defaults"
    changed: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    report_url: str = ""
    tool_version: str = ""


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a pull request could not even be judged. All strings may hold untrusted text.

    Attributes:
        message: what happened, one sentence.
        where: a file with position, a setting; empty where there is no such place.
        remedy: what to do next, an imperative sentence; may be empty.
    """

    message: str
    where: str = ""
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer of one pull request.

    Attributes:
        findings: errors first, then warnings, then notes; numbered F1, F2, ….
        good_news: findings of `fixed`, `new-case`, `positive-flip`, unnumbered.
        exit_code: what the process ends with under the settings (0 in observe mode, whatever was found).
        would_exit: the exit code without observe mode.
        welcome: the base has no baseline; the comment is a neutral welcome.
        notices: sentences that a reviewer must see (delivery, sandbox, settings that were ignored).
        alpha: false-alarm budget of the whole pull request; `budget` says who shares it.
        calls: of models, over the whole run.
        decisions: of every stochastic case that was compared, in the order of ids.
        scores: of a coding agent, its dimensions and then the composite; empty where no probe was compared.
        problem: why nothing was judged; None where it was.
    """

    findings: tuple[Finding, ...] = ()
    good_news: tuple[Finding, ...] = ()
    exit_code: ExitCode = ExitCode.HOLDS
    would_exit: ExitCode = ExitCode.HOLDS
    observe: bool = False
    welcome: bool = False
    first_baseline: bool = False
    tally: Tally = field(default_factory=Tally)
    provenance: Provenance = field(default_factory=Provenance)
    fingerprints_changed: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    notices: tuple[str, ...] = ()
    alpha: float = 0.05
    budget: Budget = field(default_factory=Budget)
    calls: Calls = field(default_factory=Calls)
    decisions: tuple[CaseDecision, ...] = ()
    scores: tuple[ScoreChange, ...] = ()
    varying: tuple[str, ...] = ()
    measured: Mapping[str, str] = field(default_factory=dict)
    problem: Problem | None = None

    def at(self, level: Level) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if finding.level == level)

    @property
    def failing(self) -> tuple[Finding, ...]:
        """The findings that fail the check."""
        return tuple(finding for finding in self.findings if finding.fails)

    @property
    def accepted(self) -> tuple[Finding, ...]:
        """The findings that would fail, and that a person or a waiver permits."""
        return tuple(finding for finding in self.findings if finding.accepted is not None)
