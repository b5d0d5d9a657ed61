"""A fall of the whole suite is checked against main in the same session, once for each content."""

from __future__ import annotations

from collections.abc import Sequence

from gate.compare import compare
from gate.compare.align import align
from gate.deliver.earlier import History
from gate.record.arms import Arm, Turn
from gate.rounds import Round, Settled, open_round
from gate.schema.outcome import Outcome
from gate.schema.report import Case, Report, Session, Trials
from gate.schema.verdict import RuleName, Verdict
from gate.settings import Settings
from gate.trials.carry import Carried, Entry, Inputs, entry_line, inputs_line

CASES = 60
NAMES = [f"t.py::{place}" for place in range(CASES)]
LOW = ["0" + "1" * 59] * 30 + ["1" * 60] * 30
"""Half of the tests fail their first trial alone: no suspect, but much less often than main together."""


def case(name: str, outcomes: str, fixed: bool = True) -> Case:
    return Case(name, outcome=Outcome.PASSED, stochastic=True, trials=Trials((Session("s", outcomes, fixed),)))


BASELINE = Report(tuple(case(name, "1" * 47 + "000") for name in NAMES))


def candidate(texts: Sequence[str] = LOW, fixed: int = 0) -> Report:
    """The first `fixed` cases made a fixed sample, as those of another producer's report."""
    cases = [case(name, text, place < fixed) for place, (name, text) in enumerate(zip(NAMES, texts, strict=True))]
    return Report(tuple(cases))


def trials_file(texts: Sequence[str] = LOW, skipped: int = 0, change: str = "") -> bytes:
    """What a run leaves; one of the cases may have another content."""
    lines = [inputs_line("i", Inputs(("t.py",)))]
    for name, text in list(zip(NAMES, texts, strict=True))[skipped:]:
        content = f"f-{name}{'-new' if name == change else ''}"
        lines.append(entry_line(Entry(name, Carried(content, text, "holds")), "i"))
    return "".join(lines).encode()


class Arms:
    """So many cases fail their first fresh trial, by arm; the others pass."""

    def __init__(self, base: int, head: int, *, reason: str = "", broken: str = "", short: str = "") -> None:
        self.failing = {"base": base, "head": head}
        self.reason, self.broken, self.short = reason, broken, short
        self.turns: list[tuple[Arm, int, int]] = []

    def __call__(self, arm: Arm, names: Sequence[str], count: int) -> Turn:
        self.turns.append((arm, len(names), count))
        low = set(NAMES[: self.failing[arm]])
        made = {name: ("0" if name in low else "1") + "1" * (count - 1) for name in names if name != self.short}
        if arm == "base" and self.broken in names:
            made[self.broken] = "0" * count
        return Turn(made, self.reason)


def opened(history: bytes = b"", settings: Settings | None = None, confirmable: bool = True) -> Round:
    found = open_round(
        BASELINE,
        settings or Settings(),
        suites=1,
        history=lambda: History(tuple(history.splitlines())),
        session="h",
        base="b" * 40,
        confirmable=confirmable,
    )
    assert found is not None
    return found


def again(plan: str) -> tuple[Report, bytes]:
    raise AssertionError(f"nothing is to be run again: {plan}")


def settled(this: Round, arms: Arms | None, report: Report | None = None, trials: bytes | None = None) -> Settled:
    found = report or candidate()
    return this.settle(
        found, align(BASELINE, found, {}).pairs, trials_file() if trials is None else trials, arms, again
    )


def judged(found: Settled) -> Verdict:
    return compare(BASELINE, found.candidate, Settings(), fresh=found.fresh)


def fell(verdict: Verdict) -> bool:
    return any(each.rule is RuleName.SUITE_REGRESSION for each in verdict.findings)


def test_every_test_gets_five_trials_on_both_sides_in_one_turn() -> None:
    arms = Arms(1, 40)
    found = settled(opened(), arms)
    assert arms.turns == [("base", CASES, 5), ("head", CASES, 5)]
    assert found.fresh is not None
    assert not found.fresh.trials, "they confirm no single test"
    assert found.fresh.calls == 600
    (told,) = found.notices
    assert (
        told
        == "all stochastic tests together were checked against main in the same session; that took 600 fresh trials"
    )
    assert fell(judged(found))
    assert judged(found).budget.made == CASES * 60 + 600


