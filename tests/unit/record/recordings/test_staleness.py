"""Recordings that are old, of another model, of a request that changed, or unused."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path

import pytest

from gate.record.recordings import differences
from gate.record.recordings.canonical import key
from gate.record.recordings.entry import Entry, Meta
from gate.record.recordings.exchange import Answer, Request
from gate.record.recordings.missing import Asked, MissingEntry
from gate.record.recordings.staleness import changed, old, origin, other_model, outdated, unused
from gate.record.recordings.store import Store
from gate.record.recordings.volatile import Volatile
from gate.schema.stale import LONGEST_DIFF, Stale

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
        origin(entry(at="2026-08-31")),
        origin(entry(at="2025-01-02", n=1)),
        origin(entry(at="2026-09-01", n=3)),
        origin(entry("t.py::b", at="2026-11-29")),
        origin(entry("t.py::c", at="")),
    ]
    assert old(entries, TODAY, 90) == (Stale("old", "t.py::a", 2, "2 answers, the oldest of 2025-01-02"),)
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
    assert other_model([origin(each) for each in entries]) == (Stale("model", "t.py::a", 2, text),)


def test_a_pinned_model_is_never_another() -> None:
    entries = [entry(model="m-1", request=asking(model="m-1")), entry(n=1, model="m-2", request=asking(model="m-2"))]
    assert other_model([origin(each) for each in entries]) == ()


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


def test_a_request_that_was_asked_more_often_did_not_change() -> None:
    assert changed([lacking(asking(), "t.py::a")], [entry()]) == ()


def test_every_case_is_shown_before_a_second_request_of_any(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gate.record.recordings.staleness.MOST_DIFFS", 2)
    lacked = [lacking(asking(f"Say {word}."), "t.py::a") for word in ("hullo", "halo", "hi")]
    found = changed([*lacked, lacking(asking("Say hey."), "t.py::b")], [entry(), entry("t.py::b")])
    assert [stale.case for stale in found] == ["t.py::a", "t.py::b"]


def test_a_diff_is_bounded_and_says_what_is_left_out() -> None:
    before, after = (key(asking("\n".join(f"{word} {n}" for n in range(3_000)))).shown for word in ("one", "two"))
    whole = differences.between(before, after)
    cut = differences.between(before, after, most=LONGEST_DIFF)
    assert LONGEST_DIFF - 200 < len(cut) <= LONGEST_DIFF
    kept, _, said = cut.rpartition("\n")
    assert whole.startswith(kept + "\n")
    assert said == f"… and {whole.count(chr(10)) - kept.count(chr(10)):,} lines more of the diff"
    assert differences.between(before, after, most=len(whole)) == whole


def test_an_overlay_precedes_what_it_covers(tmp_path: Path) -> None:
    store, overlay = Store(tmp_path / "a"), Store(tmp_path / "b")
    store.put([entry(at="2020-01-01", model="m-1"), entry("t.py::b", at="2026-11-30", model="m-1")])
    overlay.put([entry(at="2026-11-30", model="m-2")])
    lacked = [lacking(asking("Say hullo."), "t.py::a")]
    found = outdated([overlay, store], lacked, TODAY, 30)
    assert [(stale.reason, stale.case) for stale in found] == [("changed", "t.py::a"), ("model", "t.py::b")]
    assert [stale.reason for stale in outdated([store], [], TODAY, 30)] == ["old"]
    assert outdated([store], [], TODAY, 0) == ()
