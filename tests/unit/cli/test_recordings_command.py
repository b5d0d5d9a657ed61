"""`gate recordings` from the command line: what it prints, what it changes, and its exit codes."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gate.cli import exit_code_of
from gate.record.recordings.canonical import key
from gate.record.recordings.cassettes import read_cassette
from gate.record.recordings.entry import Entry, Meta
from gate.record.recordings.exchange import Answer, Request
from gate.record.recordings.prune import unused_fields
from gate.record.recordings.store import Store
from gate.record.recordings.volatile import Volatile
from tests.support.repository import Repository

JSON = (("content-type", "application/json"),)
CASE = "tests/test_chat.py::test_greets"


def entry(case: str = CASE, trial: int = 0, n: int = 0, *, said: str = "Hello", **more: Any) -> Entry:
    model = more.pop("model", "gpt-4o-2024-08-06")
    body = {"model": "gpt-4o", "messages": [{"role": "user", "content": "Hi"}]}
    asked = key(Request("POST", "https://api.openai.com/v1/chat/completions", JSON, json.dumps(body).encode()))
    usage = {"prompt_tokens": 1000, "completion_tokens": 100}
    choices = [{"message": {"content": said}}]
    data = json.dumps({"model": model, "choices": choices, "usage": usage}).encode()
    meta = Meta(more.pop("at", "2026-11-01"), model)
    return Entry(asked.digest, case, trial, n, Answer(200, JSON, (data,)), meta, request=asked.shown, **more)


def stored(folder: Path) -> list[tuple[str, int, int]]:
    return [(each.case, each.trial, each.n) for each in Store(folder).entries()]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    repository = Repository(tmp_path / "project")
    repository.commit({"README.md": "x"})
    monkeypatch.chdir(repository.path)
    return repository.path / "recordings"


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    code = exit_code_of(["recordings", *map(str, arguments)])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def test_list(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    failure = Entry(entry().key, CASE, 0, 0, Answer(429, JSON, (b"{}",)), Meta("2026-11-01"), 1)
    second = entry(trial=1, at="2026-11-30")
    Store(folder).put([failure, entry(), second, entry("tests/other.py::a", model="mystery")])
    code, out, _ = run(capsys, "list")
    assert code == 0
    other, first = out.splitlines()[1:3]
    assert first.split()[:7] == [CASE, "2", "2", "(+", "1", "failure)", "gpt-4o-2024-08-06"]
    assert "2026-11-01 … 2026-11-30" in first
    assert first.endswith("$0.0070"), "2 x (1,000 x $2.50 + 100 x $10) a million"
    assert other.split()[0] == "tests/other.py::a"
    assert other.endswith("unknown")
    assert out.splitlines()[-1].startswith("2 cases, 3 answers, ")
    code, out, _ = run(capsys, "list", "other", ".py")
    assert "test_chat" not in out
    assert out.splitlines()[-1].startswith("1 case, 1 answer, ")
    code, _, err = run(capsys, "list", "test_chatt")
    assert (code, f"did you mean {CASE}?" in err) == (2, True)
    assert f"did you mean {CASE}?" in run(capsys, "list", "chatt")[2]
    assert "names all" in run(capsys, "list", "zzz")[2]
    prices = folder.parent / "prices.json"
    prices.write_text('{"models": [{"model": "mystery", "input": 5000, "output": 0}]}')
    assert run(capsys, "list", "other", "--prices", prices)[1].splitlines()[1].endswith("$5.00")


def test_list_of_nothing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(capsys, "list")
    assert code == 2
    assert "no such folder" in err
    folder.mkdir()
    assert run(capsys, "list")[:2] == (0, "nothing is stored\n")


def test_check_finds_nothing_in_what_was_recorded(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Store(folder).put([entry()])
    assert run(capsys, "check")[:2] == (0, "1 file checked: no problem found\n")


def test_check_names_every_damage_and_shows_no_secret(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    secret = "sk-proj-Zk3v9QmW1xT7bN5cR8yJ2hL4"
    Store(folder).put([entry(), entry("tests/b.py::x")])
    path = folder / "tests" / "test_chat.py.jsonl"
    good = path.read_bytes()
    planted = (
        good.splitlines(keepends=True)[1].replace(b"Hello", f"Bearer {secret}".encode()).replace(b'"n":0', b'"n":1')
    )
    path.write_bytes(good + planted + b"<<<<<<< HEAD\n{broken\n" + good.splitlines()[1][:50])
    code, out, _ = run(capsys, "check")
    assert code == 1
    assert secret not in out
    assert secret[9:] not in out
    name = "tests/test_chat.py.jsonl"
    found = [line.removeprefix(f"{name}:") for line in out.splitlines() if line.startswith(name)]
    assert [line.partition(":")[0] for line in found] == ["3, body of the answer", "4", "5", "6"]
    for line, words in zip(found, ("looks like a secret", "merge conflict", "damaged", "half-written"), strict=True):
        assert words in line
    assert out.splitlines()[-1] == "2 files checked: 3 damaged lines and 1 secret"


def test_check_looks_into_headers_addresses_and_packed_bodies(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    secret = "sk-proj-Zk3v9QmW1xT7bN5cR8yJ2hL4"
    headers = (*JSON, ("x-api-key", secret), ("set-cookie", "session=~secret-cookie~; path=/"))
    planted = replace(entry(), answer=Answer(200, headers, (b"\xff" + secret.encode(),)))
    shown = {"method": "GET", "url": f"https://e.org/?api_key={secret}", "body": {"text": secret}}
    Store(folder).put([replace(planted, request=shown)])
    code, out, _ = run(capsys, "check")
    assert code == 1
    assert secret not in out
    assert out.splitlines()[-1] == "1 file checked: 4 secrets"


def test_check_finds_two_answers_to_one_call(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Store(folder).put([entry()])
    path = folder / "tests" / "test_chat.py.jsonl"
    path.write_bytes(path.read_bytes() + path.read_bytes().splitlines(keepends=True)[1].replace(b"Hello", b"Bye"))
    code, out, _ = run(capsys, "check")
    assert code == 1
    assert "another answer" in out


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_check_of_what_can_not_be_opened(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Store(folder).put([entry()])
    (folder / "tests" / "test_chat.py.jsonl").chmod(0)
    assert run(capsys, "check")[0] == 3


def test_prune_by_a_report(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = Store(folder)
    store.put([entry(), entry(n=1, said="Again"), entry(trial=1), entry("tests/b.py::gone")])
    unused = [head for head in store.heads() if head.case != CASE or head.n == 1]
    report = folder.parent / "candidate.json"
    report.write_text(json.dumps({"gate": {"recordings": {"unused": unused_fields(unused)}}}))
    before = {path: path.read_bytes() for path in folder.rglob("*.jsonl")}
    code, out, _ = run(capsys, "prune", "--unused", report, "--dry-run")
    assert (code, out.splitlines()[0]) == (1, "2 answers would be taken away")
    assert {path: path.read_bytes() for path in folder.rglob("*.jsonl")} == before
    code, out, _ = run(capsys, "prune", "--unused", report)
    assert code == 0
    assert out.splitlines() == ["2 answers taken away", "  tests/b.py::gone: 1 answer", f"  {CASE}: 1 answer"]
    assert stored(folder) == [(CASE, 0, 0), (CASE, 1, 0)]
    assert run(capsys, "prune", "--unused", report, "--dry-run")[0] == 0


def test_prune_by_age_keeps_numbers_whole(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old, undated = {"at": "2020-01-01"}, {"at": ""}
    Store(folder).put(
        [
            entry(**old),
            entry(n=1, at="2999-01-01"),
            entry(trial=1, at="2999-01-01"),
            entry(trial=1, n=1, **old),
            entry(trial=2, **undated),
        ]
    )
    assert run(capsys, "prune", "--older-than", 30)[1].splitlines()[0] == "3 answers taken away"
    assert stored(folder) == [(CASE, 1, 0), (CASE, 2, 0)]


def test_prune_needs_to_be_told_what(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Store(folder).put([entry()])
    assert run(capsys, "prune")[0] == 2
    assert run(capsys, "prune", "--unused", "absent.json")[0] == 2
    for text in ("{}", "[", '{"gate": {"recordings": {"unused": [[1, 2, 3, 4]]}}}', '{"gate": {}}'):
        (folder.parent / "other.json").write_text(text)
        code, _, err = run(capsys, "prune", "--unused", "other.json")
        assert code == 3
        assert "doesn't say" in err
    assert len(stored(folder)) == 1


def test_diff_of_two_folders(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Store(folder).put([entry(), entry(trial=1), entry("tests/b.py::gone")])
    other = folder.parent / "other"
    Store(other).put([entry(said="Good day"), entry(trial=1), entry(trial=2, said="::set-output name=x::")])
    code, out, _ = run(capsys, "diff", folder, other)
    assert code == 1
    assert out.splitlines()[0] == "1 changed, 1 added, 1 removed"
    assert out.splitlines()[2].startswith(f"changed {CASE} (trial 0, request ")
    assert "  -Hello" in out
    assert "  +Good day" in out
    assert run(capsys, "diff", folder, folder)[:2] == (0, "no answer changed\n")
    code, out, _ = run(capsys, "diff", folder, other, "--limit", 1)
    assert out.splitlines()[-1] == "… and 2 more; --limit shows them"


def test_diff_of_a_commit_and_the_files(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Store(folder).put([entry(model="gpt-4o-2024-05-13")])
    name = "recordings/tests/test_chat.py.jsonl"
    Repository(folder.parent).commit({name: (folder.parent / name).read_text()})
    assert run(capsys, "diff")[0] == 0
    Store(folder).put([entry()])
    code, out, _ = run(capsys, "diff")
    assert code == 1
    assert "model gpt-4o-2024-05-13 → gpt-4o-2024-08-06" in out
    assert run(capsys, "diff", "no-such-branch")[0] == 2
    code, out, _ = run(capsys, "diff", "HEAD~1")
    assert (code, out.splitlines()[0]) == (1, "1 added")


def cassette(path: Path, *said: str) -> Path:
    body = json.dumps({"model": "gpt-4o", "messages": []})
    headers = {"authorization": ["Bearer sk-proj-Zk3v9QmW1xT7bN5cR8yJ2hL4"], "content-type": ["application/json"]}
    request = {"method": "POST", "uri": "https://api.openai.com/v1/chat/completions", "headers": headers, "body": body}
    calls = [
        {"request": request, "response": {"status": {"code": 200}, "headers": {}, "body": {"string": text}}}
        for text in said
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"interactions": calls, "version": 1}))
    return path


def test_import(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own = cassette(folder.parent / "tests/cassettes/test_chat/test_greets.json", "one", "two")
    code, out, _ = run(capsys, "import", own.relative_to(folder.parent))
    assert (code, out) == (0, "2 answers of 1 cassette for 1 case in recordings\n")
    assert stored(folder) == [(CASE, 0, 0), (CASE, 0, 1)]
    assert b"sk-proj" not in b"".join(path.read_bytes() for path in folder.rglob("*.jsonl"))
    first = {path: path.read_bytes() for path in folder.rglob("*.jsonl")}
    assert run(capsys, "import", "tests/cassettes")[0] == 0
    assert {path: path.read_bytes() for path in folder.rglob("*.jsonl")} == first, "the same again changes nothing"
    assert run(capsys, "import", own, "--case", "t.py::b", "--trial", 2)[0] == 0
    assert ("t.py::b", 2, 1) in stored(folder)


def test_import_matches_as_the_settings_say(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder.parent / "gate.toml").write_text('volatile = ["json:model"]\n', encoding="utf-8")
    own = cassette(folder.parent / "own.json", "one")
    assert run(capsys, "import", own, "--case", CASE)[0] == 0
    (kept,) = Store(folder).entries()
    (call,) = read_cassette(own.read_bytes(), "own.json")
    as_in_a_run = key(call.request, Volatile(json=("model",))).digest
    assert kept.key == as_in_a_run != key(call.request).digest


def test_import_stores_all_or_nothing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good = cassette(folder.parent / "good.json", "one")
    bad = folder.parent / "bad.json"
    bad.write_text('{"interactions": [{}]}')
    code, _, err = run(capsys, "import", good, bad, "--case", "t.py::a")
    assert code == 3
    assert "bad.json: interaction 1" in err
    assert not folder.exists()
    code, _, err = run(capsys, "import", good)
    assert code == 2
    assert "--case" in err
    assert run(capsys, "import", "absent.yaml", "--case", "t.py::a")[0] == 2
    code, _, err = run(capsys, "import", "absent")
    assert (code, "there is no such file or folder" in err) == (2, True)
    assert run(capsys, "import")[0] == 2
    (folder.parent / "empty").mkdir()
    assert run(capsys, "import", "empty")[0] == 2


@pytest.mark.parametrize("command", ["list", "check", "prune", "diff", "import"])
def test_every_command_has_an_example_that_is_a_command(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, command, "--help")
    assert code == 0
    assert f"Example: gate recordings {command}" in " ".join(out.split())


def test_the_folder_is_that_of_the_settings(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder.parent / "gate.toml").write_text('working-directory = "evals"\nrecordings = "answers"\n', encoding="utf-8")
    where = folder.parent / "evals" / "answers"
    Store(where).put([entry()])
    code, out, err = run(capsys, "list")
    assert (code, err) == (0, "")
    assert CASE in out
    assert run(capsys, "check")[0] == 0
    assert run(capsys, "list", "--recordings", "recordings")[0] == 2, "a folder that is named counts"
    overlay = folder.parent / "overlay"
    Store(overlay).put([entry(trial=1)])
    assert run(capsys, "merge", "overlay")[1] == "1 answer of overlay in evals/answers\n"
    assert [trial for _, trial, _ in stored(where)] == [0, 1]
    assert not folder.exists()
