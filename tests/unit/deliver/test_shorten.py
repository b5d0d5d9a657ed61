"""A comment that is cut keeps its marker and its Markdown."""

from __future__ import annotations

import pytest

from gate.deliver.shorten import NOTE, cut


def test_a_short_text_stays() -> None:
    assert cut("marker\ntext", 100) == "marker\ntext"


def test_it_is_cut_at_a_line() -> None:
    text = "marker\n" + "a line of text\n" * 100
    made = cut(text, 600)
    assert len(made) <= 600
    head = made.removesuffix(f"\n\n{NOTE}")
    assert text.startswith(head + "\n")


@pytest.mark.parametrize("fence", ["```", "~~~~", "`````"])
def test_an_open_fence_is_closed(fence: str) -> None:
    made = cut(f"marker\n{fence}diff\n" + "```\n" * (fence != "```") + "- line\n" * 200, 600)
    assert made.count(f"\n{fence}\n") == 1
    assert made.endswith(f"\n{fence}\n\n{NOTE}")


def test_a_closed_fence_is_not_opened() -> None:
    made = cut("marker\n```\ncode\n```\n" + "text\n" * 300, 600)
    assert made.count("```") == 2


def test_open_details_are_closed() -> None:
    made = cut("marker\n<details><summary>x</summary>\n\n<details>\n" + "text\n" * 300, 600)
    assert made.count("</details>") == made.count("<details>") == 2


def test_the_first_line_is_kept_whatever_its_length() -> None:
    assert cut("m" * 700 + "\ntext" * 100, 600).startswith("m" * 700)