def test_a_drift_of_both_sides_fails_nothing() -> None:
    verdict = judged(settled(opened(), Arms(40, 40)))
    assert verdict.would_exit == 0
    assert "the service drifted, or the baseline was lucky" in verdict.notices[0]


def test_without_a_fall_no_fresh_trial_is_made() -> None:
    arms, texts = Arms(0, 0), ["1" * 60] * CASES
    found = settled(opened(), arms, candidate(texts), trials_file(texts))
    assert (arms.turns, found.notices) == ([], ())


def test_an_empty_commit_makes_no_new_trials_and_says_the_same() -> None:
    first = settled(opened(), Arms(40, 40))
    history = opened().left_behind(first, (), "head")
    arms = Arms(0, 60)
    second = settled(opened(history), arms)
    assert arms.turns == []
    assert second.fresh is not None
    assert first.fresh is not None
    assert second.fresh.suite == first.fresh.suite
    assert judged(second).notices == judged(first).notices


def test_a_test_that_changed_is_measured_again_alone() -> None:
    history = opened().left_behind(settled(opened(), Arms(40, 40)), (), "head")
    arms = Arms(0, 60)
    settled(opened(history), arms, trials=trials_file(change=NAMES[7]))
    assert arms.turns == [("base", 1, 5), ("head", 1, 5)]


def test_where_it_can_not_be_confirmed_the_baseline_decides() -> None:
    for arms, why in (
        (None, "the base can't be run here"),
        (Arms(40, 40, reason="pytest crashed"), "pytest crashed; that took 300 fresh trials"),
        (Arms(40, 40, broken=NAMES[9]), f"fresh trials of {NAMES[9]} passes, against 47 of 50 in its baseline"),
    ):
        found = settled(opened(), arms)
        assert found.fresh is not None
        assert not found.fresh.suite
        assert "could not be confirmed: " in found.notices[0]
        assert why in found.notices[0]
        assert fell(judged(found))
        assert judged(found).budget.inflated is not None
        assert found.void == (0 if arms is None else sum(tests * count for _, tests, count in arms.turns))


def test_a_base_that_is_not_main_is_not_measured_until_it_is() -> None:
    history = opened().left_behind(settled(opened(), Arms(40, 40, broken=NAMES[9])), (), "head")
    arms = Arms(40, 40)
    found = settled(opened(history), arms)
    assert arms.turns == []
    assert "(so it was in an earlier run of the same content)" in found.notices[0]
    crashed = opened().left_behind(settled(opened(), Arms(40, 40, reason="pytest crashed")), (), "head")
    settled(opened(crashed), arms)
    assert arms.turns, "an outage is no word on the content"


def test_a_test_that_can_not_be_run_again_does_not_stop_the_others() -> None:
    arms = Arms(40, 40, short=NAMES[50])
    found = settled(opened(), arms, candidate(fixed=5), trials_file(skipped=5))
    assert arms.turns[0] == ("base", CASES - 5, 5)
    assert found.fresh is not None
    assert len(found.fresh.suite) == CASES - 6
    assert not fell(judged(found))


def test_where_the_others_do_not_show_it_the_baseline_decides() -> None:
    arms = Arms(40, 40)
    found = settled(opened(), arms, candidate(fixed=30), trials_file(skipped=30))
    assert arms.turns == []
    assert "the tests that can be run again do not show it alone" in found.notices[0]
    assert fell(judged(found))


def test_it_is_confirmed_although_there_are_too_many_suspects() -> None:
    texts = ["0" * 4] * 3 + LOW[3:]
    this = opened(settings=Settings(**{"confirm-limit": 1}))
    found = candidate(texts)
    gone_on = Report(tuple(case(name, "0" * 4 + "1" * 20, False) for name in NAMES[:3]))
    arms = Arms(40, 40)
    done = this.settle(found, align(BASELINE, found, {}).pairs, trials_file(texts), arms, lambda plan: (gone_on, b""))
    assert arms.turns == [("base", CASES, 5), ("head", CASES, 5)]
    assert done.fresh is not None
    assert done.fresh.void
    assert {each.how for each in judged(done).decisions} == {"sequential"}


def test_pooled_and_off_do_not_confirm_it() -> None:
    for settings in (Settings(confirm="pooled"), Settings(confirm="off")):
        arms = Arms(40, 40)
        assert settled(opened(settings=settings), arms).notices == ()
        assert arms.turns == []
