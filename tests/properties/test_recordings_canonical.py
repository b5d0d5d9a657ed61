"""Requests that mean the same have one digest, others have another; redaction is done once and never fails."""

from __future__ import annotations

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.record.recordings import redact
from gate.record.recordings.canonical import key
from gate.record.recordings.differences import between, closest
from gate.record.recordings.exchange import Answer, Request
from gate.record.recordings.volatile import Volatile

URL = "https://api.example.com/v1"
JSON = ("content-type", "application/json")
MEDIA = (
    "application/json",
    "application/x-ndjson",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=b",
    "text/event-stream",
    "application/json; charset=utf-16",
    "application/octet-stream",
    "",
)
# Pieces from which texts are built that look like secrets, names and quotes, at the edges where rules meet.
PIECES = (
    *('"', "'", "\\", '\\"', '\\\\\\"', ":", "=", ",", " ", "\n", "\\n", "\\u0026", "&", "?", "{", "}", "[", "]", ";"),
    *("password", "token", "api_key", "authorization", "Bearer ", "Basic ", "cookie", "://", "@", "sig", "key"),
    *("sk-proj-A1b2C3d4E5f6G7h8I9j0K1l2", "eyJhbGciOiJIUzI1NiJ9", ".", "dXNlcjpwYXNzd29yZA==", "logprob"),
    *("-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----", "q8Zx1Lm4Rt7Yv5Wc9Bn2Hd4k", "hunter22"),
    *("12345", "~secret-token~", "~", "é", "\ud800"),
)
texts = st.lists(st.sampled_from(PIECES) | st.text(max_size=4), max_size=14).map("".join)
names = st.text(st.characters(codec=None), max_size=6)
plain = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | names
values = st.recursive(plain, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=4))
volatiles = st.sampled_from((Volatile(), Volatile((), ("a",), ("a", "b.*", "0"), (("[0-9]+", "N"),))))
requests = st.builds(
    Request,
    st.sampled_from(("GET", "POST", "post")),
    st.sampled_from((URL, "http://a:1/")).flatmap(lambda start: texts.map(lambda text: start + text)) | texts,
    st.lists(st.tuples(st.sampled_from(("Content-Type", "Authorization", "Cookie", "X")), texts), max_size=3).map(tuple)
    | st.sampled_from(MEDIA).map(lambda media: (("Content-Type", media),))
    | st.sampled_from(("gzip", "br", "zstd", "deflate", "x")).map(lambda name: (JSON, ("content-encoding", name))),
    texts.map(lambda text: text.encode("utf-8", "surrogatepass")) | st.binary(max_size=60),
)


def digest(text: str) -> str:
    return key(Request("POST", URL, (JSON,), text.encode("utf-8", "surrogatepass"))).digest


def shuffled(value: object, source: random.Random) -> object:
    if isinstance(value, dict):
        pairs = [(name, shuffled(each, source)) for name, each in value.items()]
        source.shuffle(pairs)
        return dict(pairs)
    return [shuffled(each, source) for each in value] if isinstance(value, list) else value


@given(values, st.randoms(use_true_random=False), st.booleans(), st.sampled_from((None, 1, "\t")))
def test_order_of_names_escapes_and_spaces_do_not_count(value, source, escaped, indent):
    written = json.dumps(shuffled(value, source), ensure_ascii=escaped, indent=indent)
    assert digest(json.dumps(value)) == digest(written)


def kind(value: object) -> object:
    """A value in which numbers, truth and texts of equal worth differ."""
    if isinstance(value, dict):
        return {name: kind(each) for name, each in value.items()}
    if isinstance(value, list):
        return [kind(each) for each in value]
    return (type(value).__name__, repr(value))


@given(values, values)
def test_different_values_have_different_digests(one, other):
    same = kind(one) == kind(other)
    assert (digest(json.dumps(one)) == digest(json.dumps(other))) == same


@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("12")), max_size=6), st.randoms(use_true_random=False)
)
def test_order_of_distinct_parameters_does_not_count_and_that_of_equal_ones_does(pairs, source):
    def of(some: list[tuple[str, str]]) -> str:
        return key(Request("GET", f"{URL}?{'&'.join(f'{name}={value}' for name, value in some)}")).digest

    mixed = list(pairs)
    source.shuffle(mixed)
    by_name = [[value for name, value in some if name == wanted] for some in (pairs, mixed) for wanted in "abc"]
    assert (of(pairs) == of(mixed)) == (by_name[:3] == by_name[3:])


