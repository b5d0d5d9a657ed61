"""What holds for every pair of reports."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from gate.baselines.distill import distill, dump_baseline
from gate.compare import compare
from gate.compare.align import align
from gate.ingest import read_report
from gate.schema.outcome import Outcome
from gate.schema.report import Attack, Case, Completeness, Metric, Predictions, Report, Session, Trials
from gate.schema.verdict import DECIDING_ORDER, RuleName
from gate.settings import Settings

GOODNESS = [
    Outcome.PASSED,
    Outcome.XPASSED,
    Outcome.RERUN,
    Outcome.XFAILED,
    Outcome.SKIPPED,
    Outcome.FAILED,
    Outcome.ERROR,
    Outcome.CRASHED,
]
"""From what says most to what says worst, as far as an expected failure and a skip can be put in order."""

folders = st.sampled_from(["", "svc/", "/ws/", "C:\\r\\"])
parts = st.sampled_from(["0x7f3a1c22", "0x7f99ab10", "1764482151", "plain", "#1", "a::b", "é|`", "\\n"])
ids = st.builds(
    lambda folder, file, test, part: f"{folder}tests/{file}.py::{test}[{part}]",
    folders,
    st.sampled_from("abc"),
    st.sampled_from(["t", "u", "v"]),
    parts,
)


@st.composite
def predictions(draw: st.DrawFn) -> Predictions:
    places = draw(st.lists(st.integers(0, 12), min_size=1, max_size=8, unique=True))

    def series(alphabet: str) -> str:
        return draw(st.text(alphabet, min_size=len(places), max_size=len(places)))

    return Predictions(
        draw(st.sampled_from(["m", "n"])),
        tuple(f"e{place}" for place in places),
        draw(st.sampled_from([("x", "y"), ("y", "x")])),
        series("01."),
        series("01."),
        attacks=tuple(Attack(name, series("01.")) for name in draw(st.sets(st.sampled_from("ab")))),
    )


@st.composite
def cases(draw: st.DrawFn) -> Case:
    value = draw(st.none() | st.floats(-1, 1))
    metric = Metric(
        "q", value, threshold=draw(st.none() | st.floats(-1, 1)), unscored="" if value is not None else "no"
    )
    drawn = draw(st.none() | st.text("01", min_size=1, max_size=12))
    return Case(
        draw(ids),
        outcome=draw(st.sampled_from(Outcome)),
        stochastic=draw(st.booleans()),
        trials=None if drawn is None else Trials((Session("s", drawn),)),
        metrics=draw(st.sampled_from([(), (metric,)])),
        predictions=tuple({each.name: each for each in draw(st.lists(predictions(), max_size=2))}.values()),
    )


reports = st.lists(cases(), min_size=1, max_size=10, unique_by=lambda case: case.id).map(
    lambda found: Report(tuple(found))
)
doubled = st.lists(cases(), min_size=1, max_size=10).map(lambda found: Report(tuple(found)))
DEFAULTS = Settings()


@given(reports)
@settings(max_examples=40, deadline=None)
def test_a_report_holds_under_its_own_baseline(report: Report) -> None:
    baseline = read_report(dump_baseline(distill(report, "abc")), "baseline")
    verdict = compare(baseline, report, DEFAULTS)
    assert [each for each in verdict.findings if each.rule != "undecided"] == []
    assert (verdict.exit_code, verdict.good_news, verdict.notices) == (0, (), ())


@given(reports, doubled, st.randoms(use_true_random=False))
@settings(max_examples=40, deadline=None)
def test_the_order_of_the_files_changes_nothing(main: Report, here: Report, order: object) -> None:
    def shuffled(report: Report) -> Report:
        found = list(report.cases)
        order.shuffle(found)  # type: ignore[attr-defined]
        return replace(report, cases=tuple(found))

    assert compare(main, here, DEFAULTS) == compare(shuffled(main), shuffled(here), DEFAULTS)


@given(doubled, doubled)
@settings(max_examples=40, deadline=None)
def test_every_case_is_paired_once_and_every_finding_is_about_one(main: Report, here: Report) -> None:
    found = align(main, here, {})
    before = {case.id for case in main.cases}
    after = {case.id for case in here.cases}
    assert found.compared + len(found.removed) + sum(len(group.before) for group in found.unstable) == len(before)
    assert found.compared + len(found.added) + sum(len(group.after) for group in found.unstable) == len(after)
    assert sum(found.outcomes.values()) == found.compared
    verdict = compare(main, here, DEFAULTS)
    real = before | after | {group.skeleton for group in (*found.unstable, *found.changing)}
    names = {each.name for case in (*main.cases, *here.cases) for each in (*case.metrics, *case.predictions)}
    for finding in (*verdict.findings, *verdict.good_news):
        if finding.rule is RuleName.INCOMPLETE_RUN:
            continue  # it is about the run
        assert finding.subject in real | names
        assert any(finding.case_id == name or finding.case_id.startswith(name + "#") for name in real)
    assert [each.id for each in verdict.findings] == [f"F{place + 1}" for place in range(len(verdict.findings))]


def badness(exit_code: int) -> int:
    return -[int(code) for code in DECIDING_ORDER].index(exit_code)


@given(reports, reports, st.data())
@settings(max_examples=40, deadline=None)
def test_a_worse_outcome_never_lowers_the_exit_code(main: Report, here: Report, data: st.DataObject) -> None:
    def plain(case: Case) -> Case:
        return Case(case.id, outcome=case.outcome)

    main = Report(tuple(map(plain, main.cases)))
    found = list(map(plain, here.cases))
    place = data.draw(st.integers(0, len(found) - 1))
    rank = GOODNESS.index(found[place].outcome or Outcome.PASSED)
    lower = data.draw(st.sampled_from(GOODNESS[rank:]))
    before = compare(main, Report(tuple(found)), DEFAULTS).exit_code
    found[place] = replace(found[place], outcome=lower)
    assert badness(compare(main, Report(tuple(found)), DEFAULTS).exit_code) >= badness(before)


@st.composite
def versions(draw: st.DrawFn) -> Case:
    """One test with a metric and four predictions under an attack: the same shape each time, other values."""

    def series(alphabet: str) -> str:
        return draw(st.text(alphabet, min_size=4, max_size=4))

    measured = Metric("q", draw(st.floats(-1, 1)), draw(st.sampled_from(["higher", "lower"])))
    attack = Attack("a", series("01"))
    predicted = Predictions("m", tuple("abcd"), ("x", "y"), series("01."), series("01"), attacks=(attack,))
    outcome = draw(st.sampled_from(Outcome))
    return Case("tests/a.py::t", outcome=outcome, metrics=(measured,), predictions=(predicted,))


@given(versions(), st.lists(versions(), min_size=2, max_size=3))
@settings(max_examples=40, deadline=None)
def test_no_duplicate_hides_another(main: Case, here: list[Case]) -> None:
    def exit_code(*cases: Case) -> int:
        return compare(Report((main,)), Report(cases), DEFAULTS).exit_code

    assert badness(exit_code(*here)) >= max(badness(exit_code(case)) for case in here)


@given(reports, reports, st.data())
@settings(max_examples=40, deadline=None)
def test_what_is_not_measured_never_passes(main: Report, here: Report, data: st.DataObject) -> None:
    kept = data.draw(
        st.lists(st.sampled_from(main.cases), max_size=len(main.cases) - 1, unique_by=lambda case: case.id)
    )
    assert compare(main, Report(tuple(kept)), DEFAULTS).exit_code != 0
    cut = replace(here, completeness=Completeness(reasons=("cut",)))
    assert compare(main, cut, DEFAULTS).exit_code != 0
    assert compare(main, cut, DEFAULTS, on_base=cut).exit_code != 0


@given(reports, reports)
@settings(max_examples=40, deadline=None)
def test_main_excuses_itself_and_never_more(main: Report, here: Report) -> None:
    alone = compare(main, here, DEFAULTS)
    excused = compare(main, here, DEFAULTS, on_base=here)
    assert [each for each in excused.failing if each.rule != "incomplete-run"] == []
    assert compare(main, here, DEFAULTS, on_base=main).exit_code == alone.exit_code
