"""A run of probes as a candidate report, which `gate compare` reads and `gate ci` joins (setting `reports`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b

from gate import __version__
from gate.record.plugin.output import encode
from gate.record.probes.agents.agent import Identity
from gate.record.probes.plan import Item, Sampled
from gate.record.probes.runner import Mode
from gate.sandbox.cell.values import Attestation
from gate.schema.probe_report import CompositeScore, DimensionScore
from gate.schema.report import SCHEMA_VERSION, Calls, Case
from gate.suites.probes.answer import Answer
from gate.suites.probes.cases import Asked, cases_of, to_json
from gate.suites.probes.composite import MAX_UNSCORED, composite
from gate.suites.probes.graded import Graded
from gate.suites.probes.scores import scores_of
from gate.suites.probes.signatures import divergent

Earlier = Mapping[tuple[str, int], Sequence[Answer]]


@dataclass(frozen=True, slots=True)
class Scoring:
    """What decides about scores.

    Attributes:
        weights: of dimensions by name; one that is not named weighs 1.
        max_unscored: share of answers that may be unscored.
        sampled: whether the agent answers otherwise each time.
        session: name of the run, with which its trials are kept.
    """

    weights: Mapping[str, float] = field(default_factory=dict)
    max_unscored: float = MAX_UNSCORED
    sampled: bool = True
    session: str = ""


@dataclass(frozen=True, slots=True)
class Measured:
    """What a run says.

    Attributes:
        sampled: one an item, in the order of the plan.
        cases: for the candidate.
    """

    sampled: tuple[Sampled, ...]
    scores: tuple[DimensionScore, ...]
    composite: CompositeScore
    cases: tuple[Case, ...]


def measured(
    sampled: Sequence[Sampled],
    scoring: Scoring,
    mode: Mode,
    *,
    fresh: Mapping[str, Sequence[Graded]] | None = None,
    earlier: Earlier | None = None,
) -> Measured:
    """Scores and cases of a run.

    Args:
        fresh: by probe, grades of further answers that confirm an insecure one.
        earlier: what main's agent answered, by probe and sample.
    """
    graded = list(divergent([each.graded for each in sampled]))
    scores = scores_of(graded)
    total = composite(scores, graded, weights=scoring.weights, max_unscored=scoring.max_unscored)
    entries = {each.item.entry.probe.id: each.item.entry for each in sampled}
    asked = Asked(
        session=scoring.session,
        sampled=scoring.sampled and mode != "replay",
        answers={(each.graded.probe, each.graded.sample): each.answers for each in sampled if each.answers},
        earlier=earlier or {},
        fresh=fresh or {},
        places={probe: entry.where for probe, entry in entries.items()},
    )
    cases = cases_of([entry.probe for entry in entries.values()], graded, scores, total, asked)
    calls = _calls(sampled, mode)
    cases = tuple(replace(case, calls=calls[case.id]) if case.id in calls else case for case in cases)
    return Measured(tuple(sampled), scores, total, cases)


def _calls(sampled: Iterable[Sampled], mode: Mode) -> dict[str, Calls]:
    """What the answers of each probe took, by the id of its case; a kept answer took what it took when it was asked."""
    from gate.schema.probes import case_id

    found: dict[str, Calls] = {}
    for each in sampled:
        name = case_id(each.item.entry.probe.id)
        for answer in each.answers:
            cost = answer.cost or 0.0
            if mode == "replay":
                taken = Calls(replayed=1, saved=cost)
            else:
                taken = Calls(live=1, tokens=answer.tokens or 0, money=cost, unpriced=int(answer.cost is None))
            found[name] = found.get(name, Calls()) + taken
    return found


def fingerprints_of(
    identity: Identity, items: Iterable[Item], sampled: Iterable[Sampled], version: str = ""
) -> dict[str, str]:
    """What the result depends on: the agent, its overlay and version, the models that answered, and the probes.

    Args:
        version: as the agent's program says it; empty where it was not asked, as in a replay.
    """
    models = sorted({model for each in sampled for answer in each.answers for model in answer.models})
    probes = sorted({f"{item.entry.probe.id} {item.entry.digest}" for item in items})
    found = {
        "agent": identity.digest,
        "agent-overlay": identity.overlay,
        "agent-version": version,
        "agent-models": ", ".join(models)[:200],
        "probes": blake2b("\n".join(probes).encode("ascii"), digest_size=16).hexdigest(),
    }
    return {name: value for name, value in found.items() if value}


def candidate(
    found: Measured,
    *,
    suite: str,
    mode: Mode,
    commit: str,
    identity: Identity,
    attestation: Attestation,
    reasons: Sequence[str] = (),
    version: str = "",
) -> bytes:
    """The file, in the shape of pytest-json-report with the gate's part.

    Args:
        commit: that the report says it is of.
        reasons: why the run is not whole, one sentence each.
        version: as `fingerprints_of` takes it.
    """
    items = [each.item for each in found.sampled]
    return encode(
        {
            "created": 0,
            "duration": 0,
            "exitcode": 0,
            "root": "",
            "environment": {},
            "summary": {"total": 0, "collected": 0},
            "tests": [],
            "gate": {
                "schema": SCHEMA_VERSION,
                "suite": suite,
                "mode": mode,
                "source": {"commit": commit, "tool": f"robustness-gate {__version__}"},
                "fingerprints": fingerprints_of(identity, items, found.sampled, version),
                "completeness": {"collected": 0, "deselected": 0, "reasons": list(reasons)},
                "cases": to_json(found.cases),
                "probes": {"agent": identity.name, "cell": attestation.as_json()},
            },
        }
    )
