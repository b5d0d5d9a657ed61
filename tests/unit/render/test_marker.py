"""The hidden line by which a comment is found again."""

from __future__ import annotations

import pytest

from gate.errors import SettingsError
from gate.render import Marker, marker, parse_marker
from gate.settings import Layer, resolve

HEAD = "b71d0aa94e3c2b1a09f8e7d6c5b4a39281706f5e"


@pytest.mark.parametrize("suite", ["default", "a--b", "--", "x-", "a.b_c", "-" * 60])
def test_reads_back(suite: str) -> None:
    line = marker(suite, HEAD, 2, 901)
    assert "--" not in line.removeprefix("<!--").removesuffix("-->")
    assert parse_marker(f"{line}\n### more") == Marker(suite, HEAD, 2, 901)
    assert parse_marker(f"{line}\r\n### more") == Marker(suite, HEAD, 2, 901)


@pytest.mark.parametrize("suite", ["", "a b", "a-->", "x" * 61, "a\n", 'a"', "ünï", "日本", "हिन्दी", "٣"])
def test_refuses_a_suite_that_no_setting_allows(suite: str) -> None:
    with pytest.raises(ValueError, match="suite"):
        marker(suite, HEAD, 1)


@pytest.mark.parametrize(
    "suite", ["default", "a--b", "x" * 60, "ünï", "हिन्दी", "a b", "a/b", "", "x" * 61, "a\n", "\na"]
)
def test_a_suite_is_a_setting_if_and_only_if_it_has_a_marker(suite: str) -> None:
    """Else a verdict could be reached that no comment can carry."""
    try:
        named = resolve([Layer("gate.toml", {"suite": suite})]).settings.suite
    except SettingsError:
        with pytest.raises(ValueError, match="suite"):
            marker(suite, HEAD, 1)
    else:
        assert parse_marker(marker(named, HEAD, 1)) == Marker(suite, HEAD, 1, 0)


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
