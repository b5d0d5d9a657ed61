"""Bytes of HTTP/1.1, however they are cut, and answers written as bytes and read again."""

from __future__ import annotations

import gzip
import itertools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.record.recordings.exchange import Answer, Request
from gate.record.recordings.interceptors.capture import Capture
from gate.record.recordings.interceptors.wire import Reader, pieces, raw_headers, reason_of, with_reason
from tests.support.remembering_session import RememberingSession, Taken

STREAM = ("content-type", "text/event-stream; charset=utf-8")


def _taken(method: str = "GET") -> tuple[Taken, Capture, Reader]:
    taken = Taken(Request(method, "http://far.example/"), RememberingSession()._keep)
    capture = Capture(taken, method)
    return taken, capture, Reader(capture, method)


def _read(data: bytes, method: str = "GET", *, cuts: list[int] | None = None, end: bool = False) -> Answer | None:
    taken, _, reader = _taken(method)
    places = sorted({0, len(data), *(cut % (len(data) + 1) for cut in cuts or [])})
    for start, stop in itertools.pairwise(places):
        reader.feed(data[start:stop])
    if end:
        reader.end()
    return taken.answer


_tokens = st.text("abcdefghijklmnopqrstuvwxyz-", min_size=1, max_size=8).map(lambda name: f"x-{name}")
_values = st.text(st.characters(min_codepoint=33, max_codepoint=255), max_size=12).map(
    lambda value: value.replace("\x85", "").replace("\xa0", "")
)


@st.composite
def answers(draw: st.DrawFn) -> Answer:
    headers = draw(st.lists(st.tuples(_tokens, _values), max_size=4))
    chunks = tuple(draw(st.lists(st.binary(min_size=1, max_size=40), max_size=5)))
    framing = draw(st.sampled_from(["chunked", "length"]))
    size = ("content-length", str(sum(map(len, chunks))))
    framed = ("transfer-encoding", "chunked") if framing == "chunked" else size
    status = draw(st.sampled_from([200, 201, 404, 429, 500]))
    return Answer(status, (*with_reason(status, draw(st.sampled_from(["", "Odd One"])), ()), *headers, framed), chunks)


@given(answers(), st.lists(st.integers(0, 400), max_size=6), st.booleans())
def test_an_answer_written_and_read_is_the_same_however_it_is_cut(answer: Answer, cuts: list[int], early: bool) -> None:
    data = b"HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n" * early + b"".join(pieces(answer, "GET"))
    read = _read(data, cuts=cuts)
    assert read is not None
    assert (read.status, read.headers, read.body, read.failure) == (answer.status, answer.headers, answer.body, "")
    if ("transfer-encoding", "chunked") in answer.headers:
        assert read.chunks == answer.chunks


@given(answers(), st.integers(1, 60))
def test_an_answer_cut_short_is_a_failure(answer: Answer, missing: int) -> None:
    data = b"".join(pieces(answer, "GET"))
    short = data[: max(0, len(data) - missing)]
    read = _read(short, end=True)
    assert read is not None
    assert read.failure == "protocol" or not answer.chunks


def test_an_answer_without_a_size_ends_with_the_connection() -> None:
    head = b"HTTP/1.0 200 OK\ncontent-type: text/plain\n\n"
    assert _read(head + b"to the end") is None
    read = _read(head + b"to the end", end=True)
    assert read == Answer(200, (("content-type", "text/plain"),), (b"to the end",))


@pytest.mark.parametrize(("method", "status"), [("HEAD", 200), ("GET", 204), ("GET", 304)])
def test_an_answer_that_has_no_body_waits_for_none(method: str, status: int) -> None:
    for sized in (b"content-length: 9", b"transfer-encoding: chunked"):
        read = _read(b"HTTP/1.1 %d X\r\n%b\r\n\r\n" % (status, sized), method)
        assert read is not None
        assert (read.status, read.chunks, read.failure) == (status, (), "")
        assert b"".join(pieces(read, method)).endswith(b"\r\n\r\n")


