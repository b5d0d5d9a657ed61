"""Stored answers of another commit, judged again: what they were is given, and only a judge asks anew.

Whatever a test asks outside of `with robustness.judge(…)` is answered from what the other commit stored for it, also
where the request was edited since: the point is to hold these answers against the judge as it is now. Nothing is
stored.
"""

from __future__ import annotations

from typing import Any

from gate.record.recordings import canonical, differences
from gate.record.recordings.entry import Slot
from gate.record.recordings.exchange import Answer, Recorder, Request, Scope
from gate.record.recordings.overlay import Layers
from gate.record.recordings.scope import judging, refuse_secret
from gate.record.recordings.session import sample_of
from gate.record.recordings.store import Store
from gate.record.recordings.tally import Event
from gate.record.recordings.usage import read_usage
from gate.record.recordings.workers import RunSession


class RejudgingSession(RunSession):
    """A session that judges stored answers again.

    Args:
        answers: what the other commit stored.
        store, overlay: what is stored here, of which a judge's calls are answered.
        asks: whether a judge's call that is not stored here may leave the machine.
        **options: as of `RecordingSession`.
    """

    def __init__(self, answers: Store, store: Store, overlay: Store | None, *, asks: bool, **options: Any) -> None:
        super().__init__(answers, "auto" if asks else "replay", can_record=asks, **options)
        self._here = Layers(store, overlay)
        self._answers = answers
        self._given: set[tuple[Slot, int]] = set()
        self.told = {"answers": 0, "edited": 0, "judge_live": 0, "judge_replayed": 0}
        """How many stored answers were given, how many of them to edited requests, and what judges asked."""

    def ask(self, request: Request, scope: Scope) -> Answer | Recorder:
        """As `RecordingSession.ask`; what is no judge's never leaves the machine."""
        refuse_secret(scope.case)
        key = canonical.key(request, self._volatile)
        slot = scope.case, scope.trial, key.digest
        if judging():
            return self._judged(request, slot, key)
        answer, n = self._next(self._layers, request, slot)
        if answer is not None:
            self._count("answers")
            self._given.add((slot, n))
            return answer
        answer = self._closest(request, slot, key)
        if answer is None:
            self._lacks(request, slot, key, n)
        return answer

    def finish(self, *, whole: bool = True) -> None:
        """Nothing was stored."""

    def ended(self, case: str, *, whole: bool = True) -> bool:
        """Nothing was recorded."""
        return False

    def _judged(self, request: Request, slot: Slot, key: canonical.Key) -> Answer | Recorder:
        answer, n = self._next(self._here, request, slot)
        if answer is not None:
            self._count("judge_replayed")
            return answer
        if self.mode == "replay":
            self._lacks(request, slot, key, n)
        self._count("judge_live")
        return self._send(request, slot, None)

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
        self._count("answers")
        self._count("edited")
        self._meter.replayed(Scope(case, trial), read_usage(answer, request))
        return answer

    def _count(self, what: str) -> None:
        with self._tally.turn():
            self.told[what] += 1
