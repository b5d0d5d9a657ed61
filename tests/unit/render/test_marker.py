"""The hidden line by which a comment is found again."""

from __future__ import annotations

import pytest

from gate.render import Marker, marker, parse_marker

HEAD = "b71d0aa94e3c2b1a09f8e7d6c5b4a39281706f5e"


@pytest.mark.parametrize("suite", ["default", "a--b", "--", "x-", "ünï", "a.b_c", "日本"])
def test_reads_back(suite: str) -> None:
    line = marker(suite, HEAD, 2, 901)
    assert "--" not in line.removeprefix("<!--").removesuffix("-->")
    assert parse_marker(f"{line}\n### more") == Marker(suite, HEAD, 2, 901)
    assert parse_marker(f"{line}\r\n### more") == Marker(suite, HEAD, 2, 901)


@pytest.mark.parametrize("suite", ["", "a b", "a-->", "x" * 61, "a\n", 'a"'])
def test_refuses_a_suite_that_no_setting_allows(suite: str) -> None:
    with pytest.raises(ValueError, match="suite"):
        marker(suite, HEAD, 1)


def test_a_head_that_is_no_commit_is_left_empty() -> None:
    assert parse_marker(marker("default", "--> @octocat", 1)) == Marker("default", "", 1, 0)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hello",
        f" {marker('default', HEAD, 1)}",
        f"quoted {marker('default', HEAD, 1)}",
        f"> {marker('default', HEAD, 1)}",
        marker("default", HEAD, 1).replace(":1 ", ":2 "),
        marker("default", HEAD, 1) + " tail",
        marker("default", HEAD, 1).replace("default", "%zz"),
        marker("default", HEAD, 1).replace("default", "%FF"),
        marker("default", HEAD, 1).replace("default", "a%20b"),
    ],
)
def test_a_foreign_text_is_no_marker(text: str) -> None:
    assert parse_marker(text) is None
