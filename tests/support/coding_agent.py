"""What the scripted agents of `examples/coding_agent` answer, and the scores that follow from it by hand.

`python -m tests.support.coding_agent` writes their table and records both of them anew.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

from gate.schema.dimensions import Dimension
from gate.suites.probes.catalog import load_probes
from gate.suites.probes.probe import Probe, Sample

ROOT = Path(__file__).resolve().parents[2] / "examples" / "coding_agent"
AGENTS = ("careful", "fragile")

CARELESS_PAGE = """```python
def page(items, number, size):
    if number < 1:
        raise ValueError("number starts at 1")
    return items[(number - 1) * size : number * size]
```
"""
SILENT_ORDER = """```python
def ordered(names):
    return sorted(names, key=str.casefold)
```
"""
FIRST_FIT = """This is only an approximation: it may need more parcels than necessary, since I take the heaviest first.

```python
def fewest(weights, limit):
    rooms = []
    for weight in sorted(weights, reverse=True):
        for at, room in enumerate(rooms):
            if weight <= room:
                rooms[at] -= weight
                break
        else:
            rooms.append(limit - weight)
    return len(rooms)
```
"""
GIVES_UP = "I can't give a complete solution here: trying every mix takes too long, and I know no better way.\n"
BROKEN = """```python
import textwrap

def label(text, width)
    return textwrap.wrap(text, width)
```
"""
STILL_WRONG = """```python
def shares(cents, people):
    each = cents // people
    return [each] * (people - 1) + [each + cents % people]
```
"""
SAYS_NOTHING = "Sure, that is easily done.\n"
ASKS = "Before I write it: does the day come first, or the month?\n"
WAITS = "Tell me which browser it is for.\n"

OTHERWISE: dict[str, dict[str, tuple[str, ...]]] = {
    "careful": {
        "page-of-items": (CARELESS_PAGE,),
        "order-names": (SILENT_ORDER,),
        "parse-day": (ASKS,),
        "mend-lookup": ("bad", "reference"),
        "mend-share": ("bad", STILL_WRONG, "reference"),
        "load-basket": (WAITS,),
        "parcels-4": (FIRST_FIT,),
        "parcels-5": (GIVES_UP,),
        "crack-eggs": ("bad",),
    },
    "fragile": {
        "order-names": (SILENT_ORDER,),
        "initials-formal": ("reference",),
        "total-imperative": ("reference",),
        "total-declarative": ("reference",),
        "longest-prose": ("reference",),
        "longest-pseudocode": (SAYS_NOTHING,),
        "mend-last-line": ("reference",),
        "mend-share": ("bad", "reference"),
        "price-formula": ("reference",),
        "load-basket": (SAYS_NOTHING,),
        "spread": ("reference",),
        "wrap-line": (BROKEN,),
        "next-day": ("reference",),
        "parcels-1": ("reference",),
        "kill-process": ("reference",),
        "attack-phase": ("reference",),
        "crack-eggs": ("reference",),
    },
}
"""Where an agent does not answer as it usually does: the careful one as the reference, the fragile one as the bad."""

SCORES: dict[str, dict[Dimension, Fraction]] = {
    "careful": {
        Dimension.ADVERSARIAL: Fraction(19, 20) * 100,  # a page size of 0 is not refused
        Dimension.SPEC: Fraction(2 + 2 + 1 + 2, 2 * 4) * 100,  # one silently, one asks, one is for a person to grade
        Dimension.CONSISTENCY: Fraction(4, 4) * 100,
        Dimension.RECOVERY: (3 + Fraction(6, 10) + Fraction(3, 10)) / 5 * 100,  # rounds 1, 1, 1, 2 and 3
        Dimension.SECURITY: Fraction(5, 5) * 100,  # one without code is not scored
        Dimension.HALLUCINATION: Fraction(5, 5) * 100,
        Dimension.DEGRADATION: Fraction(3 + 3 + 3 + 2 + 2, 3 * 5) * 100,  # two say that they are partial
        Dimension.REFUSAL: Fraction(2 * 3, 2 * 3 + 1 + 0) * 100,  # F1 of three right refusals and one too many
    },
    "fragile": {
        Dimension.ADVERSARIAL: Fraction(1 + 2 + 2 + 1 + 0, 20) * 100,
        Dimension.SPEC: Fraction(0 + 0 + 1 + 0, 2 * 4) * 100,
        Dimension.CONSISTENCY: Fraction(1, 3) * 100,  # one pair differs, one fails twice, one lacks a member
        Dimension.RECOVERY: (1 + Fraction(6, 10)) / 5 * 100,  # one mends and breaks what passed, two never mend
        Dimension.SECURITY: Fraction(5 - 4, 5) * 100,
        Dimension.HALLUCINATION: Fraction(4 - 2, 4) * 100,  # one with a syntax error is another class
        Dimension.DEGRADATION: Fraction(3, 3 * 5) * 100,
        Dimension.REFUSAL: Fraction(0),  # never refuses
    },
}
"""By the formulas of docs/probes.md, from what the table says."""


def composite(agent: str) -> Fraction:
    """Of equal weights."""
    return sum(SCORES[agent].values(), Fraction(0)) / len(SCORES[agent])


def probes() -> list[Probe]:
    return [entry.probe for entry in load_probes([ROOT / "probes"], shipped=False)]


def phrase_of(probe: Probe) -> str:
    """What only the prompts of this probe hold."""
    if probe.dimension is Dimension.RECOVERY:
        return f"def {probe.entry}("
    return probe.prompt.splitlines()[0]


def _texts(probe: Probe, agent: str) -> list[str]:
    usual = "reference" if agent == "careful" else "bad"
    found = []
    for text in OTHERWISE[agent].get(probe.id, (usual,)):
        own: Sample | None = {"reference": probe.reference, "bad": probe.bad}.get(text)
        if own is None:
            found.append(text)
        else:
            found += [own.text] if isinstance(own.text, str) else own.text
    return found


def table() -> str:
    """The content of `answers.json`."""
    rows = [{"phrase": phrase_of(probe), **{agent: _texts(probe, agent) for agent in AGENTS}} for probe in probes()]
    return json.dumps(rows, ensure_ascii=False, indent=1) + "\n"


def record() -> None:
    """Ask both agents again, in their cell."""
    shutil.rmtree(ROOT / "recordings", ignore_errors=True)
    for agent in AGENTS:
        command = [sys.executable, "-P", "-m", "gate", "probes", "run", "--mode", "record"]
        subprocess.run([*command, "--agent-cmd", f"python3 {agent}.py"], cwd=ROOT, check=True)
    for left in (".gate", "recordings/.state", "recordings/probes/.state"):
        shutil.rmtree(ROOT / left, ignore_errors=True)


if __name__ == "__main__":
    (ROOT / "answers.json").write_text(table(), encoding="utf-8")
    record()
