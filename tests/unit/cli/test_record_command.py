"""`gate record`: a changed prompt gets its answers without the code that asked, once, within limits, and keeps them."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gate.cli import exit_code_of
from gate.record.recordings import canonical
from gate.record.recordings.exchange import Request
from gate.record.recordings.ledger import Ledger
from gate.record.recordings.missing import Asked, MissingEntry, to_bytes
from gate.record.recordings.store import Store
from tests.support.command_line import Ended, call
from tests.support.model_server import ModelServer

KEY = "sk-test-0123456789abcdef"
SUITE = """
import os, requests

def ask(text):
    body = {"model": "gpt-4o-mini", "messages": [{"role": "user", "content": text}]}
    return requests.post(os.environ["MODEL"] + "/v1/chat/completions", json=body).json()["choices"]

def test_changed():
    assert ask("PROMPT")

def test_other():
    assert ask("other")
"""


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


@pytest.fixture
def folder(tmp_path: Path, server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project whose settings let `gate record` ask the server."""
    for name in ("OPENAI_API_KEY", "GATE_MODEL_KEY", "GITHUB_RUN_ID"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
    monkeypatch.chdir(tmp_path)
    settings(tmp_path, server)
    return tmp_path


def settings(folder: Path, server: ModelServer, **other: Any) -> None:
    values = {
        "record-hosts": [f"127.0.0.1:{server.port}", "api.example.org"],
        "record-models": ["gpt-4o-mini*"],
        "run-tokens": 5000,
        **{name.replace("_", "-"): value for name, value in other.items()},
    }
    lines = [f"{name} = {json.dumps(value)}" for name, value in values.items() if value is not None]
    (folder / "gate.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")


def lacking(url: str, text: str = "hello", model: str = "gpt-4o-mini", calls: int = 1) -> MissingEntry:
    body = json.dumps({"model": model, "messages": [{"role": "user", "content": text}], "max_tokens": 9}).encode()
    request = Request("POST", url, (("content-type", "application/json"),), body)
    asked = tuple(Asked("tests/test_a.py::test_x", 0, n) for n in range(calls))
    return MissingEntry(canonical.key(request).digest, request, asked)


def chat(server: ModelServer, *texts: str, calls: int = 1) -> list[MissingEntry]:
    return [lacking(f"{server.base_url}/chat/completions", text, calls=calls) for text in texts]


def record(capsys: pytest.CaptureFixture[str], *entries: MissingEntry) -> Ended:
    Path("missing.jsonl").write_bytes(to_bytes(entries))
    code = exit_code_of(["record", "--requests", "missing.jsonl"])
    printed = capsys.readouterr()
    return Ended(code, printed.out, printed.err)


def test_a_changed_prompt_is_decided_without_its_code(
    folder: Path, server: ModelServer, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Recorded, edited, replayed, its requests recorded, replayed with the overlay, merged, replayed without it."""
    pytest.importorskip("requests")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    suite = folder / "tests" / "test_model.py"
    suite.parent.mkdir()

    def run(**environ: str) -> list[str]:
        """Which tests did not pass."""
        call("run", cwd=folder, MODEL=server.url, OPENAI_BASE_URL=server.base_url, **environ)
        report = json.loads((folder / ".gate" / "candidate.json").read_text(encoding="utf-8"))
        return [test["nodeid"] for test in report["tests"] if test["outcome"] != "passed"]

    suite.write_text(SUITE, encoding="utf-8")
    assert run(GATE_MODE="record") == []
    suite.write_text(SUITE.replace("PROMPT", "prompt"), encoding="utf-8")
    assert run(GATE_MODE="replay") == ["tests/test_model.py::test_changed"]
    assert len(server.requests) == 2

    for spent, told in (
        ("1 call, 13 tokens", "recorded 1 answer in .gate/overlay"),
        ("nothing", "1 call had an answer"),
    ):
        assert exit_code_of(["record"]) == 0
        printed = capsys.readouterr().out
        assert f"spent: {spent}" in printed
        assert told in printed
    assert run(GATE_MODE="replay", GATE_OVERLAY=".gate/overlay") == []
    assert not (folder / ".gate" / "missing.jsonl").exists()

    assert exit_code_of(["recordings", "merge", ".gate/overlay"]) == 0
    assert capsys.readouterr().out == "1 answer of .gate/overlay in recordings\n"
    assert run(GATE_MODE="replay") == []
    assert len(server.requests) == 3, "one call for the edited prompt, and no other"


def test_a_key_is_sent_and_kept_nowhere(
    folder: Path, server: ModelServer, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    done = record(capsys, *chat(server, "hello", calls=2))
    assert done.code == 0, done.err
    assert [dict(seen.headers).get("authorization") for seen in server.requests] == [f"Bearer {KEY}"] * 2
    written = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    assert KEY.encode() not in written
    assert KEY not in done.out + done.err


def test_a_second_push_pays_nothing_and_needs_no_key(
    folder: Path, server: ModelServer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert record(capsys, *chat(server, "a", "b")).code == 0
    again = record(capsys, *chat(server, "a", "b"))
    assert (again.code, again.out) == (0, "2 calls had an answer already\nspent: nothing\n")
    more = record(capsys, *chat(server, "a", "b", "c"))
    assert more.code == 0
    assert more.out.splitlines()[-1].startswith("spent: 1 call, 13 tokens, $0.000004")
    assert more.out.endswith(", in round 2 of 5\n")
    assert len(server.requests) == 3


@pytest.mark.parametrize("key", ["", "  "])
def test_a_host_without_a_key_is_told_before_the_first_call(
    folder: Path, server: ModelServer, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    monkeypatch.setenv("GATE_MODEL_KEY", key)
    done = record(capsys, *chat(server, "a"), lacking("https://api.example.org/v1/chat/completions"))
    assert done.code == 2
    assert "there is no key for api.example.org" in done.err
    assert "next: set GATE_MODEL_KEY" in done.err
    assert server.requests == []


def test_a_host_that_wants_signed_requests_is_told_with_what_can_be_done(
    folder: Path, server: ModelServer, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    host = "bedrock-runtime.eu-central-1.amazonaws.com"
    monkeypatch.delenv("AWS_BEARER_TOKEN_BEDROCK", raising=False)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "no use here")
    settings(folder, server, record_hosts=[f"127.0.0.1:{server.port}", host])
    done = record(capsys, *chat(server, "a"), lacking(f"https://{host}/model/gpt-4o-mini/converse"))
    assert done.code == 2
    assert f"there is no key for {host}, and `gate record` can't sign requests" in done.err
    assert "set AWS_BEARER_TOKEN_BEDROCK" in done.err
    assert "`gate run --mode auto` and your credentials" in done.err
    assert server.requests == []


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"record_hosts": None}, "`record-hosts` is empty"),
        ({"record_models": None}, "`record-models` is empty"),
        ({"run_tokens": None}, "there is no limit to what requests of others may spend"),
    ],
)
def test_nothing_is_allowed_that_the_settings_do_not_name(
    folder: Path, server: ModelServer, capsys: pytest.CaptureFixture[str], change: dict[str, Any], message: str
) -> None:
    settings(folder, server, **change)
    done = record(capsys, *chat(server, "a"))
    assert (done.code, server.requests) == (2, [])
    assert message in done.err
    assert "next: set " in done.err


def test_what_is_not_allowed_is_named_and_the_rest_is_recorded(
    folder: Path, server: ModelServer, capsys: pytest.CaptureFixture[str]
) -> None:
    url = f"{server.base_url}/chat/completions"
    done = record(
        capsys,
        lacking(url, "fine"),
        lacking(url, "dear", model="gpt-5-pro"),
        lacking("https://evil.example/v1/chat/completions"),
        lacking(f"{server.base_url}/files"),
    )
    assert done.code == 3
    assert len(server.requests) == 1
    assert "recorded 1 answer" in done.out
    assert "still missing: answers to 3 requests" in done.out
    assert "the model 'gpt-5-pro' is not allowed\n  next: add it to `record-models`" in done.err
    assert "evil.example/v1/chat/completions: its host is not allowed\n  next: add it to `record-hosts`" in done.err
    assert "its path is not that of a call of a model" in done.err


def test_a_limit_ends_it_and_what_was_recorded_stays(
    folder: Path, server: ModelServer, capsys: pytest.CaptureFixture[str]
) -> None:
    settings(folder, server, run_tokens=None, run_calls=2, month_tokens=100000)
    done = record(capsys, *chat(server, "a", "b", "c"))
    assert done.code == 3
    assert "beyond the limit of 2 calls a run" in done.err
    assert "what was recorded stays" in done.err
    assert len(list(Store(folder / ".gate" / "overlay").entries())) == 2
    assert record(capsys, *chat(server, "a", "b", "c")).code == 0
    assert len(server.requests) == 3


def test_rounds_are_limited(folder: Path, server: ModelServer, capsys: pytest.CaptureFixture[str]) -> None:
    settings(folder, server, record_rounds=1)
    assert record(capsys, *chat(server, "a")).code == 0
    done = record(capsys, *chat(server, "b"))
    assert done.code == 3
    assert "this overlay was recorded 1 time, the most that is allowed" in done.err
    assert len(server.requests) == 1


def test_the_ledger_of_an_overlay_joins_that_of_the_recordings(
    folder: Path, server: ModelServer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert record(capsys, *chat(server, "a", "b")).code == 0
    for _ in range(2):
        assert exit_code_of(["recordings", "merge", ".gate/overlay"]) == 0
    today = dt.datetime.now(dt.UTC).date()
    assert Ledger(folder / "recordings").spent(today).calls == 2
    settings(folder, server, month_calls=2)
    done = record(capsys, *chat(server, "c"))
    assert (done.code, len(server.requests)) == (3, 2)
    assert "beyond the limit of 2 calls a month" in done.err


@pytest.mark.parametrize(
    "content", [b"", b"{}\n", b"\x00\xff", b"[" * 100_000, b'{"gate_missing": 1}\n{"key": "x"}\n', b"<html>\n"]
)
def test_a_file_of_another_shape_is_refused(
    folder: Path, server: ModelServer, capsys: pytest.CaptureFixture[str], content: bytes
) -> None:
    (folder / "missing.jsonl").write_bytes(content)
    assert exit_code_of(["record", "--requests", "missing.jsonl"]) == 3
    assert "gate: missing.jsonl:" in capsys.readouterr().err
    assert server.requests == []


def test_a_file_that_is_not_there(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code_of(["record", "--requests", "absent.jsonl"]) == 2
    assert "there is no such file" in capsys.readouterr().err
    assert exit_code_of(["record"]) == 2
    assert ".gate/missing.jsonl: there is no such file" in capsys.readouterr().err


def test_a_failure_is_no_answer(folder: Path, server: ModelServer, capsys: pytest.CaptureFixture[str]) -> None:
    closed = ModelServer()
    closed._server.server_close()
    settings(folder, server, record_hosts=[f"127.0.0.1:{closed.port}"])
    done = record(capsys, lacking(f"http://127.0.0.1:{closed.port}/v1/chat/completions"))
    assert done.code == 3
    assert "it was answered with connection" in done.err
    assert "run it again later" in done.err


def test_what_stands_in_a_file_commands_no_terminal(
    folder: Path, server: ModelServer, capsys: pytest.CaptureFixture[str]
) -> None:
    entry = lacking("https://evil.example/v1/chat/completions")
    hostile = MissingEntry(entry.key, entry.request, (Asked("a\x1b[2J\n::error::b", 0, 0),))
    done = record(capsys, hostile)
    assert "\x1b" not in done.out + done.err
    assert "\n::error" not in done.err
