"""Binds what a test starts to that test: a thread of its own that outlives it never asks in the name of the next one.

Bound are threads that run code of the project, and work that is given to a `ThreadPoolExecutor`. Threads that run code
of a library (workers of pools, servers, event loops) work for whoever gives them work, which is the test that runs.
"""

from __future__ import annotations

import functools
import os
import sysconfig
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from types import CodeType
from typing import Any

from gate.record.recordings.exchange import Scope
from gate.record.recordings.scope import bound, forget_strays, judging, starting

_LIBRARIES = ("site-packages", "dist-packages")
_replaced: list[tuple[type, str, Any, Any]] = []


def install() -> None:
    """Bind what is started from now on."""
    uninstall()
    forget_strays()
    _replace(threading.Thread, "start", _starting)
    _replace(ThreadPoolExecutor, "submit", _submitting)


def uninstall() -> None:
    """Bind nothing any more; what was bound stays so."""
    while _replaced:
        owner, name, method, original = _replaced.pop()
        if owner.__dict__.get(name) is method:
            setattr(owner, name, original)


def _replace(owner: type, name: str, make: Callable[[Any], Any]) -> None:
    original = owner.__dict__[name]
    method = functools.wraps(original)(make(original))
    setattr(owner, name, method)
    _replaced.append((owner, name, method, original))


def _starting(original: Callable[..., Any]) -> Callable[..., Any]:
    def start(self: threading.Thread, *arguments: Any, **options: Any) -> Any:
        scope = starting()
        if scope is not None and _is_of_project(self):
            self.run = functools.partial(_within, scope, judging(), self.run)  # type: ignore[method-assign]
        return original(self, *arguments, **options)

    return start


def _submitting(original: Callable[..., Any]) -> Callable[..., Any]:
    def submit(self: ThreadPoolExecutor, work: Callable[..., Any], /, *arguments: Any, **options: Any) -> Any:
        scope = starting()
        if scope is not None:
            work = functools.partial(_within, scope, judging(), work)
        return original(self, work, *arguments, **options)

    return submit


def _within(scope: Scope, judge: str, work: Callable[..., Any], /, *arguments: Any, **options: Any) -> Any:
    with bound(scope, judge):
        return work(*arguments, **options)


def _is_of_project(thread: threading.Thread) -> bool:
    """Whether what a thread runs is neither Python's own nor an installed library's."""
    work: Any = getattr(thread, "_target", None) or type(thread).run
    if isinstance(thread, threading.Timer):
        work = thread.function
    while isinstance(work, functools.partial):
        work = work.func
    work = getattr(work, "__func__", work)
    if not hasattr(work, "__code__"):  # an object that can be called
        work = vars(type(work)).get("__call__")
    code = getattr(work, "__code__", None)
    return isinstance(code, CodeType) and not _is_library(code.co_filename)


@cache
def _is_library(file: str) -> bool:
    own = [sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    own.append(os.path.dirname(threading.__file__))  # noqa: PTH120  as code objects name it
    return (
        file.startswith("<frozen")
        or any(file.startswith(folder) for folder in own)
        or any(part in _LIBRARIES for part in file.replace("\\", "/").split("/"))
    )
