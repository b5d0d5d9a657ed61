"""What makes two requests the same, and what does not."""

from __future__ import annotations

import gzip
import json
import sys
import time
import zlib

import pytest

from gate.errors import SettingsError
from gate.record.recordings.canonical import LONGEST_SHOWN, canonical_url, key
from gate.record.recordings.canonical_json import DEEPEST, MOST_MARKS
from gate.record.recordings.exchange import Headers, Request
from gate.record.recordings.volatile import Volatile

JSON = "application/json"
URL = "https://api.example.com/v1/chat"


def asked(
    body: bytes | str = b"", media: str = JSON, url: str = URL, method: str = "POST", extra: Headers = ()
) -> Request:
    content = body.encode() if isinstance(body, str) else body
    head = (("Content-Type", media), *extra) if media else extra
    return Request(method, url, head, content)


def digest(*args, **kwargs) -> str:
    return key(asked(*args, **kwargs)).digest


class TestJson:
    @pytest.mark.parametrize(
        ("one", "other"),
        [
            ('{"a":1,"b":2}', ' { "b" : 2,\n"a":1 } '),
            ('{"a":{"c":[1,{"e":2,"d":3}],"b":1}}', '{"a":{"b":1,"c":[1,{"d":3,"e":2}]}}'),
            ('"\\u00e9\\/\\ud83d\\ude00"', '"é/😀"'),
            ('{"\\u0061":1}', '{"a":1}'),
            ("1.5", "15e-1"),
            ("[1e2]", "[100.0]"),
            ('{"a":1,"a":2,"b":0}', '{"b":0,"a":1,"a":2}'),
            ("NaN", " NaN"),
            ('"\\ud800"', '"\\uD800"'),
        ],
    )
    def test_equal(self, one, other):
        assert digest(one) == digest(other)

    @pytest.mark.parametrize(
        "different",
        [
            ("1", "1.0", "true", '"1"', "[1]", "null"),
            ('{"a":1}', '{"a":1,"a":1}', '{"a":1,"a":2}', '{"a":2,"a":1}', '{"a":2}'),
            ("[1,2]", "[2,1]"),
            ("{}", "[]", "", '""', "null", "false", "0"),
            ("NaN", '"NaN"', "null", "Infinity", "-Infinity", "1e999"),
            ("18446744073709551616", "18446744073709551617", "18446744073709551616.0"),
            ("1" * 5000, "1" * 5001),
            ('"e\\u0301"', '"é"'),
            ('"a "', '"a"'),
            ('"\\\\ud800"', '"\\ud800"'),
            ('{"a":1}', '{"A":1}'),
        ],
    )
    def test_different(self, different):
        assert len({digest(each) for each in different}) == len(different)

    def test_shown_is_sorted_text_without_spaces(self):
        shown = key(asked('{"b": "é",  "a": 1.50}')).shown
        assert shown["body"] == {"json": '{"a":1.5,"b":"é"}'}

    def test_suffix_and_unsaid_and_curls_media_types_are_json(self):
        for media in ("application/vnd.api+json", "", "application/x-www-form-urlencoded"):
            assert digest('{"a":1,"b":2}', media) == digest('{"b":2,"a":1}', media)

    def test_broken_json_is_text(self):
        assert key(asked('{"a":')).shown["body"] == {"text": '{"a":'}
        assert digest('{"a":') != digest('{"a": ')

    def test_deep_json_is_compared_as_text_whatever_the_depth_of_calls(self):
        fine = "[" * DEEPEST + "]" * DEEPEST
        deep = "[" * 100_000 + "]" * 100_000
        assert "json" in key(asked(fine)).shown["body"]
        assert "json" in key(asked('["' + "[" * 1000 + '"]')).shown["body"]
        assert "text" in key(asked(f"[{fine}]")).shown["body"]
        assert digest(deep) == digest(deep) != digest(deep + " ")
        expected = key(asked(fine)).digest

        def at_depth(left: int) -> str:
            return key(asked(fine)).digest if left == 0 else at_depth(left - 1)

        room = sys.getrecursionlimit() - _frames() - 90
        assert at_depth(room) == expected

    def test_more_marks_than_can_be_sorted_in_time_are_text(self):
        body = b"[" + b"1," * (MOST_MARKS + 1) + b"1]"
        assert list(key(asked(body)).shown["body"]) == ["text"]


