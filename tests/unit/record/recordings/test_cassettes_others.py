"""Cassettes of VCR for Ruby, of betamax, and of vcrpy before its format had a version."""

from __future__ import annotations

import base64
import gzip
import json

import pytest

from gate.record.recordings.cassettes import Interaction, read_cassette
from gate.record.recordings.exchange import Request

pytest.importorskip("yaml", reason="PyYAML is not installed; it comes with the extra `cassettes`")


def one(data: bytes) -> Interaction:
    (found,) = read_cassette(data, "a.yaml")
    return found


RUBY = """---
http_interactions:
- request:
    method: post
    uri: http://example.com/api?api_key=abcdef
    body:
      encoding: UTF-8
      string: a=1
    headers:
      Accept:
      - "*/*"
  response:
    status:
      code: 201
      message: Created
    headers:
      Content-Type:
      - application/octet-stream
    body:
      encoding: ASCII-8BIT
      string: !binary |-
        AP8=
    http_version:
  recorded_at: Tue, 01 Nov 2011 04:58:44 GMT
recorded_with: VCR 6.1.0
"""


def test_ruby() -> None:
    found = one(RUBY.encode())
    assert found.request == Request("POST", "http://example.com/api?api_key=abcdef", (("Accept", "*/*"),), b"a=1")
    assert (found.answer.status, found.answer.body, found.at) == (201, b"\x00\xff", "2011-11-01")


def test_betamax() -> None:
    data = {
        "http_interactions": [
            {
                "request": {
                    "body": {"encoding": "utf-8", "string": ""},
                    "headers": {"Accept": ["*/*"]},
                    "method": "GET",
                    "uri": "https://example.org/get",
                },
                "response": {
                    "body": {"encoding": None, "base64_string": base64.b64encode(gzip.compress(b"hi")).decode()},
                    "headers": {"content-encoding": ["gzip"]},
                    "status": {"code": 200, "message": "OK"},
                    "url": "https://example.org/get",
                },
                "recorded_at": "2013-09-28T01:25:38",
            }
        ],
        "recorded_with": "betamax/0.8",
    }
    found = one(json.dumps(data, indent=4).encode())
    assert (found.answer.body, found.at) == (b"hi", "2013-09-28")


FIRST = """
- request: !!python/object:vcr.request.Request
    body: null
    headers: !!python/object/apply:__builtin__.frozenset
    - - !!python/tuple [Accept-Encoding, 'gzip, deflate']
      - !!python/tuple [User-Agent, python-requests]
    host: httpbin.org
    method: GET
    path: /ip
    port: 8080
    protocol: http
  response:
    body: {string: !!python/unicode '{"origin": "1.2.3.4"}'}
    headers: ["Access-Control: *\\r\\n", "Content-Type: application/json\\r\\n"]
    status: {code: 200, message: OK}
"""


def test_before_the_format_had_a_version() -> None:
    found = one(FIRST.encode())
    assert found.request.url == "http://httpbin.org:8080/ip"
    assert dict(found.request.headers) == {"Accept-Encoding": "gzip, deflate", "User-Agent": "python-requests"}
    assert dict(found.answer.headers) == {"Access-Control": "*", "Content-Type": "application/json"}
    assert json.loads(found.answer.body) == {"origin": "1.2.3.4"}


def test_bodies_that_were_files_or_came_in_pieces() -> None:
    for body in (
        "!!python/object/new:_io.BytesIO\n      state: !!python/tuple [!!binary aGVsbG8=, 0, null]",
        "!!python/object/apply:builtins.iter\n      args: [[hel, lo]]",
        "!!python/unicode hello",
    ):
        text = f"interactions:\n- request:\n    body: {body}\n    method: PUT\n    uri: https://example.org/\n"
        text += "  response: {status: {code: 200}, body: {string: ''}, headers: {}}\n"
        assert one(text.encode()).request.body == b"hello"
