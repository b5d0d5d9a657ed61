"""Error recovery: what is asked in each round, and what the rounds come to."""

from __future__ import annotations

from gate.sandbox.cell import Cell
from gate.suites.probes.answer import Answer, Ended
from gate.suites.probes.grading import grade
from gate.suites.probes.rounds import first_prompt, next_prompt
from tests.support.probe_checks import a_probe, answered

BROKEN = "def f(xs):\n    return xs[0] + xs[-1]"
PROBE = a_probe(
    "error-recovery",
    prompt="The sum of a list is wrong. Please mend it.",
    broken_code=BROKEN,
    error_output="AssertionError: f([1, 2, 3]) is 4, not 6",
    must_keep_passing=["two"],
    checks={
        "cases": [
            {"name": "two", "args": [[1, 2]], "expected": 3},
            {"name": "three", "args": [[1, 2, 3]], "expected": 6},
            {"name": "empty", "args": [[]], "expected": 0},
        ]
    },
)
MENDED, HALF = "def f(xs):\n    return sum(xs)", "def f(xs):\n    return sum(xs) if xs else None"
REGRESSED = "def f(xs):\n    return sum(xs) if len(xs) != 2 else 0"


def _facts(cell: Cell, *codes: str | None) -> tuple[str, str, dict[str, float]]:
    answers = [answered(code) if code else Answer(text="Let me think.") for code in codes]
    found = grade(PROBE, answers, cell)
    return str(found.standing), found.cause, dict(found.facts)


def test_the_round_that_mends_counts(cell: Cell) -> None:
    assert _facts(cell, MENDED) == ("passed", "", {"fixed_round": 1, "regressed": 0})
    assert _facts(cell, HALF, MENDED) == ("passed", "", {"fixed_round": 2, "regressed": 0})
    assert _facts(cell, BROKEN, HALF, MENDED) == ("passed", "", {"fixed_round": 3, "regressed": 0})
    assert _facts(cell, BROKEN, HALF, HALF) == ("failed", "not fixed", {"fixed_round": 0, "regressed": 0})
    assert _facts(cell, None, "def f(:", MENDED)[2] == {"fixed_round": 3, "regressed": 0}
    assert _facts(cell, None) == ("unscored", "no code", {})


def test_a_regression_voids_the_fix(cell: Cell) -> None:
    assert _facts(cell, REGRESSED) == ("failed", "regressed", {"fixed_round": 1, "regressed": 1})
    assert _facts(cell, REGRESSED, MENDED)[2] == {"fixed_round": 1, "regressed": 1}


def test_the_first_prompt_shows_the_code_and_its_error() -> None:
    text = first_prompt(PROBE)
    assert text.startswith(PROBE.prompt)
    assert f"```python\n{BROKEN}\n```" in text
    assert PROBE.error_output in text
    whole = PROBE.model_copy(update={"prompt": f"Mend:\n{BROKEN}\n{PROBE.error_output}"})
    assert first_prompt(whole).count(BROKEN) == 1
    assert first_prompt(a_probe(prompt="Write `f`.")) == "Write `f`."


def test_the_next_prompt_shows_what_still_fails(cell: Cell) -> None:
    answers = [answered(HALF)]
    text = next_prompt(PROBE, answers, grade(PROBE, answers, cell), cell) or ""
    assert HALF in text
    assert "FAILED empty: f([]) should be 0, is null" in text
    assert "1 failed, 2 passed" in text


def test_there_are_no_more_than_three_rounds_and_none_after_a_fix(cell: Cell) -> None:
    def asked(*answers: Answer) -> str | None:
        return next_prompt(PROBE, answers, grade(PROBE, answers, cell), cell)

    half = answered(HALF)
    assert asked(half, half)
    assert asked(half, half, half) is None
    assert asked(half, answered(MENDED)) is None
    assert asked(Answer(ended=Ended.CRASHED)) is None
    assert BROKEN in (asked(Answer(text="Hm.")) or "")
    assert next_prompt(a_probe(), [half], grade(a_probe(), [half], cell), cell) is None