def _frames() -> int:
    frame, count = sys._getframe(), 0
    while frame is not None:
        frame, count = frame.f_back, count + 1
    return count


class TestAddress:
    @pytest.mark.parametrize(
        ("one", "other"),
        [
            ("https://Example.com:443/a#x", "https://example.com/a"),
            ("http://example.com:80", "HTTP://example.com/"),
            ("https://a/?b=1&a=2&a=1", "https://a/?a=2&a=1&b=1"),
            ("https://a/%7euser/%e2", "https://a/~user/%E2"),
            ("https://a/?q=a+b", "https://a/?q=a%20b"),
            ("https://user:pass@a/x", "https://a/x"),
            ("https://a/x?key=ONE1&b=1", "https://a/x?b=1"),
            ("https://a/x?key=ONE1", "https://a/x?key=TWO2"),
            ("https://a/x?sig=abc&se=1", "https://a/x?sig=def&se=1"),
            ("https://a/x?access_token=abc", "https://a/x?access_token=def"),
            ("https://[::1]:443/", "https://[::1]/"),
            ("https://a/é", "https://a/%C3%A9"),
        ],
    )
    def test_equal(self, one, other):
        assert digest(url=one) == digest(url=other)

    @pytest.mark.parametrize(
        "different",
        [
            ("https://a/", "http://a/", "https://a:444/", "https://b/", "https://a/b", "https://a/?b"),
            ("https://a/?a=1&a=2", "https://a/?a=2&a=1", "https://a/?a=1", "https://a/?a=1&b=2"),
            ("https://a/b%2Fc", "https://a/b/c", "https://a/B/c", "https://a/b/c/"),
            ("https://a/?q=%FF", "https://a/?q=%FE", "https://a/?q=%25FF"),
            ("https://[::1]:8080/", "https://[::2]:8080/"),
            ("http+unix://%2Ftmp%2Fa/x", "http+unix://%2FTMP%2Fa/x"),
            ("https://a/?max_tokens=1", "https://a/?max_tokens=2"),
        ],
    )
    def test_different(self, different):
        assert len({digest(url=each) for each in different}) == len(different)

    @pytest.mark.parametrize(
        "url", ["https://[::1", "http://a:port/", "", "::", "https://\ud800/", "https://a/?\ud800=1"]
    )
    def test_what_is_no_address_is_kept_as_it_is(self, url):
        shown = key(asked(url=url)).shown
        json.dumps(shown).encode()
        json.dumps(shown, ensure_ascii=False).encode()

    def test_is_shown_without_secrets(self):
        assert canonical_url("https://u:p@a.b:443/x?b=2&api_key=no&a=%20#f") == "https://a.b/x?a=%20&b=2"


class TestHeaders:
    def test_those_of_client_and_moment_do_not_count(self):
        extra = tuple(
            (name, "1")
            for name in (
                "User-Agent",
                "Date",
                "X-Request-Id",
                "traceparent",
                "x-stainless-retry-count",
                "Authorization",
                "Content-Length",
                "Cookie",
                "idempotency-key",
            )
        )
        assert digest("1", extra=extra) == digest("1")

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("Accept", "text/event-stream"),
            ("anthropic-version", "2023-06-01"),
            ("OpenAI-Beta", "assistants=v2"),
            ("Range", "bytes=0-9"),
            ("X-Amz-Target", "Model.Invoke"),
        ],
    )
    def test_those_that_decide_the_answer_count(self, name, value):
        assert digest("1", extra=((name, value),)) != digest("1")
        assert digest("1", extra=((name.upper(), value),)) == digest("1", extra=((name.lower(), value),))

    def test_lists_have_no_order_and_charset_and_plain_accept_do_not_count(self):
        one, other = ((("anthropic-beta", value),) for value in ("b, a", "a,b"))
        assert digest("1", extra=one) == digest("1", extra=other)
        assert digest("1", "application/json; charset=utf-8", extra=(("accept", "*/*"),)) == digest("1")

    def test_media_type_and_method_count(self):
        assert len({digest("1"), digest("1", "text/plain"), digest("1", method="PUT")}) == 3
        assert digest("1", method="post") == digest("1")


