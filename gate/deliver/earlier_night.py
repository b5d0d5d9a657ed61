"""What main's run before this one said, so that two of them in a row can confirm what one alone may have by chance.

The run must be one of the same workflow that no pull request can start with code of its own: by a push, a schedule or
by hand, on the same branch of the repository itself.
"""

from __future__ import annotations

from gate.deliver import artifacts
from gate.deliver.artifacts import PREFIX, VERDICT, Run
from gate.deliver.client import GitHub
from gate.deliver.main_report import EVENTS
from gate.errors import DeliveryError
from gate.render import verdict_from_json
from gate.schema.verdict import Verdict

KNOWN = frozenset({VERDICT})
MOST_BYTES = 64 * 2**20
_MEASURED_NOTHING = frozenset({"cancelled", "skipped"})


def name_of_night(suite: str) -> str:
    """Name of the artifact in which a run of `gate nightly` leaves its verdict."""
    return f"{PREFIX}-{suite}-nightly"


def verdict_before(github: GitHub, suite: str, number: int) -> Verdict | None:
    """The verdict of the run before a run; None where there is no earlier one, or it left none.

    Args:
        number: of the run that asks.

    Raises:
        DeliveryError: it has expired, is damaged or too large, is no verdict, or GitHub refuses.
    """
    now = artifacts.read_run(github, number)
    before = next((run for run in artifacts.runs_of(github, now.workflow, now.branch) if _counts(run, now)), None)
    if before is None:
        return None
    found = artifacts.artifacts_of_run(github, before.id, name_of_night(suite))
    data = artifacts.read_file(github, found[0], VERDICT, known=KNOWN, limit=MOST_BYTES) if found else None
    return None if data is None else _read(data, f"artifact {name_of_night(suite)}")


def _counts(run: Run, now: Run) -> bool:
    """Whether a run is an earlier one of main's own code that has ended."""
    own = now.repository == run.repository == run.head_repository
    ended = run.finished and run.conclusion not in _MEASURED_NOTHING
    return own and ended and run.id < now.id and run.event in EVENTS and run.branch == now.branch


def _read(data: bytes, where: str) -> Verdict:
    from gate.errors import UsageError

    try:
        return verdict_from_json(data.decode("utf-8"))
    except (UsageError, UnicodeDecodeError) as error:
        why = error.message if isinstance(error, UsageError) else "it is no UTF-8"
        raise DeliveryError(f"holds no verdict: {why}", where=where, remedy="let the next run leave one") from None
