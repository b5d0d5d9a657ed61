"""JUnit XML of several tools, and XML that is refused."""

from __future__ import annotations

import pytest

from gate.errors import ReportError
from gate.ingest import read_report
from gate.schema.outcome import Outcome
from gate.schema.report import Case, Location

DECLARED = '<?xml version="1.0" encoding="UTF-8"?>\n'


def cases(inner: str, suite: str = "") -> tuple[Case, ...]:
    return read_report(f"{DECLARED}<testsuites><testsuite {suite}>{inner}</testsuite></testsuites>".encode(), "j").cases


def one(attributes: str, inner: str = "", suite: str = "") -> Case:
    (case,) = cases(f"<testcase {attributes}>{inner}</testcase>", suite)
    return case


def refused(text: str) -> ReportError:
    with pytest.raises(ReportError) as caught:
        read_report(text.encode(), "j.xml")
    assert caught.value.where.startswith("j.xml")
    assert caught.value.remedy
    return caught.value


@pytest.mark.parametrize(
    ("inner", "outcome", "message"),
    [
        ("", Outcome.PASSED, ""),
        ('<failure message="no">text</failure>', Outcome.FAILED, "no"),
        ("<failure>\n first\nsecond</failure>", Outcome.FAILED, "first"),
        ("<error/>", Outcome.ERROR, ""),
        ('<skipped message="x"/>', Outcome.SKIPPED, ""),
        ('<skipped type="pytest.xfail"/>', Outcome.XFAILED, ""),
        ('<skipped/><failure message="a"/><error message="b"/>', Outcome.ERROR, "b"),
        ('<flakyFailure message="x"/>', Outcome.RERUN, ""),
        ("<flakyError/>", Outcome.RERUN, ""),
        ('<failure message="a"/><rerunFailure message="b"/>', Outcome.FAILED, "a"),
        ("<system-out>Traceback ERROR</system-out><system-err>failure</system-err>", Outcome.PASSED, ""),
    ],
)
def test_outcomes(inner: str, outcome: Outcome, message: str) -> None:
    case = one('name="t"', inner)
    assert (case.outcome, case.message) == (outcome, message)


@pytest.mark.parametrize("word", ['status="notrun"', 'status="disabled"', 'result="suppressed"', 'result="SKIPPED"'])
def test_a_test_that_was_not_run_did_not_pass(word: str) -> None:
    assert one(f'name="t" {word}').outcome is Outcome.SKIPPED


@pytest.mark.parametrize(
    ("attributes", "case_id", "location"),
    [
        ('name="t" classname="a.B"', "a.B::t", None),
        ('name="t" classname="a.B" file="src/x.js" line="7"', "src/x.js::t", Location("src/x.js", 7)),
        ('name="t" file="src\\x.js"', "src/x.js::t", Location("src/x.js")),
        ('name="t" classname="tests.test_a" file="tests/test_a.py"', "tests/test_a.py::t", Location("tests/test_a.py")),
        ('name="t" classname="tests.a.B.C" file="tests/a.py"', "tests/a.py::B::C::t", Location("tests/a.py")),
        ('name="t" classname=""', "suite::t", None),
        ('classname="a.B"', "a.B", None),
        ('name="t" file="x.py" line="seven"', "x.py::t", Location("x.py")),
    ],
)
def test_ids(attributes: str, case_id: str, location: Location | None) -> None:
    case = one(attributes, suite='name="suite"')
    assert (case.id, case.location) == (case_id, location)


def test_pytest_counts_lines_from_zero() -> None:
    assert one('name="t" file="a.py" line="0"', suite='name="pytest"').location == Location("a.py", 1)


def test_tests_of_two_classes_in_one_file_are_two_cases() -> None:
    found = cases("".join(f'<testcase name="t" classname="a.{name}" file="a.py"/>' for name in ("B", "C")))
    assert [case.id for case in found] == ["a.py::B::t", "a.py::C::t"]


def test_nested_suites_count_once_and_in_order() -> None:
    inner = '<testcase name="1"/><testsuite name="in"><testcase name="2"/></testsuite><testcase name="3"/>'
    assert [case.id for case in cases(inner, 'name="out"')] == ["out::1", "in::2", "out::3"]


def test_tests_outside_of_a_suite_are_not_lost() -> None:
    report = read_report(b'<testsuites><testcase name="a" classname="c"/></testsuites>', "j")
    assert [case.id for case in report.cases] == ["c::a"]


def test_a_namespace_hides_no_failure() -> None:
    text = b'<testsuite xmlns="urn:x" name="s"><testcase name="a"><failure/></testcase></testsuite>'
    assert read_report(text, "j").cases[0].outcome is Outcome.FAILED


