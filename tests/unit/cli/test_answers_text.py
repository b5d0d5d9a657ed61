"""The Markdown that says which answers of models a refresh changes."""

from __future__ import annotations

from gate.cli.answers_text import answers_line, answers_markdown
from gate.record.recordings.changes import Change
from tests.support.markdown_reader import harm, read


def change(
    case: str = "t.py::a", kind: str = "changed", *, trial: int = 0, diff: str = "-old\n+new", text: str = ""
) -> Change:
    return Change(kind, case, trial, 0, "k", text, diff if kind == "changed" else "")  # type: ignore[arg-type]


def test_counts_models_and_of_each_test_the_first_difference() -> None:
    turn = "model m-1 → m-2"
    found = [change("t.py::b", "removed"), *(change(trial=trial, text=turn) for trial in range(3)), change("", "added")]
    text = answers_markdown(found, 7, room=5_000)
    assert "**3 changed, 1 added, 1 removed**; 7 are stored." in text
    assert "m-1 → m-2" in text.replace("`", "")
    assert text.count("```diff\n-old\n+new\n```") == 1, "one a test"
    assert text.index("t.py::a") < text.index("calls outside of a test") < text.index("t.py::b")
    assert (
        answers_line(found)
        == "Answers of models: 3 changed, 1 added, 1 removed (`gate recordings diff HEAD` shows them)"
    )


def test_nothing_changed() -> None:
    assert answers_markdown([], 7, room=5_000) == "#### Answers of models\n\n**no answer changed**; 7 are stored."
    assert answers_line([]) == "Answers of models: no answer changed"


def test_an_answer_can_neither_leave_its_block_nor_fill_the_page() -> None:
    diff = "+```\n+# heading <img src=x>\n" + "+@octocat ::error::x\n" * 100 + "+" + "y" * 9_000
    text = answers_markdown([change("t.py::`<b>|", diff=diff)], 1, room=5_000)
    assert len(text) < 3_000
    found = read(text)
    assert harm(found) == []
    assert found.headings == 1


def test_tests_beyond_the_room_or_the_limit_are_counted() -> None:
    found = [change(f"t.py::{number:03d}") for number in range(50)]
    for room in (1_000, 60_000):
        text = answers_markdown(found, 50, room=room, before="a`b")
        assert len(text) <= room
        shown = text.count("```diff")
        assert 0 < shown <= 20
        assert f"… and {50 - shown} more tests" in text
