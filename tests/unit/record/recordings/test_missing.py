"""What a replay lacked, as a file: deterministic, whole, and read without trust."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.errors import RecordingError
from gate.record.recordings import canonical, missing
from gate.record.recordings.exchange import Request
from gate.record.recordings.missing import (
    Asked,
    MissingEntry,
    fitting,
    joined,
    read_missing,
    read_told,
    sendable,
    to_bytes,
    write_missing,
)

SECRET = "sk-proj-9fK2mQ7xT4bV8nL1cR6wZ3yH5jD0"
URL = "https://api.openai.com/v1/chat/completions"


def lacking(text: str = "hello", *asked: tuple[str, int, int]) -> MissingEntry:
    body = json.dumps({"model": "gpt-4o-mini", "input": text, "api_key": SECRET}).encode()
    headers = (("Authorization", f"Bearer {SECRET}"), ("Content-Type", "application/json"), ("x-request-id", "7"))
    request = Request("POST", URL, headers, body)
    key = canonical.key(request)
    who = asked or (("tests/test_a.py::test_x", 0, 0),)
    return MissingEntry(key.digest, sendable(request, key), tuple(Asked(*each) for each in who))


entries = st.lists(
    st.builds(
        lacking,
        st.sampled_from("abc"),
        st.tuples(st.sampled_from(["x", "y", "z::é"]), st.integers(0, 3), st.integers(0, 3)),
    ),
    max_size=12,
)


@given(entries, st.randoms(use_true_random=False))
def test_the_file_is_the_same_whatever_the_order_was(found: list[MissingEntry], random: Any) -> None:
    data = to_bytes(found)
    random.shuffle(found)
    assert to_bytes(found) == data
    assert to_bytes([*found, *found]) == data
    assert read_missing(data) == joined(found)
    assert to_bytes(read_missing(data)) == data


def test_each_request_stands_once_with_all_that_asked() -> None:
    found = joined([lacking("a", ("y", 1, 0)), lacking("b"), lacking("a", ("x", 0, 0), ("y", 1, 0))])
    assert len(found) == 2
    assert {entry.asked for entry in found} >= {(Asked("x", 0, 0), Asked("y", 1, 0))}


def test_what_is_kept_of_a_request_has_its_key_and_no_secret() -> None:
    entry = lacking()
    assert canonical.key(entry.request).digest == entry.key
    assert SECRET.encode() not in to_bytes([entry])
    assert [name for name, _ in entry.request.headers] == ["Content-Type"]
    assert b"hello" in entry.request.body


def test_the_file_is_written_whole_and_goes_when_nothing_is_missing(tmp_path: Path) -> None:
    path = tmp_path / "out" / "missing.jsonl"
    assert write_missing(path, [lacking()])
    assert read_missing(path.read_bytes()) == (lacking(),)
    assert not write_missing(path, [])
    assert list(path.parent.iterdir()) == []
    assert not write_missing(path, [])


def test_a_full_disk_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "missing.jsonl"
    write_missing(path, [lacking()])

    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(RecordingError, match="No space left"):
        write_missing(path, [lacking("other")])
    assert read_missing(path.read_bytes()) == (lacking(),)
    assert [each.name for each in tmp_path.iterdir()] == ["missing.jsonl"]


def test_binary_bodies_come_back() -> None:
    request = Request("POST", URL, (), b"\xff\x00")
    entry = MissingEntry(canonical.key(request).digest, request, (Asked("x", 0, 0),))
    assert read_missing(to_bytes([entry])) == (entry,)


def _changed(change: Callable[[dict[str, Any]], object]) -> bytes:
    header, line = to_bytes([lacking()]).splitlines()
    fields = json.loads(line)
    change(fields)
    return header + b"\n" + json.dumps(fields).encode() + b"\n"


def _set(*path: str | int, to: object) -> Callable[[dict[str, Any]], object]:
    def change(fields: Any) -> None:
        for name in path[:-1]:
            fields = fields[name]
        fields[path[-1]] = to

    return change


@pytest.mark.parametrize(
    "change",
    [
        _set("more", to=1),
        _set("key", to="../../x"),
        _set("key", to=3),
        _set("asked", to=[]),
        _set("asked", to="x"),
        _set("asked", 0, to=["x", 0]),
        _set("asked", 0, to=["x", -1, 0]),
        _set("asked", 0, to=["x", 0, 10**9]),
        _set("asked", 0, to=["x", True, 0]),
        _set("asked", 0, to=["x" * 10_000, 0, 0]),
        _set("asked", 0, to=["\ud800", 0, 0]),
        _set("asked", 0, to=["a\0b", 0, 0]),
        _set("asked", 0, to=[3, 0, 0]),
        _set("asked", to=[["x", 0, 0]] * 20_001),
        _set("request", to=None),
        _set("request", "path", to="/etc/passwd"),
        _set("request", "method", to="POST / HTTP/1.1\r\nHost: x"),
        _set("request", "method", to="CONNECT"),
        _set("request", "url", to="https://a.com/\r\nHost: b.com"),
        _set("request", "url", to="https://ä.com/"),
        _set("request", "url", to="https://a.com/ b"),
        _set("request", "url", to="https://a.com/" + "x" * 9000),
        _set("request", "url", to=3),
        _set("request", "headers", to=[["a", "b\r\nc: d"]]),
        _set("request", "headers", to=[["a", "b"]] * 65),
        _set("request", "headers", to=[["a", "b" * 9000]]),
        _set("request", "headers", to={"a": "b"}),
        _set("request", "body", to=3),
        _set("request", "body", to="\ud800"),
        _set("request", "base64", to="AAAA"),
    ],
)
def test_hostile_entries_are_refused_with_their_line(change: Callable[[dict[str, Any]], object]) -> None:
    with pytest.raises(RecordingError) as caught:
        read_missing(_changed(change), "missing.jsonl")
    assert caught.value.where == "missing.jsonl:2"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n",
        b"{}\n",
        b"[]\n",
        b"\xff\xfe\n",
        b'{"gate_missing":2}\n',
        b'{"gate_missing":true}\n',
        b'{"gate_missing":1,"gate_missing":1}\n',
        b"[" * 100_000,
        b'{"gate_missing":' + b"9" * 5000 + b"}\n",
        to_bytes([lacking()]) + b"\n",
        to_bytes([lacking()])[:-20],
    ],
)
def test_other_files_are_refused(data: bytes) -> None:
    with pytest.raises(RecordingError) as caught:
        read_missing(data)
    assert caught.value.remedy


def test_a_file_of_a_later_version_says_what_to_do() -> None:
    with pytest.raises(RecordingError, match="format 2 is newer than 1") as caught:
        read_missing(b'{"gate_missing":2}\n', "m.jsonl")
    assert (caught.value.where, caught.value.remedy) == (
        "m.jsonl:1",
        "upgrade robustness-gate where `gate record` runs",
    )


def test_a_file_beyond_its_limits_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    data = to_bytes([lacking("a"), lacking("b", ("x", 0, 0), ("x", 1, 0))])
    for name, limit, message in (
        ("MOST_BYTES", 100, "more than the limit of 100"),
        ("MOST_ENTRIES", 1, "more than 1 requests"),
        ("MOST_ASKED", 2, "more than 2 calls"),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(missing, name, limit)
            with pytest.raises(RecordingError, match=message):
                read_missing(data)
    assert len(read_missing(data)) == 2


def unfit() -> list[MissingEntry]:
    """Requests that a suite can make, and that no file from elsewhere may hold."""
    one = (Asked("t.py::a", 0, 0),)
    many = tuple(Asked("t.py::a", trial, 0) for trial in range(missing.MOST_ASKED + 1))
    url = "https://api.openai.com/v1/x"
    return [
        MissingEntry("0" * 32, Request("PROPFIND", url), one),
        MissingEntry("1" * 32, Request("POST", url + "?q=" + "a" * 9_000), one),
        MissingEntry("2" * 32, Request("POST", url, body=b"\xff" * 800_000), one),
        MissingEntry("3" * 32, Request("POST", url), many),
        MissingEntry("4" * 32, Request("POST", url + "/\x1b[31m"), one),
        MissingEntry("5" * 32, Request("POST", url, (("x", "a\nb"),)), one),
    ]


def test_what_the_reader_would_refuse_is_left_out_and_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(missing, "MOST_BYTES", 1_000_000)
    good = MissingEntry("f" * 32, Request("POST", "https://api.openai.com/v1/x"), (Asked("t.py::a", 0, 0),))
    kept, left = fitting([*unfit(), good])
    assert read_missing(to_bytes(kept)) == kept == (good,)
    assert len(left) == len(unfit())
    assert "PROPFIND https://api.openai.com/v1/x: expected a method of HTTP" in left[0]
    assert "more than 1,000,000 bytes" in left[2]
    assert "more than 20,000 calls" in left[3]
    assert not any("\x1b" in each for each in left)
    assert max(map(len, left)) < 400


def test_more_requests_than_a_file_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(missing, "MOST_ENTRIES", 2)
    asked = (Asked("t.py::a", 0, 0),)
    entries = [MissingEntry(f"{n:032x}", Request("POST", f"https://a.b/{n}"), asked) for n in range(4)]
    kept, left = fitting(reversed(entries))
    assert kept == tuple(entries[:2]) == read_missing(to_bytes(kept))
    assert len(left) == 2


def test_a_process_of_the_run_is_told_everything() -> None:
    assert read_told(to_bytes(unfit())) == tuple(unfit())
    assert read_told(b"") == ()
