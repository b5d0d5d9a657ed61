"""What the results of several parts of a run depend on, as one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gate.schema.dependencies import INPUTS, JUDGE, MODEL
from gate.schema.report import Report

_SEVERAL = {INPUTS: " ", JUDGE: " ", MODEL: ", "}
"""What may be several in one run, by the beginning of its name, and what stands between them."""


def with_fingerprints(joined: Mapping[str, str], more: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
    """Both together, and the names of those that should be the same and are not: the first of these counts."""
    found, other = dict(joined), []
    for name, value in more.items():
        sign = next((sign for kind, sign in _SEVERAL.items() if name.startswith(kind)), "")
        known = found.setdefault(name, value)
        if sign:
            found[name] = sign.join(sorted({*known.split(sign), *value.split(sign)}))
        elif known != value:
            other.append(name)
    return dict(sorted(found.items())), other


def depends_on(reports: Sequence[Report]) -> dict[str, Any]:
    """The fields of a candidate that say it, of all its parts; empty ones are left out."""
    fingerprints: dict[str, str] = {}
    for report in reports:
        fingerprints, _ = with_fingerprints(fingerprints, report.fingerprints)
    told = {
        "packages": _beside([report.packages for report in reports]),
        "machine": _beside([report.machine for report in reports]),
        "judges": {case: list(names) for report in reports for case, names in sorted(report.judges.items())},
    }
    return {"fingerprints": fingerprints, **{name: values for name, values in told.items() if values}}


def _beside(told: Sequence[Mapping[str, str]]) -> dict[str, str]:
    """What any part says of its packages or its machine; parts of one run may stand on several kinds of machine."""
    found: dict[str, set[str]] = {}
    for each in told:
        for name, value in each.items():
            found.setdefault(name, set()).add(value)
    return {name: "; ".join(sorted(values)) for name, values in sorted(found.items())}
