"""What `mutmut export-cicd-stats` writes: how many mutants of the code were killed, and how many were not."""

from __future__ import annotations

from typing import Any

from gate.schema.mutation import SCORE
from gate.schema.report import Case, Completeness, Metric, Report, Source
from gate.schema.untrusted import count
from gate.stats.intervals import wilson
from gate.stats.refusal import TooLittle

_COUNTS = ("killed", "survived", "total", "no_tests", "skipped", "suspicious", "timeout", "segfault")
_INTERRUPTED = "check_was_interrupted_by_user"


def is_mutmut(data: Any) -> bool:
    return isinstance(data, dict) and {"killed", "survived", "total", "no_tests"} <= data.keys()


def read_mutmut(data: dict[str, Any], name: str) -> Report:
    """Report with one case: the mutation score, and the share of mutants that a test ran at all.

    A mutant that ran out of time, crashed or behaved oddly was noticed; one that no test runs was not.

    Raises:
        ReportError: a count is none.
    """
    found = {key: count(data.get(key, 0), f"{name}: {key}") for key in _COUNTS}
    noticed = found["killed"] + found["timeout"] + found["segfault"] + found["suspicious"]
    measured = noticed + found["survived"] + found["no_tests"]
    told = measured + found["skipped"]
    reasons = []
    if count(data.get(_INTERRUPTED, 0), f"{name}: {_INTERRUPTED}"):
        reasons.append(f"the run was interrupted: {told:,} of {found['total']:,} mutants are told")
    elif told < found["total"]:
        reasons.append(f"{found['total'] - told:,} of {found['total']:,} mutants were not checked")
    if not measured:
        reasons.append("no mutant was measured")
    case = Case(
        "mutmut",
        metrics=(
            _share(SCORE, noticed, measured),
            _share("mutants under test", measured - found["no_tests"], measured),
        ),
    )
    return Report(
        cases=(case,),
        source=Source(tool="mutmut", format="mutmut"),
        completeness=Completeness(collected=1, reasons=tuple(reasons)),
    )


def _share(name: str, part: int, whole: int) -> Metric:
    interval = wilson(part, whole)
    if isinstance(interval, TooLittle):
        return Metric(name, None, unscored="no mutant was measured")
    return Metric(name, part / whole, interval=(interval.low, interval.high), count=whole)
