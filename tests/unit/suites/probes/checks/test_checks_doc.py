"""docs/probes-checks.md names every attack with its languages."""

from __future__ import annotations

from pathlib import Path

from gate.suites.probes.checks.oracles import ORACLES
from tests.support.readme import between

DOC = Path(__file__).parents[5] / "docs" / "probes-checks.md"


def _rows() -> str:
    shown = {"python": "Python", "javascript": "JavaScript", "typescript": "TypeScript", "c": "C"}
    rows = [
        f"| `{name}` | {', '.join(shown[one] for one in oracle.languages)} | {oracle.cwe} | {oracle.about} |\n"
        for name, oracle in ORACLES.items()
    ]
    return "| oracle | languages | weakness | what is done |\n|---|---|---|---|\n" + "".join(rows)


def test_the_page_has_every_attack() -> None:
    assert between(DOC.read_text("utf-8"), "oracles") == _rows()
