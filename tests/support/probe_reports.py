"""A report of an agent with something to say in every part of the template, and a hostile one."""

from __future__ import annotations

from dataclasses import replace

from gate.schema.dimensions import Dimension
from gate.schema.evidence import Block, BlockKind
from gate.schema.probe_report import ProbeReport
from gate.suites.probes.answer import Answer
from gate.suites.probes.cases import Asked, cases_of
from gate.suites.probes.composite import composite
from gate.suites.probes.graded import Graded
from gate.suites.probes.scores import scores_of
from tests.support.probes import cases, grade, probe, several

HOSTILE = "</code><script>alert(1)</script> @all | ::error::x\n##[error]y `z` =cmd() \x1b[31mred\u202e"


def graded() -> list[Graded]:
    """One dimension below 50, one unscored, two full, and one of four probes."""
    found = [
        *several(Dimension.ADVERSARIAL, "1" * 9 + "0" * 3),
        *several(Dimension.SPEC, "1" * 15),
        *several(Dimension.CONSISTENCY, "11" * 5 + "10" * 2),
        *several(Dimension.RECOVERY, "1" * 3 + "0" * 5),
        *several(Dimension.SECURITY, "1" * 11 + "0" * 3 + "."),
        *several(Dimension.HALLUCINATION, "1" * 15),
        *several(Dimension.DEGRADATION, ".."),
        *several(Dimension.REFUSAL, "1110"),
    ]
    return [_told(each) for each in found]


def _told(each: Graded) -> Graded:
    if each.cause == "insecure":
        shown = Block(BlockKind.TEXT, "Attack", "' OR 1=1 --\nreturned 3 rows of other users")
        return replace(
            each, message="the injected row came back", signatures=("security blindness",), evidence=(shown,)
        )
    if each.cause == "not fixed":
        return replace(each, message="test_total still fails", signatures=("band-aid recovery",))
    return each


def report(*, before: bool = False) -> ProbeReport:
    """An agent that is good at some things."""
    found = graded()
    scores = scores_of(found)
    key = ("error-recovery-03", 0)
    asked = Asked(
        answers={key: [Answer("def total(x):\n    if x == [1, 2]:\n        return 3\n    return 0")]},
        earlier={key: [Answer("def total(x):\n    return sum(x)")]},
        places={"security-11": "probes/my security.yaml"},
    )
    return ProbeReport(
        agent="fragile 1.2 (small-model)",
        date="2026-04-01",
        scope="python, web",
        scores=scores,
        composite=composite(scores, found, weights={"security": 2.0}, max_unscored=0.02),
        cases=cases(found, asked, {"security": 2.0}),
        before={Dimension.SECURITY: 93.3, Dimension.RECOVERY: 87.5, Dimension.SPEC: 100.0} if before else {},
        attestation="user namespace, Landlock, seccomp; all canaries held",
        notes=("two probes were graded by hand",),
    )


def hostile() -> ProbeReport:
    """Every text is meant to break out of where it is shown."""
    bad = [
        replace(
            grade(f"security-{place}", held=False),
            message=HOSTILE,
            cause=HOSTILE,
            signatures=(HOSTILE,),
            evidence=(Block(BlockKind.TEXT, HOSTILE, f"```\n{HOSTILE}"),),
        )
        for place in range(2)
    ]
    unscored = [grade("spec-0", Dimension.SPEC, None, cause=HOSTILE)]
    found = [*bad, *unscored]
    scores = scores_of(found)
    made = cases(found, Asked(answers={("security-0", 0): [Answer(HOSTILE)]}))
    named = tuple(replace(case, id=f"probe:{HOSTILE}") if case.id == "probe:security-1" else case for case in made)
    return ProbeReport(
        agent=HOSTILE,
        date=HOSTILE,
        scope=HOSTILE,
        scores=scores,
        composite=composite(scores, found),
        cases=named,
        attestation=HOSTILE,
        notes=(HOSTILE,),
    )


def empty() -> ProbeReport:
    """Nothing was asked."""
    return ProbeReport("nobody", "2026-04-01", "", (), composite((), ()))


def perfect() -> ProbeReport:
    """Every probe passes."""
    found = [each for dimension in Dimension for each in several(dimension, "1" * 6)]
    scores = scores_of(found)
    return ProbeReport("careful", "2026-04-01", "all", scores, composite(scores, found), cases(found))


def with_weaknesses() -> ProbeReport:
    """Two insecure answers to probes that name the weakness they invite."""
    found = [grade("a", held=False), grade("b", held=False), grade("c")]
    scores = scores_of(found)
    whole = composite(scores, found)
    asked = [probe(name, cwe=cwe) for name, cwe in (("a", ["CWE-89", "CWE-20"]), ("b", ["CWE-78"]), ("c", ["CWE-22"]))]
    return ProbeReport("agent", "2026-04-01", "all", scores, whole, cases_of(asked, found, scores, whole))
