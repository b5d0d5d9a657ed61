"""Pairing: other roots, other spellings, moved files, ids that change, ids that stand twice."""

from __future__ import annotations

import pytest

from gate.compare.align import Alignment, align
from gate.compare.ids import normal, skeleton
from gate.schema.report import Report, Source
from tests.support.compare import case, cut_short, judged, metric, predictions, report, rules_of, trials

UUIDS = "1b4e28ba-2fa1-11d2-883f-0016d3cca427", "6fa459ea-ee8a-3ca4-894e-db77e160355e"


def paired(before: list[str], after: list[str], roots: tuple[str, str] = ("", ""), **renames: str) -> Alignment:
    main = Report(tuple(case(name) for name in before), source=Source(root=roots[0]))
    here = Report(tuple(case(name) for name in after), source=Source(root=roots[1]))
    return align(main, here, renames.get("renames", {}))  # type: ignore[arg-type]


def ids(folder: str, count: int = 3) -> list[str]:
    return [f"{folder}tests/test_x.py::test_{place}" for place in range(count)]


@pytest.mark.parametrize(
    ("before", "after", "prefix"),
    [
        ("", "ADK/agent_data/", ("", "ADK/agent_data/")),
        ("svc/", "", ("svc/", "")),
        ("/builds/group/r/", "/github/workspace/", ("/builds/group/r/", "/github/workspace/")),
        ("C:/a/r/", "/github/workspace/", ("C:/a/r/", "/github/workspace/")),
        ("", "/github/workspace/", ("", "/github/workspace/")),
    ],
    ids=["folder-up", "folder-down", "container", "windows-and-container", "absolute"],
)
def test_a_common_folder_in_front_is_ignored(before: str, after: str, prefix: tuple[str, str]) -> None:
    found = paired(ids(before), ids(after))
    assert found.prefix == prefix
    assert (found.compared, found.removed, found.added) == (3, (), ())


def test_windows_separators_and_dots_are_spelling() -> None:
    found = paired(
        ["tests\\test_x.py::test_0", "./tests/test_y.py::t[a\\b]"],
        ["tests/test_x.py::test_0", "tests/test_y.py::t[a\\b]"],
    )
    assert found.compared == 2
    assert normal("a\\b.py::t[x\\y]", "") == "a/b.py::t[x\\y]"


def test_absolute_ids_are_relative_to_their_own_root() -> None:
    one = paired(
        [*ids("/home/me/r/", 1), "tests/test_x.py::kept"], [*ids("", 1), "tests/test_x.py::kept"], ("/home/me/r", "")
    )
    assert (one.compared, one.removed) == (2, ())


def test_roots_decide_when_few_ids_agree() -> None:
    gone = [*ids("", 1), *(f"tests/other_{place}.py::t" for place in range(9))]
    new = [*ids("svc/", 1), *(f"svc/tests/more_{place}.py::t" for place in range(9))]
    assert paired(gone, new).prefix == ("", "")
    assert paired(gone, new, ("/r/svc", "/r")).prefix == ("", "svc/")


def test_a_coincidence_is_no_prefix() -> None:
    gone = [*ids("", 1), *(f"tests/gone_{place}.py::t{place}" for place in range(5))]
    new = [*ids("svc/", 1), *(f"svc/new_{place}.py::n{place}" for place in range(5))]
    found = paired(gone, new)
    assert found.prefix == ("", "")
    assert len(found.removed) == 5  # the one file that moved by name alone is a rename


def test_reports_that_mostly_agree_have_one_root() -> None:
    kept = [f"tests/test_k.py::test_{place}" for place in range(10)]
    found = paired([*kept, *ids("", 2)], [*kept, *ids("unit/", 2)])
    assert found.prefix == ("", "")
    assert {path: move.target for path, move in found.moves.items()} == {"tests/test_x.py": "unit/tests/test_x.py"}


def test_a_rename_of_git_keeps_its_tests_and_says_so() -> None:
    main, here = (
        report({"tests/old.py::t": "passed", "tests/old.py::u": "passed"}),
        report({"tests/new.py::t": "failed"}),
    )
    found = align(main, here, {"tests/old.py": "tests/new.py"})
    assert [(pair.moved_from, pair.after.id) for pair in found.pairs] == [("tests/old.py::t", "tests/new.py::t")]
    assert [each.id for each in found.removed] == ["tests/old.py::u"]


def test_a_rename_counts_from_the_folder_in_which_the_suite_ran() -> None:
    found = paired(["tests/old.py::t"], ["tests/new.py::t"], renames={"svc/tests/old.py": "svc/tests/new.py"})  # type: ignore[arg-type]
    assert found.compared == 1
    assert found.moves["tests/old.py"].known


