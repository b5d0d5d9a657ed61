"""A changed request is read as a small diff, and the stored one that it came from is found."""

from __future__ import annotations

import json
import time

import pytest

from gate.record.recordings.canonical import key
from gate.record.recordings.differences import MOST_CANDIDATES, between, closest, lines, sentences
from gate.record.recordings.exchange import Request

URL = "https://api.example.com/v1/chat"
PROMPT = "You are a careful assistant. Answer in one word.\nNever guess!  Say so instead.\n\n" * 20


def shown(
    prompt: str = PROMPT, url: str = "https://api.example.com/v1/chat", media: str = "application/json", **fields
):
    body = json.dumps({"model": "m-1", "messages": [{"role": "user", "content": prompt}], **fields})
    return key(Request("POST", url, (("content-type", media),), body.encode())).shown


def changed(old, new) -> list[str]:
    return [line for line in between(old, new).splitlines() if line[:1] in "+-" and line[:3] not in ("---", "+++")]


class TestBetween:
    def test_equal_ones_have_none(self):
        assert between(shown(), shown()) == ""

    def test_one_changed_character_in_a_prompt_is_one_changed_sentence(self):
        found = changed(shown(), shown(PROMPT.replace("careful", "carefull", 1)))
        assert [line[0] + line[1:].strip() for line in found] == [
            "-You are a careful assistant.",
            "+You are a carefull assistant.",
        ]
        assert len(between(shown(), shown(PROMPT + "x")).splitlines()) < 12

    def test_one_changed_character_in_a_text_without_sentences_is_one_changed_line(self):
        text = "word " * 4000
        found = changed(shown(text), shown(text[:10_000] + "W" + text[10_001:]))
        assert len(found) == 2 and max(map(len, found)) < 120

    @pytest.mark.parametrize("addition", [" ", "\n", "\t", "\u200b", "\u00a0", "\r\n"])
    def test_invisible_changes_are_seen(self, addition):
        for text in ("Short.", PROMPT):
            found = changed(shown(text), shown(text + addition))
            assert found and len({line[1:].rstrip() for line in found}) == len(found)

    def test_numbers_fields_headers_and_addresses(self):
        assert [line.replace(" ", "") for line in changed(shown(t=1), shown(t=1.0))] == ['-"t":1', '+"t":1.0']
        assert changed(shown(), shown(url="https://api.example.com/v2/chat")) == [
            "-POST https://api.example.com/v1/chat",
            "+POST https://api.example.com/v2/chat",
        ]
        assert "-content-type: application/json" in changed(shown(), shown(media="text/plain"))

    @pytest.mark.parametrize(
        ("media", "one", "other"),
        [
            ("application/x-www-form-urlencoded", "a=1&b=2", "a=1&b=3"),
            ("application/x-ndjson", '{"a":1}\n{"b":2}', '{"a":1}\n{"b":3}'),
            ("text/plain", "one. two.", "one. three."),
            ("multipart/form-data; boundary=b", "--b\r\nx: 1\r\n\r\na\r\n--b--", "--b\r\nx: 1\r\n\r\nb\r\n--b--"),
            ("application/octet-stream", "\0a", "\0b"),
        ],
    )
    def test_other_bodies(self, media, one, other):
        asked = [
            key(Request("POST", "https://a/", (("content-type", media),), each.encode())).shown for each in (one, other)
        ]
        assert 2 <= len(changed(*asked)) <= 4

    def test_names_that_stand_twice_and_broken_json_are_shown(self):
        twice = {"body": {"json": '{"a":1,"a":2}'}}
        assert [line.strip() for line in lines(twice)][1:] == ["{", '"a": 1', '"a": 2', "}"]
        assert lines({"body": {"json": '{"a'}})[1:] == ['{"a']

    def test_is_bounded(self):
        start = time.process_time()
        text = between(shown("a. b\n" * 100_000), shown("a. c\n" * 100_000))
        assert "differences in" in text and time.process_time() - start < 5

    def test_sentences_lose_nothing(self):
        for text in (PROMPT, "x" * 1000, "", "\n", "a  b", "。".join("句子" * 90)):
            assert "".join(sentences(text)).replace("·", " ").replace("\\n", "").replace("\n", "").replace(" ", "") == (
                text.replace("\n", "").replace(" ", "")
            )


class TestClosest:
    def test_is_the_one_with_a_changed_character(self):
        prompts = [f"Question {turn}: what is {turn * 17 % 101} times {turn * 31 % 97}?" for turn in range(500)]
        stored = [(turn, shown(prompt)) for turn, prompt in enumerate(prompts)]
        for turn in (0, 123, 499):
            assert closest(shown(prompts[turn].replace("what", "whet")), stored) == turn

    def test_is_none_of_another_host_or_method(self):
        assert closest(shown(), [("a", shown(url="https://other.example.com/v1/chat"))]) is None
        assert closest(shown(), []) is None

    def test_the_first_of_equals_wins(self):
        assert closest(shown(), [("a", shown()), ("b", shown())]) == "a"

    def test_cost_is_bounded(self):
        long = "It is a sentence of some words. " * 30_000
        stored = [(turn, shown(f"{long}{turn}")) for turn in range(20)]
        stored += [(turn, shown(str(turn))) for turn in range(20, MOST_CANDIDATES + 50)]
        start = time.process_time()
        assert closest(shown(f"{long}7 "), stored) is not None
        assert time.process_time() - start < 5
