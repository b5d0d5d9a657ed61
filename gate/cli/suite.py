"""What commands share that run the suite in this folder and judge nothing."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gate.record.run import RunResult
    from gate.schema.report import Report
    from gate.settings import Settings

_SHORT = 7


def session_name(commit: str, mode: str = "live") -> str:
    """Name of one run's trials. Each run of a commit has its own, so that a second one counts beside the first.

    Otherwise a baseline could be measured again until it looks good. All replays of a commit share one name: they have
    one sample.
    """
    return f"{commit[:_SHORT] or 'here'}.{'replay' if mode == 'replay' else secrets.token_hex(3)}"


def own_witnesses(settings: Settings) -> bytes:
    """The checkout's own witnesses, which a run without a base tries first; empty without any.

    Raises:
        BaselineError: the file is a link or too large.
    """
    from gate.baselines.places import baseline_path
    from gate.baselines.stored_witnesses import read_beside

    return read_beside(Path(baseline_path(settings)), settings.max_report_bytes) or b""


def said_of_witnesses(output: Path) -> str:
    """One sentence where stored witnesses could not be tried; empty where all could, or none was there.

    Args:
        output: where the run's report is.
    """
    from gate.errors import ReportError
    from gate.record.locally import WITNESSES
    from gate.sandbox.worlds import read_left
    from gate.suites.perturbation.witness_file import LARGEST, said_in

    try:
        return said_in(read_left(output.with_name(WITNESSES), LARGEST))
    except ReportError:
        return ""  # there are none, or whoever keeps the file says what is wrong with it


def said_of_missing(output: Path, settings: Settings) -> str:
    """One sentence where a replay lacked answers, with the file of the requests; empty where it lacked none.

    Args:
        output: where the run's report is.
        settings: as the run took them.
    """
    from gate.errors import GateError
    from gate.record.locally import MISSING
    from gate.record.recordings.missing import MOST_BYTES, read_missing
    from gate.render.words import plural
    from gate.sandbox.worlds import read_left

    path = output.with_name(MISSING)
    if settings.mode != "replay" or not path.is_file():
        return ""
    try:
        lacked = read_missing(read_left(path, MOST_BYTES), str(path))
    except GateError:
        return ""  # whoever reads the file says what is wrong with it
    return (
        f"{plural(len(lacked), 'request')} had no recorded answer: {path}; "
        f"`gate record --requests {path}` or `gate run --mode auto` asks"
    )


def said_of_overlay(settings: Settings, root: Path, environ: Mapping[str, str]) -> tuple[str, ...]:
    """A sentence where GATE_OVERLAY names a folder that is not there; one that a file names may come later."""
    named = environ.get("GATE_OVERLAY", "")
    if not named or named != settings.overlay or settings.mode == "live" or (root / named).is_dir():
        return ()
    return (f"GATE_OVERLAY names {named:.200}, where no folder is: no answer is taken from there",)


def run_for_baseline(
    settings: Settings, python: str, report: Path, commit: str, *, name: str, witnesses: bytes = b"", reseed: int = 0
) -> Report:
    """One run of the suite with a fixed number of trials of each stochastic test.

    Args:
        report: where it goes.
        commit: that is measured.
        name: of the run, such as `run 2`, for errors.
        witnesses: tried first.
        reseed: number of the retrain; 0 for none.

    Raises:
        BaselineError: the run left no report.
    """
    import os

    from gate.cli.files import LOCAL
    from gate.errors import BaselineError
    from gate.record.locally import fixed_plan, run_locally

    result = run_locally(
        settings,
        root=Path.cwd(),
        report=report,
        environ=os.environ,
        python=python,
        local=LOCAL,
        commit=commit,
        plan=fixed_plan(settings, session_name(commit, settings.mode)),
        witnesses=witnesses,
        reseed=reseed,
    )
    if result.report is None:
        raise BaselineError(
            f"{name} left no report: {result.reason}", remedy="mend the suite; `gate run` shows its output"
        )
    return report_of(result, report, settings)


def report_of(result: RunResult, path: Path, settings: Settings) -> Report:
    """The report that a run left, which is not whole where the process ended in another way than it says."""
    from gate.cli.files import read_report_file
    from gate.record.endings import as_ended

    return as_ended(read_report_file(path, settings.max_report_bytes), result.exit_code)
