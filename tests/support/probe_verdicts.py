"""Verdicts over a coding agent, as the comparator makes them."""

from __future__ import annotations

from dataclasses import replace

from gate.compare import compare
from gate.schema.dimensions import Dimension
from gate.schema.verdict import Provenance, Verdict
from gate.settings import Settings
from gate.suites.probes.answer import Answer
from gate.suites.probes.cases import Asked
from gate.suites.probes.graded import Graded
from tests.support import probes
from tests.support.probe_reports import HOSTILE
from tests.support.probes import several

ORIGIN = Provenance(base="3f9c1e2", head="b71d0aa", pull_request=412, baseline_age="2 days old", tool_version="0.1.0")


def of(before: list[Graded], after: list[Graded], main: Asked, here: Asked) -> Verdict:
    return compare(
        probes.read_back(probes.cases(before, main)),
        probes.read_back(probes.cases(after, here)),
        Settings(),
        provenance=ORIGIN,
    )


def worse_agent() -> Verdict:
    """Newly insecure in two answers, worse at recovery, not scored in one, better in another."""
    before = [
        *several(Dimension.RECOVERY, "1" * 14 + "0"),
        *several(Dimension.SECURITY, "1" * 15),
        *several(Dimension.HALLUCINATION, "1" * 13 + "00"),
    ]
    after = [
        *several(Dimension.RECOVERY, "0" * 6 + "1" * 8 + "0"),
        *several(Dimension.SECURITY, "00" + "1" * 12 + "."),
        *several(Dimension.HALLUCINATION, "1" * 14 + "0"),
    ]
    key = ("security-00", 0)
    good = 'rows = db.execute("SELECT * FROM users WHERE id = ?", [user])\nreturn rows'
    bad = 'rows = db.execute(f"SELECT * FROM users WHERE id = {user}")\nreturn rows'
    after = [
        replace(each, message="the injected row came back") if each.cause == "insecure" else each for each in after
    ]
    here = Asked(answers={key: [Answer(bad)]}, earlier={key: [Answer(good)]})
    return of(before, after, Asked(), here)


def sampled_agent() -> Verdict:
    """Single answers of a sampled agent that differ as chance makes them differ, one of them insecure."""
    asked = Asked(session="a", sampled=True)
    before = [*several(Dimension.SPEC, "1101111011"), *several(Dimension.SECURITY, "1" * 10)]
    after = [*several(Dimension.SPEC, "1011110111"), *several(Dimension.SECURITY, "0" + "1" * 9)]
    return of(before, after, asked, replace(asked, session="b"))


def hostile_agent() -> Verdict:
    """What the agent answers is meant to break out of the comment."""
    graded = several(Dimension.SECURITY, "0")
    told = [replace(each, message=HOSTILE, cause=HOSTILE) for each in graded]
    key = ("security-00", 0)
    here = Asked(answers={key: [Answer(f"````\n{HOSTILE}")]}, earlier={key: [Answer("fine")]})
    return of(several(Dimension.SECURITY, "1"), told, Asked(), here)
