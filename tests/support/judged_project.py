"""A project whose tests ask one model and let another judge its answers, both of them a server of this machine."""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from gate.ingest import read_report
from gate.schema.report import Report
from tests.support.fake_model import Project

POLITE, BRIEF = "Be polite.", "Be brief."
ON_MANNERS, ON_LENGTH, ON_ANY = "Judge: is it polite?", "Judge: is it short?", "Judge: is it an answer?"
SUITE = """
import json, urllib.request
from pathlib import Path
import pytest

def ask(model, system, text):
    messages = [{"role": "system", "content": system}, {"role": "user", "content": text}]
    body = json.dumps({"model": model, "messages": messages}).encode()
    request = urllib.request.Request(URL, body, {"content-type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)["choices"][0]["message"]["content"]

def judged(robustness, question):
    answer = ask("writer", Path("prompt.md").read_text(), question)
    rubric = Path("judge.md").read_text()
    with robustness.judge("grader", prompt=rubric):
        return int(ask("grader", rubric, answer))

def test_greeting(robustness):
    score = judged(robustness, "greet me")
    robustness.metric("score", score)
    assert score >= 5

@pytest.mark.stochastic
def test_farewell(robustness):
    assert judged(robustness, "say goodbye") >= 5

def test_sum():
    assert ask("writer", "Add.", "1 + 1")
"""


class Models:
    """A server; `asked` counts by model, and each answer of `writer` is another."""

    def __init__(self) -> None:
        self.asked: dict[str, int] = {}
        self.names: dict[str, str] = {}
        self.lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1/chat/completions"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def answer(self, body: Any) -> dict[str, Any]:
        model, (system, user) = body["model"], (each["content"] for each in body["messages"])
        with self.lock:
            number = self.asked[model] = self.asked.get(model, 0) + 1
        said = _ANSWERS[system](user, number)
        name = self.names.get(model, f"{model}-2024-08-06")
        return {"id": f"c-{number}", "model": name, "choices": [{"message": {"role": "assistant", "content": said}}]}


def _handler(models: Models) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            data = json.dumps(models.answer(body)).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            """Silence."""

    return Handler


_ANSWERS: dict[str, Callable[[str, int], str]] = {
    POLITE: lambda user, number: f"With pleasure, dear guest number {number}: {user}.",
    BRIEF: lambda user, number: f"Ok {number}.",
    "Add.": lambda user, number: "2",
    ON_MANNERS: lambda answer, number: "8" if "pleasure" in answer else "2",
    ON_LENGTH: lambda answer, number: "8" if len(answer) < 10 else "2",
    ON_ANY: lambda answer, number: "9",
}


class JudgedProject:
    """A project with a prompt and a judge, its recordings on main, and runs of it."""

    def __init__(self, project: Project, models: Models) -> None:
        self.project = project
        self.models = models
        self._main = project.path.parent / "main"
        project.write("test_judged.py", SUITE.replace("URL", repr(models.url), 1))

    def set(self, prompt: str, judge: str) -> None:
        self.project.write("prompt.md", prompt)
        self.project.write("judge.md", judge)

    def record_main(self, *, trials: int = 3) -> Report:
        """Record what main answers, and keep it beside the project."""
        self.set(POLITE, ON_MANNERS)
        report = self.run("record", trials=trials)
        shutil.copytree(self.project.path / "recordings", self._main)
        return report

    def run(self, mode: str, *options: str, trials: int = 3) -> Report:
        """One run of the suite with so many trials."""
        self.project.write("plan.json", json.dumps({"gate_plan": 1, "estimate": 10, "fixed": trials}) + "\n")
        told = ["--gate-report=c.json", f"--gate-mode={mode}", "--gate-plan=plan.json", '--gate-calls={"key":true}']
        self.project.pytest(*told, *options)
        return read_report((self.project.path / "c.json").read_bytes(), "c.json")

    def rejudge(self, mode: str = "replay", *, trials: int = 3) -> Report:
        """What the judge as it is now says of main's answers."""
        return self.run(mode, f"--gate-rejudge={self._main}", trials=trials)
