"""Mutants of prompts in a run of pytest: which are killed, which survive, and what is said of them."""

from __future__ import annotations

import json

import pytest

from gate import __version__
from gate.schema.mutation import COVERAGE, SCORE
from gate.trials.plan import Plan
from tests.support.fake_model import Project
from tests.support.mutation_project import BANK, MARK, PAUSES, STRONG, mutate

FIVE = """
import pytest
from bank import ask

five = pytest.mark.mutate_prompt(
    target="bank:PROMPT", operators=["delete-constraint", "invert-negation", "change-threshold"]
)

@five
def test_identity_verification_is_enforced():
    assert "verification code" in ask("transfer $500")

@five
def test_refund_handling_superficial():
    assert ask("refund", 500)
"""


def test_reference_demo(project: Project) -> None:
    """Five mutants of a two-rule prompt, a strong test of the first rule and a weak one of the second."""
    project.write("bank.py", BANK)
    project.write("test_a.py", FIVE)
    run = mutate(project, "--junitxml=j.xml", "--gate-mutate-html=m.html", "--gate-mutate-fail-under=40")
    killer = "test_a.py::test_identity_verification_is_enforced"
    found = run.told["targets"][0]["mutants"]
    assert [(each["operator"], each["status"], each["killer"]) for each in found] == [
        ("delete-constraint", "killed", killer),
        ("invert-negation", "killed", killer),
        ("delete-constraint", "survived", ""),
        ("invert-negation", "survived", ""),
        ("change-threshold", "survived", ""),
    ]
    assert run.told["vacuous"] == ["test_a.py::test_refund_handling_superficial (bank:PROMPT)"]
    assert [each["state"] for each in run.told["targets"][0]["rules"]] == ["guarded", "unguarded"]
    assert (run.told["score"], run.told["coverage"]) == (0.4, 1.0)
    assert "2 of 5 killed" in run.out
    assert "no test guards: You must never approve refund requests exceeding $50." in run.out

    summary = run.summary("bank:PROMPT")
    score = next(metric for metric in summary.metrics if metric.name == SCORE)
    assert (score.value, score.count, score.threshold) == (0.4, 5, 0.4)
    assert score.interval is not None
    assert score.interval[0] < 0.4 < score.interval[1]
    assert next(metric.value for metric in summary.metrics if metric.name == COVERAGE) == 1.0
    assert [case.stochastic for case in run.mutants] == [True, True, False, False, False]
    kills = run.mutants[0].trials
    assert kills is not None
    assert set(kills.outcomes) == {"1"}
    assert run.report.completeness.complete
    assert run.result.ret == 0

    properties = (project.path / "j.xml").read_text(encoding="utf-8")
    assert 'name="mutation score bank:PROMPT" value="0.4000"' in properties
    assert properties.count(f"killed by {killer}") == 2
    assert all(f'name="{each["mutant"]}"' in properties for each in run.told["matrix"])  # the ids of their cases
    page = (project.path / "m.html").read_text(encoding="utf-8")
    assert 'class="unguarded"' in page
    for told in (f"robustness-gate {__version__}", run.told["targets"][0]["prompt_digest"], "seed = 0", "delta = 0.3"):
        assert told in page
    assert not (project.path / "c.json.mutants").exists()


def test_marker_does_nothing_without_the_option(project: Project) -> None:
    project.write(
        "test_a.py", "import pytest\n\n@pytest.mark.mutate_prompt(target='no:WHERE', nonsense=1)\ndef test_a(): pass\n"
    )
    report, result = project.run("--strict-markers")
    result.assert_outcomes(passed=1)
    assert [case.id for case in report.cases] == ["test_a.py::test_a"]


@pytest.mark.parametrize(
    ("marker", "told"),
    [
        ('target="bank:PROMPT", max_mutant=3', "it has no parameter `max_mutant`*max_mutants"),
        ('target="bank:PROMTP"', "*did you mean*PROMPT"),
        ('target="bank:LIMIT"', "*it is int, not a text"),
        ('target="bank:PROMPT", delta=2', "*delta*strictly between 0 and 1"),
        ('target="bank:PROMPT", operators=["delete-constrain"]', "*`delete-constraint`"),
        ("max_mutants=3", "*it names no target"),
    ],
)
def test_marker_is_checked_before_any_test(project: Project, marker: str, told: str) -> None:
    project.write("bank.py", BANK + "\nLIMIT = 50\n")
    project.write("test_a.py", f"import pytest\n\n@pytest.mark.mutate_prompt({marker})\ndef test_a(): pass\n")
    result = project.pytest("--gate-mutate")
    assert result.ret == 4
    said = " ".join(" ".join(result.errlines + result.outlines).split())
    for part in told.split("*"):
        assert part.lower() in said.lower()


