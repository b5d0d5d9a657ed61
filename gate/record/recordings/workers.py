"""One recording run over several processes that each set the same fixtures up: what these were given ends as one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from gate.record.recordings.session import RecordingSession


class RunSession(RecordingSession):
    """A session of a process that may have started others of the same run, or was started by one.

    A test is recorded by one process, which ends it. A fixture of a wider scope, and what is called outside of tests,
    may be recorded by several: the process that started them ends these, after them.

    Args:
        run: what `run` of the process says that started this one; empty where this one was started by none.
        **options: as of `RecordingSession`.
    """

    def __init__(self, *arguments: Any, run: str = "", **options: Any) -> None:
        super().__init__(*arguments, run=run, **options)
        self._worker = bool(run and self._run)

    @property
    def run(self) -> str:
        """What processes are told that this one starts; empty unless the mode is `record`."""
        return "" if self._recording is None else self._recording.told

    def ended(self, case: str, *, whole: bool = True) -> bool:
        """As `RecordingSession.ended`; calls outside of tests are left to the process that started this one."""
        return False if self._worker and not case else super().ended(case, whole=whole)

    def left(self, cases: Iterable[str], stopped: Iterable[str]) -> dict[str, bool]:
        """Cases that are left to the process that started this one, and whether their answers may replace older ones.

        Args:
            cases: fixtures that this process set up.
            stopped: those of them that failed.
        """
        if not self._worker:
            return {}
        found = {case: case not in frozenset(stopped) and self._answered(case) for case in cases}
        return found | ({"": self._answered("")} if self._asked("") else {})

    def end_left(self, left: Iterable[Mapping[str, bool]]) -> None:
        """End what processes that this one started left to it, where none of them says otherwise.

        Raises:
            RecordingError: the disk refuses.
        """
        whole: dict[str, bool] = {}
        for each in left:
            for case, answered in each.items():
                whole[case] = whole.get(case, True) and answered
        for case, answered in sorted(whole.items()):
            if not answered and any(head.run != self._run for head in self._store.heads([case])):
                self._kept.append(case)
            else:
                self._store.end(case, self._run)

    def _answered(self, case: str) -> bool:
        failed = not self._replay_failures and self._tally.failed_only(case)
        return not failed and not self.counts(case).refused