def test_trailers_and_extensions_of_chunks_are_no_part_of_the_body() -> None:
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, Chunked\r\n\r\n"
    read = _read(head + b"3;a=b\r\nabc\r\n0\r\nx-sum: 1\r\n\r\n")
    assert read is not None
    assert read.chunks == (b"abc",)


@pytest.mark.parametrize("nonsense", [b"HTTP/1.1 two OK\r\n\r\n", b"nonsense\r\n\r\n"])
def test_nonsense_is_a_broken_answer(nonsense: bytes) -> None:
    read = _read(nonsense)
    assert read is not None
    assert read.failure == "protocol"


def test_a_bad_size_of_a_chunk_is_a_broken_answer() -> None:
    read = _read(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nxyz\r\n")
    assert read is not None
    assert (read.status, read.failure) == (200, "protocol")


def test_a_folded_header_is_one() -> None:
    read = _read(b"HTTP/1.1 200 OK\r\nx-long: one\r\n  two\r\ncontent-length: 0\r\n\r\n")
    assert read is not None
    assert ("x-long", "one two") in read.headers


def test_headers_cannot_smuggle_lines() -> None:
    answer = Answer(200, (("x-a", "b\r\nx-evil: 1"), ("x-snow", "☃")), ())
    head = next(pieces(answer, "GET"))
    assert b"x-a: b  x-evil: 1\r\n" in head
    assert (b"x-snow", "☃".encode()) in raw_headers(answer)


def test_an_unusual_reason_is_kept_and_is_no_header() -> None:
    read = _read(b"HTTP/1.1 200 Quite Fine\r\ncontent-length: 0\r\n\r\n")
    assert read is not None
    assert reason_of(read) == "Quite Fine"
    assert raw_headers(read) == [(b"content-length", b"0")]
    assert reason_of(Answer(200)) == "OK"
    assert reason_of(Answer(799)) == ""


EVENTS = [
    (b'data: {"a": 1}\n\ndata: [DONE]\n\n', ""),
    (b"data:[DONE]\r\n\r\n", ""),
    (b'event: message_stop\ndata: {"type": "message_stop"}\n\n', ""),
    (b"event: response.completed\ndata: {}\n\n", ""),
    (b'data: {"a": "data: [DONE]"}\n\n', "protocol"),
    (b"data: [DONE]", "protocol"),
    (b"data: [DONE]\n\ndata: 2\n\n", "protocol"),
    (b"", "protocol"),
]


@pytest.mark.parametrize(("body", "failure"), EVENTS)
@pytest.mark.parametrize("encoding", ["", "gzip"])
def test_who_leaves_after_the_last_event_leaves_nothing_out(body: bytes, failure: str, encoding: str) -> None:
    taken, capture, _ = _taken()
    capture.start(200, (STREAM, ("content-encoding", encoding)) if encoding else (STREAM,))
    capture.chunk(gzip.compress(body) if encoding else body)
    capture.leave()
    assert taken.answer is not None
    assert taken.answer.failure == failure


@pytest.mark.parametrize(
    ("status", "headers", "body", "failure"),
    [
        (200, (("Content-Length", "3"),), b"abc", ""),
        (200, (("Content-Length", "4"),), b"abc", "protocol"),
        (200, (("Content-Length", "³"),), b"abc", "protocol"),
        (302, (("Location", "/b"), ("Content-Length", "4")), b"", ""),
        (302, (("Content-Length", "4"),), b"", "protocol"),
        (204, (), b"", ""),
    ],
)
def test_who_leaves_with_all_that_was_promised_has_a_whole_answer(
    status: int, headers: Any, body: bytes, failure: str
) -> None:
    taken, capture, _ = _taken()
    capture.start(status, headers)
    capture.chunk(body)
    capture.leave()
    assert taken.answer is not None
    assert taken.answer.failure == failure


def test_an_answer_ends_once() -> None:
    taken, capture, reader = _taken()
    reader.feed(b"HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nab")
    capture.leave()
    capture.fail("time-out")
    capture.finish()
    capture.chunk(b"more")
    reader.feed(b"more")
    assert taken.ends == 1
    assert taken.chunks == [b"a"]
