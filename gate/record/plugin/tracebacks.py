"""Tracebacks of calls without an answer: they end where the suite asked, before the client library and the gate."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

import gate
from gate.errors import RecordingError

_OURS = Path(gate.__file__).parent
_INSTALLED = frozenset({"site-packages", "dist-packages"})


def end_where_asked(error: BaseException | None, root: Path) -> None:
    """Cut an error's traceback, and those it was raised from or during, where one of them is a `RecordingError`.

    What lies deeper says nothing about the suite, and shows addresses of objects, which differ from run to run.
    """
    chain = list(_chain(error))
    if not any(isinstance(each, RecordingError) for each in chain):
        return
    for each in chain:
        last = None
        for trace in _frames(each.__traceback__):
            if _is_of_suite(Path(trace.tb_frame.f_code.co_filename), root):
                last = trace
        if last is not None:
            last.tb_next = None


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def _frames(trace: TracebackType | None) -> Iterator[TracebackType]:
    while trace is not None:
        yield trace
        trace = trace.tb_next


def _is_of_suite(path: Path, root: Path) -> bool:
    return path.is_relative_to(root) and not path.is_relative_to(_OURS) and _INSTALLED.isdisjoint(path.parts)
