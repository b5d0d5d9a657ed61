"""What a comparison concludes: findings made by rules, and one verdict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum

from gate import errors
from gate.schema.evidence import Block
from gate.schema.report import Location


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
    FLAKY = "flaky"
    BASELINE_CHANGED = "baseline-changed"
    SETTINGS_CHANGED = "settings-changed"
    UNDECIDED = "undecided"
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
        examples: the worst few; `amount` counts all.
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
    examples: tuple[ExampleChange, ...] = ()
    evidence: tuple[Block, ...] = ()
    command: str = ""


@dataclass(frozen=True, slots=True)
class Tally:
    """What was compared, for the line of what held.

    Attributes:
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
    transitions: Mapping[tuple[str, str], int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where both sides came from, for the foot of the comment. Empty strings where unknown.

    Attributes:
        baseline_age: in words, for example `2 days old`; computed at the edge, never compared.
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
    baseline_from: str = ""
    settings_from: str = "defaults"
    changed: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    report_url: str = ""
    rules_url: str = ""
    tool_version: str = ""


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
        alpha: false-alarm budget of the whole pull request; `stochastic cases` says over how many cases.
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
    varying: tuple[str, ...] = ()
    measured: Mapping[str, str] = field(default_factory=dict)

    def at(self, level: Level) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if finding.level == level)

    @property
    def failing(self) -> tuple[Finding, ...]:
        """The findings that fail the check."""
        return tuple(finding for finding in self.findings if finding.level == Level.ERROR and not finding.known_on_base)