class TestOtherBodies:
    def test_form(self):
        media = "application/x-www-form-urlencoded"
        assert digest("b=1&a=2&a=3", media) == digest("a=2&a=3&b=%31", media)
        assert digest("a=2&a=3", media) != digest("a=3&a=2", media)
        assert key(asked("b=x+y&a=%C3%A9", media)).shown["body"] == {"form": [["a", "é"], ["b", "x y"]]}

    def test_multipart_without_its_boundary(self):
        def body(boundary: str, content: bytes = b"\xff\x00", name: str = "file") -> Request:
            data = (
                f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"; filename="a"\r\n'
                "Content-Type: audio/wav\r\n\r\n"
            ).encode()
            data += content + f'\r\n--{boundary}\r\nContent-Disposition: form-data; name="j"\r\n'.encode()
            data += b'Content-Type: application/json\r\n\r\n{"b":1, "a":2}\r\n--' + boundary.encode() + b"--\r\n"
            return asked(data, f"multipart/form-data; boundary={boundary}")

        one = key(body("xyz"))
        assert one == key(body("----WebKitFormBoundary7MA4YWxkTrZu0gW"))
        assert len({each.digest for each in (one, key(body("b", b"\xff\x01")), key(body("b", name="g")))}) == 3
        assert one.shown["body"]["parts"][1]["body"] == {"json": '{"a":2,"b":1}'}
        assert one.shown["body"]["parts"][0]["body"]["binary"]["bytes"] == 2

    def test_lines_of_json(self):
        media = "application/x-ndjson"
        assert digest('{"a":1,"b":2}\n{"c":1}\n', media) == digest('{"b":2,"a":1}\r\n\n{"c":1}', media)
        assert digest('{"a":1}\n{"c":1}', media) != digest('{"c":1}\n{"a":1}', media)
        assert "text" in key(asked('{"a":1}\nno', media)).shown["body"]

    def test_text_counts_byte_by_byte_and_binary_is_shown_by_its_digest(self):
        assert digest("a\n", "text/plain") != digest("a\r\n", "text/plain")
        shown = key(asked(b"\x00\xff" * 100, "application/octet-stream")).shown["body"]
        assert shown["binary"]["bytes"] == 200 and len(shown["binary"]["digest"]) == 32

    def test_utf_16_is_the_text_that_it_encodes(self):
        assert digest('{"a":"é"}'.encode("utf-16"), "application/json; charset=utf-16") == digest('{"a":"é"}')

    @pytest.mark.parametrize("name", ["gzip", "deflate", "raw deflate", "br", "zstd", "two"])
    def test_encoded_bodies_are_decoded_first(self, name):
        plain = b'{"a":1,"b":[2,3]}'
        if name == "br":
            body = pytest.importorskip("brotli").compress(plain)
        elif name == "zstd":
            body = pytest.importorskip("zstandard").ZstdCompressor().compress(plain)
        else:
            raw = zlib.compressobj(wbits=-15)
            body = {
                "gzip": gzip.compress(plain[:9]) + gzip.compress(plain[9:]),
                "deflate": zlib.compress(plain),
                "raw deflate": raw.compress(plain) + raw.flush(),
                "two": gzip.compress(zlib.compress(plain)),
            }[name]
        said = {"raw deflate": "deflate", "two": "deflate, gzip"}.get(name, name)
        assert digest(body, extra=(("Content-Encoding", said),)) == digest(plain)
        if name != "raw deflate":
            cut = key(asked(body[:-3], extra=(("Content-Encoding", said),)))
            assert "json" not in cut.shown["body"] and cut.digest != digest(plain)

    def test_what_cannot_be_decoded_is_binary(self):
        for said, body in (("gzip", b"\x1f\x8bno"), ("made-up", b"\xff"), ("gzip", gzip.compress(b"1" * 99)[:-9])):
            assert list(key(asked(body, extra=(("content-encoding", said),))).shown["body"]) == ["binary"]


