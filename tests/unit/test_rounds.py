"""Rounds of one pull request: what is told, confirmed and left for the next run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from gate.compare.align import Pair, align
from gate.deliver.earlier import History
from gate.record.arms import Arm, Turn
from gate.record.memory import confirmed_lines, read_earlier
from gate.rounds import Confirmed, Round, Settled, confirm, merged, open_round, strict_plan
from gate.schema.changes import Changes
from gate.schema.fresh import Fresh
from gate.schema.outcome import Outcome
from gate.schema.report import Calls, Case, Completeness, Report, Session, Trials
from gate.schema.verdict import CaseDecision
from gate.settings import Settings
from gate.trials.carry import Carried, Entry, Inputs, entry_line, inputs_line
from gate.trials.plan import Known
from tests.support.mutant_cases import mutant, mutants, summary

BASE = "b" * 40


def case(name: str, outcomes: str, fixed: bool = True) -> Case:
    return Case(name, outcome=Outcome.PASSED, stochastic=True, trials=Trials((Session("s", outcomes, fixed),)))


BASELINE = Report((case("t.py::a", "1" * 50), case("t.py::b", "1" * 49 + "0")))


def opened(history: bytes = b"", *, confirmable: bool = True, settings: Settings | None = None) -> Round:
    found = open_round(
        BASELINE,
        settings or Settings(),
        suites=1,
        history=lambda: History(tuple(history.splitlines())),
        session="h",
        base=BASE,
        confirmable=confirmable,
    )
    assert found is not None
    return found


def pairs(a: str, b: str) -> list[Pair]:
    return [
        Pair(BASELINE.cases[0], case("t.py::a", a, fixed=False)),
        Pair(BASELINE.cases[1], case("t.py::b", b, fixed=False)),
    ]


def trials_file(**outcomes: str) -> bytes:
    lines = [inputs_line("i", Inputs(("t.py",)))]
    lines += [
        entry_line(Entry(f"t.py::{name}", Carried(f"f-{name}", text, "regression")), "i")
        for name, text in outcomes.items()
    ]
    return "".join(lines).encode()


def left(this: Round, confirmed: Confirmed, trials: bytes) -> bytes:
    return this.left_behind(Settled(Report(()), confirmed.fresh, trials, confirmed.lines), (), "head")


class Arms:
    """The base always passes; the head as told."""

    def __init__(self, head: str) -> None:
        self.head = head
        self.calls = 0

    def __call__(self, arm: Arm, names: Sequence[str], count: int) -> Turn:
        self.calls += count * len(names)
        return Turn(dict.fromkeys(names, ("1" if arm == "base" else self.head) * count))


def test_a_suite_without_stochastic_cases_is_told_nothing() -> None:
    plain = Report((Case("t.py::a", outcome=Outcome.PASSED),))
    assert open_round(plain, Settings(), suites=1, history=History, session="h", base=BASE, confirmable=True) is None


def test_where_suspects_can_be_confirmed_the_first_look_is_at_a_line() -> None:
    assert opened().screening
    assert not opened(confirmable=False).screening
    assert not opened(settings=Settings(confirm="off")).screening
    assert opened(confirmable=False).plan.asks["t.py::a"].share == 0.02  # .04 of two cases
    assert opened(confirmable=False).plan.asks["t.py::a"].patient is False


def test_without_suspects_no_fresh_trial_is_made() -> None:
    arms = Arms("0")
    found = confirm(opened(), pairs("1" * 12, "1" * 12), b"", arms)
    assert (found.fresh, found.suspects, arms.calls) == (Fresh(), (), 0)


def test_a_suspect_is_confirmed_and_its_fresh_trials_are_left_for_the_next_run() -> None:
    arms, this = Arms("0"), opened()
    found = confirm(this, pairs("1" * 12, "0" * 4), trials_file(b="0000"), arms)
    assert found.fresh is not None
    assert list(found.fresh.trials) == ["t.py::b"]
    assert f"took {arms.calls:,} fresh trials" in found.notices[0]
    history = left(this, found, trials_file(b="0000"))
    again, later = Arms("1"), opened(history)
    second = confirm(later, pairs("1" * 12, "0" * 4), trials_file(b="0000"), again)
    assert again.calls == 0
    assert second.fresh is not None
    assert second.fresh.trials == found.fresh.trials


def test_a_suspect_mutant_is_run_on_both_sides_by_the_test_that_killed_it() -> None:
    told: dict[str, Known] = {}

    def arms(arm: Arm, names: Sequence[str], count: int, /, *, known: Mapping[str, Known]) -> Turn:
        told.update(known)
        return Turn(dict.fromkeys(names, ("1" if arm == "base" else "0") * count))

    main = mutants(mutant("m1", outcomes="1" * 20), mutant("m2", "survived", rule="r2"), summary())
    here = mutants(mutant("m1", "survived", "0" * 14, fixed=False), main.cases[1], main.cases[2])
    this = open_round(main, Settings(), suites=1, history=lambda: History(()), session="h", base=BASE, confirmable=True)
    assert this is not None
    assert set(this.plan.known) == {main.cases[0].id, main.cases[1].id}
    settled = this.settle(here, align(main, here, {}).pairs, b"", arms, lambda plan: (here, b""))
    assert settled.fresh is not None
    base, head = settled.fresh.trials[main.cases[0].id]
    assert (set(base), set(head), settled.fresh.suite) == ({"1"}, {"0"}, {})
    assert told == {main.cases[0].id: this.plan.known[main.cases[0].id]}


def test_mutants_that_survive_on_main_are_told_though_nothing_is_asked() -> None:
    main = mutants(mutant("m1", "survived"), summary(0.0))
    this = open_round(main, Settings(), suites=1, history=lambda: History(()), session="h", base=BASE, confirmable=True)
    assert this is not None
    assert (this.screening, set(this.plan.known), this.plan.asks) == (False, {main.cases[0].id}, {})


def test_fresh_trials_of_another_content_or_another_base_are_made_again() -> None:
    this = opened()
    found = confirm(this, pairs("1" * 12, "0" * 4), trials_file(b="0000"), Arms("0"))
    history = left(this, found, b"")
    changed = trials_file(b="0000").replace(b"f-b", b"f-c")
    for trials, base in ((changed, BASE), (trials_file(b="0000"), "c" * 40)):
        arms = Arms("0")
        later = open_round(
            BASELINE,
            Settings(),
            suites=1,
            history=lambda: History(tuple(history.splitlines())),
            session="h",
            base=base,
            confirmable=True,
        )
        assert later is not None
        confirm(later, pairs("1" * 12, "0" * 4), trials, arms)
        assert arms.calls > 0


def test_where_the_base_can_not_be_run_each_suspect_goes_on_at_its_own_share() -> None:
    this = opened()
    found = confirm(this, pairs("1" * 12, "0" * 4), b"", None)
    assert found.fresh is None
    assert "could not be confirmed" in found.notices[0]
    plan = strict_plan(this, found.suspects, trials_file(a="1" * 12, b="0000"))
    assert plan.only == ("t.py::b",)
    assert set(plan.asks) == set(plan.carried) == {"t.py::b"}
    assert plan.carried["t.py::b"][0].outcomes == "0000"
    assert plan.asks["t.py::b"].share == 0.02


def test_void_arms_say_why_and_what_they_cost() -> None:
    def void(arm: Arm, names: Sequence[str], count: int) -> Turn:
        return Turn(dict.fromkeys(names, "1" * count), "code of the project was loaded from outside its own tree: shop")

    found = confirm(opened(), pairs("1" * 12, "0" * 4), b"", void)
    assert found.fresh is None
    assert "loaded from outside" in found.notices[0]
    assert "fresh trials" in found.notices[0]


class OneCanNotRun(Arms):
    """The base makes no trial of one test."""

    def __call__(self, arm: Arm, names: Sequence[str], count: int) -> Turn:
        turn = super().__call__(arm, names, count)
        left = {name: each for name, each in turn.outcomes.items() if arm == "head" or name != "t.py::a"}
        return Turn(left)


def test_a_suspect_that_can_not_be_run_leaves_the_others_confirmed() -> None:
    told: list[str] = []

    def again(plan: str) -> tuple[Report, bytes]:
        told.append(plan)
        return Report((case("t.py::a", "0" * 8, fixed=False),)), b""

    this, trials = opened(), trials_file(a="0000", b="0000")
    candidate = Report((case("t.py::a", "0" * 4, False), case("t.py::b", "0" * 4, False)))
    settled = this.settle(candidate, pairs("0" * 4, "0" * 4), trials, OneCanNotRun("0"), again)
    assert settled.fresh is not None
    assert settled.fresh.trials["t.py::a"] == ("", "")
    assert "1" in settled.fresh.trials["t.py::b"][0]
    assert ['"only":["t.py::a"]' in plan for plan in told] == [True]
    assert [each.trials.count for each in settled.candidate.cases if each.trials] == [8, 4]
    assert any("1 suspect could not be confirmed: the base made no" in each for each in settled.notices)
    assert set(read_earlier(settled.lines).confirmed) == {("t.py::b", "f-b", BASE)}
    assert read_earlier(settled.lines).void == {}, "a run that failed may work next time"


def test_a_case_of_another_producer_is_no_suspect_of_this_suite() -> None:
    arms = Arms("0")
    theirs = [Pair(BASELINE.cases[0], case("t.py::a", "0" * 20)), *pairs("1", "0000")[1:]]
    found = confirm(opened(), theirs, trials_file(b="0000"), arms)
    assert found.fresh is not None
    assert found.fresh.trials["t.py::a"] == ("", "")
    assert found.suspects == ()
    assert found.notices[0].startswith("1 suspect of the first look was checked")
    alone = confirm(opened(), theirs[:1], b"", arms)
    assert (alone.fresh, alone.suspects, alone.notices) == (Fresh({"t.py::a": ("", "")}), (), ())


def test_more_suspects_than_the_limit_are_not_confirmed() -> None:
    arms = Arms("0")
    this = opened(settings=Settings(**{"confirm-limit": 1}))
    found = confirm(this, pairs("0" * 4, "0" * 4), b"", arms)
    assert (found.fresh, arms.calls) == (None, 0)
    assert "`confirm-limit`" in found.notices[0]


def test_what_stayed_undecided_is_counted_over_runs_in_a_row() -> None:
    def ended(head: str, *names: str) -> bytes:
        decisions = [CaseDecision(name, "undecided", "sequential", None, 0.1, (1, 2), (1, 2)) for name in names]
        return opened().left_behind(Settled(Report(())), decisions, head)

    history = ended("1", "a", "b") + ended("2", "a", "b") + ended("3", "a")
    assert {name: len(each) for name, each in read_earlier(history).undecided.items()} == {"a": 3}


def test_a_content_that_stayed_undecided_before_is_not_counted_again() -> None:
    decision = CaseDecision("t.py::b", "undecided", "sequential", None, 0.1, (1, 2), (1, 2))
    history = b""
    for number in range(3):  # empty commits
        settled = Settled(Report(()), trials=trials_file(b="0101"))
        history = opened(history).left_behind(settled, [decision], f"head{number}")
    assert opened(history).told(Changes()).undecided == {"t.py::b": 1}
    assert opened(history).told(Changes(), trials_file(b="0101")).undecided == {"t.py::b": 0}
    changed = trials_file(b="0101").replace(b"f-b", b"f-c")
    assert opened(history).told(Changes(), changed).undecided == {"t.py::b": 1}


def test_bad_lines_and_words_that_are_the_gates_own_are_not_passed_on() -> None:
    forged = confirmed_lines({"t.py::b": ("t.py::b", "f-b", BASE)}, {"t.py::b": {"trials": ["1", "1"]}})
    this = opened(b'{"case": 1}\n' + trials_file(a="11"))
    assert "1 line of the trials of earlier runs" in this.notices[0]
    trials = trials_file(b="00") + b'{"case": 2}\n' + forged
    settled = this.settle(Report(()), pairs("1" * 12, "1" * 12), trials, None, lambda plan: (Report(()), b""))
    assert "1 line of the trials of this run can't be used and was left out" in settled.notices
    later = opened(this.left_behind(settled, (), "head"))
    assert later.notices == ()
    assert set(later.earlier.carried) == {"t.py::a", "t.py::b"}
    assert later.earlier.confirmed == {}


def test_a_history_that_can_not_be_read_is_said_and_not_used() -> None:
    found = read_earlier(b'{"case": 1}\n{"confirmed": "x"\n')
    assert found.carried == {}
    assert "can't be used" in found.trouble
    assert read_earlier(b'{"confirmed":"x","trials":["12","1"]}\n').confirmed == {}


def test_suspects_that_can_not_be_confirmed_go_on_at_their_own_share() -> None:
    told: list[str] = []

    def again(plan: str) -> tuple[Report, bytes]:
        told.append(plan)
        return Report((case("t.py::b", "0" * 8, fixed=False),)), b""

    candidate = Report((case("t.py::a", "1" * 12, False), case("t.py::b", "0" * 4, False)))
    settled = opened().settle(candidate, pairs("1" * 12, "0" * 4), trials_file(b="0000"), None, again)
    assert settled.fresh is None
    assert '"only":["t.py::b"]' in told[0]
    assert [each.trials.count for each in settled.candidate.cases if each.trials] == [12, 8]


def test_a_second_run_takes_the_place_of_its_own_cases_alone() -> None:
    first = Report((case("t.py::a", "1"), case("t.py::b", "0")))
    again = Report((case("t.py::b", "0011"),), completeness=Completeness(reasons=("stopped",)))
    found = merged(first, again, ["t.py::b"])
    assert [each.trials.count for each in found.cases if each.trials] == [1, 4]
    assert found.completeness.reasons == ("stopped",)


def test_what_both_runs_of_a_case_called_is_told_together() -> None:
    first = replace(case("t.py::b", "0"), calls=Calls(live=3, tokens=30, missing=1))
    second = replace(case("t.py::b", "0011"), calls=Calls(replayed=2, saved=0.5))
    for again, told in ((second, Calls(3, 2, 30, saved=0.5)), (replace(second, calls=None), Calls(3, tokens=30))):
        (found,) = merged(Report((first,)), Report((again,)), ["t.py::b"]).cases
        assert found.calls == told
