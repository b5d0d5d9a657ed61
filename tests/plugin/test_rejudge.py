"""Stored answers judged again by a judge that changed: over a real server, and offline."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from gate.schema.outcome import Outcome
from gate.schema.rejudged import NO_RUN, Rejudged
from tests.support.fake_model import Project, by_name, outcomes
from tests.support.judged_project import BRIEF, ON_LENGTH, POLITE, JudgedProject, Models


@pytest.fixture
def judged(project: Project, monkeypatch: pytest.MonkeyPatch) -> Iterator[JudgedProject]:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with Models() as models:
        yield JudgedProject(project, models)


def test_the_answers_of_main_are_judged_by_the_judge_of_the_head(judged: JudgedProject) -> None:
    main = judged.record_main()
    assert main.judges == {"test_judged.py::test_greeting": ("grader",), "test_judged.py::test_farewell": ("grader",)}
    assert main.fingerprints["model writer"] == "writer-2024-08-06"
    assert judged.models.asked == {"writer": 5, "grader": 4}
    judged.set(BRIEF, ON_LENGTH)
    here = judged.run("auto")
    assert {case.outcome for case in here.cases} == {Outcome.PASSED}, "brief answers are short"
    asked = dict(judged.models.asked)

    again = judged.rejudge("auto")
    assert judged.models.asked == {**asked, "grader": asked["grader"] + 4}, "only the judge was asked"
    found = by_name(again)
    assert found["test_greeting"].outcome is Outcome.FAILED, "main's polite answers are not short"
    assert found["test_greeting"].metrics[0].value == 2
    assert outcomes(found["test_farewell"]) == "000"
    assert found["test_sum"].outcome is Outcome.PASSED
    assert again.rejudged == Rejudged(answers=5, edited=4, judge_live=4)
    assert again.completeness.reasons == (NO_RUN,)

    offline = judged.rejudge()
    assert offline.rejudged == Rejudged(answers=5, edited=4, judge_replayed=4), "what the judge was asked was stored"
    assert [case.outcome for case in offline.cases] == [case.outcome for case in again.cases]
    whole = judged.run("replay")
    assert whole.recordings is not None
    assert sum(each.count for each in whole.recordings.of("unused")) == 8, "main's own, not what was judged again"


def test_what_was_not_stored_measures_nothing(judged: JudgedProject) -> None:
    judged.record_main()
    judged.set(POLITE, ON_LENGTH)
    again = judged.rejudge()
    calls = by_name(again)["test_greeting"].calls
    assert calls is not None
    assert calls.missing == 1
    assert by_name(again)["test_sum"].outcome is Outcome.PASSED


def test_it_needs_answers_and_a_mode_that_gives_them(judged: JudgedProject) -> None:
    for options, said in (
        (["--gate-mode=live", "--gate-rejudge=."], "needs the mode replay or auto"),
        (["--gate-mode=replay", "--gate-rejudge=nowhere"], "there are no recordings in nowhere"),
    ):
        ended = judged.project.pytest("--gate-report=c.json", *options)
        assert said in "\n".join(ended.errlines), ended.errlines
