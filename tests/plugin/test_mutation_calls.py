"""Calls of mutants: each is counted where it leaves, an unread prompt is told by them, and they can be replayed."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator

import pytest

from gate.trials.plan import Plan
from tests.support.fake_model import Project
from tests.support.model_server import ModelServer
from tests.support.mutation_project import BANK, PAUSES, Mutated, mutate

AGENT = """
import json, urllib.request
import bank
{top}
ADDRESS = "{address}/v1/chat/completions"


def post(prompt, request):
    messages = [{{"role": "system", "content": prompt}}, {{"role": "user", "content": request}}]
    body = json.dumps({{"model": "m", "messages": messages}})
    call = urllib.request.Request(ADDRESS, body.encode(), {{"content-type": "application/json"}})
    with urllib.request.urlopen(call) as answer:
        return json.load(answer)


def ask(request, amount=0, held=None):
    prompt = {prompt}
    post(prompt, request)
    return bank.ask(request, amount, prompt)
"""
TEST = """
import pytest
from agent import ask

@pytest.mark.mutate_prompt(target="bank:PROMPT", operators=["delete-constraint"], max_trials=20)
def test_identity({argument}):
    assert "verification code" in ask("transfer"{given})
"""


@pytest.fixture(scope="module")
def server() -> Iterator[ModelServer]:
    with ModelServer() as found:
        yield found


def write(project: Project, server: ModelServer, *, prompt: str = "bank.PROMPT", top: str = "", test: str = "") -> None:
    project.write("bank.py", BANK)
    project.write("agent.py", AGENT.format(address=server.url, prompt=prompt, top=top))
    project.write("test_a.py", test or TEST.format(argument="", given=""))


def told_calls(run: Mutated) -> int:
    """Calls of everything that was run for mutants."""
    return int(run.told["calls"])


def test_every_call_is_counted(project: Project, server: ModelServer) -> None:
    """What the report says is what the server saw, retries and empty prompts included."""
    write(project, server)
    before = len(server.requests)
    run = mutate(project)
    seen = len(server.requests) - before
    assert run.counts() == {"killed": 1, "survived": 1}
    assert told_calls(run) + 1 == seen  # and one of the run of all tests
    calls = [case.calls.live for case in run.report.cases if case.calls is not None]
    assert sum(calls) == seen
    matrix = {each["status"]: each for each in run.told["matrix"]}
    assert all(each["calls"] == len(each["outcomes"]) for each in matrix.values())
    assert {each["reading"] for each in matrix.values()} == {"read"}


def test_calls_with_an_empty_prompt_are_counted(project: Project, server: ModelServer) -> None:
    weak = TEST.replace('"verification code" in ask("transfer"{given})', 'ask("refund") != ""')
    write(project, server, test=weak.format(argument=""))
    before = len(server.requests)
    run = mutate(project)
    assert run.counts() == {"vacuous": 2}
    (canary,) = run.told["targets"][0]["canaries"]
    assert canary["calls"] > 0
    assert told_calls(run) + 1 == len(server.requests) - before


@pytest.mark.parametrize(
    ("prompt", "top", "test", "advice"),
    [
        ("COPY", 'COPY = "" + bank.PROMPT + " "', ("", ""), "`agent.COPY` holds a text that was made of it at import"),
        ("C['a']", "C = {'a': bank.PROMPT}", ("", ""), "`agent.C` holds a copy that was captured at import"),
        ("copy()", "def copy(prompt=bank.PROMPT): return prompt", ("", ""), "`agent.copy` has it as the default"),
        ("held", "", ("held", ", held=held"), "the fixture `held` is built once for several tests"),
    ],
    ids=["f-string", "import", "default", "session-fixture"],
)
def test_an_unread_prompt_is_told(
    project: Project, server: ModelServer, prompt: str, top: str, test: tuple[str, str], advice: str
) -> None:
    write(project, server, prompt=prompt, top=top, test=TEST.format(argument=test[0], given=test[1]))
    fixture = "import pytest, bank\n@pytest.fixture(scope='session')\ndef held(): return bank.PROMPT\n"
    project.write("conftest.py", fixture)
    run = mutate(project)
    assert run.counts() == {"unread": 2}
    assert run.told["score"] is None
    assert advice in run.told["targets"][0]["mutants"][0]["reason"]
    assert told_calls(run) == 12  # the pass rate, one trial of a mutant, and one empty prompt: the same for all mutants


def test_a_part_of_the_prompt_that_is_cut_off_is_unread(project: Project, server: ModelServer) -> None:
    write(project, server, prompt="bank.PROMPT[:100]")
    run = mutate(project)
    assert run.counts() == {"killed": 1, "unread": 1}
    assert next(each["calls"] for each in run.told["matrix"] if each["status"] == "unread") == 1


def test_mutants_are_recorded_and_replayed(project: Project) -> None:
    with ModelServer() as server:
        write(project, server)
        recorded = mutate(project, "--gate-mode=record")
        seen = len(server.requests)
    replayed = mutate(project, "--gate-mode=replay")
    assert replayed.counts() == recorded.counts() == {"killed": 1, "survived": 1}
    assert [each["outcomes"] for each in replayed.told["matrix"]] == [
        each["outcomes"] for each in recorded.told["matrix"]
    ]
    assert told_calls(replayed) == told_calls(recorded) == seen - 1
    assert replayed.report.completeness.complete
    assert replayed.report.recordings is not None
    assert not replayed.report.recordings.stale


def test_all_trials_are_asked_for_of_what_the_first_lacks(project: Project) -> None:
    """One round of recording is then enough for the pass rate, and one for mutants whose trials end alike."""
    with ModelServer() as server:
        write(project, server)
        mutate(project, "--gate-mode=record")
    recorded = project.path / "recordings" / "mutants"
    shutil.rmtree(recorded / "bank.PROMPT")
    pairs = mutate(project, "--gate-mode=replay")
    assert all(case.calls is not None and case.calls.missing > 1 for case in pairs.mutants)
    assert pairs.out.count("no recording answers it") == pairs.out.count("no recording answers 2 of them") * 2 == 2
    shutil.rmtree(recorded)
    calls = mutate(project, "--gate-mode=replay").summary("bank:PROMPT").calls
    assert calls is not None
    assert calls.missing == Plan(session="").estimate


def test_recordings_of_mutants_are_stale_only_once_the_mutant_is_gone(project: Project) -> None:
    with ModelServer() as server:
        write(project, server)
        mutate(project, "--gate-mode=record", plan=Plan(session="main", fixed=3))
    without, _ = project.run("--gate-mode=replay")
    assert without.recordings is not None
    assert not without.recordings.stale
    project.write("test_a.py", TEST.format(argument="", given="").replace("delete-constraint", "invert-negation"))
    gone = mutate(project, "--gate-mode=replay").report.recordings
    assert gone is not None
    assert {each.case.partition("#")[0] for each in gone.of("unused")} == {"mutant:bank:PROMPT"}


@pytest.mark.parametrize(("limit", "calls"), [({"calls": 12}, 12), ({"money": 6.0}, 7)])
def test_a_limit_stops_cleanly(project: Project, server: ModelServer, limit: dict[str, float], calls: int) -> None:
    """In calls or in money, of which a call takes 35 cents and is expected to take some dollars."""
    write(project, server)
    project.write("prices.json", '{"models": [{"model": "m", "input": 50000, "output": 0}]}')
    beside = project.path.parent
    limits = json.dumps({"run": limit, "book": str(beside / "book.jsonl"), "prices": str(project.path / "prices.json")})
    before = len(server.requests)
    run = mutate(project, f"--gate-calls={limits}")
    assert len(server.requests) - before == calls
    assert any("2 mutants not measured: " in reason for reason in run.report.completeness.reasons)
    assert run.counts() == {"skipped": 2}  # none of them is called an error or survived
    assert "not whole" in run.out


def test_survivors_with_the_same_answers_are_offered_for_suppression(project: Project, server: ModelServer) -> None:
    """A mutant under which the model says the same may change nothing."""
    write(project, server)
    agent = (project.path / "agent.py").read_text(encoding="utf-8").replace("/v1/chat/completions", "/v1/embeddings")
    project.write("agent.py", agent.replace('"messages"', '"input": "x", "messages"'))
    run = mutate(project)
    same = [each["mutant"] for each in run.told["matrix"] if each["same_answers"]]
    survivor = next(each for each in run.told["targets"][0]["mutants"] if each["status"] == "survived")
    assert same == [f"mutant:bank:PROMPT#{survivor['mutant']}"]
    assert f'[[suppressions]] mutant = "{survivor["mutant"]}"' in run.out


def test_a_refused_trial_waits_before_it_is_made_again(project: Project) -> None:
    """As long as the provider asks, else longer each time; nothing of it is a kill, and each refusal is a call."""
    project.write("bank.py", BANK)
    project.write("told.py", PAUSES)
    project.write(
        "test_a.py",
        """
import itertools, urllib.error, email.message
import pytest, bank
calls = itertools.count(1)

def refuse(after):
    headers = email.message.Message()
    if after: headers["Retry-After"] = after
    raise urllib.error.HTTPError("http://model", 429, "too many", headers, None)

@pytest.mark.mutate_prompt(target="bank:PROMPT", operators=["delete-constraint"], p0=1.0, max_trials=20)
def test_a():
    place = next(calls)
    if place in (2, 3): refuse("7")
    if place in (4, 6): refuse(None)
    if place == 8: refuse("86400")
    assert "must always verify" in bank.PROMPT
""",
    )
    run = mutate(project, "-p", "told", "-s")
    assert run.counts() == {"killed": 1, "survived": 1}
    assert "WAITED [7.0, 7.0, 2.0, 0.5, 30.0]" in run.out
    assert sum(each["errors"] for each in run.told["matrix"]) == 5
