"""Framing of bodies and choice of headers."""

from __future__ import annotations

import io

import pytest

from gate.record.recordings.proxy_wire import (
    BadRequestError,
    ClientGoneError,
    answer_headers,
    chunk,
    length_of,
    read_body,
    request_headers,
)

CHUNKED = (("Transfer-Encoding", "Chunked"),)


def test_chunks_are_joined_and_what_follows_is_left() -> None:
    stream = io.BytesIO(b"3;name=value\r\nabc\r\nA\r\n0123456789\r\n0\r\nTrailer: x\r\n\r\nGET")
    assert read_body(CHUNKED, stream) == b"abc0123456789"
    assert stream.read() == b"GET"


def test_a_body_is_as_long_as_its_length_says() -> None:
    stream = io.BytesIO(b"abcdef")
    assert read_body((("content-length", " 4 "),), stream) == b"abcd"
    assert read_body((), stream) == b""
    assert stream.read() == b"ef"


@pytest.mark.parametrize("data", [b"x\r\nabc\r\n", b"-1\r\n", b"\r\n", b"3\r\nabcd\r\n0\r\n\r\n", b"0x3\r\nabc\r\n"])
def test_a_broken_chunk_is_refused(data: bytes) -> None:
    with pytest.raises(BadRequestError):
        read_body(CHUNKED, io.BytesIO(data))


@pytest.mark.parametrize("data", [b"", b"3", b"3\r\nab", b"3\r\nabc\r\n0\r\n"])
def test_a_body_that_is_cut_off_is_a_client_that_went_away(data: bytes) -> None:
    with pytest.raises(ClientGoneError):
        read_body(CHUNKED, io.BytesIO(data))
    with pytest.raises(ClientGoneError):
        read_body((("Content-Length", "5"),), io.BytesIO(data[:2]))


def test_headers_of_one_connection_stay_behind() -> None:
    given = (
        ("Host", "127.0.0.1"),
        ("Connection", "keep-alive, X-Local"),
        ("x-local", "1"),
        ("Content-Length", "3"),
        ("Expect", "100-continue"),
        ("Proxy-Authorization", "Basic x"),
        ("Authorization", "Bearer x"),
        ("TE", "trailers"),
    )
    assert request_headers(given) == (("Authorization", "Bearer x"),)
    assert answer_headers((("Content-Length", "3"), ("Transfer-Encoding", "chunked"))) == (("Content-Length", "3"),)


def test_a_length_is_one_plain_number() -> None:
    assert length_of((("content-length", "12"),)) == 12
    assert length_of((("content-length", "12"), ("Content-Length", "12"))) == 12
    assert length_of((("content-length", "12"), ("Content-Length", "13"))) is None
    assert length_of((("content-length", "1_0"),)) is None
    assert length_of(()) is None


def test_a_chunk_is_led_by_its_length() -> None:
    assert chunk(b"x" * 26) == b"1a\r\n" + b"x" * 26 + b"\r\n"
    assert chunk(b"") == b"0\r\n\r\n"
