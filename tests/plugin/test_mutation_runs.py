"""Runs of mutants: with a plan, interrupted, over several processes, with suppressions, and before any trial."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from gate.compare.asks import known_of
from gate.schema.mutation import case_id
from gate.trials.plan import Ask, Plan
from tests.support.fake_model import Project
from tests.support.forks import Forks
from tests.support.mutation_project import BANK, MARK, STRONG, Mutated, mutate

TEST = "test_a.py::test_identity"


def of_main(run: Mutated) -> Plan:
    """What the gate tells a pull request after such a run on main."""
    killed = [case.id for case in run.mutants if case.trials is not None]
    ask = Ask(n0=50, s0=50, cap=20, share=0.01, delta=0.3, power=0.8)
    return Plan(session="head", asks=dict.fromkeys(killed, ask), known=known_of(run.report))


def banking(folder: Path, forks: Forks) -> Project:
    project = Project(folder, forks, repository=True)
    project.write("bank.py", BANK)
    project.write("test_a.py", STRONG)
    project.track()
    return project


@pytest.fixture
def repository(tmp_path: Path, forks: Forks) -> Project:
    return banking(tmp_path, forks)


@pytest.fixture(scope="module")
def main(tmp_path_factory: pytest.TempPathFactory, forks: Forks) -> Mutated:
    """The run for the baseline, of a project with another file than the tests' own."""
    return mutate(banking(tmp_path_factory.mktemp("main"), forks), plan=Plan(session="main", fixed=5))


def test_the_baseline_has_a_fixed_sample_of_each_kill(main: Mutated) -> None:
    samples = [case.trials for case in main.mutants if case.trials is not None]
    assert [(each.sessions[0].outcomes, each.sessions[0].fixed) for each in samples] == [("11111", True)] * 2
    assert dict(samples[0].asked) == {"delta": "0.3", "max_trials": "60", "power": "0.9"}
    assert main.told["tests"][0]["trials"] == 5


def test_a_pull_request_runs_what_may_have_changed(repository: Project) -> None:
    plan = of_main(mutate(repository, plan=Plan(session="main", fixed=5)))

    repository.write("README.md", "Other words.\n")
    same = mutate(repository, plan=plan)
    assert same.counts() == {"killed": 2, "survived": 2}
    assert all(case.mutation is not None and case.mutation.carried for case in same.mutants)
    assert not same.told["matrix"]
    assert not same.told["tests"]

    repository.write("helper.py", "VALUE = 1\n")
    repository.track()
    code = mutate(repository, plan=plan)
    asked = {each["mutant"]: each for each in code.told["matrix"]}
    assert set(asked) == set(plan.asks)  # what main killed; its survivors are carried over
    assert all(each["means"] == "1 = the test noticed the mutant" for each in asked.values())
    assert not code.told["tests"]  # no pass rate is measured again

    (repository.path / "helper.py").unlink()
    repository.write("test_a.py", STRONG.replace("ask(", "ask(request="))
    repository.track()
    test = mutate(repository, plan=plan)
    assert len(test.told["matrix"]) == 4
    assert not any(case.mutation is not None and case.mutation.carried for case in test.mutants)


def test_a_weaker_test_lets_a_mutant_survive(repository: Project, main: Mutated) -> None:
    plan = of_main(main)
    repository.write(
        "test_a.py",
        STRONG.replace('"verification code" in ask("transfer")', '"must" in bank.PROMPT').replace(
            "from bank", "import bank\nfrom bank"
        ),
    )
    repository.track()
    run = mutate(repository, plan=plan)
    deleted = run.mutants[0]
    assert deleted.mutation is not None
    assert (deleted.mutation.status, deleted.mutation.killer) == ("survived", TEST)
    assert deleted.trials is not None
    assert set(deleted.trials.outcomes) == {"0"}
    assert not deleted.trials.sessions[0].fixed


def test_a_guard_may_move_to_another_test(repository: Project, main: Mutated) -> None:
    plan = of_main(main)
    strong = STRONG.replace("test_identity", "test_other").partition("import ask")[2]
    repository.write("test_a.py", STRONG.replace("verification code", "a") + strong)
    repository.track()
    run = mutate(repository, plan=plan)
    assert run.counts() == {"killed": 2, "survived": 2}
    assert {case.mutation.killer for case in run.mutants if case.mutation is not None and case.trials is not None} == {
        "test_a.py::test_other"
    }


