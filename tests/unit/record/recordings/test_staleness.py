"""Recordings that are old, of another model, of a request that changed, or unused."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path

from gate.record.recordings.canonical import key
from gate.record.recordings.entry import Entry, Meta
from gate.record.recordings.exchange import Answer, Request
from gate.record.recordings.missing import Asked, MissingEntry
from gate.record.recordings.staleness import Stale, as_fields, changed, old, other_model, unused
from gate.record.recordings.store import Store
from gate.record.recordings.volatile import Volatile

JSON = (("content-type", "application/json"),)
TODAY = dt.date(2026, 11, 30)


def asking(prompt: str = "Say hello.", model: str = "gpt-4o", host: str = "api.openai.com", id_: str = "1") -> Request:
    body = {"model": model, "request_id": id_, "messages": [{"role": "user", "content": prompt}]}
    return Request("POST", f"https://{host}/v1/chat/completions", JSON, json.dumps(body).encode())


def entry(
    case: str = "t.py::a",
    *,
    request: Request | None = None,
    at: str = "2026-11-30",
    model: str = "",
    n: int = 0,
    trial: int = 0,
    failed: int = 0,
) -> Entry:
    asked = key(request or asking())
    return Entry(asked.digest, case, trial, n, Answer(200), Meta(at, model), failed, request=asked.shown)


def lacking(request: Request, *cases: str) -> MissingEntry:
    return MissingEntry(key(request).digest, request, tuple(Asked(case, 0, 0) for case in cases))


def test_old_by_case_with_the_oldest() -> None:
    entries = [
        entry(at="2026-08-31"),
        entry(at="2025-01-02", n=1),
        entry(at="2020-01-01", n=2, failed=1),
        entry(at="2026-09-01", n=3),
        entry("t.py::b", at="2026-11-29"),
        entry("t.py::c", at=""),
    ]
    assert old(entries, TODAY, 90) == (
        Stale("old", "t.py::a", 2, "2 answers older than 90 days, the oldest of 2025-01-02"),
    )
    assert old(entries, TODAY, 0)[1].case == "t.py::b"
    assert old(entries, TODAY, 9_000) == ()


def test_another_model_than_answers_now() -> None:
    entries = [
        entry(model="gpt-4o-2024-05-13", at="2026-01-01"),
        entry(model="gpt-4o-2024-05-13", at="2026-01-01", trial=1),
        entry("t.py::b", model="gpt-4o-2024-08-06", at="2026-06-01"),
        entry("t.py::c", request=asking(model="gpt-4o-2024-05-13"), model="gpt-4o-2024-05-13"),
        entry("t.py::d", model=""),
        entry("t.py::e", request=Request("GET", "https://e.org/"), model="x"),
    ]
    text = "2 answers of gpt-4o-2024-05-13, where gpt-4o-2024-08-06 answers now"
    assert other_model(entries) == (Stale("model", "t.py::a", 2, text),)
    seen = other_model(entries, {"gpt-4o": "gpt-4o-2024-11-20"})
    assert [(stale.case, stale.count) for stale in seen] == [("t.py::a", 2), ("t.py::b", 1)]
    assert "gpt-4o-2024-11-20 answers now" in seen[1].text


def test_a_pinned_model_is_never_another() -> None:
    entries = [entry(model="m-1", request=asking(model="m-1")), entry(n=1, model="m-2", request=asking(model="m-2"))]
    assert other_model(entries) == ()


def test_a_changed_request_is_shown_against_the_nearest() -> None:
    entries = [
        entry(request=asking("Say hello.")),
        entry(request=asking("Name the largest planet of the solar system.")),
        entry("t.py::b", request=asking("Say hello!", host="api.example.org")),
    ]
    (found,) = changed([lacking(asking("Say hullo."), "t.py::a")], entries)
    assert (found.reason, found.case, found.count) == ("changed", "t.py::a", 1)
    changes = [line for line in found.diff.splitlines() if line[:1] in "+-" and line[:3] not in ("+++", "---")]
    assert len(changes) == 2
    assert "hello" in changes[0]
    assert "hullo" in changes[1]


def test_a_new_request_is_not_a_changed_one() -> None:
    entries = [entry("t.py::b", request=asking(host="api.example.org"))]
    assert changed([lacking(asking(), "t.py::a"), lacking(asking(), "t.py::b")], entries) == ()


def test_what_is_declared_volatile_is_not_shown() -> None:
    volatile = Volatile(json=("request_id",))
    asked = key(asking(), volatile)
    stored = Entry(asked.digest, "t.py::a", 0, 0, Answer(200), request=asked.shown)
    (found,) = changed([lacking(asking("Say hullo.", id_="2"), "t.py::a")], [stored], volatile)
    assert "request_id" not in "".join(line for line in found.diff.splitlines() if line[:1] in "+-")


def test_secrets_do_not_reach_the_diff() -> None:
    request = asking("Say hullo.")
    leaking = Request(request.method, request.url + "?api_key=abcdefghijkl", request.headers, request.body)
    (found,) = changed([lacking(leaking, "t.py::a")], [entry()])
    assert "abcdefghijkl" not in found.diff


def test_unused_by_case(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.put([entry(), entry(n=1), entry("t.py::b")])
    found = unused(store.heads())
    assert found == (
        Stale("unused", "t.py::a", 2, "2 answers that nothing asked for"),
        Stale("unused", "t.py::b", 1, "1 answer that nothing asked for"),
    )
    assert unused([]) == ()


def test_as_a_report_carries_it() -> None:
    assert as_fields(Stale("old", "c", 2, "text")) == {"reason": "old", "case": "c", "count": 2, "text": "text"}
    assert as_fields(Stale("changed", "c", 1, "text", "-a\n+b"))["diff"] == "-a\n+b"
