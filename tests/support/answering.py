"""A model behind HTTP that counts what it is asked, and a project whose suite asks it."""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Self

from tests.support.command_line import call
from tests.support.repository import Repository

MESSAGES = {
    "m1": ("You are a winner", "spam"),
    "m2": ("Lunch at noon", "fine"),
    "m3": ("Your prize is here", "spam"),
    "m4": ("All for free", "spam"),
}
WORDS = "free", "prize", "winner"
SUITE = f"""
import json, pathlib, urllib.request

MESSAGES = {MESSAGES!r}
PROMPT, URL = pathlib.Path("prompt.txt").read_text(), pathlib.Path("model.url").read_text()

def classify(message):
    asked = json.dumps({{"prompt": PROMPT, "message": message}}).encode()
    with urllib.request.urlopen(URL, asked) as answer:
        return json.load(answer)

def test_messages(robustness):
    predicted = [classify(message) for message, _ in MESSAGES.values()]
    expected = [label for _, label in MESSAGES.values()]
    robustness.predictions("messages", ids=list(MESSAGES), expected=expected, predicted=predicted)
"""
_IGNORED = "/.gate/\n__pycache__/\n.pytest_cache/\n"


class AnsweringModel:
    """Says `spam` where a message has a word of the prompt.

    Attributes:
        count: how often it was asked.
    """

    def __init__(self) -> None:
        self.count = 0
        self._lock = threading.Lock()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"model": self}))
        self._http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}"

    def answer(self, prompt: str, message: str) -> str:
        """One answer, which is counted."""
        with self._lock:
            self.count += 1
        return "spam" if set(prompt.split()) & set(message.lower().split()) else "fine"

    def __enter__(self) -> Self:
        threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()


class _Handler(BaseHTTPRequestHandler):
    model: AnsweringModel

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        body = json.dumps(self.model.answer(asked["prompt"], asked["message"])).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Tests read `count` instead."""


def prompt(*words: str) -> str:
    """A prompt that looks for words; lines that are taken out of two of them merge without a conflict."""
    return "".join(f"{word}\n\n\n\n\n" for word in words)


def project(
    folder: Path, model: AnsweringModel, files: Mapping[str, str] | None = None, settings: str = ""
) -> Repository:
    """A repository that `gate init` set up, whose suite asks a model by a prompt, with its baseline on main.

    Args:
        files: beside the usual ones.
        settings: lines for the end of its gate.toml.
    """
    repository = Repository(folder)
    own = {"prompt.txt": prompt(*WORDS), "model.url": model.url, "requirements.txt": "pytest\n", **(files or {})}
    repository.write({"tests/robustness/test_messages.py": SUITE, **own})
    _gate(folder, "init", "--yes")
    chosen = (folder / "gate.toml").read_text("utf-8") + settings
    repository.commit({"gate.toml": chosen, ".gitignore": _IGNORED}, "a classifier of messages")
    _gate(folder, "baseline", "create", "--runs", "1", "--", "-p", "no:cacheprovider", "tests/robustness")
    for left in (".gate", "tests/robustness/__pycache__"):
        shutil.rmtree(folder / left, ignore_errors=True)
    repository.commit({}, "baseline")
    return repository


def _gate(folder: Path, *arguments: str) -> None:
    ended = call("--quiet", *arguments, cwd=folder)
    assert ended.code == 0, ended.err