def test_an_edited_prompt_has_its_changed_rules_and_their_neighbours_tried(repository: Project) -> None:
    rules = "".join(f"- You must never mention topic {name} to anybody at all.\n" for name in "abcdefgh")
    repository.write("bank.py", f'PROMPT = """{rules}"""\n')
    repository.write(
        "test_a.py",
        STRONG.replace("from bank import ask", "import bank").replace(
            '"verification code" in ask("transfer")', 'bank.PROMPT.count("never mention") == 8'
        ),
    )
    repository.track()
    plan = of_main(mutate(repository, plan=Plan(session="main", fixed=5)))
    repository.write("bank.py", f'PROMPT = """{rules.replace("topic e", "topic number e")}"""\n')
    repository.track()
    run = mutate(repository, plan=plan)
    tried = {each["rule_text"]: each["carried"] for each in run.told["targets"][0]["mutants"]}
    assert [text[29:-19] for text, carried in tried.items() if not carried] == ["d", "number e", "f"]


def test_main_s_kills_and_survivors_spare_a_pull_request_the_empty_prompt(repository: Project) -> None:
    """As long as the test and the program are the same, it depends on the prompt."""
    rules = "".join(f"- You must never mention topic {name} to anybody at all.\n" for name in "abcd")
    repository.write("bank.py", f'PROMPT = """{rules}"""\n')
    test = STRONG.replace("from bank import ask", "import bank").replace(
        '"verification code" in ask("transfer")', '"never mention topic a" in bank.PROMPT'
    )
    repository.write("test_a.py", test)
    repository.track()
    plan = of_main(mutate(repository, plan=Plan(session="main", fixed=5)))
    repository.write("bank.py", f'PROMPT = """{rules.replace("topic d", "topic number d")}"""\n')
    repository.track()
    prompt = mutate(repository, plan=plan)
    assert {each["status"] for each in prompt.told["matrix"]} == {"survived"}
    assert prompt.told["targets"][0]["canaries"] == []
    repository.write("test_a.py", test.replace("in bank.PROMPT", "in str(bank.PROMPT)"))
    repository.track()
    assert mutate(repository, plan=replace(plan, asks={})).told["targets"][0]["canaries"] == []  # it kills here, too
    repository.write("test_a.py", test.replace("never mention topic a", "You must"))
    repository.track()
    weak = mutate(repository, plan=plan)
    (canary,) = weak.told["targets"][0]["canaries"]
    assert canary["state"] == "notices"
    repository.write("bank.py", f'PROMPT = """{rules.replace("topic c", "topic numbered c")}"""\n')
    repository.track()
    pull_request = mutate(repository, plan=replace(of_main(weak), asks=plan.asks))
    assert "survived" in {each["status"] for each in pull_request.told["matrix"]}
    assert pull_request.told["targets"][0]["canaries"] == []


def test_an_arm_makes_the_trials_that_it_is_told(repository: Project, main: Mutated) -> None:
    wanted = next(case.id for case in main.mutants if case.trials is not None)
    run = mutate(repository, plan=Plan(session="head", fixed=3, only=(wanted,), known=known_of(main.report)))
    assert [case.id for case in run.mutants] == [wanted]
    trials = run.mutants[0].trials
    assert trials is not None
    assert trials.outcomes == "111"
    assert run.result.ret == 0
    assert run.report.completeness.complete


def test_the_same_content_is_not_rolled_again(repository: Project, main: Mutated) -> None:
    plan = of_main(main)
    first = mutate(repository, "--gate-trials=t.jsonl", plan=plan)
    again = mutate(repository, plan=replace(plan, carried=repository.carried(plan).carried))
    assert [each["carried"] for each in again.told["matrix"]] == [
        len(each["outcomes"]) for each in first.told["matrix"]
    ]


