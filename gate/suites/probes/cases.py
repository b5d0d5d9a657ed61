"""Graded answers and scores as cases of a report: one a probe, one a dimension, one for the composite score."""

from __future__ import annotations

import difflib
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from gate.schema.codec import facets_to_json
from gate.schema.dimensions import ABOUT
from gate.schema.evidence import Block, BlockKind
from gate.schema.outcome import Outcome
from gate.schema.probe_report import CompositeScore, DimensionScore
from gate.schema.probes import COMPOSITE, INSECURE, SCORE, Probed, ProbeDesign, Sample, case_id, summary_id
from gate.schema.report import Case, Kind, Location, Metric, Session, Trials
from gate.suites.probes.answer import Answer
from gate.suites.probes.catalog import digest_of
from gate.suites.probes.composite import unscored_of
from gate.suites.probes.graded import Graded, Standing
from gate.suites.probes.probe import Probe

MOST_CHARACTERS = 2_000
"""Of one block of evidence."""
MOST_BLOCKS = 6
MOST_MESSAGE = 300
DIFF_TITLE = "Answer on main and here"
Key = tuple[str, int]
Answers = Mapping[Key, Sequence[Answer]]
"""Answers by probe and sample, in the order of their rounds."""


@dataclass(frozen=True, slots=True)
class Asked:
    """How the agent was asked, and what it said beside the grades.

    Attributes:
        session: name of this run (a commit, an attempt), which its trials carry.
        sampled: whether the agent is declared to answer otherwise each time; a probe with several samples is anyway.
        answers: what it answered.
        earlier: what main's agent answered to the same probes, for the difference that a reader is shown.
        fresh: by probe, grades of further answers that were asked for to confirm newly insecure output.
        places: by probe, the file that it stands in.
    """

    session: str = ""
    sampled: bool = False
    answers: Answers = field(default_factory=dict)
    earlier: Answers = field(default_factory=dict)
    fresh: Mapping[str, Sequence[Graded]] = field(default_factory=dict)
    places: Mapping[str, str] = field(default_factory=dict)


def cases_of(
    probes: Sequence[Probe],
    graded: Sequence[Graded],
    scores: Sequence[DimensionScore],
    composite: CompositeScore,
    asked: Asked | None = None,
) -> tuple[Case, ...]:
    """Cases of a candidate: the probes by id, then the dimensions in their order, then the composite.

    Args:
        probes: those that were asked; one without any grade has no case, so that a comparison misses it.
        graded: one or more a probe.
    """
    asked = asked or Asked()
    by_probe: dict[str, list[Graded]] = {}
    for each in graded:
        by_probe.setdefault(each.probe, []).append(each)
    own = [
        _case(probe, sorted(by_probe[probe.id], key=lambda each: each.sample), asked)
        for probe in sorted(probes, key=lambda each: each.id)
        if probe.id in by_probe
    ]
    return (*own, *map(_dimension, scores), _composite(composite, graded))


def to_json(cases: Sequence[Case]) -> list[dict[str, Any]]:
    """The objects of `gate.cases` in the candidate; `gate.ingest` reads them back to the same values."""
    return [_entry(case) | facets_to_json(case) for case in cases]


def _entry(case: Case) -> dict[str, Any]:
    entry: dict[str, Any] = {"id": case.id, "kind": case.kind.value}
    if case.outcome is not None:
        entry["outcome"] = case.outcome.value
    if case.location is not None:
        entry["path"] = case.location.path
    if case.message:
        entry["message"] = case.message
    return entry


def _case(probe: Probe, graded: Sequence[Graded], asked: Asked) -> Case:
    scored = [each for each in graded if each.standing is not Standing.UNSCORED]
    telling = next((each for each in graded if each.standing is Standing.FAILED), graded[0])
    outcome = _outcome(scored)
    sampled = asked.sampled or probe.samples > 1 or len(graded) > 1
    trials = _trials(scored, asked.session) if sampled and scored else None
    return Case(
        id=case_id(probe.id),
        kind=Kind.PROBE,
        outcome=outcome,
        location=Location(asked.places[probe.id]) if probe.id in asked.places else None,
        message="" if outcome is Outcome.PASSED else _message(telling),
        fingerprint=digest_of(probe),
        stochastic=sampled,
        trials=trials,
        evidence=_evidence(telling, asked) if telling.standing is Standing.FAILED else (),
        probe=_probed(probe, graded, asked),
    )


def _outcome(scored: Sequence[Graded]) -> Outcome:
    """Of several samples what more than half of them say; their trials decide."""
    if not scored:
        return Outcome.SKIPPED
    passed = sum(each.standing is Standing.PASSED for each in scored)
    return Outcome.PASSED if 2 * passed > len(scored) else Outcome.FAILED


