"""What a replay's report says of stale and unused recordings, and of which it says nothing."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gate.record.plugin.stale import _of_trials_made
from gate.record.recordings.canonical import key
from gate.record.recordings.entry import Entry, Head, Meta, Place
from gate.record.recordings.exchange import Answer, Request
from gate.record.recordings.prune import unused_in
from gate.record.recordings.store import Store
from tests.support.fake_model import Project

pytest.importorskip("urllib3")
pytest.importorskip("xdist")

URL = "https://api.openai.com/v1/chat/completions"
CONFTEST = """
import pytest, urllib3

def ask(text):
    body = {"model": "gpt-4o", "messages": [{"role": "user", "content": text}]}
    return urllib3.request("POST", "https://api.openai.com/v1/chat/completions", json=body, retries=False).json()

@pytest.fixture(scope="session")
def greeting():
    return ask("greet")
"""
SUITE = """
import pytest
from conftest import ask

def test_one(greeting):
    assert ask("one")

def test_two():
    assert ask("two")
"""
MORE = """
import pytest
from conftest import ask

@pytest.mark.skipif(True, reason="not here")
def test_skipped():
    ask("skipped")

def test_fails():
    assert not ask("first")
    ask("second")
"""
WORKERS = ("-p", "xdist", "-n2")
GREET = "conftest::fixture greeting"


def entry(case: str, text: str, at: str = "9999-01-01", model: str = "gpt-4o-2", n: int = 0) -> Entry:
    body = {"model": "gpt-4o", "messages": [{"role": "user", "content": text}]}
    asked = key(Request("POST", URL, (("content-type", "application/json"),), json.dumps(body).encode()))
    answer = Answer(200, (("content-type", "application/json"),), (b'{"a":1}',))
    return Entry(asked.digest, case, 0, n, answer, Meta(at, model), request=asked.shown)


WANTED = (
    entry(GREET, "greet"),
    entry("evals/test_a.py::test_one", "one"),
    entry("evals/test_a.py::test_two", "two"),
)
LEFT = (
    entry("evals/test_a.py::test_two", "two", n=1),
    entry("evals/test_a.py::test_gone", "gone"),
    entry("evals/test_deleted.py::test_x", "x"),
)


@pytest.fixture
def suite(project: Project) -> Project:
    for name, text in (("conftest.py", CONFTEST), ("evals/test_a.py", SUITE), ("other/test_b.py", MORE)):
        project.write(name, text)
    return project


def replay(project: Project, *arguments: str) -> dict[str, Any]:
    report, _ = project.run("--gate-mode=replay", *arguments)
    found: dict[str, Any] = project.raw()["gate"]["recordings"]
    assert report.recordings is not None
    assert [(each.reason, each.case) for each in report.recordings.stale] == [
        (each["reason"], each["case"]) for each in found.get("stale", [])
    ], "ingest reads what the plugin writes"
    return found


def unused(found: dict[str, Any]) -> list[tuple[str, int]]:
    return [(each["case"], each["count"]) for each in found.get("stale", []) if each["reason"] == "unused"]


GONE = [("evals/test_a.py::test_gone", 1), ("evals/test_a.py::test_two", 1), ("evals/test_deleted.py::test_x", 1)]


@pytest.mark.parametrize("arguments", [("evals",), ("evals", *WORKERS)])
def test_what_nothing_asks_for_is_named(suite: Project, arguments: tuple[str, ...]) -> None:
    store = Store(suite.path / "recordings")
    store.put([*WANTED, *LEFT])
    assert unused(replay(suite, *arguments)) == GONE
    pruned = unused_in((suite.path / "c.json").read_bytes(), "c.json")
    assert pruned == {(each.case, 0, each.key, each.n) for each in LEFT}


def test_a_suite_that_asks_for_everything_has_nothing_to_say(suite: Project) -> None:
    Store(suite.path / "recordings").put(WANTED)
    assert replay(suite, "evals") == {"unused": []}


def test_tests_that_did_not_come_to_their_end_and_files_left_out(suite: Project) -> None:
    silent = [
        entry("other/test_b.py::test_skipped", "skipped"),
        entry("other/test_b.py::test_fails", "first"),
        entry("other/test_b.py::test_fails", "second"),
        entry("evals/test_a.py::test_one", "one"),
        entry("probe set", "a probe"),
        entry("other/conftest.py::fixture unseen", "unseen"),
    ]
    Store(suite.path / "recordings").put([*silent, entry("other/test_b.py::test_gone", "gone")])
    found = replay(suite, "--ignore=evals")
    assert unused(found) == [("other/test_b.py::test_gone", 1)]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("evals", "-k", "one"), "1 of the tests were deselected"),
        (("evals/test_a.py",), "only some files or tests were run"),
        (("evals/test_a.py::test_one",), "only some files or tests were run"),
        (("other", "-x"), "the run is not whole"),
    ],
)
def test_a_part_of_the_suite_says_nothing(suite: Project, arguments: tuple[str, ...], said: str) -> None:
    Store(suite.path / "recordings").put([*WANTED, *LEFT])
    suite.write("other/test_b.py", f"{MORE}\ndef test_z(): pass\n")
    found = replay(suite, *arguments)
    assert found["unjudged"] == said
    assert unused(found) == []
    assert "unused" not in found


def test_changed_old_and_of_another_model(suite: Project) -> None:
    Store(suite.path / "recordings").put(
        [
            *WANTED[:2],
            entry("evals/test_a.py::test_two", "two!", at="2020-01-01", model="gpt-4o-1"),
        ]
    )
    found = replay(suite, "evals", *WORKERS, "--gate-stale-days=36500")["stale"]
    assert [(each["reason"], each["case"]) for each in found] == [
        ("changed", "evals/test_a.py::test_two"),
        ("model", "evals/test_a.py::test_two"),
    ]
    changes = [line for line in found[0]["diff"].splitlines() if line[:1] in "+-" and line[1:2] == " "]
    assert [line.strip("+- ") for line in changes] == ['"content": "two!"', '"content": "two"']
    found = replay(suite, "evals", "--gate-stale-days=300")["stale"]
    assert [each["reason"] for each in found] == ["changed", "old", "model"]


def test_damage_is_said_and_ends_no_run(suite: Project) -> None:
    store = Store(suite.path / "recordings")
    store.put(WANTED)
    store.path_of("evals/test_gone.py::t").write_text('{"gate_recordings":1}\nnonsense\n{}\n', encoding="utf-8")
    assert replay(suite, "evals")["unjudged"].startswith("the recordings can't be read: ")


def head(trial: int, key: str) -> Head:
    return Head(key, "t.py::a", trial, 0, 0, "", True, Place(0, 0, 1))


def test_trials_that_were_not_made_are_no_matter() -> None:
    stored = [head(trial, name) for trial in range(3) for name in ("a", "b")]
    left = {(0, "b", 0), (1, "a", 0), (1, "b", 0), (2, "a", 0), (2, "b", 0)}
    assert list(_of_trials_made(stored, left)) == [head(0, "b")]
    assert list(_of_trials_made(stored, {(each.trial, each.key, 0) for each in stored})) == stored