def test_interrupted_in_the_middle(repository: Project) -> None:
    """The target is as it was, and the next run goes on where this one ended."""
    repository.write("prompt.md", "- You must never swear.\n- You must always greet.\n- You must never lie.\n")
    repository.write(
        "test_a.py",
        """
import pathlib, pytest
from fake_model import ask

@pytest.mark.mutate_prompt(target="file:prompt.md", operators=["delete-constraint"], p0=1.0)
def test_a():
    ask()
    text = pathlib.Path("prompt.md").read_text()
    if text and "lie" not in text and not pathlib.Path("again").exists():
        raise KeyboardInterrupt
    assert "swear" in text
""",
    )
    repository.track()
    before = (repository.path / "prompt.md").read_bytes()
    result = repository.pytest("--gate-mutate", "--gate-report=c.json")
    assert result.ret == 2
    assert (repository.path / "prompt.md").read_bytes() == before
    assert (repository.path / "c.json.mutants" / "journal.jsonl").exists()
    made = repository.calls
    assert made > 6

    (repository.path / "again").touch()
    run = mutate(repository)
    assert run.counts() == {"killed": 1, "survived": 2}
    assert [each["carried"] > 0 for each in run.told["matrix"]] == [True, True, False]
    assert repository.calls < made
    assert not (repository.path / "c.json.mutants").exists()


def test_interrupted_in_the_middle_of_several_processes(repository: Project) -> None:
    """As above: the file is as it was, what every process found stays, and the next run goes on from there."""
    pytest.importorskip("xdist")
    rules = "".join(f"- You must never open drawer {place}.\n" for place in range(8))
    repository.write("prompt.md", rules)
    repository.write(
        "test_a.py",
        """
import pathlib, pytest

@pytest.mark.mutate_prompt(target="file:prompt.md", operators=["delete-constraint"], p0=1.0)
def test_a():
    text = pathlib.Path("prompt.md").read_text()
    if text and "drawer 6" not in text and not pathlib.Path("again").exists():
        raise KeyboardInterrupt
    assert "drawer 1" in text

def test_plain(): pass
""",
    )
    repository.track()
    result = repository.pytest("--gate-mutate", "--gate-report=c.json", "-p", "xdist", "-n2")
    assert result.ret == 2
    assert (repository.path / "prompt.md").read_text(encoding="utf-8") == rules
    left = (repository.path / "c.json.mutants" / "journal.jsonl").read_text(encoding="ascii").splitlines()
    decided = [json.loads(line) for line in left if '"kind": "pair"' in line]
    assert {each["status"] for each in decided} <= {"killed", "survived"}
    assert len(decided) >= 4

    (repository.path / "again").touch()
    run = mutate(repository, "-p", "xdist", "-n2")
    assert run.counts() == {"killed": 1, "survived": 7}
    assert sum(each["carried"] > 0 for each in run.told["matrix"]) >= len(decided)
    assert not (repository.path / "c.json.mutants").exists()


def test_several_processes_share_pass_rates_and_mutants(repository: Project) -> None:
    """Two tests try the mutants of one file: it is no other's meanwhile, and each mutant is tried once."""
    pytest.importorskip("xdist")
    repository.write("prompt.md", "- You must never swear.\n- You must always greet.\n- You must never lie.\n")
    repository.write(
        "test_a.py",
        """
import pathlib, pytest

@pytest.mark.parametrize("word", ["swear", "greet"])
@pytest.mark.mutate_prompt(target="file:prompt.md", operators=["delete-constraint"])
def test_a(word):
    assert word in pathlib.Path("prompt.md").read_text()

def test_plain():
    assert pathlib.Path("prompt.md").read_text().count("You must") == 3
""",
    )
    run = mutate(repository, "-p", "xdist", "-n2")
    assert run.counts() == {"killed": 2, "survived": 1}
    assert run.result.ret == 0
    assert sorted(each["test"] for each in run.told["tests"]) == [
        "test_a.py::test_a[greet]",
        "test_a.py::test_a[swear]",
    ]
    pairs = [(each["mutant"], each["test"]) for each in run.told["matrix"]]
    assert len(pairs) == len(set(pairs))
    assert (repository.path / "prompt.md").read_text(encoding="utf-8").count("You must") == 3


def test_suppressed(repository: Project) -> None:
    found = mutate(repository).told["targets"][0]["mutants"]
    survivor = next(each["mutant"] for each in found if each["status"] == "survived")
    entry = '[[suppressions]]\nmutant = "{}"\nreason = "the model refuses by itself"\n'
    repository.write("gate.toml", entry.format(survivor))
    run = mutate(repository)
    assert run.counts() == {"killed": 2, "survived": 1, "suppressed": 1}
    assert run.told["score"] == pytest.approx(2 / 3)

    repository.write(".gate/suppressions.toml", "\n" + entry.format("0123456789ab"))
    refused = repository.pytest("--gate-mutate")
    assert refused.ret == 4
    assert ".gate/suppressions.toml:2" in " ".join(refused.errlines)
    assert "0123456789ab" in " ".join(refused.errlines)

    repository.write(".gate/suppressions.toml", entry.format(survivor).replace("reason", "until = 2020-01-31\nreason"))
    assert "expired" in " ".join(repository.pytest("--gate-mutate").errlines)

    repository.write(".gate/suppressions.toml", "[[suppressions]\n")
    assert "no TOML" in " ".join(repository.pytest("--gate-mutate").errlines)


