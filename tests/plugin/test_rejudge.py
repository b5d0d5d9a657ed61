"""Stored answers judged again by a judge that changed: over a real server, and offline."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from gate.schema.outcome import Outcome
from gate.schema.rejudged import NO_RUN, Rejudged
from tests.support.fake_model import Project, by_name, outcomes
from tests.support.judged_project import BRIEF, ON_LENGTH, ON_MANNERS, POLITE, JudgedProject, Models


@pytest.fixture
def judged(project: Project, monkeypatch: pytest.MonkeyPatch) -> Iterator[JudgedProject]:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with Models() as models:
        yield JudgedProject(project, models)


def test_the_answers_of_main_are_judged_by_the_judge_of_the_head(judged: JudgedProject) -> None:
    main = judged.record_main()
    assert main.judges == {"test_judged.py::test_greeting": ("grader",), "test_judged.py::test_farewell": ("grader",)}
    asked = dict(judged.models.asked)
    assert asked == {"writer": 5, "grader": 4}
    judged.set(BRIEF, ON_LENGTH)
    again = judged.rejudge("auto")
    assert judged.models.asked == {"writer": 5, "grader": 8}, "only the judge was asked"
    found = by_name(again)
    assert found["test_greeting"].outcome is Outcome.FAILED, "main's polite answers are not short"
    assert found["test_greeting"].metrics[0].value == 2
    assert outcomes(found["test_farewell"]) == "000"
    assert found["test_sum"].outcome is Outcome.PASSED
    assert again.rejudged == Rejudged(answers=5, edited=4, judge_live=4)
    assert again.completeness.reasons == (NO_RUN,)


def test_play(judged):
    from gate.baselines.distill import distill
    from gate.compare import compare
    from gate.settings import Settings
    from gate.schema.verdict import Provenance
    from gate.render import comment

    main = distill(judged.record_main(), "a" * 40)
    for prompt, judge, mode in (
        (POLITE, ON_LENGTH, "auto"),
        (BRIEF, ON_LENGTH, "auto"),
        ("Add.", ON_MANNERS + " ", "auto"),
    ):
        if judge not in (ON_LENGTH,):
            continue
        judged.set(prompt, judge)
        here = judged.run(mode)
        again = judged.rejudge("replay")
        v = compare(main, here, Settings(), again=again, provenance=Provenance(base="a" * 40, head="b" * 40))
        print(comment(v))
    assert 0
