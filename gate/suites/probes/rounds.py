"""Error recovery in up to three rounds: what the agent is given first, and after each answer that mends nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gate.suites.probes.answer import Answer, Ended
from gate.suites.probes.checks.examine import Examined, examine
from gate.suites.probes.checks.values import encodable
from gate.suites.probes.dimensions import Dimension
from gate.suites.probes.graded import Graded
from gate.suites.probes.probe import Probe

if TYPE_CHECKING:
    from gate.sandbox.cell import Cell

MOST_ROUNDS = 3
_LONGEST_OUTPUT = 4_000


@dataclass(frozen=True, slots=True)
class Worth:
    """What the rounds of a recovery came to.

    Attributes:
        fixed_round: the first round after which all cases pass; 0 for none.
        regressed: whether a case that passed before fails in the answer that counts: the one that mends the fault,
            else the last.
        unscored: cause why nothing was measured.
    """

    fixed_round: int = 0
    regressed: bool = False
    unscored: str = ""
    told: str = ""


def first_prompt(probe: Probe) -> str:
    """What the agent is given first: the task, and for error recovery the code that fails with its error."""
    if probe.dimension is not Dimension.RECOVERY or not probe.broken_code:
        return probe.prompt
    parts = [probe.prompt.rstrip()]
    if probe.broken_code.strip() not in probe.prompt:
        parts.append(f"```{probe.language}\n{probe.broken_code.rstrip()}\n```")
    if probe.error_output.strip() and probe.error_output.strip() not in probe.prompt:
        parts.append(f"Running it gives:\n\n```text\n{probe.error_output.rstrip()}\n```")
    return "\n\n".join(parts) + "\n"


def next_prompt(probe: Probe, answers: Sequence[Answer], graded: Graded, cell: Cell) -> str | None:
    """What the agent is given after its last answer; None where there is nothing more to ask.

    Every agent is asked afresh, so the prompt holds the code of the last answer and what it now fails with.
    """
    if probe.dimension is not Dimension.RECOVERY or not 0 < len(answers) < MOST_ROUNDS:
        return None
    if answers[-1].ended is not Ended.ANSWERED or graded.facts.get("fixed_round", 0):
        return None
    last = examine(probe, answers[-1], cell)
    if last.unmeasured and last.unmeasured != "no code":
        return None
    text = last.code.text if last.code is not None else probe.broken_code
    output = error_output(last) if last.code is not None else probe.error_output
    return (
        f"{probe.prompt.rstrip()}\n\n```{probe.language}\n{text.rstrip()}\n```\n\n"
        f"It still fails. Running it gives:\n\n```text\n{output}\n```\n"
    )


def error_output(examined: Examined) -> str:
    """What a run of the failing cases would print. It tells what was expected, as a failing test does."""
    lines = [f"FAILED {one.name}: {one.told}" for one in examined.failed]
    passed = len(examined.cases) - len(lines)
    text = "\n".join([*lines[:8], f"{len(lines)} failed, {passed} passed"])
    return encodable(text)[:_LONGEST_OUTPUT]


def worth(probe: Probe, rounds: Sequence[Examined]) -> Worth:
    """What the rounds came to. A round without code, or whose code does not run, mends nothing."""
    measured = [one for one in rounds if not one.unmeasured]
    if not measured:
        return Worth(unscored=rounds[0].unmeasured, told=rounds[0].why)
    for number, one in enumerate(rounds[:MOST_ROUNDS], 1):
        if one.unmeasured:
            continue
        lost = _lost(probe, one)
        mended = all(case.passed for case in one.cases if case.name not in probe.must_keep_passing)
        if mended:
            return Worth(number, bool(lost), told=f"{lost[0]} passed before" if lost else "")
    last = measured[-1]
    lost = _lost(probe, last)
    told = f"{last.failed[0].name}: {last.failed[0].told}" if last.failed else ""
    return Worth(0, bool(lost), told=f"{lost[0]} passed before; {told}" if lost else told)


def _lost(probe: Probe, one: Examined) -> list[str]:
    return [case.name for case in one.cases if not case.passed and case.name in probe.must_keep_passing]