def test_deeply_nested_suites_are_read() -> None:
    text = "<testsuite>" * 5_000 + '<testcase name="a"/>' + "</testsuite>" * 5_000
    assert len(read_report(text.encode(), "j").cases) == 1


def test_the_encoding_that_is_declared_does_not_change_utf8() -> None:
    text = '<?xml version="1.0" encoding="ISO-8859-1"?><testsuite><testcase name="é"/></testsuite>'
    assert read_report(text.encode(), "j").cases[0].id == "é"


def test_no_test_is_not_whole() -> None:
    assert read_report(b"<testsuites/>", "j").completeness.reasons == ("no test was reported",)


def test_cut_off_and_damaged_xml_name_line_and_column() -> None:
    cut = refused(f'{DECLARED}<testsuites>\n<testsuite>\n<testcase name="a"/>')
    assert ("ends in the middle" in cut.message, cut.where) == (True, "j.xml:4:21")
    bad = refused("<testsuites>\n</testsuite>")
    assert ("well-formed" in bad.message, bad.where) == (True, "j.xml:2:3")
    assert "ends in the middle" in refused("<testsuites><testsu").message


@pytest.mark.parametrize(
    "entity",
    [
        '<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">',
        '<!ENTITY a SYSTEM "file:///etc/passwd">',
        '<!ENTITY % a SYSTEM "http://example.invalid/x.dtd"> %a;',
    ],
    ids=["bomb", "file", "remote"],
)
def test_entities_are_refused(entity: str) -> None:
    error = refused(f'<!DOCTYPE t [{entity}]><testsuites><testsuite><testcase name="&a;"/></testsuite></testsuites>')
    assert "entities or foreign references" in error.message


@pytest.mark.parametrize(
    ("text", "what"),
    [("<coverage/>", "Cobertura"), ("<TestRun xmlns='urn:x'/>", "TRX"), ("<other/>", "<other>"), ("<html/>", "HTML")],
)
def test_other_xml_is_told_by_its_root(text: str, what: str) -> None:
    error = refused(text)
    assert "expected testsuites or testsuite" in error.message
    assert what in error.message


def test_a_test_needs_some_name() -> None:
    assert refused("<testsuite><testcase/></testsuite>").where == "j.xml: testcase 0"


def reasons(text: str) -> tuple[str, ...]:
    return read_report(text.encode(), "j").completeness.reasons


@pytest.mark.parametrize(
    ("attributes", "inner", "told"),
    [
        ('tests="5" failures="1" errors="2"', "", "counts 3 failures and errors, of which 0 are reported"),
        (
            'failures="2"',
            "<testcase name='b'><failure/></testcase>",
            "counts 2 failures and errors, of which 1 are reported",
        ),
        ("", '<error message="no set-up">t</error>', "has an error outside of its tests: no set-up"),
        ("", "<failure>first\nsecond</failure>", "has a failure outside of its tests: first"),
        ('errors="1"', "<error/>", "has an error outside of its tests"),
        ("", '<testsuite name="s" tests="4" skipped="1"/>', "counts 4 tests, and none is reported"),
    ],
)
def test_what_a_suite_says_that_no_test_shows_makes_it_not_whole(attributes: str, inner: str, told: str) -> None:
    suite = f'<testsuite name="s" {attributes}><testcase name="a" classname="c"/>{inner}</testsuite>'
    assert reasons(f"<testsuites>{suite}</testsuites>") == (f"the suite s {told}",)


@pytest.mark.parametrize(
    ("attributes", "inner"),
    [
        ('tests="15" failures="0"', ""),  # some tools count subtests
        ('failures="1" errors="1"', "<testcase name='b'><failure/><error/></testcase>"),
        ('failures="many" errors="-1" tests=""', ""),
        ("", '<testsuite name="in" tests="2" skipped="1" disabled="1"/>'),
    ],
)
def test_what_the_tests_of_a_suite_explain_leaves_it_whole(attributes: str, inner: str) -> None:
    assert reasons(f'<testsuite name="s" {attributes}><testcase name="a" classname="c"/>{inner}</testsuite>') == ()


def test_what_is_counted_by_suites_within_suites_is_told_once() -> None:
    inner = '<testsuite name="in" failures="1"><testcase name="a"/></testsuite>'
    assert reasons(f'<testsuites name="out" failures="1">{inner}</testsuites>') == (
        "the suite out counts 1 failures and errors, of which 0 are reported",
    )
    assert len(reasons(f"<testsuites>{'<testsuite><error/></testsuite>' * 50}</testsuites>")) == 20
