"""How the process of a suite ended: why it left no report, or whether it agrees with the one that it left."""

from __future__ import annotations

import json
import re
import signal
import stat
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from gate.schema.report import Report

USAGE = 4
"""Exit code of pytest when it was called wrongly."""
ORDINARY = frozenset({0, 1, 2, 5})
"""Exit codes with which pytest ends by itself; without a report, something kept the plugin from it."""
_NEXT = "next: "
"""Before the remedy, in the line below an error of the plugin."""
_LONGEST_TRACE = 500_000_000
_UNKNOWN_PLUGIN = re.compile(r"unrecognized arguments: .*--gate-report=|No module named 'gate'")


def ended(code: int) -> str:
    """How the process ended: its exit code, or below 0 the signal that ended it."""
    how = f"by {_signal_name(-code)}" if code < 0 else f"with exit code {code}"
    return f"the process of the suite ended {how}"


def as_ended(report: Report, exit_code: int | None) -> Report:
    """The report of a run whose process ended with this exit code; it is not whole where the report says another one.

    The plugin writes the report before other plugins and conftest files are asked to finish the session, so one that
    fails there, or changes the exit code, is seen by the process's own code alone.

    Args:
        exit_code: None where it is not known, or where a signal ended the process.
    """
    told = report.completeness.exit_code
    if exit_code is None or told is None or exit_code == told:
        return report
    why = (
        f"the process of the suite ended with exit code {exit_code}, its report says {told}: "
        "a conftest file or a plugin failed after the tests, or changed the exit code"
    )
    return replace(report, completeness=replace(report.completeness, reasons=(*report.completeness.reasons, why)))


def reason(code: int, tail: str, running: str) -> str:
    """Why there is no report, one sentence.

    Args:
        code: as for `ended`.
        tail: the last that it printed; untrusted.
        running: as `running_tests` gives it.
    """
    if code < 0:
        return f"{ended(code)}{running}"
    if "No module named pytest" in tail:
        return "the suite's Python has no pytest: install it there beside robustness-gate"
    if "No module named 'gate." in tail:
        return "a package `gate` in the suite's folder hides robustness-gate from pytest: rename it or run elsewhere"
    if _UNKNOWN_PLUGIN.search(tail):
        return "the suite's Python has no robustness-gate: install it there beside pytest"
    lines = [line.strip() for line in tail.splitlines() if line.strip()]
    if code == USAGE:
        return f"pytest was called wrongly (exit code 4): {_usage_error(lines)[:400]}"
    unwritten = next((line for line in lines if line.startswith("gate report could not be written")), "")
    if unwritten:
        return unwritten[:300]
    if code in ORDINARY and not running:
        return f"{ended(code)} and left no report: `-p no:gate`, `--help` or the like kept the plugin from it"
    return f"{ended(code)} and left no report{running}"


def _usage_error(lines: Sequence[str]) -> str:
    """What was wrong: the sentence after argparse's usage, else pytest's own first error with the plugin's remedy."""
    for mark in (": error: ", "ERROR: "):
        for line, following in zip(lines, [*lines[1:], ""], strict=True):
            said = line.partition(mark)[2].strip()
            if said:
                return f"{said}: {following.removeprefix(_NEXT)}" if following.startswith(_NEXT) else said
    return lines[-1] if lines else "no message"


def _signal_name(number: int) -> str:
    try:
        return f"signal {number} ({signal.Signals(number).name})"
    except ValueError:
        return f"signal {number}"


def running_tests(partial: Path) -> str:
    """Which tests had started and not ended, as the end of a sentence, from the trace that the plugin keeps on disk."""
    open_tests: dict[str, None] = {}
    last = ""
    try:
        found = partial.lstat()
        if not stat.S_ISREG(found.st_mode) or found.st_size > _LONGEST_TRACE:
            return ""  # a hostile suite put something else there
        with partial.open(encoding="ascii") as stream:
            for line in stream:
                word, nodeid = json.loads(line)
                last = str(nodeid)[:200]
                if word == "start":
                    open_tests[last] = None
                else:
                    open_tests.pop(last, None)
    except FileNotFoundError:
        return ""
    except (OSError, ValueError, TypeError):
        pass  # the last line may be half a line
    if open_tests:
        return f" while {', '.join(list(open_tests)[-3:])} ran"
    return f" after {last} had ended" if last else ""
