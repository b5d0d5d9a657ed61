"""What becomes of a verdict where main's stored answers can't be judged again: a reason, and nothing else."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from gate.collaborators import Request, Tools
from gate.errors import UndecidedError
from gate.pipeline.deciding import Judged, Known
from gate.pipeline.rejudging import rejudged
from gate.settings import Settings
from tests.support.changed_verdicts import TONE
from tests.support.compare import report

MAIN = report({TONE: "passed"}, fingerprints={"judge tone": "1"})
HERE = report({TONE: "passed"}, fingerprints={"judge tone": "2"}, judges={TONE: ("tone",)})


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (UndecidedError("abc1234 has no recordings"), "abc1234 has no recordings"),
        (OSError(28, "No space left on device"), "the machine refused it (No space left on device)"),
    ],
    ids=["nothing stored", "no room"],
)
def test_whatever_goes_wrong_is_a_reason(error: Exception, said: str) -> None:
    def measure(*_: object) -> None:
        raise error

    tools = cast(Tools, SimpleNamespace(measure=measure, say=lambda _: None))
    known = Known(base=cast(Any, SimpleNamespace(commit="a" * 40)))
    judged = cast(Judged, SimpleNamespace(settings=Settings(), baseline=MAIN))
    assert rejudged(Request(Path(), {}), tools, known, judged, HERE) == (None, said)
