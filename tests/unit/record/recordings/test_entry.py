"""One line of a file: round trip, what is left out, what is refused."""

from __future__ import annotations

import gzip
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.errors import RecordingError
from gate.record.recordings.decode import decode, scan
from gate.record.recordings.entry import Ended, Entry, Head, Meta, Place, encode, encode_ended, is_failure, storable
from gate.record.recordings.exchange import Answer

KEY = "0123456789abcdef" * 2
ENTRY = Entry(KEY, "tests/test_a.py::test_x", 2, 1, Answer(200, (("content-type", "text/plain"),), (b"one ", b"two")))

texts = st.text(st.characters(codec="utf-8"), max_size=30)
headers = st.lists(st.tuples(texts, texts), max_size=3).map(
    lambda pairs: tuple((a, b) for a, b in pairs if not set(a + b) & set("\r\n\0"))
)
answers = st.builds(
    Answer,
    st.integers(100, 599),
    headers,
    st.lists(st.binary(min_size=1, max_size=20) | texts.filter(bool).map(str.encode), max_size=4).map(tuple),
    st.sampled_from(["", "time-out", "connection", "protocol"]),
)
entries = st.builds(
    Entry,
    st.text("0123456789abcdef", min_size=32, max_size=32),
    st.text(max_size=40),
    st.integers(0, 999),
    st.integers(0, 999),
    answers,
    st.builds(Meta, texts, texts, texts, texts),
    st.integers(0, 3),
    st.sampled_from(["", "ab12"]),
    st.none() | st.dictionaries(texts, texts, max_size=3),
)


@given(entries)
def test_an_entry_comes_back_as_it_was_and_stays_one_line(entry: Entry) -> None:
    line = encode(entry)
    assert decode(line, "file:1") == entry
    assert line.count(b"\n") == 1
    assert encode(decode(line, "file:1")) == line


@given(entries)
def test_a_line_is_indexed_as_it_is_read_whole(entry: Entry) -> None:
    line = encode(entry)
    head = scan(line, Place(7, len(line), 3), "file:3")
    assert isinstance(head, Head)
    assert (head.slot, head.n, head.failed, head.run) == (entry.slot, entry.n, entry.failed, entry.run)
    assert head.carries == (entry.request is not None)
    assert head.order == entry.order
    assert head.place == Place(7, len(line), 3)


@given(st.text(max_size=40))
def test_the_end_of_a_run_comes_back_as_it_was(case: str) -> None:
    ended = Ended(case, "ab12")
    line = encode_ended(ended)
    assert scan(line, Place(0, len(line), 1), "file:1") == ended


def test_fields_in_another_order_are_read_too() -> None:
    fields = json.loads(encode(ENTRY))
    line = json.dumps(dict(reversed(fields.items())), indent=None).encode() + b"\n"
    head = scan(line, Place(0, len(line), 1), "file:1")
    assert isinstance(head, Head)
    assert head.slot == ENTRY.slot


def test_text_is_stored_as_text_and_bytes_as_base64() -> None:
    text = json.loads(encode(Entry(KEY, "", 0, 0, Answer(200, (), ("grüße".encode(),)))))["answer"]
    data = json.loads(encode(Entry(KEY, "", 0, 0, Answer(200, (), (b"\xff\x00",)))))["answer"]
    assert text == {"status": 200, "body": "grüße"}
    assert data == {"status": 200, "base64": "/wA="}
    assert "grüße".encode() in encode(Entry(KEY, "", 0, 0, Answer(200, (), ("grüße".encode(),))))


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=12,
)
styles = st.fixed_dictionaries(
    {
        "ensure_ascii": st.booleans(),
        "indent": st.sampled_from([None, 2, 4]),
        "separators": st.sampled_from([None, (",", ":"), (" , ", " : ")]),
    }
)


@given(
    st.dictionaries(st.text(max_size=4), values) | st.lists(values), styles, st.sampled_from(["", "\n", "\r\n", "x"])
)
def test_json_comes_back_byte_for_byte_in_whatever_style(value: object, style: dict[str, object], end: str) -> None:
    body = (json.dumps(value, **style) + end).encode("utf-8", "surrogatepass")  # type: ignore[arg-type]
    entry = Entry(KEY, "", 0, 0, Answer(200, (), (body[:3], body[3:]) if body[3:] else (body,)))
    assert decode(encode(entry), "file:1") == entry


@pytest.mark.parametrize("style", [{}, {"indent": 2}, {"separators": (",", ":")}, {"ensure_ascii": False}])
def test_json_is_stored_as_a_value_that_reads_without_escapes(style: dict[str, object]) -> None:
    body = json.dumps({"text": "grüße", "none": None}, **style).encode()  # type: ignore[arg-type]
    line = encode(Entry(KEY, "", 0, 0, Answer(200, (), (body + b"\n",))))
    assert '"json":{"text":"grüße","none":null}'.encode() in line