@given(requests, volatiles)
def test_any_request_has_a_key_that_redaction_keeps(request, volatile):
    clean = redact.request(request)
    assert redact.request(clean) == clean
    found = key(request, volatile)
    assert len(found.digest) == 32 and found == key(clean, volatile)
    json.dumps(found.shown, ensure_ascii=False).encode()
    between(found.shown, {})
    assert closest(found.shown, [("a", found.shown)]) == "a"


@given(texts)
def test_redaction_of_a_text_is_done_once_and_leaves_nothing_to_find(text):
    clean = redact.text(text)
    assert redact.text(clean) == clean
    if len(text) >= 8:
        assert redact.find(clean) == []


@given(values, st.sampled_from(("password", "api_key", "clientSecret")), names, st.integers(0, 2))
def test_json_stays_json_and_only_the_secret_changes(value, name, secret, depth):
    def nested(inner: object) -> object:
        for _ in range(depth):
            inner = {"text": json.dumps(inner)}
        return inner

    body = json.dumps(nested({"before": value, name: f"S{secret}S", "after": value}))
    clean = redact.request(Request("POST", URL, (JSON,), body.encode())).body
    got = json.loads(clean)
    for _ in range(depth):
        got = json.loads(got["text"])
    assert got[name].startswith("~secret-") and got[name].endswith("~")
    assert list(got) == ["before", name, "after"]


def shape(value: object) -> object:
    """A JSON value with every text and number left out, and with its names but those that a text of JSON holds."""
    if isinstance(value, dict):
        return [shape(each) for each in value.values()]
    return [shape(each) for each in value] if isinstance(value, list) else type(value) is bool


telling = st.recursive(
    texts | st.booleans() | st.integers(0, 99999),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
)


@given(telling, st.booleans(), st.sampled_from((None, 1)), st.sampled_from(((",", ":"), (", ", ": "))))
def test_json_of_suspicious_texts_keeps_its_shape(value, escaped, indent, separators):
    body = json.dumps(value, ensure_ascii=escaped, indent=indent, separators=separators)
    clean = redact.request(Request("POST", URL, (JSON,), body.encode("utf-8", "surrogatepass"))).body
    pairs = json.loads(clean.decode("utf-8", "surrogatepass"), object_pairs_hook=_values)
    assert shape(pairs) == shape(json.loads(body, object_pairs_hook=_values))


def _values(pairs: list[tuple[str, object]]) -> list[object]:
    return [value for _, value in pairs]


@given(st.lists(texts, max_size=6), st.integers(1, 40))
def test_events_stay_events(told, size):
    text = "".join(told)
    pieces = [text[place : place + size] for place in range(0, len(text), size)]
    chunks = tuple(b'data: {"n":[1,2],"delta":%s}\n\n' % json.dumps(piece).encode() for piece in pieces)
    clean = redact.answer(Answer(200, (("content-type", "text/event-stream"),), chunks))
    assert len(clean.chunks) == len(chunks)
    events = [json.loads(chunk.removeprefix(b"data: ")) for chunk in clean.chunks]
    assert all(event["n"] == [1, 2] for event in events)
    assert redact.answer(clean) == clean


@given(st.lists(texts, max_size=6), st.sampled_from(MEDIA))
def test_answers_keep_their_text_in_whatever_chunks(pieces, media):
    chunks = tuple(piece.encode("utf-8", "surrogatepass") for piece in pieces)
    given_answer = Answer(200, (("content-type", media), ("set-cookie", "a=b")), chunks)
    clean = redact.answer(given_answer)
    assert redact.answer(clean) == clean
    whole = redact.answer(Answer(200, given_answer.headers, (b"".join(chunks),)))
    assert clean.body == whole.body


@pytest.mark.parametrize("media", MEDIA)
@given(data=st.binary(max_size=80))
def test_any_bytes_of_any_media_type_have_a_key(media, data):
    asked = Request("POST", URL, (("content-type", media),), data)
    assert key(asked) == key(redact.request(asked))
