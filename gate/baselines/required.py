"""Refuses a suite whose baseline should be there and is not."""

from __future__ import annotations

from gate.baselines.trusted import TrustedBase
from gate.errors import BaselineError

_FIRST = "take the setting out, or commit the first baseline there with `gate baseline create`"


def require_baseline(trusted: TrustedBase, suite: str) -> None:
    """Refuse to welcome a suite whose baseline is named, or whose name is new where the base already has baselines.

    Where the base has baselines, a proposal can't bring its own for a suite of another name either: whoever renames
    the suite would choose what it is judged by.

    Raises:
        BaselineError: the setting `baseline` names no file, or the base has baselines of other suites only.
    """
    if trusted.baseline is None and trusted.named:
        known = " or ".join(f"`{path}`" for path in trusted.near)
        raise BaselineError(
            "the setting `baseline` names a file that is not there",
            where=trusted.baseline_path,
            remedy=f"did you mean {known}? Mend it on the default branch" if known else _FIRST,
        )
    unknown = trusted.baseline is None or (trusted.changes.first_baseline and trusted.proposed)
    if unknown and trusted.other_suites:
        known = ", ".join(f"`{name}`" for name in trusted.other_suites[:5])
        raise BaselineError(
            f"the base has baselines of {known}, none of the suite `{suite}`",
            where=trusted.baseline_path,
            remedy="check the name of the suite; a new one needs its baseline on the default branch before anything "
            f"names it: `gate baseline create --suite {suite}`",
        )
