"""Money from tokens, by a table of list prices and by a user's own."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from gate.errors import SettingsError
from gate.record.recordings.prices import Prices, list_prices, prices_of, read_prices
from gate.record.recordings.usage import Usage


def table(*models: dict[str, Any]) -> Prices:
    return read_prices(json.dumps({"date": "2026-01-31", "models": models}), "own.json")


def test_the_table_that_comes_along_is_sound() -> None:
    prices = list_prices()
    names = [entry.model for entry in prices.entries]
    assert len(names) == len(set(names)) > 100
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", prices.date)
    for entry in prices.entries:
        for price in (entry.price, *([entry.above[1]] if entry.above else [])):
            assert price.cached is None or price.cached <= price.input, entry.model
            assert price.written is None or price.written >= price.input, entry.model
            assert price.kept is None or price.kept >= (price.written or 0), entry.model
        if entry.above is not None:
            assert entry.above[1].input > entry.price.input, entry.model


@pytest.mark.parametrize(
    ("model", "entry"),
    [
        ("gpt-4o", "gpt-4o"),
        ("gpt-4o-2024-08-06", "gpt-4o"),
        ("gpt-4o-2024-05-13", "gpt-4o-2024-05-13"),
        ("openai/gpt-4o-mini", "gpt-4o-mini"),
        ("GPT-4-0613", "gpt-4"),
        ("ft:gpt-4o-mini-2024-07-18:org::abc", "ft:gpt-4o-mini-*"),
        ("claude-3-7-sonnet-20250219", "claude-3-7-sonnet"),
        ("claude-sonnet-4@20250514", "claude-sonnet-4"),
        ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", "anthropic.claude-sonnet-4-5"),
        ("global.anthropic.claude-haiku-4-5-20251001-v1:0", "global.anthropic.claude-haiku-4-5"),
        ("bedrock/us.amazon.nova-lite-v1:0", "nova-lite"),
        ("models/gemini-2.0-flash-001", "gemini-2.0-flash"),
    ],
)
def test_names_find_their_entry(model: str, entry: str) -> None:
    found = list_prices().entry(model)
    assert found is not None
    assert found.model == entry


@pytest.mark.parametrize("model", ["", "gpt-99", "claude-opus-4-99", "gemini-2.5-flash-preview-04-17", "my/llama", "/"])
def test_an_unknown_model_costs_an_unknown_amount(model: str) -> None:
    prices = list_prices()
    assert prices.entry(model) is None
    assert prices.cost(Usage(10, 10, model=model)) is None


def test_the_sum() -> None:
    own = table({"model": "m", "input": 3, "output": 15, "cached": 0.3, "written": 3.75, "kept": 6})
    assert own.cost(Usage(1_000_000, 0, model="m")) == 3
    assert own.cost(Usage(0, 1_000_000, model="m")) == 15
    usage = Usage(2310, 50, cached=2000, written=300, kept=100, model="m")
    assert own.cost(usage) == pytest.approx((10 * 3 + 2000 * 0.3 + 200 * 3.75 + 100 * 6 + 50 * 15) / 1e6)


def test_parts_without_a_price_of_their_own() -> None:
    own = table({"model": "m", "input": 2, "output": 8}, {"model": "n", "input": 2, "output": 8, "written": 3})
    assert own.cost(Usage(100, 0, cached=40, written=30, kept=30, model="m")) == pytest.approx(200 / 1e6)
    assert own.cost(Usage(100, 0, written=30, kept=30, model="n")) == pytest.approx((70 * 2 + 30 * 3) / 1e6)


def test_what_is_unknown_stays_unknown() -> None:
    own = table({"model": "m", "input": 2, "output": 8}, {"model": "free", "input": 0, "output": 0})
    assert own.cost(Usage(model="m")) is None
    assert own.cost(Usage(input=5, model="m")) is None, "what came out may have cost something"
    assert own.cost(Usage(input=5, model="free")) == 0
    assert own.cost(Usage(money=0.5, model="unknown")) == 0.5, "the answer says it"


def test_a_long_request_costs_more_as_a_whole() -> None:
    own = table({"model": "m", "input": 1, "output": 10, "above": {"tokens": 1000, "input": 2, "output": 15}})
    assert own.cost(Usage(1000, 100, model="m")) == pytest.approx((1000 * 1 + 100 * 10) / 1e6)
    assert own.cost(Usage(1001, 100, model="m")) == pytest.approx((1001 * 2 + 100 * 15) / 1e6)


def test_the_model_that_answered_is_priced_else_the_one_that_was_asked_for() -> None:
    own = table({"model": "m-1", "input": 1, "output": 1}, {"model": "m", "input": 5, "output": 5})
    assert own.cost(Usage(1_000_000, 0, model="m-1", asked="m")) == 1
    assert own.cost(Usage(1_000_000, 0, asked="m")) == 5


def test_own_prices_come_first() -> None:
    own = table({"model": "gpt-4o", "input": 1, "output": 2}, {"model": "llama*", "input": 0, "output": 0})
    prices = list_prices().with_own(own)
    assert prices.cost(Usage(1_000_000, 0, model="gpt-4o-2024-05-13")) == 1, "also before a more exact listed one"
    assert prices.cost(Usage(5, 5, model="llama3.2:70b")) == 0
    assert prices.cost(Usage(1_000_000, 0, model="gpt-4o-mini")) == 0.15


def test_an_exact_name_comes_before_patterns_and_a_long_pattern_before_a_short_one() -> None:
    own = table(
        {"model": "*", "input": 1, "output": 1},
        {"model": "a-*", "input": 2, "output": 2},
        {"model": "a-b*", "input": 3, "output": 3},
        {"model": "a-b", "input": 4, "output": 4},
    )
    assert [own.cost(Usage(1_000_000, 0, model=name)) for name in ("z", "a-x", "a-bc", "a-b")] == [1, 2, 3, 4]


BAD = {
    "[]": "object with a list",
    "{": "no JSON",
    '{"models": {}}': "object with a list",
    '{"models": [], "currency": "EUR"}': "USD",
    '{"models": [], "date": "yesterday"}': "YYYY-MM-DD",
    '{"models": [7]}': "name",
    '{"models": [{"model": " ", "input": 1, "output": 1}]}': "name",
    '{"models": [{"model": "m", "input": 1}]}': "no price for output",
    '{"models": [{"model": "m", "input": -1, "output": 1}]}': "number",
    '{"models": [{"model": "m", "input": NaN, "output": 1}]}': "number",
    '{"models": [{"model": "m", "input": "2", "output": 1}]}': "number",
    '{"models": [{"model": "m", "input": 2500000, "output": 1}]}': "number",
    '{"models": [{"model": "m", "input": 1, "output": 1, "outputs": 2}]}': "unknown: 'outputs'",
    '{"models": [{"model": "m", "input": 1, "output": 1, "above": {"input": 2, "output": 2}}]}': "tokens",
    '{"models": [{"model": "m", "input": 1, "output": 1, "above": {"tokens": 5, "input": 2}}]}': "no price for output",
}


@pytest.mark.parametrize("text", BAD)
def test_a_table_that_can_not_be_is_refused_by_its_place(text: str) -> None:
    with pytest.raises(SettingsError, match=re.escape(BAD[text])) as caught:
        read_prices(text, "own.json")
    assert caught.value.where.startswith("own.json")


def test_a_user_s_own_file_precedes_the_list(tmp_path: Path) -> None:
    own = tmp_path / "prices.json"
    own.write_text('{"models": [{"model": "gpt-4o", "input": 1, "output": 1}]}', encoding="utf-8")
    assert prices_of(None) is list_prices()
    assert prices_of(own).cost(Usage(1_000_000, 0, model="gpt-4o")) == 1
    assert prices_of(own).cost(Usage(1_000_000, 0, model="gpt-4o-mini")) == prices_of(None).cost(
        Usage(1_000_000, 0, model="gpt-4o-mini")
    )


@pytest.mark.parametrize("content", [None, b"\xff\xfe", b"{}"])
def test_a_file_that_is_no_table_is_refused_with_its_name(tmp_path: Path, content: bytes | None) -> None:
    own = tmp_path / "prices.json"
    if content is not None:
        own.write_bytes(content)
    with pytest.raises(SettingsError) as caught:
        prices_of(own)
    assert caught.value.where == str(own)
