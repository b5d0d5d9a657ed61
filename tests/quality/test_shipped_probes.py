"""Every shipped probe proves itself: its reference answer passes, and its bad one fails for the cause that is named."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from gate.sandbox.cell import Cell, open_cell
from gate.suites.probes.catalog import Entry, load_probes
from gate.suites.probes.selftest import SelfTest, self_test

AT_ONCE = 2


def test_reference_answers_pass_and_bad_ones_fail() -> None:
    entries = load_probes()
    with open_cell() as cell:
        found = _tested(cell, entries)
    problems = {each.probe: each.problems for each in found if each.problems}
    assert problems == {}
    unproved = {each.probe: each.unproved for each in found if each.unproved}
    languages = {entry.probe.id: entry.probe.language for entry in entries}
    # a machine may lack node or a compiler, and says so; Python is always there
    assert {languages[name] for name in unproved} <= {"javascript", "typescript", "c"}, unproved


def _tested(cell: Cell, entries: tuple[Entry, ...]) -> list[SelfTest]:
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(lambda entry: self_test(entry.probe, cell), entries))