def test_without_git_a_file_with_the_same_tests_is_renamed() -> None:
    verdict = judged(
        report({"tests/old.py::t": "passed", "tests/old.py::u": "passed"}),
        report({"tests/new.py::t": "passed", "tests/new.py::u": "failed"}),
    )
    assert rules_of(verdict) == ["newly-failing"]
    assert verdict.findings[0].what == "newly fails (renamed from tests/old.py)"
    assert verdict.notices == (
        "tests/old.py was renamed to tests/new.py with 2 tests kept, as the names of its tests suggest",
    )


@pytest.mark.parametrize(
    "after",
    [
        ["tests/new.py::t"],  # one common name is a coincidence
        ["tests/n1.py::t", "tests/n1.py::u", "tests/n2.py::t", "tests/n2.py::u"],  # not unique
        ["tests/new.py::v", "tests/new.py::w"],
    ],
    ids=["one", "two-targets", "other-tests"],
)
def test_a_guess_needs_a_clear_majority_in_one_file(after: list[str]) -> None:
    found = paired(["tests/old.py::t", "tests/old.py::u"], after)
    assert [each.id for each in found.removed] == ["tests/old.py::t", "tests/old.py::u"]


def test_two_files_never_claim_one_target() -> None:
    both = [f"tests/{name}.py::{test}" for name in ("a", "b") for test in ("t", "u")]
    assert len(paired(both, ["tests/c.py::t", "tests/c.py::u"]).removed) == 4


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("<L at 0x7f3a1c22>", "<L at 0x7f99ab10>"),
        UUIDS,
        (f"run_{UUIDS[0]}", f"run_{UUIDS[1]}"),
        ("2026-11-30T05:55:51Z", "2026-12-01T09:00:00.123+01:00"),
        ("1764482151", "1764482999"),
        ("1764482151123", "1764482999001"),
        ("/tmp/pytest-of-root/pytest-0/a0", "/tmp/pytest-of-root/pytest-7/a0"),
        ("C:\\temp\\x1", "C:\\temp\\y2"),
        ("9f86d081884c7d65", "60303ae22b998861"),
    ],
    ids=["address", "uuid", "uuid-after-underscore", "time", "epoch", "epoch-ms", "tmp", "windows-temp", "digest"],
)
def test_what_changes_each_run_makes_an_id_unstable(one: str, other: str) -> None:
    main = report({f"tests/a.py::t[{one}]": "passed", "tests/a.py::k": "passed"})
    here = report({f"tests/a.py::t[{other}]": "passed", "tests/a.py::k": "passed"})
    verdict = judged(main, here)
    assert rules_of(verdict) == ["unstable-id"]
    assert "*" in verdict.findings[0].subject
    assert (verdict.findings[0].why, verdict.findings[0].before in one) == ("compared as one test", True)
    assert skeleton(verdict.findings[0].subject) == skeleton(f"tests/a.py::t[{one}]")
    assert (verdict.exit_code, verdict.good_news) == (0, ())


@pytest.mark.parametrize(
    "name",
    [
        "t[10]",
        "t[2024-01-15]",
        "t[2024-01-01T00:00]",
        "t[2024-01-01 00:00:00]",
        "t[2024-06-01T12:30]",
        "t[1600000000]",
        "t[deadbeef]",
        "t[/tmp/model.pkl]",
        "t[v1.2.3]",
        "t[1234567]",
        "test_hexadecimals",
        "t[abcdefabcdefabcdef]",
    ],
)
def test_ordinary_parameters_are_stable(name: str) -> None:
    assert skeleton(f"tests/a.py::{name}") == f"tests/a.py::{name}"


ORDINARY = {
    "digest": ("0123456789abcdef", "9f86d081884c7d65", "60303ae22b998861"),
    "code-point": ("0x1F600", "0x1F601", "0x1F602"),
    "time": ("2024-01-01T12:30:00", "2024-06-01T12:30:00", "2025-01-01T12:30:00"),
    "epoch": ("1600000001", "1600000002", "1600000003"),
    "file": ("/tmp/v1.pkl", "/tmp/v2.pkl", "/tmp/v3.pkl"),
}


@pytest.mark.parametrize("values", ORDINARY.values(), ids=ORDINARY)
def test_a_parameter_that_some_test_kept_does_not_change_each_run(values: tuple[str, str, str]) -> None:
    """One of the ids stands on both sides, so what looks like a digest or a time was chosen, and its removal counts."""
    kept, gone, new = (f"tests/a.py::t[{value}]" for value in values)
    verdict = judged(report({kept: "passed", gone: "passed"}), report({kept: "passed", new: "passed"}))
    assert [(each.rule.value, each.subject) for each in verdict.findings] == [("missing-case", gone)]
    assert [each.subject for each in verdict.good_news] == [new]


