"""A suite that starts a Node script and a shell script: recorded into the store, and replayed from it alone."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.support.fake_model import Project, by_name
from tests.support.model_server import ModelServer

NODE = """
const url = process.env.OPENAI_BASE_URL + "/chat/completions";
const headers = {"content-type": "application/json", authorization: "Bearer " + process.env.OPENAI_API_KEY};
for (const stream of [false, true, false]) {
  const body = JSON.stringify({model: "gpt-4o-mini", stream, messages: [{role: "user", content: "node"}]});
  const answer = await fetch(url, {method: "POST", headers, body});
  console.log(answer.status, await answer.text());
}
"""
SHELL = """
set -eu
ask() { curl -sS --fail -H "Authorization: Bearer $OPENAI_API_KEY" -H 'Content-Type: application/json' \\
  -d "{\\"model\\": \\"gpt-4o-mini\\", \\"messages\\": [{\\"role\\": \\"user\\", \\"content\\": \\"$1\\"}]}" \\
  "$OPENAI_BASE_URL/chat/completions"; }
ask shell; ask shell; ask other
"""
TESTS = """
import subprocess
from pathlib import Path
import pytest

@pytest.mark.parametrize("command", [["node", "ask.mjs"], ["sh", "ask.sh"]], ids=["node", "shell"])
def test_says(command):
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60)
    Path(command[0] + ".said").write_text(ended.stdout + ended.stderr)
    assert ended.returncode == 0, ended
"""
KEY = "sk-proj-9fK2mQ7xT4bV8nL1cR6wZ3yH5jD0"


@pytest.mark.skipif(not (shutil.which("node") and shutil.which("curl")), reason="needs node and curl")
def test_programs_get_in_a_replay_what_they_got_when_it_was_recorded(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, text in (("ask.mjs", NODE), ("ask.sh", SHELL), ("test_a.py", TESTS)):
        project.write(name, text)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with ModelServer() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
        recorded, _ = project.run("--gate-mode=record")
        assert len(server.requests) == 6
        sent = [{name.lower(): value for name, value in seen.headers} for seen in server.requests]
        assert {headers["authorization"] for headers in sent} == {f"Bearer {KEY}"}
        said = _said(project.path)
        assert len(set(said["sh"].split("chatcmpl-"))) == 4, "each answer is another, or nothing is shown"
        connections = server.connections
        monkeypatch.setenv("OPENAI_API_KEY", "another")
        replayed, _ = project.run("--gate-mode=replay")
        assert server.connections == connections
    assert _said(project.path) == said
    for report, kind in ((recorded, "live"), (replayed, "replayed")):
        calls = {name: case.calls for name, case in by_name(report).items()}
        assert {name: getattr(each, kind) for name, each in calls.items()} == {
            "test_says[node]": 3,
            "test_says[shell]": 3,
        }
        assert [str(case.outcome) for case in report.cases] == ["passed", "passed"]
    paid, saved = (by_name(report)["test_says[shell]"].calls for report in (recorded, replayed))
    assert paid is not None
    assert saved is not None
    assert (paid.tokens, paid.saved, paid.unpriced) == (3 * 13, 0, 0)
    assert paid.money == saved.saved == pytest.approx(3 * (7 * 0.15 + 6 * 0.60) / 1e6, abs=1e-9)
    assert (saved.tokens, saved.money) == (0, 0)
    stored = (project.path / "recordings" / "test_a.py.jsonl").read_text(encoding="utf-8")
    assert KEY not in stored
    assert [json.loads(line)["n"] for line in stored.splitlines() if '"case"' in line].count(1) == 2


def _said(folder: Path) -> dict[str, str]:
    """What each program printed."""
    return {path.stem: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.said"))}