class TestVolatile:
    def test_fields_by_name_and_by_path(self):
        volatile = Volatile(json=("request_id", "metadata.*.at", "list.0.x"))
        one = '{"request_id":1,"metadata":{"a":{"at":1},"b":{"at":2}},"list":[{"x":1},{"x":5}],"d":[{"request_id":9}]}'
        two = '{"request_id":2,"metadata":{"a":{"at":3},"b":{"at":4}},"list":[{"x":2},{"x":5}],"d":[{"request_id":8}]}'
        assert key(asked(one), volatile) == key(asked(two), volatile)
        assert key(asked(one), volatile).digest != key(asked(two.replace('"x":5', '"x":6')), volatile).digest
        assert digest(one) != digest(two)

    def test_fields_that_stand_twice(self):
        volatile = Volatile(json=("a",))
        assert key(asked('{"a":1,"a":2}'), volatile) == key(asked('{"a":3,"a":4}'), volatile)
        assert key(asked('{"a":1,"a":2}'), volatile) != key(asked('{"a":1}'), volatile)

    def test_query_headers_forms_and_patterns(self):
        volatile = Volatile(("Anthropic-Beta",), ("ts",), ("nonce",), ((r"\d{4}-\d{2}-\d{2}", "DATE"),))
        form = "application/x-www-form-urlencoded"

        def of(day: str, moment: int) -> str:
            head = (("anthropic-beta", day),)
            json_one = asked(f'{{"p":"on {day}"}}', url=f"{URL}?ts={moment}&d={day}", extra=head)
            form_one = asked(f"nonce={moment}&d={day}", form)
            return key(json_one, volatile).digest + key(form_one, volatile).digest

        assert of("2024-01-02", 1) == of("2025-03-04", 2)
        assert key(asked('{"p":"on 2024-01-02"}'), volatile).shown["body"] == {"json": '{"p":"on DATE"}'}

    @pytest.mark.parametrize("pattern", [("(", ""), ("a", r"\1"), ("(a)", r"\g<b>")])
    def test_a_pattern_that_cannot_be_used_is_refused(self, pattern):
        with pytest.raises(SettingsError, match="can't be used"):
            Volatile(patterns=(pattern,))


class TestShown:
    def test_is_json_and_holds_no_long_text(self):
        shown = key(asked(json.dumps("x" * (LONGEST_SHOWN + 1)))).shown
        assert len(json.dumps(shown)) < 4000 and "1000003 characters" in shown["body"]["json"]
        one, other = ("y" * LONGEST_SHOWN + each for each in ("a", "b"))
        assert key(asked(one, "text/plain")).shown != key(asked(other, "text/plain")).shown

    def test_of_nothing_but_a_method(self):
        assert key(Request("GET", "https://a")).shown == {"method": "GET", "url": "https://a/"}


@pytest.mark.parametrize("kind", ["image", "prose"])
def test_time_grows_in_proportion_to_length(kind):
    """Ten times the body takes less than thirty times as long; both are also far from a second a megabyte."""

    def seconds(length: int) -> float:
        text = (
            "iVBORw0KGgo" + "Ab3/" * (length // 4)
            if kind == "image"
            else "the key of a sentence is clear. " * (length // 32)
        )
        request = asked(json.dumps({"messages": [{"role": "user", "content": text}]}))
        start = time.process_time()
        key(request)
        return time.process_time() - start

    seconds(1000)
    small, large = min(seconds(500_000) for _ in range(3)), min(seconds(5_000_000) for _ in range(2))
    assert large < 30 * small + 0.05
    assert large < 2