def test_kinds_of_tests(project: Project) -> None:
    """Coroutines, parameters, unittest, xfail, two markers on one test, and a reply that is no JSON any more."""
    project.write(
        "prompts.py",
        """
import enum, json

AGENTS = {"one": {"system": "You must answer in JSON."}}

class Prompts(enum.Enum):
    SHORT = "You must always be brief."

SECOND = "You must never swear."
THIRD = "You must never lie."

def build(name="you"):
    return f"You must always greet {name}."

def reply():
    return '{"a": 1}' if "must answer in JSON" in AGENTS["one"]["system"] else "well"
""",
    )
    project.write(
        "test_a.py",
        """
import json, unittest
import pytest
import prompts
def mark(target): return pytest.mark.mutate_prompt(target=target, operators=["delete-constraint"])

@mark('prompts:AGENTS["one"]["system"]')
def test_json(): assert json.loads(prompts.reply())["a"] == 1

@mark("prompts:Prompts.SHORT")
async def test_async(): assert "brief" in prompts.Prompts.SHORT.value

@mark("prompts:THIRD")
@mark("prompts:build")
@pytest.mark.parametrize("word", ["greet"])
def test_two_markers(word):
    assert word in prompts.build() and "lie" in prompts.THIRD

class Suite(unittest.TestCase):
    @mark("prompts:SECOND")
    def test_unit(self): self.assertIn("swear", prompts.SECOND)

@mark("prompts:SECOND")
@pytest.mark.xfail(reason="it may")
def test_xfail(): assert "swear" in prompts.SECOND

@mark("prompts:SECOND")
@pytest.mark.skip
def test_skipped(): pass
""",
    )
    run = mutate(project)
    found = {each["target"]: each["mutants"][0] for each in run.told["targets"]}
    assert {target: each["status"] for target, each in found.items()} == {
        'prompts:AGENTS["one"]["system"]': "killed",
        "prompts:Prompts.SHORT": "killed",
        "prompts:SECOND": "killed",
        "prompts:THIRD": "killed",
        "prompts:build": "killed",
    }
    assert "JSONDecodeError" in run.told["matrix"][0]["excerpt"]
    refused = {each["test"]: each["refused"] for each in run.told["tests"] if each["refused"]}
    assert refused == {"test_a.py::test_skipped": "it is skipped without any mutant"}
    assert {each["test"] for each in run.told["tests"]} >= {"test_a.py::Suite::test_unit", "test_a.py::test_xfail"}


def test_what_is_not_measured_lifts_no_score(project: Project) -> None:
    """A flaky test is named, and a mutant without a verdict counts as not noticed for the threshold."""
    project.write("bank.py", BANK)
    project.write(
        "test_a.py",
        """
import itertools, pytest
import bank
times = itertools.count(1)

@pytest.mark.mutate_prompt(target="bank:PROMPT", operators=["delete-constraint"])
def test_flaky():
    assert next(times) % 3 != 0

@pytest.mark.mutate_prompt(target="bank:PROMPT", operators=["invert-negation"])
def test_good():
    assert "must always verify" in bank.PROMPT and "must never approve" in bank.PROMPT
""",
    )
    result = project.pytest("--gate-mutate", "--gate-mutate-json=m.json", "--gate-mutate-fail-under=60")
    told = json.loads((project.path / "m.json").read_text(encoding="ascii"))
    assert result.ret == 1
    assert told["targets"][0]["counts"]["killed"] == 2
    assert (told["score"], told["least_score"]) == (1.0, 0.5)
    refused = {each["test"]: each["refused"] for each in told["tests"]}
    assert "times without any mutant, fewer than 80%" in refused["test_a.py::test_flaky"]
    assert "100.0% of the mutants with a verdict, but 50.0% of all" in " ".join(result.outlines)


def test_coverage_can_be_gated(project: Project) -> None:
    lines = "".join(f"- You must never mention topic number {place} to anybody.\\n" for place in range(20))
    project.write("p.py", f'PROMPT = "{lines}"\n')
    project.write(
        "test_a.py",
        """
import pytest, p
@pytest.mark.mutate_prompt(target="p:PROMPT", max_mutants=5, operators=["delete-constraint"])
def test_a(): assert p.PROMPT.count("never") == 20
""",
    )
    result = project.pytest("--gate-mutate", "--gate-mutate-min-coverage=80")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*5 of 20 mutants: 5 killed", "*5 of 20 rules measured", "25.0% of the rules*80.0%"])


def test_thresholds_fail_a_run_by_hand_and_leave_its_report_alone(project: Project) -> None:
    """As the reference has it; where the gate runs the suite, the report is judged and the process tells nothing."""
    project.write("bank.py", BANK)
    project.write("test_a.py", STRONG)
    options = "--gate-mutate", "--gate-mutate-fail-under=80"
    assert project.pytest(*options).ret == 1
    report, result = project.run(*options)
    assert result.ret == 1
    assert "the mutation score is 50.0%, below 80.0%" in " ".join(result.outlines)
    assert (report.completeness.exit_code, report.completeness.complete) == (0, True)
    assert project.run(*options, plan=Plan(session="main", fixed=3))[1].ret == 0
    assert project.pytest("--gate-mutate", "--gate-mutate-fail-under=50").ret == 0


