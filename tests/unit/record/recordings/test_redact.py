"""Secrets go, everything else stays byte for byte."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import random
import string
import uuid
import zlib

import pytest

from gate.record.recordings import redact
from gate.record.recordings.exchange import Answer, Request
from gate.record.recordings.secret_names import field_kind, header_kind, query_kind

JSON = ("content-type", "application/json")
KEY = "sk-proj-A1b2C3d4E5f6G7h8I9j0K1l2"
PEM = "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\n+/abc==\n-----END RSA PRIVATE KEY-----"


def body_of(value: object, extra: tuple[tuple[str, str], ...] = ()) -> bytes:
    return redact.request(Request("POST", "https://a/", (JSON, *extra), json.dumps(value).encode())).body


class TestNames:
    @pytest.mark.parametrize(
        "name",
        (
            *(
                "password",
                "PASSWORD",
                "db_password",
                "userPassword",
                "passwd",
                "pwd",
                "passphrase",
                "secret",
                "client_secret",
            ),
            *(
                "clientSecret",
                "token",
                "auth_token",
                "accessToken",
                "refresh_token",
                "api_key",
                "apiKey",
                "APIKey",
                "apikey",
            ),
            *(
                "openai-api-key",
                "OPENAI_API_KEY",
                "private_key",
                "access_key",
                "aws_secret_access_key",
                "secretKey",
            ),
            *(
                "credential",
                "credentials",
                "cookie",
                "Authorization",
                "session_token",
                "id_token",
            ),
        ),
    )
    def test_of_secrets(self, name):
        assert field_kind(name)

    @pytest.mark.parametrize(
        "name",
        (
            *(
                "max_tokens",
                "maxTokens",
                "prompt_tokens",
                "total_tokens",
                "tokens",
                "token_count",
                "tokenizer",
                "max_token",
            ),
            *(
                "stop_token",
                "eos_token",
                "next_page_token",
                "nextPageToken",
                "token_type",
                "tokens_per_second",
                "key",
                "keys",
            ),
            *(
                "name",
                "password_policy",
                "secret_name",
                "pass",
                "author",
                "signature",
                "cache_key",
                "monkey",
                "primary_key",
            ),
            *(
                "foreign_key",
                "public_key",
                "is_secretary",
            ),
        ),
    )
    def test_of_other_fields(self, name):
        assert not field_kind(name)

    def test_of_headers_and_parameters(self):
        for name in (
            "Authorization",
            "x-api-key",
            "api-key",
            "Ocp-Apim-Subscription-Key",
            "X-Acme-Token",
            "Set-Cookie",
        ):
            assert header_kind(name)
        for name in ("openai-organization", "idempotency-key", "x-ratelimit-remaining-tokens", "www-authenticate"):
            assert not header_kind(name)
        assert query_kind("key") and query_kind("sig")
        assert query_kind("X-Amz-Signature") and not query_kind("max_tokens")


class TestText:
    @pytest.mark.parametrize(
        ("text", "clean"),
        [
            (f"use {KEY}.", "use ~secret-api-key~."),
            (f'"a\\n{KEY}\\n"', '"a\\n~secret-api-key~\\n"'),
            ("ghp_" + "a1B2" * 9, "~secret-token~"),
            ("(xoxb-1234567890-abcdefghij)", "(~secret-token~)"),
            ("id AKIAIOSFODNN7EXAMPLE!", "id ~secret-api-key~!"),
            ("AIza" + "Sy1A" * 9, "~secret-api-key~"),
            ("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "~secret-random~"),
            (f"a {PEM} b", "a ~secret-private-key~ b"),
            (json.dumps({"k": PEM}), '{"k": "~secret-private-key~"}'),
            ("postgres://me:hunter2@db/x", "postgres://~secret-password~@db/x"),
            ("curl -H 'Authorization: Bearer abc' x", "curl -H 'Authorization: Bearer ~secret-authorization~' x"),
            ("Cookie: a=1234; b=5678\n", "Cookie: ~secret-cookie~\n"),
            ("OPENAI_API_KEY=a1b2c3d4e5f6 make", "OPENAI_API_KEY=~secret-api-key~ make"),
            ("https://a/?x=1&sig=abc%2F&y", "https://a/?x=1&sig=~secret-signature~&y"),
            (r'"https://a/?x=1\u0026sig=abc\u0026y"', r'"https://a/?x=1\u0026sig=~secret-signature~\u0026y"'),
            ('["authorization", "Bearer abc"]', '["authorization", "~secret-authorization~"]'),
            ("{'password': 'it\\'s'}", "{'password': '~secret-password~'}"),
            (f"x {base64.b64encode(b'admin:s3cret99').decode()} y", "x ~secret-password~ y"),
        ],
    )
    def test_secrets_in_it(self, text, clean):
        assert redact.text(text) == clean
        assert redact.text(clean) == clean and redact.find(clean) == []

    @pytest.mark.parametrize(
        "text",
        [
            str(uuid.UUID(int=0x1234567890ABCDEF1234567890ABCDEF)),
            f"model-{hashlib.sha256(b'a').hexdigest()}",
            f"sha256-{base64.b64encode(hashlib.sha256(b'a').digest()).decode()}",
            "ft:gpt-4o-mini-2024-07-18:acme::AbCdEf12",
            "meta-llama/Llama-3.3-70B-Instruct-Turbo-Free",
            '{"id": "Zx81kQp0Lm3Rt7Yv5Wc9Bn2Hd4"}',
            "chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT toolu_01A09q90qw90lq917835lq9 call_12xyzQWERTasdfgh34567890",
            '{"token": " Hello", "logprob": -0.1, "bytes": [72]}',
            '{"logprob": -0.1, "token": "international"}',
            '{"encrypted_content": "gAAAAABoISQ24OyVRYbkYfuk1t5xP9"}',
            '{"max_tokens": 100, "password": "", "secret": null, "token": "${API_TOKEN}"}',
            '{"type": "object", "properties": {"password": {"type": "string"}}, "required": ["password", "token"]}',
            "class AmazonProvidedIpv6CidrBlockNetwork2BorderGroup: password = getpass(prompt)",
            "the password: choose a strong one; bearer authentication; basic authentication",
            "decode U29tZSBoYXJtbGVzcyB0ZXh0IHRvIGRlY29kZQ==",
            "data:image/png;base64," + base64.b64encode(random.Random(1).randbytes(9000)).decode(),
            "https://docs.example.com/document/d/1GGiI9-7KeY3TPqS3YT271upUVimo-XiL5mwWorDUD4c/",
            "sk-estimator-doc-link sk-toggleable__content-fitted-item-2",
        ],
    )
    def test_what_is_none_stays(self, text):
        assert redact.text(text) == text and redact.find(text) == []

    def test_random_tokens_are_found_and_names_in_code_are_not(self):
        source = random.Random(20)
        letters = string.ascii_letters + string.digits
        drawn = ["".join(source.choices(letters, k=32)) for _ in range(400)]
        assert sum(redact.text(f"x {each} y") != f"x {each} y" for each in drawn) >= 0.88 * 400
        words = (
            *(
                "Get",
                "User2",
                "From",
                "Database",
                "Http",
                "Client",
                "V3",
                "Async",
                "Response",
                "Handler",
                "S3",
                "Bucket",
                "Builder",
                "Ipv6",
            ),
        )
        names = ["".join(source.choices(words, k=5)) for _ in range(400)]
        assert sum(redact.text(f"x {each} y") != f"x {each} y" for each in names) <= 4

    def test_findings_say_where_and_never_the_whole(self):
        text = f"one\nab {KEY}\n\n  password='hunter22hunter'"
        found = redact.find(text)
        assert [(each.kind, each.place) for each in found] == [
            ("api-key", "line 2, column 4"),
            ("password", "line 4, column 13"),
        ]
        assert all(len(each.excerpt.split("…")[0]) <= 4 for each in found)


class TestBodies:
    def test_fields_at_any_depth_and_in_any_spelling(self):
        given = {"a": [{"b": {"client_secret": "x y"}}], "passwords": ["a", "b"], "pwd": 12345, "n": 1}
        clean = json.loads(body_of(given))
        assert clean == {
            "a": [{"b": {"client_secret": "~secret-secret~"}}],
            "passwords": ["~secret-password~"] * 2,
            "pwd": "~secret-password~",
            "n": 1,
        }

    def test_names_in_escapes(self):
        asked = Request("POST", "https://a/", (JSON,), b'{"pass\\u0077ord": "hunter2", "b": "\\\\u0070"}')
        assert json.loads(redact.request(asked).body) == {"password": "~secret-password~", "b": "\\u0070"}

    @pytest.mark.parametrize("value", ['a"b', "a\\", '\\"', "\\\\", "{", "é\n", "\\\\\\"])
    @pytest.mark.parametrize("depth", [0, 1, 2, 3])
    def test_quotes_and_backslashes_in_a_value_at_any_depth(self, value, depth):
        given: object = {"password": value, "after": "kept"}
        for _ in range(depth):
            given = {"inner": json.dumps(given)}
        clean = json.loads(body_of(given))
        for _ in range(depth):
            clean = json.loads(clean["inner"])
        assert clean == {"password": "~secret-password~", "after": "kept"}

    def test_without_secrets_it_is_untouched(self):
        body = '{ "é" : [1.50, "\\u00e9\\/"],\r\n "a":1, "a":2 }'.encode()
        asked = Request("POST", "https://a/?b=%7e&a=+", (JSON, ("X", "y")), body)
        assert redact.request(asked) == asked

    def test_encoded_bodies_come_back_decoded_with_their_length(self):
        body = gzip.compress(json.dumps({"api_key": "abc"}).encode())
        head = (JSON, ("Content-Encoding", "gzip"), ("Content-Length", str(len(body))))
        clean = redact.request(Request("POST", "https://a/", head, body))
        assert json.loads(clean.body) == {"api_key": "~secret-api-key~"}
        assert clean.headers == (JSON, ("Content-Length", str(len(clean.body))))

    def test_forms_keep_what_they_hold_else(self):
        head = (("content-type", "application/x-www-form-urlencoded"),)
        body = b"a=%7E+b&password=x%26y&json=%7B%22api_key%22%3A%22abc%22%7D&max_tokens=3&="
        clean = redact.request(Request("POST", "https://a/", head, body)).body
        assert clean == (
            b"a=%7E+b&password=~secret-password~&json=%7B%22api_key%22%3A%22~secret-api-key~%22%7D&max_tokens=3&="
        )

    def test_binary_data_stays(self):
        body = b"\xff\xfe\x00" + KEY.encode()
        asked = Request("POST", "https://a/", (("content-type", "application/octet-stream"),), body)
        assert redact.request(asked).body == body


class TestHeadersAndAddress:
    def test_headers(self):
        given = (
            ("Authorization", "Bearer abc"),
            ("Proxy-Authorization", "justonetoken"),
            ("Cookie", "a=1; b=2"),
            ("Set-Cookie", "s=abc; Path=/; HttpOnly"),
            ("Location", "https://u:p@a/?token=abc&b=1"),
            ("X-Note", f"see {KEY}"),
            ("X-Api-Key", ""),
            ("openai-organization", "org-abcDEF123"),
        )
        assert [value for _, value in redact.headers(given)] == [
            "Bearer ~secret-authorization~",
            "~secret-authorization~",
            "a=~secret-cookie~; b=~secret-cookie~",
            "s=~secret-cookie~; Path=/; HttpOnly",
            "https://~secret-password~@a/?token=~secret-token~&b=1",
            "see ~secret-api-key~",
            "",
            "org-abcDEF123",
        ]
        assert redact.headers(redact.headers(given)) == redact.headers(given)

    def test_placeholders_may_stand_in_any_header(self):
        for _, value in redact.headers((("Authorization", "é"), ("Cookie", "é=é"))):
            assert "~secret-" in value and value.rpartition("=")[2].isascii()

    def test_address(self):
        assert (
            redact.url(f"https://a/b/{KEY}/c?key=é&q=1#x")
            == "https://a/b/~secret-api-key~/c?key=~secret-api-key~&q=1#x"
        )
        assert redact.url("not an address?") == "not an address?"


class TestAnswers:
    def test_without_secrets_keep_their_chunks_and_encoding(self):
        packed = gzip.compress(b'{"content":"Paris"}')
        given = Answer(200, (JSON, ("content-encoding", "gzip")), (packed[:5], packed[5:]))
        assert redact.answer(given) == given

    def test_events_keep_their_framing_and_chunks(self):
        events = [b'data: {"content":"a"}\n\n', b'data: {"api_key":"abc"', b"}\n\n", b"data: [DONE]\n\n"]
        clean = redact.answer(Answer(200, (("content-type", "text/event-stream"),), tuple(events)))
        assert clean.chunks == (events[0], b'data: {"api_key":"~secret-api-key~"', events[2], events[3])

    @pytest.mark.parametrize("size", [1, 2, 5, 11, 30])
    def test_a_secret_that_a_model_writes_over_many_events(self, size):
        text = f'{{"note": "é\\n{KEY}", "password": "hunter2"}} and more'
        pieces = [text[place : place + size] for place in range(0, len(text), size)]
        chunks = tuple(f"data: {json.dumps({'delta': {'content': piece}})}\n\n".encode() for piece in pieces)
        clean = redact.answer(Answer(200, (("content-type", "text/event-stream"),), chunks))
        assert len(clean.chunks) == len(chunks)
        events = [json.loads(chunk.removeprefix(b"data: ")) for chunk in clean.chunks]
        told = "".join(event["delta"]["content"] for event in events)
        assert told == '{"note": "é\\n~secret-api-key~", "password": "~secret-password~"} and more'
        assert redact.answer(clean) == clean

    def test_a_secret_over_many_chunks(self):
        whole = f'{{"content":"{KEY}","n":1}}'.encode()
        for size in (1, 3, 7, 20, 100):
            chunks = tuple(whole[place : place + size] for place in range(0, len(whole), size))
            clean = redact.answer(Answer(200, (JSON,), chunks))
            assert clean.body == b'{"content":"~secret-api-key~","n":1}' and all(clean.chunks)

    @pytest.mark.parametrize("flush", [True, False])
    def test_encoded_ones_come_back_decoded_in_their_chunks(self, flush):
        packer = zlib.compressobj(wbits=31)
        chunks = []
        for text in (b'data: {"content":"a"}\n\n', b'data: {"password":"abc"}\n\n'):
            chunks.append(packer.compress(text) + (packer.flush(zlib.Z_SYNC_FLUSH) if flush else b""))
        chunks.append(packer.flush())
        length = str(sum(map(len, chunks)))
        head = (("content-type", "text/event-stream"), ("content-encoding", "gzip"), ("content-length", length))
        clean = redact.answer(Answer(200, head, tuple(chunks)))
        expected = b'data: {"content":"a"}\n\n', b'data: {"password":"~secret-password~"}\n\n'
        assert clean.chunks == (expected if flush else (b"".join(expected),))
        assert clean.headers == (head[0], ("content-length", str(len(clean.body))))

    def test_what_cannot_be_decoded_stays(self):
        given = Answer(200, (("content-encoding", "gzip"), ("set-cookie", "a=b")), (b"\x1f\x8bnothing",))
        assert redact.answer(given).chunks == given.chunks
        assert redact.answer(given).headers == (("content-encoding", "gzip"), ("set-cookie", "a=~secret-cookie~"))

    def test_of_a_failure(self):
        given = Answer(0, failure="time-out")
        assert redact.answer(given) == given