def test_an_address_that_comes_again_by_chance_is_still_an_address() -> None:
    def run(*places: str) -> Report:
        return report({f"tests/a.py::t[<L at 0x7f{place}>]": "passed" for place in places})

    assert rules_of(judged(run("00aa", "00bb", "00cc"), run("00aa", "00dd", "00ee"))) == ["unstable-id"]


def test_one_case_with_a_changing_id_is_compared_with_its_facets() -> None:
    def run(value: str, number: float, predicted: str) -> Report:
        facets = {"metrics": (metric(number),), "predictions": (predictions("11", predicted),)}
        return report({"tests/a.py::k": "passed"}, case(f"tests/a.py::t[{value}]", "passed", **facets))

    same = judged(run(UUIDS[0], 0.9, "11"), run(UUIDS[1], 0.9, "11"))
    assert (rules_of(same), same.tally.held) == (["unstable-id"], 2)
    worse = judged(run(UUIDS[0], 0.9, "11"), run(UUIDS[1], 0.5, "10"))
    assert rules_of(worse)[:2] == ["negative-flip", "metric-regression"]
    assert worse.exit_code == 1


@pytest.mark.parametrize(
    ("facets", "told"),
    [
        ({"metrics": (metric(0.9),)}, "2 metrics"),
        ({"predictions": (predictions("1", "1"),)}, "2 sets of predictions"),
        ({"stochastic": True, "trials": trials("11")}, "2 series of trials"),
    ],
)
def test_what_can_not_be_paired_is_missing(facets: dict[str, object], told: str) -> None:
    def run(*places: str) -> Report:
        return report({}, *(case(f"tests/a.py::t[0x7f{place}]", "passed", **facets) for place in places))

    verdict = judged(run("00aa", "00bb"), run("00cc", "00dd"))
    assert rules_of(verdict) == ["missing-case", "unstable-id"]
    found = verdict.findings[0]
    assert (found.what, found.before) == ("measures what can't be paired, since its ids change each run", told)
    assert verdict.exit_code == 1
    assert judged(run("00aa", "00bb"), run("00aa", "00bb")).exit_code == 0


def test_unstable_ids_are_compared_by_count() -> None:
    def run(*words: str, base: int) -> Report:
        return report({f"tests/a.py::t[0x7f{base + place:06x}]": word for place, word in enumerate(words)})

    assert judged(run("passed", "failed", base=1), run("failed", "passed", base=99)).exit_code == 0
    worse = judged(run("passed", "failed", base=1), run("failed", "failed", base=99))
    assert rules_of(worse) == ["newly-failing", "unstable-id"]
    assert (worse.findings[0].before, worse.findings[0].after) == ("1 of 2", "2 of 2")
    assert rules_of(judged(run("passed", "passed", base=1), run("passed", "skipped", base=99))) == [
        "newly-skipped",
        "unstable-id",
    ]
    assert rules_of(judged(run("passed", "passed", base=1), run("passed", "xfailed", base=99))) == [
        "newly-failing",
        "unstable-id",
    ]
    assert rules_of(judged(run("xfailed", "passed", base=1), run("failed", "passed", base=99))) == [
        "newly-failing",
        "unstable-id",
    ]
    assert rules_of(judged(run("failed", "passed", base=1), run("xfailed", "passed", base=99))) == ["unstable-id"]
    fewer = judged(run("passed", "passed", base=1), run("passed", base=99))
    assert rules_of(fewer) == ["missing-case", "unstable-id"]
    assert fewer.exit_code == 1


def test_of_an_id_that_stands_twice_the_worst_counts() -> None:
    main = report({"tests/a.py::t": "passed"})
    here = Report((case("tests/a.py::t", "failed", message="boom"), case("tests/a.py::t", "passed")))
    for order in (here, Report(here.cases[::-1])):
        verdict = judged(main, order)
        assert rules_of(verdict) == ["newly-failing", "unstable-id"]
        assert verdict.findings[1].after == "2 times"
    assert rules_of(judged(here, main)) == ["unstable-id"]


def test_a_run_under_another_root_that_stopped_early_is_one_finding() -> None:
    main = report(dict.fromkeys(ids("", 9), "passed"))
    verdict = judged(main, cut_short(report(dict.fromkeys(ids("svc/", 4), "passed"))))
    assert rules_of(verdict) == ["incomplete-run"]
    assert (verdict.findings[0].after, verdict.exit_code) == ("4 compared", 3)
    assert verdict.notices == ("ids here start with svc/, those in the baseline without it",)
