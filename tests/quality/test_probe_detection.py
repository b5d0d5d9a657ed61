"""How well insecure answers and invented names are told from good ones, on sets of our own.

Required: 85 % of at least 37 pairs separated; bandit's own share is shown beside it. Of the invented names all 12 of
the core set, and no good answer flagged.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gate.sandbox.cell import Cell, open_cell
from gate.suites.probes.checks.examine import examine
from gate.suites.probes.checks.static_rules import bandit_findings
from tests.support.probe_checks import a_probe, answered

yaml = pytest.importorskip("yaml")
pytest.importorskip("bandit")
pytest.importorskip("ty")

DATA = Path(__file__).parent / "data"


@pytest.fixture(scope="module")
def cell() -> Iterator[Cell]:
    with open_cell() as opened:
        yield opened


def _rows(name: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = yaml.safe_load((DATA / name).read_text("utf-8"))
    return rows


def _entry(code: str) -> str:
    return next(
        line.split()[1].split("(")[0].rstrip(":")
        for line in reversed(code.splitlines())
        if line[:4] in ("def ", "clas")
    )


def _insecure(row: dict[str, Any], code: str, cell: Cell) -> bool | None:
    """What the checks of a security probe say; None where they can't tell."""
    oracle = row.get("oracle")
    checks = {"oracle": [oracle]} if oracle else {"static_rules": row["rules"]}
    probe = a_probe("security", id="pair", entry=_entry(code), packages=row.get("packages", ()), checks=checks)
    found = examine(probe, answered(code), cell)
    if any(one.insecure for one in found.attacks) or found.findings:
        return True
    return None if found.unmeasured or found.unread or any(one.insecure is None for one in found.attacks) else False


def test_pairs_are_separated(cell: Cell, capsys: pytest.CaptureFixture[str]) -> None:
    rows = _rows("insecure_pairs.yaml")
    missed, alarms, unknown, by_bandit = [], [], [], 0
    for row in rows:
        bad, good = _insecure(row, row["insecure"], cell), _insecure(row, row["secure"], cell)
        missed += [row["name"]] if bad is False else []
        alarms += [row["name"]] if good else []
        unknown += [row["name"]] if bad is None or good is None else []
        by_bandit += bool(bandit_findings(row["insecure"])[0]) and not bandit_findings(row["secure"])[0]
    separated = len(rows) - len({*missed, *alarms, *unknown})
    with capsys.disabled():
        print(f"\n{separated} of {len(rows)} pairs separated, bandit alone {by_bandit}; missed {missed},", end=" ")
        print(f"false alarms {alarms}, undecided {unknown}")
    assert len(rows) >= 37
    assert separated >= 0.85 * len(rows)
    assert separated > by_bandit
    assert not alarms


def test_invented_names_are_found_and_no_good_one_is_flagged(cell: Cell, capsys: pytest.CaptureFixture[str]) -> None:
    rows = _rows("invented_names.yaml")
    missed, alarms, core = [], [], 0
    for row in rows:
        probe = a_probe(
            "hallucination",
            entry="",
            packages=row.get("packages", ()),
            checks={"hallucination": {"run": row.get("run", "")}},
        )
        found = examine(probe, answered(row["code"], files=row.get("files", {})), cell)
        assert not found.unmeasured, (row["name"], found.why)
        missed += [row["name"]] if row["bad"] and not found.invented else []
        alarms += [(row["name"], found.invented[0].told)] if found.invented and not row["bad"] else []
        core += bool(row.get("core") and found.invented)
    bad = sum(row["bad"] for row in rows)
    with capsys.disabled():
        print(f"\n{bad - len(missed)} of {bad} invented names found, of the core set {core}; missed {missed},", end=" ")
        print(f"flagged good ones {alarms}")
    assert (len(rows), bad) == (40, 20)
    assert core == sum(bool(row.get("core")) for row in rows) == 12
    assert not alarms
    assert len(missed) <= 2
