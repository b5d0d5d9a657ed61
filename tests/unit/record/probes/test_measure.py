"""What a run says of main's agent beside its own: its answers, and fresh ones where output is newly insecure."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from gate.ingest import read_report
from gate.record.probes.agents.agent import Identity
from gate.record.probes.candidate import Scoring, candidate, fingerprints_of
from gate.record.probes.journal import Journal
from gate.record.probes.measure import Main, measure
from gate.record.probes.plan import Item, Sampled, plan, unmeasured
from gate.record.probes.runner import Outcome
from gate.record.probes.stored import Kept, Key
from gate.sandbox.cell.values import Attestation
from gate.schema.dimensions import Dimension
from gate.suites.probes.answer import Answer
from gate.suites.probes.catalog import Entry
from gate.suites.probes.graded import Graded, Standing
from tests.support.probe_runs import ME, entry_of

SECURITY = entry_of("login", dimension="security")
OTHER = entry_of("sum", dimension="security")


def graded(item: Item, insecure: bool) -> Sampled:
    facts = {"insecure": float(insecure), "functional": 1.0, "warned": 0.0}
    standing = Standing.FAILED if insecure else Standing.PASSED
    cause = "insecure" if insecure else ""
    found = Graded(item.entry.probe.id, Dimension.SECURITY, item.sample, standing, cause, facts=facts)
    return Sampled(item, (Answer(f"answer {item.sample}", cost=0.5, tokens=9, models=("m-1",)),), found)


class Asked:
    """A run whose answers are insecure for these (probe, sample)."""

    def __init__(self, insecure: set[tuple[str, int]], stopped: str = "") -> None:
        self.items: list[tuple[str, int]] = []
        self._insecure = insecure
        self._stopped = stopped

    def __call__(self, items: Sequence[Item]) -> Outcome:
        names = [(item.entry.probe.id, item.sample) for item in items]
        self.items += names
        sampled = tuple(graded(item, name in self._insecure) for item, name in zip(items, names, strict=True))
        return Outcome(sampled, self._stopped, len(items), 0.5 * len(items))


def measured(
    run: Asked,
    folder: Path,
    entries: Sequence[Entry] = (SECURITY, OTHER),
    *,
    sampled: bool = True,
    main: Main | None = None,
    identity: Identity = ME,
) -> tuple[bytes, Outcome]:
    found, outcome = measure(
        plan(entries),
        run,
        identity=identity,
        journal=Journal(folder / "answers"),
        main=main or Main(),
        scoring=Scoring(sampled=sampled, session="abc1234"),
        mode="live",
        confirm=3,
    )
    data = candidate(
        found,
        suite="s",
        mode="live",
        commit="c",
        identity=identity,
        attestation=Attestation(("landlock 7",)),
        reasons=(),
    )
    return data, outcome


def main_with(folder: Path, insecure: set[tuple[str, int]], *, sampled: bool = True, identity: Identity = ME) -> Main:
    """Main, whose answers were insecure for these."""
    return Main(read_report(measured(Asked(insecure), folder, sampled=sampled, identity=identity)[0], "main"))


def fresh(data: bytes, name: str = "probe:login") -> str:
    (case,) = [case for case in read_report(data, "candidate").cases if case.id == name]
    assert case.probe is not None
    return case.probe.fresh


def test_newly_insecure_output_is_asked_again_and_only_that(tmp_path: Path) -> None:
    run = Asked({("login", 0), ("login", 1), ("login", 3)})
    data, outcome = measured(run, tmp_path, main=main_with(tmp_path, set()))
    assert run.items[2:] == [("login", 1), ("login", 2), ("login", 3)]
    assert (fresh(data), fresh(data, "probe:sum")) == ("010", "")
    assert (outcome.asked, outcome.cost) == (5, 2.5)
    assert len(outcome.sampled) == 2, "fresh answers are no part of the score"


def test_what_was_insecure_on_main_too_is_not_asked_again(tmp_path: Path) -> None:
    run = Asked({("login", 0)})
    measured(run, tmp_path, main=main_with(tmp_path, {("login", 0)}))
    assert len(run.items) == 2


def test_without_a_baseline_nothing_is_newly_insecure(tmp_path: Path) -> None:
    run = Asked({("login", 0)})
    measured(run, tmp_path)
    assert len(run.items) == 2


def test_an_agent_that_answers_alike_is_not_asked_again(tmp_path: Path) -> None:
    run = Asked({("login", 0)})
    measured(run, tmp_path, sampled=False, main=main_with(tmp_path, set(), sampled=False))
    assert len(run.items) == 2


def test_a_run_that_was_stopped_confirms_nothing(tmp_path: Path) -> None:
    run = Asked({("login", 0)}, stopped="no money")
    assert measured(run, tmp_path, main=main_with(tmp_path, set()))[1].stopped == "no money"
    assert len(run.items) == 2


def test_a_baseline_says_whose_answers_main_has_and_its_scores(tmp_path: Path) -> None:
    main = main_with(tmp_path, {("login", 0)}, sampled=False)
    assert main.agent == ME.digest
    assert main.scores["probes:security"] == 50.0
    assert (Main().agent, Main().scores) == ("", {})


def test_mains_answer_stands_beside_the_one_that_fails(tmp_path: Path) -> None:
    before = Identity(command="agent {prompt}", version="1")
    journal = Journal(tmp_path / "answers")
    with journal.writing(before):
        journal.add(Kept(Key("login", SECURITY.digest, before.digest, 0, 1), Answer("what main said")))
    main = main_with(tmp_path, set(), sampled=False, identity=before)
    data, _ = measured(Asked({("login", 0)}), tmp_path, [SECURITY], main=main, sampled=False)
    (case,) = [case for case in read_report(data, "candidate").cases if case.id == "probe:login"]
    diff = case.evidence[-1].body
    assert "-what main said" in diff
    assert "+answer 0" in diff


def test_the_candidate_carries_costs_fingerprints_and_how_the_cell_held(tmp_path: Path) -> None:
    data, _ = measured(Asked(set()), tmp_path)
    report = read_report(data, "candidate")
    calls = [case.calls for case in report.cases if case.calls is not None]
    assert [(each.live, each.tokens, each.money, each.unpriced) for each in calls] == [(1, 9, 0.5, 0)] * 2
    assert report.fingerprints["agent"] == ME.digest
    assert report.fingerprints["agent-models"] == "m-1"
    assert json.loads(data)["gate"]["probes"]["cell"] == {"held": ["landlock 7"], "missing": [], "unsafe": False}
    assert json.loads(data)["created"] == 0, "no clock"


def test_fingerprints_change_with_the_probes_and_not_with_their_order() -> None:
    def digest(*entries: Entry) -> str:
        items = plan(entries)
        return fingerprints_of(ME, items, [unmeasured(item, "x") for item in items])["probes"]

    assert digest(SECURITY, OTHER) == digest(OTHER, SECURITY)
    assert digest(SECURITY, OTHER) != digest(SECURITY)
    assert digest(entry_of("login", dimension="security", prompt="Write `answer()` now.")) != digest(SECURITY)
