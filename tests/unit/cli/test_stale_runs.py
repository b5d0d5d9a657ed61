"""One changed character in a prompt: a replay names the one test that needs recording, and shows what changed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gate.record.recordings.canonical import key
from gate.record.recordings.entry import Entry, Meta
from gate.record.recordings.exchange import Answer, Request
from gate.record.recordings.store import Store
from tests.support.command_line import Shell
from tests.support.repository import Repository

pytest.importorskip("urllib3")

URL = "https://api.openai.com/v1/chat/completions"
SUITE = """
from pathlib import Path
import pytest, urllib3

@pytest.mark.parametrize("name", ["refund", "tone", "greeting"])
def test_answers(name):
    text = (Path(__file__).parent / f"{name}.txt").read_text(encoding="utf-8")
    body = {"model": "gpt-4o", "messages": [{"role": "user", "content": text}]}
    answer = urllib3.request("POST", "https://api.openai.com/v1/chat/completions", json=body, retries=False)
    assert answer.json()["choices"]
"""
NAMES = "refund", "tone", "greeting"
PROMPT = "You answer for a bank about {}. Be brief. Never give financial advice. Say so when a customer asks for it."


def stored(name: str) -> Entry:
    body = {"model": "gpt-4o", "messages": [{"role": "user", "content": PROMPT.format(name)}]}
    asked = key(Request("POST", URL, (("content-type", "application/json"),), json.dumps(body).encode()))
    answer = Answer(200, (("content-type", "application/json"),), (b'{"choices":[1]}',))
    case = f"tests/test_bank.py::test_answers[{name}]"
    return Entry(asked.digest, case, 0, 0, answer, Meta("2026-01-01", "gpt-4o-2"), request=asked.shown)


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """Main has the suite, its recordings and its baseline; the branch changes one character of one prompt."""
    repository = Repository(tmp_path / "project")
    Store(repository.path / "recordings").put(map(stored, NAMES))
    cases = [{"id": f"tests/test_bank.py::test_answers[{name}]", "outcome": "passed"} for name in sorted(NAMES)]
    baseline = "".join(f"{json.dumps(each)}\n" for each in ({"gate_baseline": 1}, *cases))
    prompts: dict[str, str | bytes | None] = {f"tests/{name}.txt": PROMPT.format(name) for name in NAMES}
    files = {"tests/test_bank.py": SUITE, "baselines/default.jsonl": baseline, ".gitignore": ".gate/\n__pycache__/\n"}
    repository.commit(prompts | files, "suite")
    repository.branch("change")
    repository.commit({"tests/tone.txt": PROMPT.format("tone").replace("brief.", "brief!")}, "prompt")
    return repository


def test_one_changed_character_names_one_test_and_shows_it(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    gate = Shell(monkeypatch, capsys)
    ended = gate("ci", "--base", "main", cwd=repository.path, GATE_MODE="replay", GATE_ARGUMENTS="-p no:cacheprovider")
    assert ended.code == 3, ended.out + ended.err
    folder = repository.path / ".gate"
    verdict = json.loads((folder / "verdict.json").read_text("utf-8"))
    (found,) = verdict["findings"]
    assert (found["rule"], found["case_id"]) == ("stale-recording", "tests/test_bank.py::test_answers[tone]")
    comment = (folder / "comment.md").read_text("utf-8")
    diff = comment.partition("```diff\n")[2].partition("\n```")[0].splitlines()
    assert [line.strip("+- ") for line in diff if line[:2] in ("- ", "+ ")] == ["Be brief.", "Be brief!"]
    for name in ("refund", "greeting"):
        assert f"[{name}]" not in comment
    assert "**Held:** 2 tests." in comment
    assert "gate run --mode record -- 'tests/test_bank.py::test_answers[tone]'" in comment
    page = (folder / "report.html").read_text("utf-8")
    assert "<summary>F1: evidence</summary>" in page
    shown = gate("show", "F1", cwd=repository.path).out
    for text in (ended.out + ended.err, page, shown):
        assert "Be brief!" in text
        assert "Be brief." in text
    report = json.loads((folder / "candidate.json").read_text("utf-8"))
    assert [each["case"] for each in report["gate"]["recordings"]["stale"]] == [found["case_id"]]