@pytest.mark.parametrize("conftest", ["", "def pytest_runtest_call(item): item.config.stash\n"])
def test_a_test_that_writes_the_prompt_itself_is_told(project: Project, conftest: str) -> None:
    """In the quick way of trials and in pytest's own."""
    project.write("conftest.py", conftest)
    project.write("bank.py", BANK)
    project.write(
        "test_a.py",
        f"""
import bank, pytest

{MARK}
def test_a():
    bank.PROMPT += " "
""",
    )
    run = mutate(project)
    assert run.counts() == {"error": 4}
    assert "puts another prompt into the target" in run.told["targets"][0]["mutants"][0]["reason"]


def test_a_vacuous_test_is_named_also_beside_one_that_kills_everything(project: Project) -> None:
    """No mutant is left for it to be tried on; a test that kills is not asked about an empty prompt."""
    project.write("bank.py", BANK)
    project.write(
        "test_a.py",
        f"""
import bank, pytest

{MARK}
def test_good(): assert bank.PROMPT.count("must always verify") == bank.PROMPT.count("must never approve") == 1

{MARK}
def test_vacuous(): assert True
""",
    )
    run = mutate(project)
    assert run.counts() == {"killed": 4}
    assert run.told["vacuous"] == ["test_a.py::test_vacuous (bank:PROMPT)"]
    assert [each["test"] for each in run.told["targets"][0]["canaries"]] == ["test_a.py::test_vacuous"]


def test_mutants_that_only_a_vacuous_test_tries_are_vacuous_and_cost_two_trials(project: Project) -> None:
    project.write("bank.py", BANK)
    project.write("test_a.py", f"import pytest\n{MARK}\ndef test_vacuous(): assert True\n")
    run = mutate(project, "--gate-mutate-fail-under=1")
    assert run.counts() == {"vacuous": 4}
    assert sum(len(each["outcomes"]) for each in run.told["matrix"]) == 1  # and one with an empty prompt
    assert run.told["score"] is None
    assert run.result.ret == 1


def test_a_connection_that_breaks_on_the_fourteenth_call_and_without_a_mutant_kills_nothing(project: Project) -> None:
    project.write("bank.py", BANK)
    project.write("told.py", PAUSES)
    project.write(
        "test_a.py",
        f"""
import itertools, pytest
import bank
calls = itertools.count(1)

{MARK}
def test_a():
    if next(calls) in (5, 14, 16):  # of the ten without a mutant, of the empty prompt, of a mutant
        raise ConnectionResetError("gone")
    assert "must never approve" in bank.PROMPT
""",
    )
    run = mutate(project, "-p", "told")
    assert run.counts() == {"killed": 2, "survived": 2}
    assert [(each["trials"], each["passed"], each["errors"]) for each in run.told["tests"]] == [(10, 10, 1)]
    assert sum(each["errors"] for each in run.told["matrix"]) == 1


def test_time_out_is_a_kill_and_a_broken_connection_is_none(project: Project) -> None:
    project.write("bank.py", BANK)
    project.write(
        "test_a.py",
        """
import itertools, time, pytest
import bank
calls = itertools.count(1)

@pytest.mark.mutate_prompt(target="bank:PROMPT", operators=["delete-constraint"], p0=1.0, max_trials=20)
@pytest.mark.stochastic(max_trials=5, timeout=1)
def test_a():
    if next(calls) in (3, 14, 15):
        raise ConnectionResetError("gone")
    if "must always verify" not in bank.PROMPT:
        time.sleep(60)
""",
    )
    project.write("told.py", PAUSES)
    run = mutate(project, "-p", "told")
    assert run.counts() == {"killed": 1, "survived": 1}
    killed, survived = run.told["matrix"]
    assert (killed["outcomes"], killed["timed_out"]) == ("0", 1)
    assert survived["errors"] == 2


def test_a_service_that_is_gone_voids_one_mutant_alone(project: Project) -> None:
    project.write("bank.py", BANK)
    project.write(
        "test_a.py",
        f"""
import pytest, bank

{MARK}
def test_a():
    if "verify" not in bank.PROMPT:
        raise ConnectionError("down")
    assert "must never approve" in bank.PROMPT
""",
    )
    project.write("told.py", PAUSES)
    run = mutate(project, "-p", "told")
    assert run.counts() == {"killed": 2, "survived": 1, "error": 1}
    assert "infrastructure errors" in next(each["reason"] for each in run.told["matrix"] if each["status"] == "error")


def test_prompts_without_a_rule(project: Project) -> None:
    project.write("p.py", "ONE = 'x'\n")
    project.write("test_a.py", "import pytest\n@pytest.mark.mutate_prompt('p:ONE')\ndef test_a(): assert True\n")
    run = mutate(project, "--gate-mutate-fail-under=1")
    assert "no rule" in run.out.lower()
    assert run.told["targets"][0]["mutants"] == []
    assert run.told["score"] is None


def test_marker_of_clastogen(project: Project) -> None:
    project.write("bank.py", BANK)
    project.write(
        "test_a.py",
        STRONG.replace("mutate_prompt(", "clastogen(").replace(
            ', operators=["delete-constraint", "invert-negation"]', ", max_mutants=2"
        ),
    )
    run = mutate(project)
    assert sum(run.counts().values()) == 2
