"""Import of other recorders' cassettes: their formats and their faults."""

from __future__ import annotations

import base64
import gzip
import json
from pathlib import Path, PurePath
from typing import Any

import pytest

from gate.errors import RecordingError
from gate.record.recordings import canonical, interceptors, redact, scope
from gate.record.recordings.cassettes import Interaction, as_entries, case_of, read_cassette
from gate.record.recordings.check import problems
from gate.record.recordings.entry import is_failure
from gate.record.recordings.exchange import Answer, Request, Scope
from gate.record.recordings.session import RecordingSession
from gate.record.recordings.store import Store
from gate.record.recordings.usage import read_usage
from tests.support.corpus import corpus

yaml = pytest.importorskip("yaml", reason="PyYAML is not installed; it comes with the extra `cassettes`")

CHAT = {"model": "gpt-4o-2024-08-06", "choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 4}}


def of(request: dict[str, Any], response: dict[str, Any], **more: Any) -> bytes:
    """A cassette of one call, with what is left out filled in."""
    whole = {
        "request": {"method": "POST", "uri": "https://api.example.org/v1/chat", "headers": {}, "body": None} | request,
        "response": {"status": {"code": 200, "message": "OK"}, "headers": {}, "body": {"string": ""}} | response,
    }
    return json.dumps({"interactions": [whole | more], "version": 1}).encode()


def one(data: bytes) -> Interaction:
    (found,) = read_cassette(data, "a.yaml")
    return found


VCRPY = """
interactions:
- request:
    body: '{"model": "gpt-4o", "messages": [{"role": "user", "content": "Say
      this"}]}'
    headers:
      authorization:
      - Bearer sk-proj-abcdefghijklmnopqrstuvwxyz012345
      content-type:
      - !!binary |
        YXBwbGljYXRpb24vanNvbg==
      user-agent:
      - OpenAI/Python 1.2.3
    method: POST
    uri: https://api.openai.com/v1/chat/completions
  response:
    body:
      string: !!binary |
        BODY
    headers:
      Content-Encoding: [gzip]
      Content-Length: ['41']
      Content-Type: [application/json]
      Date: ['Mon, 11 Nov 2024 23:43:59 GMT']
      Set-Cookie: session=abc; path=/
      Transfer-Encoding: [chunked]
    status: {code: 200, message: OK}
version: 1
"""


def vcrpy(body: bytes) -> bytes:
    return VCRPY.replace("BODY", base64.b64encode(body).decode()).encode()


def test_a_compressed_body_becomes_plain() -> None:
    found = one(vcrpy(gzip.compress(json.dumps(CHAT).encode())))
    assert json.loads(found.answer.body) == CHAT
    assert found.answer.status == 200
    assert dict(found.answer.headers) == {
        "Content-Type": "application/json",
        "Date": "Mon, 11 Nov 2024 23:43:59 GMT",
        "Set-Cookie": "session=abc; path=/",
    }
    assert found.at == "2024-11-11"
    assert dict(found.request.headers)["content-type"] == "application/json"
    assert json.loads(found.request.body)["messages"][0]["content"] == "Say this"


def test_a_body_that_a_client_decoded_below_its_header() -> None:
    found = one(vcrpy(json.dumps(CHAT).encode()))
    assert json.loads(found.answer.body) == CHAT
    assert "Content-Encoding" not in dict(found.answer.headers)


def test_a_compressed_body_that_can_not_be_read_stays_as_it_is() -> None:
    cut = gzip.compress(json.dumps(CHAT).encode())[:-9]
    found = one(vcrpy(cut))
    assert found.answer.body == cut
    assert dict(found.answer.headers)["Content-Encoding"] == "gzip"


def test_a_compressed_body_that_was_stored_as_text() -> None:
    packed = gzip.compress(json.dumps(CHAT).encode())
    headers = {"content-encoding": "gzip"}
    whole = one(of({}, {"headers": headers, "body": {"string": packed.decode("latin-1")}}))
    assert json.loads(whole.answer.body) == CHAT, "characters of the same number as the bytes"
    lost = packed.decode("utf-8", "replace")
    with pytest.raises(RecordingError, match="is lost"):
        one(of({}, {"headers": headers, "body": {"string": lost}}))


@pytest.mark.parametrize(
    ("response", "body"),
    [
        ({"body": {"string": "héllo"}}, "héllo".encode()),
        ({"body": {"string": None}}, b""),
        ({"body": None}, b""),
        ({"body": "plain"}, b"plain"),
        ({"body": {"base64_string": base64.b64encode(b"\x00\xff").decode(), "encoding": "utf-8"}}, b"\x00\xff"),
        ({"body": {"encoding": "ISO-8859-1", "string": "é"}}, b"\xe9"),
        ({"body": {"encoding": "US-ASCII", "string": "é"}}, "é".encode()),
        ({"body": {"encoding": "ASCII-8BIT", "string": "a"}}, b"a"),
        ({"parsed_body": {"b": 1, "a": [None, True, 1.5, "é"]}}, '{"b":1,"a":[null,true,1.5,"é"]}'.encode()),
        ({"parsed_body": None}, b"null"),
        ({"content": "of an early httpx", "status_code": 200, "status": None}, b"of an early httpx"),
    ],
)
def test_where_bodies_stand(response: dict[str, Any], body: bytes) -> None:
    if "content" in response:
        data = json.loads(of({}, response))
        del data["interactions"][0]["response"]["body"], data["interactions"][0]["response"]["status"]
        assert one(json.dumps(data).encode()).answer.body == body
    else:
        assert one(of({}, response)).answer.body == body


def test_bodies_of_requests() -> None:
    form = {"content-type": ["application/x-www-form-urlencoded"]}
    assert one(of({"parsed_body": {"a": ["1", "2"], "b": "x y"}, "headers": form}, {})).request.body == b"a=1&a=2&b=x+y"
    assert one(of({"body": ["ab", "cd"]}, {})).request.body == b"abcd"
    assert one(of({"body": {}}, {})).request.body == b""
    assert one(of({"body": {"model": "m"}}, {})).request.body == b'{"model":"m"}'


def test_a_stream_comes_in_its_events() -> None:
    headers = {"content-type": ["text/event-stream; charset=utf-8"]}
    found = one(of({}, {"headers": headers, "body": {"string": "data: 1\n\ndata: 2\r\n\r\ndata: [DONE]\n\n"}}))
    assert found.answer.chunks == (b"data: 1\n\n", b"data: 2\r\n\r\n", b"data: [DONE]\n\n")


def test_times_and_words_stay_what_they_were() -> None:
    text = """
interactions:
- request: {method: GET, uri: "https://example.org/", headers: {}}
  response:
    status: {code: 200}
    headers: {content-type: [application/json]}
    parsed_body: {day: 2024-01-02, moment: 2024-01-02 03:04:05, no: 'no', n: 010, merged: {'<<': x}}
"""
    body = json.loads(one(text.encode()).answer.body)
    assert body["day"] == "2024-01-02"
    assert body["moment"] == "2024-01-02 03:04:05"
    assert body["merged"] == {"<<": "x"}


def test_aliases_that_a_recorder_writes_are_fine() -> None:
    text = """
interactions:
- request: &r {method: GET, uri: "https://example.org/", headers: &h {accept: ['*/*']}}
  response: &s {status: {code: 200}, headers: *h, body: {string: one}}
- request: *r
  response: *s
"""
    first, second = read_cassette(text.encode(), "a.yaml")
    assert first == second
    assert first.answer.body == b"one"


@pytest.mark.parametrize(
    ("request_part", "response_part", "words"),
    [
        ({"uri": "/relative"}, {}, "address"),
        ({"uri": None}, {}, "address"),
        ({"method": None}, {}, "method"),
        ({"method": "GET / HTTP/1.1\r\nx"}, {}, "method"),
        ({"headers": "text"}, {}, "headers"),
        ({"body": 7}, {}, "type int"),
        ({}, {"status": None}, "status"),
        ({}, {"status": {"code": "x"}}, "status"),
        ({}, {"status": {"code": 99}}, "status"),
        ({}, {"body": {"base64_string": "a"}}, "base64"),
    ],
)
def test_a_call_that_can_not_be_used_is_named(
    request_part: dict[str, Any], response_part: dict[str, Any], words: str
) -> None:
    with pytest.raises(RecordingError, match=words) as caught:
        one(of(request_part, response_part))
    assert caught.value.where == "a.yaml: interaction 1"


def test_numbers_that_json_lacks_are_named() -> None:
    request, response = '{method: GET, uri: "https://e.org"}', "{status: 200, parsed_body: {a: .nan}}"
    text = f"interactions: [{{request: {request}, response: {response}}}]"
    with pytest.raises(RecordingError, match="parsed body"):
        one(text.encode())


def test_entries_number_the_same_request_and_put_failures_before_their_answer() -> None:
    def call(code: int, text: str) -> dict[str, Any]:
        response = {"status": {"code": code}, "headers": {}, "body": {"string": text}}
        return {"request": {"method": "GET", "uri": "https://example.org/", "headers": {}}, "response": response}

    calls = [call(200, "one"), call(429, "wait"), call(503, "wait"), call(200, "two"), call(404, "gone")]
    data = json.dumps({"interactions": calls}).encode()
    entries = as_entries(read_cassette(data, "a.json"), "t.py::a", 3)
    assert [(entry.n, entry.failed, entry.answer.body) for entry in entries] == [
        (0, 0, b"one"),
        (1, 1, b"wait"),
        (1, 2, b"wait"),
        (1, 0, b"two"),
        (2, 0, b"gone"),
    ]
    assert {(entry.case, entry.trial) for entry in entries} == {("t.py::a", 3)}
    assert len({entry.key for entry in entries}) == 1


def test_secrets_do_not_reach_the_store(tmp_path: Path) -> None:
    (found,) = read_cassette(vcrpy(gzip.compress(json.dumps(CHAT).encode())), "a.yaml")
    (entry,) = as_entries([found], "t.py::a")
    assert entry.meta.model == "gpt-4o-2024-08-06"
    assert entry.meta.client == "OpenAI/Python"
    assert entry.meta.at == "2024-11-11"
    store = Store(tmp_path)
    store.put([entry])
    written = b"".join(path.read_bytes() for path in tmp_path.rglob("*.jsonl"))
    assert b"sk-proj" not in written
    assert b"session=abc" not in written
    assert problems(store) == ()
    other_key = (("authorization", "Bearer other"), ("content-type", "application/json"))
    again = Request("POST", found.request.url, other_key, found.request.body)
    assert canonical.key(again).digest == entry.key


def test_the_test_that_a_cassette_belongs_to() -> None:
    def case(path: str) -> str:
        return case_of(PurePath(path))

    assert case("tests/cassettes/test_chat/test_a.yaml") == "tests/test_chat.py::test_a"
    assert case("cassettes/test_chat/TestA.test_b[1.5-x].yaml") == "test_chat.py::TestA::test_b[1.5-x]"
    assert case("tests/cassettes/test_a.yaml") == ""
    assert case("a.yaml") == ""


def test_every_real_cassette_is_read() -> None:
    folder = corpus() / "cassettes"
    calls = [call for path in sorted(folder.iterdir()) for call in read_cassette(path.read_bytes(), path.name)]
    assert len(calls) == 46
    for call in calls:
        assert call.answer.body
        assert not {"content-encoding", "content-length"} & {name.lower() for name, _ in call.answer.headers}
        assert canonical.key(call.request).digest
    models = [call for call in calls if call.answer.status == 200 and b"deleted" not in call.answer.body]
    counted = [call for call in models if read_usage(call.answer, call.request).known]
    assert len(counted) == len(models) - 3, "uploads and the like count no tokens"
    assert all(read_usage(call.answer, call.request).priced_as for call in counted)


def test_every_real_cassette_is_replayed_in_its_order(tmp_path: Path) -> None:
    """Each request that it holds, asked again, gets its answer from the store, and nothing is left over or lacking."""
    for path in sorted((corpus() / "cassettes").iterdir()):
        calls, case = read_cassette(path.read_bytes(), path.name), f"tests/test_{path.stem}.py::test_it"
        Store(tmp_path).put(as_entries(calls, case))
        session = RecordingSession(Store(tmp_path), "replay")
        for call in calls:
            if not is_failure(call.answer):
                found = session.ask(call.request, Scope(case))
                assert isinstance(found, Answer)
                assert (found.status, found.body) == (call.answer.status, redact.answer(call.answer).body), path.name
        assert session.unused([case]) == ()
    assert problems(Store(tmp_path)) == ()


def test_a_client_gets_what_a_cassette_holds(tmp_path: Path) -> None:
    urllib3 = pytest.importorskip("urllib3")
    calls = read_cassette(vcrpy(gzip.compress(json.dumps(CHAT).encode())), "a.yaml")
    Store(tmp_path).put(as_entries(calls, "t.py::a"))
    body = {"messages": [{"content": "Say this", "role": "user"}], "model": "gpt-4o"}
    url = "https://api.openai.com/v1/chat/completions"
    session = RecordingSession(Store(tmp_path), "replay")
    with interceptors.installed(session), scope.entered(Scope("t.py::a")):
        found = urllib3.request("POST", url, json=body, headers={"authorization": "Bearer mine"}, retries=False)
    assert found.json() == CHAT
