"""Whatever an agent answers, taking it apart never raises, and the code is a part of the answer."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gate.suites.probes.answer import Answer
from gate.suites.probes.checks.refusal import first_with, refusal_of, sentences
from gate.suites.probes.checks.run import records
from gate.suites.probes.checks.static_rules import comments, findings
from gate.suites.probes.checks.values import same, shown
from gate.suites.probes.extract import Code, extract
from tests.support.probe_checks import a_probe

PIECES = st.sampled_from(
    (
        *(
            "```",
            "~~~",
            "````",
            "```python",
            "``` js",
            "\n",
            "\r\n",
            "> ",
            "- ",
            "1. ",
            "\t",
            "`",
            "x",
            "é",
            "\0",
            "\ud800",
        ),
        *(
            "def f(x):\n",
            "    return x\n",
            "function f() {",
            "#include <x>",
            "diff --git a b",
            "@@ -1 +1 @@",
            "I can't do that.",
        ),
    )
)
TEXTS = st.one_of(st.text(max_size=200), st.lists(PIECES, max_size=30).map("".join))
LANGUAGES = st.sampled_from(["python", "javascript", "typescript", "c"])
JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.text(max_size=4) | st.sampled_from(["$set", "$tuple", "$int", "$bytes"]), inner, max_size=3
        )
    ),
    max_leaves=12,
)


@given(
    text=TEXTS,
    files=st.dictionaries(st.text(max_size=12), TEXTS, max_size=2),
    language=LANGUAGES,
    entry=st.sampled_from(["", "f", "A.b"]),
)
def test_extraction_never_raises_and_gives_a_part_of_the_answer(
    text: str, files: dict[str, str], language: str, entry: str
) -> None:
    found = extract(a_probe(language=language, entry=entry), Answer(text=text, files=files))
    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    assert all(line.strip(" \t>-") in plain for line in found.prose.replace("`", "").split("\n") if "`" not in plain)
    if found.code is None:
        assert found.why
        return
    if found.code.text in files.values():
        return
    for line in found.code.text.split("\n"):
        assert line.strip() in plain


@given(text=TEXTS)
@settings(max_examples=60)
def test_reading_prose_and_code_never_raises(text: str) -> None:
    assert all(sentences(text))
    refusal_of(text, has_code=False)
    for kind in ("caveat", "question", "assumption", "warning"):
        assert first_with(text, kind) in ("", *(one[:300] for one in sentences(text)))
    for language in ("python", "javascript", "c"):
        code = Code(text, language, "x")
        comments(code)
        findings(code)


@given(value=JSON)
def test_a_value_is_the_same_as_itself(value: Any) -> None:
    assert same(value, value)
    assert len(shown(value)) <= 200


@given(one=JSON, other=JSON, approx=st.none() | st.floats(0, 10), unordered=st.booleans())
def test_comparing_never_raises(one: Any, other: Any, approx: float | None, unordered: bool) -> None:
    found = same(one, other, approx=approx, unordered=unordered)
    assert isinstance(found, bool)
    if isinstance(one, bool) != isinstance(other, bool):
        assert not found


@given(
    st.binary(max_size=200) | st.text(max_size=100).map(lambda text: (text + '\n{"a": 1}\n').encode("utf-8", "replace"))
)
def test_lines_of_a_job_that_are_no_objects_are_left_out(verdict: bytes) -> None:
    assert all(isinstance(one, dict) for one in records(verdict))


HOSTILE = (
    *(
        "`" * 20_000,
        "".join("`" * size + "x" for size in range(200)),
        "```\n" * 5_000,
        "(" * 20_000,
        "x = " + "-" * 20_000,
    ),
    *("/*" * 10_000, "'" * 20_000, "token " * 3_000, "a\n" * 5_000, "for (const a in b) {" * 1_000, "`${" * 5_000),
    *(
        "x = " + "[" * 20_000,
        "x" + ".a" * 20_000,
        "db.execute('select a from b' + x)\n" * 300,
        "is it no way can not " * 1_000,
    ),
)


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_texts_that_would_exhaust_a_careless_reader(text: str) -> None:
    for language in ("python", "javascript", "c"):
        found = extract(a_probe(language=language), Answer(text=f"{text}\n```{language}\n{text}"))
        refusal_of(found.prose, has_code=False)
        findings(Code(text, language, "x"))
        comments(Code(text, language, "x"))