@pytest.mark.parametrize(
    "body", [b'{"a":1,"a":1}', b'{"a":1.0e2}', b'{"a" :1}', b'{"a":"\\/"}', b'{"a":', b'{"a":' * 9999]
)
def test_json_that_would_not_come_back_stays_a_text(body: bytes) -> None:
    line = encode(Entry(KEY, "", 0, 0, Answer(200, (), (body,))))
    assert b'"json"' not in line
    assert decode(line, "file:1").answer.body == body


@pytest.mark.parametrize(
    ("answer", "failed"),
    [
        (Answer(200), False),
        (Answer(404), False),
        (Answer(429), True),
        (Answer(500), True),
        (Answer(529), True),
        (Answer(200, failure="protocol"), True),
        (Answer(0, failure="time-out"), True),
    ],
)
def test_failures(answer: Answer, failed: bool) -> None:
    assert is_failure(answer) is failed


def test_encodings_are_undone_chunk_by_chunk_and_the_connection_is_left_out() -> None:
    packed = gzip.compress(b"data: one\n\ndata: two\n\n")
    headers = (("Content-Encoding", "gzip"), ("Date", "now"), ("Content-Length", "9"), ("x-request-id", "7"))
    found = storable(Answer(200, headers, (packed[:20], packed[20:])))
    assert found.headers == (("x-request-id", "7"),)
    assert found.body == b"data: one\n\ndata: two\n\n"


def test_what_can_not_be_decoded_stays_as_it_came() -> None:
    answer = Answer(200, (("content-encoding", "gzip"),), (b"no gzip",))
    assert storable(answer) == answer


def test_the_length_stays_where_there_is_no_body() -> None:
    answer = Answer(200, (("content-length", "12"),))
    assert storable(answer) == answer


def _with(**changes: object) -> bytes:
    fields = json.loads(encode(ENTRY))
    for name, value in changes.items():
        place = (
            fields["answer"]
            if name in ("status", "headers", "sizes", "body", "base64", "failure", "json", "style")
            else fields
        )
        place[name] = value
    return json.dumps(fields).encode() + b"\n"


def _answer_with(**fields: object) -> bytes:
    return json.dumps(json.loads(encode(ENTRY)) | {"answer": {"status": 200, **fields}}).encode() + b"\n"


@pytest.mark.parametrize(
    "line",
    [
        b"\xff\xfe\n",
        b"[]\n",
        b'"text"\n',
        b"{\n",
        b"[" * 100_000 + b"\n",
        b'{"gate_recordings":true}\n',
        b'{"gate_recordings":0}\n',
        b'{"ended":3,"run":"ab"}\n',
        b'{"ended":"x","run":"../ab"}\n',
        _with(key="../../etc/passwd"),
        _with(key=KEY[:-1]),
        _with(trial=-1),
        _with(trial=True),
        _with(trial=1.5),
        _with(n=10**12),
        _with(case=None),
        _with(extra=1),
        _with(request=[]),
        _with(meta=[]),
        _with(meta={"at": 3}),
        _with(answer="x"),
        _with(status=True),
        _with(status=7),
        _with(headers=[["a"]]),
        _with(headers=[["a", "b\r\nset-cookie: c"]]),
        _with(headers={"a": "b"}),
        _with(sizes=[99]),
        _with(sizes=[-1]),
        _with(sizes=[True]),
        _with(body=3),
        _with(base64="AAAA"),
        _with(body="", base64="A"),
        _with(body="\ud800"),
        _with(failure="other"),
        _with(json={}),
        _with(json={}, style="compact"),
        _answer_with(json={}, style="other"),
        _answer_with(json={}, style=3),
        _answer_with(json={}, style="compact", end=3),
        _answer_with(json="\ud800", style="compact"),
        _with(run="xyz"),
    ],
)
def test_damaged_lines_are_refused_with_their_place(line: bytes) -> None:
    with pytest.raises(RecordingError, match="damaged") as caught:
        scan(line, Place(0, len(line), 4), "recordings/a.jsonl:4")
        decode(line, "recordings/a.jsonl:4")
    assert caught.value.where == "recordings/a.jsonl:4"
    assert caught.value.remedy


def test_a_newer_format_is_refused_with_the_way_out() -> None:
    with pytest.raises(RecordingError, match="format 2 is newer than 1") as caught:
        scan(b'{"gate_recordings":2}\n', Place(0, 22, 1), "a.jsonl:1")
    assert "upgrade" in caught.value.remedy


@pytest.mark.parametrize("marker", [b"<<<<<<< HEAD\n", b"=======\n", b">>>>>>> main\n", b"||||||| 1a2b\n"])
def test_conflict_markers_are_named(marker: bytes) -> None:
    with pytest.raises(RecordingError, match="merge conflict markers"):
        scan(marker, Place(0, len(marker), 9), "a.jsonl:9")
