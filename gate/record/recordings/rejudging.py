"""Stored answers of another commit, judged again: what they were is given, and only a judge asks anew.

Whatever a test asks outside of `with robustness.judge(…)` is answered from what the other commit stored for it, also
where the request was edited since: the point is to hold these answers against the judge as it is now. Nothing is
stored.
"""

from __future__ import annotations

from typing import Any

from gate.record.recordings import canonical, differences
from gate.record.recordings.entry import JUDGED_AGAIN, Slot
from gate.record.recordings.exchange import Answer, Recorder, Request, Scope
from gate.record.recordings.live_calls import sample_of
from gate.record.recordings.overlay import Layers
from gate.record.recordings.scope import judging, refuse_secret
from gate.record.recordings.session import Mode
from gate.record.recordings.store import Store
from gate.record.recordings.tally import Event
from gate.record.recordings.usage import read_usage
from gate.record.recordings.workers import RunSession


class RejudgingSession(RunSession):
    """A session that judges stored answers again.

    Args:
        answers: what the other commit stored.
        store: of this commit, in which a judge's calls are looked up, and stored where they may be asked.
        mode: `replay` or `auto`, of a judge's calls.
        **options: as of `RecordingSession`.
    """

    def __init__(self, answers: Store, store: Store, mode: Mode, **options: Any) -> None:
        super().__init__(store, mode, **options)
        self._live.purpose = JUDGED_AGAIN
        self._answers = answers
        self._given: set[tuple[Slot, int]] = set()
        self.told = {"answers": 0, "edited": 0, "judge_live": 0, "judge_replayed": 0}
        """How many stored answers were given, how many of them to edited requests, and what judges asked."""

    def ask(self, request: Request, scope: Scope) -> Answer | Recorder:
        """As `RecordingSession.ask` for a judge; for all others what the other commit stored, and nothing else."""
        if judging():
            found = super().ask(request, scope)
            self._count("judge_replayed" if isinstance(found, Answer) else "judge_live")
            return found
        refuse_secret(scope.case)
        key = canonical.key(request, self._volatile)
        slot = scope.case, scope.trial, key.digest
        answer, n = self._next(Layers(self._answers), request, slot)
        if answer is None:
            answer = self._closest(request, slot, key)
        else:
            self._given.add((slot, n))
        if answer is None:
            self._lacks(request, slot, key, n)
        self._count("answers")
        return answer

    def ended(self, case: str, *, whole: bool = True) -> bool:
        """Nothing is replaced."""
        return False

    def stored_trials(self, case: str) -> int:
        """Of how many trials of a case the other commit stored answers."""
        return len(self._answers.trials(case))

    def answering_trials(self, case: str) -> int:
        """The same: a request that was edited since is answered too."""
        return self.stored_trials(case)

    def _closest(self, request: Request, slot: Slot, key: canonical.Key) -> Answer | None:
        """The answer that was not given yet to the most similar request of the same trial; None without any."""
        case, trial, _ = slot
        with self._tally.turn():
            left = {
                (entry.slot, entry.n): entry
                for entry in self._answers.entries(case)
                if entry.trial == trial and not entry.failed and entry.request and not entry.meta.judge
            }
            left = {place: entry for place, entry in left.items() if place not in self._given}
            near = differences.closest(key.shown, ((place, entry.request or {}) for place, entry in left.items()))
            if near is None:
                return None
            self._given.add(near)
            answer = left[near].answer
            self._tally.happened(Event("replayed", near[0], near[1], sample=sample_of(answer)))
        self._count("edited")
        self._meter.replayed(Scope(case, trial), read_usage(answer, request))
        return answer

    def _count(self, what: str) -> None:
        with self._tally.turn():
            self.told[what] += 1