def test_what_main_kills_is_not_suppressed_by_a_pull_request(repository: Project, main: Mutated) -> None:
    plan = of_main(main)
    killed = next(iter(plan.asks)).rpartition("#")[2]
    repository.write("gate.toml", f'[[suppressions]]\nmutant = "{killed}"\nreason = "hide it"\n')
    repository.track()
    run = mutate(repository, plan=plan)
    assert run.counts() == {"killed": 2, "survived": 2}


def test_preview(repository: Project) -> None:
    result = repository.pytest("--gate-mutate", "--collect-only", "--gate-mutate-json=p.json", "--gate-report=c.json")
    told = json.loads((repository.path / "p.json").read_text(encoding="ascii"))
    assert [each["operator"] for each in told["targets"][0]["mutants"]] == ["delete-constraint", "invert-negation"] * 2
    assert told["calls"]["most"] == 10 + 1 + 4 * 60
    assert 10 < told["calls"]["expected"] < 60
    assert f"tests: {TEST}" in " ".join(" ".join(result.outlines).split())
    assert repository.calls == 0


def test_known_pass_rate_costs_no_trial(repository: Project) -> None:
    repository.write("test_a.py", STRONG.replace("operators=", "p0=0.95, operators="))
    run = mutate(repository)
    assert [(each["p0"], each["trials"], each["from"]) for each in run.told["tests"]] == [(0.95, 0, "p0")]
    assert run.counts() == {"killed": 2, "survived": 2}
    repository.write("test_a.py", STRONG.replace("operators=", "p0=0.5, operators="))
    assert mutate(repository).counts() == {"skipped": 4}


def test_too_few_trials_to_show_anything_are_named(repository: Project) -> None:
    repository.write("test_a.py", STRONG.replace("operators=", "alpha=0.001, operators="))
    run = mutate(repository, plan=Plan(session="head", estimate=1))
    assert run.counts() == {"skipped": 4}
    assert "1 of 1 trial without a mutant is too few to show a fall of 30%" in run.out


def test_a_function_as_semantic_operator_and_a_variable_as_target(repository: Project) -> None:
    repository.write(
        "test_a.py",
        """
import os, pytest
from fake_model import ask
os.environ["SYSTEM"] = "You must always greet. You must never swear."

def rewrite(rule):
    ask()
    return None if "swear" in rule else "Greet when you like."

@pytest.mark.mutate_prompt(target=["env:SYSTEM"], operators=[rewrite], p0=1.0)
def test_a(): assert "always greet" in os.environ["SYSTEM"]
""",
    )
    run = mutate(repository)
    assert [(each["operator"], each["after"]) for each in run.told["targets"][0]["mutants"]] == [
        ("semantic", "Greet when you like.")
    ]
    assert run.counts() == {"killed": 1}
    assert repository.calls == 2  # once a rule


def test_a_kill_that_few_trials_can_not_confirm_counts_as_on_main_and_says_so(repository: Project) -> None:
    plan = of_main(mutate(repository, plan=Plan(session="main", fixed=5)))
    repository.write("bank.py", BANK + "\n# edited\n")
    asks = {name: replace(ask, cap=1) for name, ask in plan.asks.items()}
    run = mutate(repository, plan=replace(plan, asks=asks))
    assert run.counts()["undecided"] == 2
    assert "killed on main, and noticed in 1 of 1 trial here, which are too few to show a fall" in run.out


def test_committed_pass_rate_is_taken(repository: Project) -> None:
    repository.write("test_a.py", STRONG.replace(MARK, "@pytest.mark.stochastic\n" + MARK))
    ask = Ask(n0=50, s0=49, cap=20, share=0.01, delta=0.3, power=0.8)
    run = mutate(repository, plan=Plan(session="head", asks={TEST: ask}))
    assert [(each["trials"], each["passed"], each["from"]) for each in run.told["tests"]] == [(50, 49, "committed")]
    assert case_id("bank:PROMPT", run.told["targets"][0]["mutants"][0]["mutant"]) == run.mutants[0].id
