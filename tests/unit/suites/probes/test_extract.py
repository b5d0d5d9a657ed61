"""Which part of an answer is its code, and which its prose."""

from __future__ import annotations

import pytest

from gate.suites.probes.answer import Answer
from gate.suites.probes.extract import defines, extract, prose_of
from tests.support.probe_checks import a_probe

ENTRY = "def f(x):\n    return x\n"


def _code(text: str, **fields: object) -> str | None:
    files = fields.pop("files", {})
    found = extract(a_probe(**fields), Answer(text=text, files=files))  # type: ignore[arg-type]
    return found.code.text if found.code else None


@pytest.mark.parametrize(
    "text",
    [
        f"Here:\n\n```python\n{ENTRY}```\nDone.",
        f"```py\n{ENTRY}```",
        f"``` Python title=x\n{ENTRY}```",
        f"```{{.python}}\n{ENTRY}```",
        f"~~~python\n{ENTRY}~~~",
        f"````python\n{ENTRY}````",
        f"No tag:\n```\n{ENTRY}```",
        f"Unclosed:\n```python\n{ENTRY}",
        f"```python\n{ENTRY}```".replace("\n", "\r\n"),
        "1. First:\n\n   ```python\n   def f(x):\n       return x\n   ```\n2. Second",
        "- ```python\n  def f(x):\n      return x\n  ```\n",
        "> ```python\n> def f(x):\n>     return x\n> ```\n",
        f"````markdown\nThe answer:\n```python\n{ENTRY}```\n````",
        f"```bash\npip install x\n```\n```python\n{ENTRY}```\n```text\nf(1) -> 1\n```",
        f"```python\n{ENTRY}```\nUse it so:\n```python\nprint(f(1))\n```",
        f"```python\ndef f(x):\n    return 0\n```\nBetter:\n```python\n{ENTRY}```",
        f"```json\n{{}}\n```\n```\n{ENTRY}```",
        ENTRY,
    ],
)
def test_the_code_is_found(text: str) -> None:
    assert (_code(text) or "").rstrip() == ENTRY.rstrip()


def test_without_an_entry_the_last_block_counts() -> None:
    assert _code("```python\na = 1\n```\n```python\nb = 2\n```", entry="") == "b = 2\n"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("I can't do that.", "no code"),
        ("", "no code"),
        ("```python\n```", "empty"),
        ("```diff\n--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a\n+b\n```", "diff"),
        ("```\n--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a\n+b\n```", "diff"),
        ("```bash\nls\n```", "language"),
        ("Use `f(x)` and all is well.", "no code"),
    ],
)
def test_no_code_is_told(text: str, why: str) -> None:
    found = extract(a_probe(), Answer(text=text))
    assert found.code is None
    assert why in found.why


def test_a_file_that_was_written_is_preferred() -> None:
    found = extract(a_probe(), Answer(text="```python\nx = 1\n```", files={"solution.py": ENTRY, "more.py": "y = 2"}))
    assert found.code is not None
    assert (found.code.text, found.code.file, dict(found.code.files)) == (ENTRY, "solution.py", {"more.py": "y = 2"})


def test_a_file_of_another_name_counts_when_it_defines_the_entry() -> None:
    files = {"notes.md": "f", "test_it.py": "from it import f\ndef f(): pass", "pkg/it.py": ENTRY}
    found = extract(a_probe(), Answer(text="Done.", files=files))
    assert found.code is not None
    assert found.code.file == "pkg/it.py"


def test_files_that_would_leave_the_folder_are_left_out() -> None:
    files = {"../solution.py": ENTRY, "/etc/x.py": ENTRY, "a\0.py": ENTRY}
    assert extract(a_probe(), Answer(text="Done.", files=files)).code is None


def test_setup_files_belong_to_the_code() -> None:
    found = extract(a_probe(setup={"data.txt": "1"}), Answer(text=f"```python\n{ENTRY}```"))
    assert found.code is not None
    assert found.code.files["data.txt"] == "1"


def test_prose_is_what_stands_outside_of_code_and_quotations() -> None:
    text = "I assume UTF-8.\n> You said: I can't.\nUse `cannot()`.\n```python\n# impossible\n```\nThat's all."
    prose = prose_of(text)
    assert "UTF-8" in prose
    assert "That's all" in prose
    assert not any(word in prose for word in ("can't", "cannot", "impossible"))


@pytest.mark.parametrize(
    ("text", "entry", "language"),
    [
        ("class Box:\n    pass", "Box.put", "python"),
        ("f = lambda x: x", "f", "python"),
        ("async def f(): pass", "f", "python"),
        ("const f = (x) => x", "f", "javascript"),
        ("module.exports.f = 1", "f", "javascript"),
        ("export async function f(x: number) {}", "f", "typescript"),
        ("static int f(int a)\n{\n return a; }", "f", "c"),
    ],
)
def test_an_entry_is_recognised(text: str, entry: str, language: str) -> None:
    assert defines(text, entry, language)
    assert not defines(text, "g", language)
