"""One recorded suite ends the same in whatever order, selection and company its tests run, and asks nobody."""

from __future__ import annotations

import importlib.util
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from gate.baselines.distill import distill, dump_baseline
from gate.ingest import read_report
from gate.trials.plan import Plan, plan_to_text
from tests.support.forks import Forks
from tests.support.model_server import ModelServer

if importlib.util.find_spec("requests") is None:
    pytest.skip("needs requests", allow_module_level=True)

TRIALS = 5
ANSWERED = {"model m": "m-2024-08-06"}
CONFTEST = """
import os, random
import pytest, requests

def ask(text):
    body = {"model": "m", "messages": [{"role": "user", "content": text}]}
    found = requests.post(os.environ["OPENAI_BASE_URL"] + "/chat/completions", json=body, timeout=30).json()
    return found["choices"][0]["message"]["content"]

@pytest.fixture
def model():
    return ask

@pytest.fixture(scope="session")
def greeting():
    return ask("the same")

def pytest_collection_modifyitems(items):
    order = os.environ.get("ORDER", "")
    if order == "reversed":
        items.reverse()
    elif order:
        random.Random(int(order)).shuffle(items)
"""
ONE = """
import pytest

@pytest.mark.stochastic
@pytest.mark.parametrize("number", range(3))
def test_varies(number, model):
    assert "red" in model("the same") + model(f"number {number}")

@pytest.mark.parametrize("number", range(4))
def test_shares_a_request(number, model):
    assert "blue" in model("the same")
"""
TWO = """
import pytest

def test_asks_the_same_twice(model, greeting):
    assert model("the same") != model("the same")
    assert greeting

@pytest.mark.stochastic
def test_goes_on_from_a_greeting(model, greeting):
    assert "green" in model(greeting)
"""
FRONT = '\ndef test_added(model):\n    assert model("the same")\n'


@pytest.fixture(scope="module")
def server() -> Forks:
    return Forks()


@dataclass
class Suite:
    """The project: its runs give what its tests said, and the bytes of the report."""

    folder: Path
    runs: Forks
    model: ModelServer

    def run(self, mode: str, *arguments: str, order: str = "", url: str = "") -> bytes:
        options = ["-p", "no:cacheprovider", "-p", "gate", "--gate-report=c.json", f"--gate-mode={mode}"]
        options += ["--gate-plan=plan.json", "--gate-missing=missing.jsonl"]
        (self.folder / "plan.json").write_text(plan_to_text(Plan(session="s", fixed=TRIALS)), encoding="utf-8")
        environ = {**os.environ, "OPENAI_BASE_URL": (url or self.model.url) + "/v1", "ORDER": order}
        self.runs.run(self.folder, [*options, *arguments], environ)
        return (self.folder / "c.json").read_bytes()

    @property
    def asked(self) -> tuple[int, int]:
        """Connections and requests that reached the server."""
        return self.model.connections, len(self.model.requests)


@pytest.fixture
def suite(tmp_path: Path, server: Forks) -> Iterator[Suite]:
    folder = tmp_path / "project"
    folder.mkdir()
    for name, text in (
        ("conftest.py", CONFTEST),
        ("test_one.py", ONE),
        ("test_two.py", TWO),
        ("pytest.ini", "[pytest]"),
    ):
        (folder / name).write_text(text, encoding="utf-8")
    with ModelServer() as model:
        yield Suite(folder, server, model)


def said(data: bytes) -> dict[str, Any]:
    """Outcome and trials of every test."""
    found = {}
    for test in json.loads(data)["tests"]:
        ours = test.get("metadata", {}).get("gate", {})
        found[test["nodeid"]] = test["outcome"], ours.get("trials", {}).get("sessions")
    return found


def test_order_selection_and_company_change_nothing(suite: Suite) -> None:
    recorded = said(suite.run("record"))
    assert len(recorded) == 9
    assert {outcome for outcome, _ in recorded.values()} == {"passed", "failed"}, "some fail, or nothing is shown"
    stored, asked = (suite.folder / "recordings" / "test_one.py.jsonl").read_bytes(), suite.asked
    assert asked[1] == 3 * TRIALS * 2 + 4 + 2 + 1 + TRIALS
    runs = {
        "in file order": suite.run("replay"),
        "reversed": suite.run("replay", order="reversed"),
        "shuffled": suite.run("replay", order="1"),
        "selected": suite.run("replay", "-k", "shares or greeting"),
        "in four processes": suite.run("replay", "-p", "xdist", "-n", "4"),
    }
    (suite.folder / "test_one.py").write_text(
        ONE.replace("import pytest\n", f"import pytest\n{FRONT}"), encoding="utf-8"
    )
    runs["with a test in front"] = suite.run("replay")
    for how, data in runs.items():
        found = said(data)
        added = found.pop("test_one.py::test_added", None)
        assert found == {name: recorded[name] for name in found}, how
        assert len(found) == (5 if how == "selected" else 9), how
        assert added is None or added[0] in ("failed", "error"), "what is not recorded is never answered by another's"
    assert suite.asked == asked, "nobody was asked, not even for a connection"
    assert (suite.folder / "recordings" / "test_one.py.jsonl").read_bytes() == stored


def test_live_recorded_and_replayed_are_equal_and_a_second_replay_is_the_same_bytes(suite: Suite) -> None:
    recorded = suite.run("record")
    with ModelServer() as other:  # gives the same series of answers, since it counts from the start
        live = suite.run("live", url=other.url)
        assert len(other.requests) == len(suite.model.requests)
    asked = suite.asked
    replayed, again = suite.run("replay"), suite.run("replay")
    assert suite.asked == asked, "nobody was asked"
    assert replayed == again
    assert said(recorded) == said(live) == said(replayed)
    assert said(recorded) != said(suite.run("live")), "the server goes on counting, so equality is no matter of course"
    trials = [sessions[0]["outcomes"] for _, sessions in said(replayed).values() if sessions]
    assert any(0 < each.count("1") < TRIALS for each in trials), "the answers vary, or nothing is shown"
    baselines = [distill(read_report(data, "c.json"), "c0ffee") for data in (recorded, live, replayed)]
    assert [each.fingerprints for each in baselines] == [ANSWERED, {}, ANSWERED], "nobody looks at calls that are live"
    distilled = {dump_baseline(replace(each, fingerprints={})) for each in baselines}
    assert len(distilled) == 1, "else the baseline of each is the same bytes too"
