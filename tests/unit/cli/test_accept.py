"""Waivers from the command line to the verdict: written on main, read from the base, over after their last day."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.command_line import HELD, NUMBER, PullRequest, Shell, candidate, project, refused
from tests.support.commented import LOST, REPORT

CASE = "test_a.py::test_two"
DAY = "1767225600"  # 2026-01-01
FILE = "baselines/waivers.toml"


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(monkeypatch, capsys)


def waive(gate: Shell, folder: Path, *more: str, rule: str = "newly-failing") -> object:
    options = ["--reason", "#7, 標籤", "--owner", "ann", "--who", "bob", *more]
    return gate("accept", rule, CASE, *options, cwd=folder, SOURCE_DATE_EPOCH=DAY)


def judged(gate: Shell, pull: PullRequest, name: str) -> tuple[int, dict[str, object]]:
    work = pull.checkout(name)
    (work / REPORT).write_text(json.dumps(candidate(LOST)))
    ended = gate("ci", "--report", REPORT, cwd=work, **pull.variables("http://127.0.0.1:9"))
    return ended.code, json.loads((work / ".gate/verdict.json").read_text())


def test_a_waiver_of_main_permits_a_finding_of_a_pull_request(gate: Shell, tmp_path: Path) -> None:
    main = project(tmp_path / "main")
    waive(gate, main.path, "--until", "9999-12-31")
    text = (main.path / FILE).read_text("utf-8")
    pull = PullRequest(tmp_path / "pull", {"x": "1"}, {FILE: text})
    code, verdict = judged(gate, pull, "work")
    assert code == 0
    (finding,) = verdict["findings"]  # type: ignore[misc]
    assert {key: finding["accepted"][key] for key in ("by", "reason", "who", "owner", "until")} == {
        "by": "waiver",
        "reason": "#7, 標籤",
        "who": "bob",
        "owner": "ann",
        "until": "9999-12-31",
    }


def test_one_that_is_over_is_named_and_the_finding_fails_again(gate: Shell, tmp_path: Path) -> None:
    main = project(tmp_path / "main")
    waive(gate, main.path, "--until", "2026-01-01")
    pull = PullRequest(tmp_path / "pull", {"x": "1"}, {FILE: (main.path / FILE).read_text("utf-8")})
    code, verdict = judged(gate, pull, "work")
    assert code == 1
    assert any("ended on 2026-01-01; its owner is ann" in each for each in verdict["notices"])  # type: ignore[attr-defined]


def test_one_that_the_pull_request_brings_permits_nothing(gate: Shell, tmp_path: Path) -> None:
    main = project(tmp_path / "main")
    waive(gate, main.path)
    pull = PullRequest(tmp_path / "pull", {FILE: (main.path / FILE).read_text("utf-8")})
    assert judged(gate, pull, "work")[0] == 1


@pytest.mark.parametrize(
    ("more", "rule", "code", "said"),
    [
        (("--until", "2025-12-31"), "newly-failing", 2, "is over already"),
        (("--until", "soon"), "newly-failing", 2, "`until` is a day"),
        ((), "newly-faling", 2, "there is no rule"),
        (("--owner", " "), "newly-failing", 2, "needs a `owner`"),
    ],
)
def test_what_is_no_waiver(gate: Shell, tmp_path: Path, more: tuple[str, ...], rule: str, code: int, said: str) -> None:
    main = project(tmp_path / "main")
    refused(waive(gate, main.path, *more, rule=rule), code, said)  # type: ignore[arg-type]
    assert not (main.path / FILE).exists()


def test_the_same_twice(gate: Shell, tmp_path: Path) -> None:
    main = project(tmp_path / "main")
    waive(gate, main.path)
    refused(waive(gate, main.path), 2, "is waived for this case already", f"{FILE}:3")  # type: ignore[arg-type]


def test_a_refresh_removes_what_the_baseline_holds_and_keeps_the_rest(gate: Shell, tmp_path: Path) -> None:
    main = project(tmp_path / "main")
    waive(gate, main.path)
    gate("accept", "newly-failing", "other.py::test_x", "--reason", "r", "--owner", "o", cwd=main.path)
    (main.path / REPORT).write_text(json.dumps(candidate(LOST)))
    ended = gate("baseline", "refresh", REPORT, "--commit", "a" * 40, cwd=main.path)
    assert ended.code == 0, ended.err
    assert f"removed: the waiver of newly-failing for {CASE}" in ended.err
    assert "other.py::test_x" in (main.path / FILE).read_text()
    assert CASE not in (main.path / FILE).read_text()


@pytest.mark.parametrize("head", [HELD, LOST])
def test_one_that_is_not_needed_is_named(gate: Shell, tmp_path: Path, head: dict[str, str]) -> None:
    text = '[[waiver]]\nrule = "flaky"\ncase = "test_a.py::test_one"\nreason = "r"\nowner = "ann"\n'
    pull = PullRequest(tmp_path / "pull", {"x": "1"}, {FILE: text})
    work = pull.checkout("work")
    (work / REPORT).write_text(json.dumps(candidate(head)))
    gate("ci", "--report", REPORT, cwd=work, **pull.variables("http://127.0.0.1:9"))
    verdict = json.loads((work / ".gate/verdict.json").read_text())
    assert any(f"({FILE}:1) is not needed any more; its owner is ann" in each for each in verdict["notices"])
    assert verdict["provenance"]["pull_request"] == NUMBER


def test_a_waiver_that_may_excuse_nothing_is_warned_of(gate: Shell, tmp_path: Path) -> None:
    main = project(tmp_path / "main")
    options = ("--reason", "r", "--owner", "ann")
    typo = gate("accept", "newly-failing", CASE.replace("two", "tow"), *options, cwd=main.path)
    assert (typo.code, f"did you mean {CASE}?" in typo.err) == (0, True)
    part = gate("accept", "negative-flip", f"{CASE}#applicants", *options, cwd=main.path)
    assert (part.code, "warning" in part.err) == (0, False), "what a known test measures"
    compared(gate, main.path, "--no-waivers")
    less = gate("accept", "newly-failing", CASE, *options, "--amount", "0.5", cwd=main.path)
    assert "it covers 0.5, and the last verdict here found 1" in less.err
    refused(gate("accept", "F3", *options, cwd=main.path), 2, "a rule and a case", advice="`gate show F3`")


def compared(gate: Shell, folder: Path, *more: str) -> tuple[int, list[str]]:
    """Exit code of `gate compare`, and what its verdict notes."""
    (folder / REPORT).write_text(json.dumps(candidate(LOST)))
    ended = gate("compare", "baselines/default.jsonl", REPORT, *more, cwd=folder)
    assert ended.code in (0, 1, 2), ended.err
    verdict = json.loads((folder / ".gate/verdict.json").read_text())
    return ended.code, [each for each in verdict["notices"] if "waiver" in each]


def test_gate_compare_heeds_the_waivers_of_its_folder_or_of_a_named_file(gate: Shell, tmp_path: Path) -> None:
    main = project(tmp_path / "main")
    assert compared(gate, main.path) == (1, [])
    waive(gate, main.path, "--until", "9999-12-31")
    assert compared(gate, main.path) == (0, [])
    assert compared(gate, main.path, "--no-waivers") == (1, [])
    file, other = main.path / FILE, main.path / "elsewhere.toml"
    text = file.read_text("utf-8")
    foreign = text.partition("\n")[2].replace(CASE, "other.py::test_x")
    file.write_text(text + foreign)
    assert compared(gate, main.path) == (0, []), "another suite's waiver is not called unused"
    other.write_text(text + foreign)
    file.unlink()
    code, (notice,) = compared(gate, main.path, "--waivers", other.name)
    assert (code, "other.py::test_x (elsewhere.toml:" in notice, "not needed any more" in notice) == (0, True, True)
    other.write_text(text.replace("9999-12-31", "2026-01-01"))
    code, (notice,) = compared(gate, main.path, "--waivers", other.name)
    assert (code, "ended on 2026-01-01" in notice) == (1, True)


def test_gate_compare_refuses_waivers_that_can_t_be_used(gate: Shell, tmp_path: Path) -> None:
    main = project(tmp_path / "main")
    (main.path / REPORT).write_text(json.dumps(candidate(LOST)))
    waive(gate, main.path)
    (main.path / FILE).write_text((main.path / FILE).read_text("utf-8").replace("newly-failing", "newly-fails"))
    there = ("compare", "baselines/default.jsonl", REPORT)
    refused(gate(*there, cwd=main.path), 3, "there is no rule 'newly-fails'", advice="newly-failing")
    refused(gate(*there, "--waivers", "none.toml", cwd=main.path), 2, "none.toml", "no such file of waivers")
    refused(gate(*there, "--waivers", FILE, "--no-waivers", cwd=main.path), 2, "either waivers or none")
