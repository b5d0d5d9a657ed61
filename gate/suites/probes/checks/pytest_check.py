"""placeholder"""

from __future__ import annotations
from gate.suites.probes.checks.cases import CaseResult


def run_tests(probe, code, cell):  # type: ignore
    return ()