def _trials(scored: Sequence[Graded], session: str) -> Trials:
    outcomes = "".join("1" if each.standing is Standing.PASSED else "0" for each in scored)
    failed = next((each for each in scored if each.standing is Standing.FAILED), None)
    return Trials((Session(session, outcomes),), excerpt="" if failed is None else _message(failed))


def _probed(probe: Probe, graded: Sequence[Graded], asked: Asked) -> Probed:
    answers = [asked.answers[probe.id, each.sample] for each in graded if (probe.id, each.sample) in asked.answers]
    return Probed(
        dimension=probe.dimension,
        samples=tuple(
            Sample(
                passed=None if each.standing is Standing.UNSCORED else each.standing is Standing.PASSED,
                cause=each.cause,
                facts={name: float(value) for name, value in sorted(each.facts.items())},
            )
            for each in graded
        ),
        group=probe.group or "",
        variant=probe.variant or "",
        answers=answers_digest(answers) if answers else "",
        cwe=probe.cwe,
        signatures=tuple(sorted({name for each in graded for name in each.signatures})),
        fresh="".join(
            "0" if each.facts.get(INSECURE) else "1"
            for each in asked.fresh.get(probe.id, ())
            if each.standing is not Standing.UNSCORED
        ),
        manual=next((each.manual for each in graded if each.manual), ""),
    )


def answers_digest(answers: Sequence[Sequence[Answer]]) -> str:
    """SHA-256 of what was said and written in all samples and rounds, 16 characters; times and costs don't count."""
    content = [[[answer.text, sorted(answer.files.items())] for answer in rounds] for rounds in answers]
    return hashlib.sha256(json.dumps(content, ensure_ascii=True).encode("ascii")).hexdigest()[:16]


def _message(graded: Graded) -> str:
    told = graded.message.strip().partition("\n")[0]
    if graded.cause and not told.startswith(graded.cause):
        told = f"{graded.cause}: {told}" if told else graded.cause
    return told[:MOST_MESSAGE]


def _evidence(graded: Graded, asked: Asked) -> tuple[Block, ...]:
    """What shows the failure, and what the agent answered; against main's answer where that is known."""
    key = graded.probe, graded.sample
    blocks = [_capped(block) for block in graded.evidence[: MOST_BLOCKS - 1]]
    here, before = _text(asked.answers.get(key, ())), _text(asked.earlier.get(key, ()))
    if here and before and here != before:
        lines = difflib.unified_diff(before.splitlines(), here.splitlines(), "main", "here", lineterm="")
        blocks.append(_capped(Block(BlockKind.DIFF, DIFF_TITLE, "\n".join(lines))))
    elif here:
        title = "Answer, the same as on main" if before else "Answer"
        blocks.append(_capped(Block(BlockKind.TEXT, title, here)))
    return tuple(blocks)


def _text(rounds: Sequence[Answer]) -> str:
    """The last round: what was said, then every file that was written."""
    if not rounds:
        return ""
    last = rounds[-1]
    files = [f"# {path}\n{body}" for path, body in sorted(last.files.items())]
    return "\n\n".join(part for part in (last.text.strip(), *files) if part)


def _capped(block: Block) -> Block:
    if len(block.body) <= MOST_CHARACTERS:
        return block
    mark = "\n…\n"
    head = (MOST_CHARACTERS - len(mark)) * 3 // 4
    tail = MOST_CHARACTERS - len(mark) - head
    return replace(block, body=f"{block.body[:head]}{mark}{block.body[-tail:]}")


def _dimension(score: DimensionScore) -> Case:
    smallest = score.smallest_detectable
    metric = Metric(
        name=SCORE,
        value=None if score.value is None else float(score.value),
        threshold=ABOUT[score.dimension].floor,
        tolerance=None if smallest is None else float(smallest),
        interval=score.interval,
        count=score.answers,
        unscored=score.why_unscored,
    )
    return Case(id=summary_id(score.dimension), kind=Kind.PROBE, metrics=(metric,))


def _composite(composite: CompositeScore, graded: Sequence[Graded]) -> Case:
    value = composite.value
    metric = Metric(
        name=SCORE,
        value=None if value is None else float(value),
        interval=composite.interval,
        count=composite.scored,
        unscored="" if value is not None else "no dimension has a score",
    )
    unscored, answers = unscored_of(graded)
    design = ProbeDesign(dict(composite.weights), unscored, answers)
    return Case(id=COMPOSITE, kind=Kind.PROBE, metrics=(metric,), probes=design)
