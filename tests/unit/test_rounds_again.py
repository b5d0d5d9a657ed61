"""Suspects that were not confirmed: why not, what they cost, and how they go on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gate.compare.align import Pair
from gate.deliver.earlier import History
from gate.record.arms import Arm, Turn
from gate.rounds import Round, Settled, open_round
from gate.schema.outcome import Outcome
from gate.schema.report import Case, Report, Session, Trials
from gate.settings import Settings
from gate.trials.carry import Carried, Entry, Inputs, entry_line, inputs_line
from gate.trials.plan import plan_from_text

NAME, BASE = "tests/t.py::a", "b" * 40
BASELINE = Report((Case(NAME, stochastic=True, trials=Trials((Session("s", "1" * 50),))),))


def round_of(history: bytes = b"", renames: dict[str, str] | None = None) -> Round:
    found = open_round(
        BASELINE,
        Settings(),
        suites=1,
        history=lambda: History(tuple(history.splitlines())),
        session="h",
        base=BASE,
        confirmable=True,
        renames=renames or {},
    )
    assert found is not None
    return found


def candidate(outcomes: str, carried: int = 0) -> Report:
    trials = Trials((Session("h", outcomes, fixed=False),), carried=carried)
    return Report((Case(NAME, outcome=Outcome.FAILED, stochastic=True, trials=trials),))


def entries(outcomes: str) -> bytes:
    return (inputs_line("i", Inputs()) + entry_line(Entry(NAME, Carried("f", outcomes)), "i")).encode()


class Arms:
    """Both arms do as told, one character for all trials."""

    def __init__(self, base: str, head: str = "0", reason: str = "") -> None:
        self.outcomes = {"base": base, "head": head}
        self.reason = reason
        self.calls = 0

    def __call__(self, arm: Arm, names: Sequence[str], count: int) -> Turn:
        self.calls += count * len(names)
        return Turn(dict.fromkeys(names, self.outcomes[arm] * count), self.reason)


class Again:
    """A second run of the suspects, which goes on from the first or not."""

    def __init__(self, outcomes: str = "00000000", carried: int = 4) -> None:
        self.report = candidate(outcomes, carried)
        self.only: tuple[str, ...] | None = ()

    def __call__(self, plan: str) -> tuple[Report, bytes]:
        self.only = plan_from_text(plan, "plan").only
        return self.report, entries("00000000")


def settle(this: Round, report: Report, arms: Arms | None, again: Again, trials: bytes = entries("0000")) -> Settled:
    return this.settle(report, [Pair(BASELINE.cases[0], report.cases[0])], trials, arms, again)


def test_a_base_that_passes_nothing_confirms_nothing() -> None:
    arms, again = Arms("0", "0"), Again()
    settled = settle(round_of(), candidate("0000"), arms, again)
    assert settled.fresh is None
    assert "fresh trials of tests/t.py::a passes, against 50 of 50 in its baseline" in settled.notices[0]
    assert again.only == (NAME,)
    assert settled.void == arms.calls > 0


def test_what_the_second_run_took_over_from_the_first_is_of_this_run() -> None:
    settled = settle(round_of(), candidate("0000"), None, Again())
    (case,) = settled.candidate.cases
    assert case.trials is not None
    assert (case.trials.count, case.trials.carried, settled.void) == (8, 0, 0)
    earlier = settle(round_of(), candidate("0000", carried=3), None, Again())
    (case,) = earlier.candidate.cases
    assert case.trials is not None
    assert (case.trials.carried, earlier.void) == (3, 0)


def test_a_first_look_that_a_second_run_could_not_go_on_from_is_paid_for_all_the_same() -> None:
    settled = settle(round_of(), candidate("0000"), None, Again("00000", carried=0))
    (case,) = settled.candidate.cases
    assert case.trials is not None
    assert (case.trials.count, case.trials.carried, settled.void) == (5, 0, 4)


def test_why_it_came_to_nothing_is_not_tried_again_for_the_same_content_and_base() -> None:
    first, arms = round_of(), Arms("1", reason="shop came from outside its tree")
    settled = settle(first, candidate("0000"), arms, Again())
    assert arms.calls > 0
    later = Arms("1")
    again = settle(round_of(first.left_behind(settled, (), "head")), candidate("0000"), later, Again())
    assert later.calls == 0
    assert again.fresh is None
    assert "shop came from outside its tree (so it was in an earlier run of the same content)" in again.notices[0]


def test_a_run_that_failed_is_tried_again_for_the_same_content_and_base() -> None:
    first = round_of()
    settled = settle(first, candidate("0000"), Arms("1", reason="the time was up"), Again())
    assert settled.fresh is None
    later = Arms("1")
    again = settle(round_of(first.left_behind(settled, (), "head")), candidate("0000"), later, Again())
    assert later.calls > 0
    assert again.fresh is not None


def test_a_base_that_passes_nothing_is_remembered_only_where_no_outage_explains_it() -> None:
    for head, calls in (("1", 0), ("0", 20)):
        first = round_of()
        settled = settle(first, candidate("0000"), Arms("0", head), Again())
        assert settled.fresh is None
        later = Arms("1")
        settle(round_of(first.left_behind(settled, (), "head")), candidate("0000"), later, Again())
        assert later.calls == calls


def test_a_test_that_lost_its_mark_never_gets_a_second_chance() -> None:
    """Its one trial is a fixed sample."""
    once = Report((Case(NAME, outcome=Outcome.FAILED),))
    again = Again()
    this = round_of()
    settled = this.settle(once, [Pair(BASELINE.cases[0], once.cases[0])], b"", Arms("1", reason="no trials"), again)
    assert settled.notices != ()
    assert again.only == ()
    assert settled.candidate == once


def test_a_case_of_a_renamed_file_is_asked_the_same_under_its_new_name() -> None:
    asks = round_of(renames={"part/tests/t.py": "part/tests/new.py", "other/tests/u.py": "x.py"}).plan.asks
    assert set(asks) == {NAME, "tests/new.py::a"}
    assert asks[NAME] == asks["tests/new.py::a"]
    assert set(round_of(renames={"mytests/t.py": "x.py", "part/tests/t.py": "moved/t.py"}).plan.asks) == {NAME}


def test_a_suspect_under_its_new_name_is_confirmed_with_its_old_one() -> None:
    seen: dict[Arm, set[str]] = {"base": set(), "head": set()}

    def run(arm: Arm, names: Sequence[str], count: int) -> Turn:
        seen[arm] |= set(names)
        return Turn(dict.fromkeys(names, ("1" if arm == "base" else "0") * count))

    report = Report((replace(candidate("0000").cases[0], id="tests/new.py::a"),))
    settled = round_of().settle(report, [Pair(BASELINE.cases[0], report.cases[0])], b"", run, Again())
    assert seen == {"base": {NAME}, "head": {"tests/new.py::a"}}
    assert settled.fresh is not None
    assert set(settled.fresh.trials) == {"tests/new.py::a"}
