"""Payloads that leave a file when they are carried out."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import JsonValue

from gate.suites.probes.checks.oracles.attack import Judge, Judged, Seen, any_bad, whole_of

MARK_LOOK = """
import os
os.path.lexists("marker")
"""


def marked_judge(attacks: Sequence[JsonValue], what: str) -> Judge:
    """A judge of payloads that leave a file: also one that was removed again counts, since the kernel noted it."""

    def judge(found: Sequence[Seen]) -> Judged:
        judged = []
        for one, payload in zip(found, attacks, strict=True):
            left = one.after is True or bool(one.met("created", "marker") or one.met("written", "marker"))
            told = f"{what}: {str(payload)[:120]}" if isinstance(payload, str) else what
            judged.append(whole_of(one, Judged(True, told) if left else Judged(False)))
        return any_bad(judged)

    return judge
