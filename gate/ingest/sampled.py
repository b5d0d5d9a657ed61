"""Cases of tools that ask a model several times: what each sample came to, as one outcome and as trials."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from gate.ingest.message import first_line
from gate.schema.outcome import Outcome
from gate.schema.report import Case, Metric, Session, Trials

LONGEST_ID = 1_000


@dataclass(frozen=True, slots=True)
class Sample:
    """One sample of one case.

    Attributes:
        passed: None where nothing was measured: an error of the infrastructure, which says nothing about the model.
        message: why it failed or was not measured; untrusted text.
        answer: what tells an answer that was served from a cache from one that was asked for; empty where unknown.
        cached: the tool says that it served this answer from its cache.
    """

    passed: bool | None
    message: str = ""
    answer: str = ""
    cached: bool = False


@dataclass(slots=True)
class Samples:
    """Samples of all cases of a file, in the order in which the cases come first."""

    cases: dict[str, list[Sample]] = field(default_factory=dict)
    metrics: dict[str, list[Metric]] = field(default_factory=dict)

    def add(self, case_id: str, sample: Sample) -> None:
        self.cases.setdefault(case_id[:LONGEST_ID], []).append(sample)

    @property
    def count(self) -> int:
        return sum(map(len, self.cases.values()))

    @property
    def unmeasured(self) -> int:
        return sum(sample.passed is None for samples in self.cases.values() for sample in samples)

    def reasons(self) -> tuple[str, ...]:
        """Why the run is not whole, as far as the samples say."""
        if not self.cases:
            return ("no sample was reported",)
        if not self.unmeasured:
            return ()
        first = next(each for samples in self.cases.values() for each in samples if each.passed is None)
        why = f", the first because of: {first_line(first.message)}" if first.message else ""
        return (f"{self.unmeasured:,} of {self.count:,} samples were not measured{why}",)

    def as_cases(self, session: str) -> tuple[Case, ...]:
        """One case each; those that were asked more than once carry trials.

        Args:
            session: which run it was.
        """
        return tuple(
            case_of(name, samples, session, self.metrics.get(name, ())) for name, samples in self.cases.items()
        )


def case_of(name: str, samples: Iterable[Sample], session: str, metrics: Iterable[Metric] = ()) -> Case:
    """One case from its samples: repeats of an answer from a cache count as one sample."""
    asked = _without_repeats(samples)
    scored = [sample for sample in asked if sample.passed is not None]
    failed = next((sample for sample in asked if not sample.passed), None)
    message = first_line(failed.message) if failed is not None else ""
    if not scored:
        return Case(name, outcome=Outcome.SKIPPED, message=f"not measured: {message}"[:300], metrics=tuple(metrics))
    passes = sum(sample.passed is True for sample in scored)
    outcome = Outcome.PASSED if 2 * passes > len(scored) else Outcome.FAILED
    if len(asked) == 1:
        return Case(name, outcome=outcome, message=message, metrics=tuple(metrics))
    outcomes = "".join("1" if sample.passed else "0" for sample in scored)
    trials = Trials((Session(session, outcomes),), errors=len(asked) - len(scored), excerpt=message)
    return Case(name, outcome=outcome, message=message, stochastic=True, trials=trials, metrics=tuple(metrics))


def _without_repeats(samples: Iterable[Sample]) -> list[Sample]:
    seen: set[str] = set()
    kept: list[Sample] = []
    for sample in samples:
        if sample.answer and sample.answer in seen and sample.cached:
            continue
        seen.add(sample.answer)
        kept.append(sample)
    return kept


def told_apart(names: Mapping[int, str]) -> dict[int, str]:
    """Names by key, with a number where several are alike, in the order of the keys."""
    times: dict[str, int] = {}
    for name in names.values():
        times[name] = times.get(name, 0) + 1
    seen: dict[str, int] = {}
    found: dict[int, str] = {}
    for key in sorted(names):
        name = names[key]
        seen[name] = seen.get(name, 0) + 1
        found[key] = name if times[name] == 1 else f"{name} #{seen[name]}"
    return found
