"""How files come into being, as Python's own audit tells it while the code under test runs.

The hook of an audit (PEP 578) can't be taken out again, and nothing of ours is left that code could replace: it goes on
in a closure, and writes to the tap, whose other end is out of reach. Its lines begin with a word that only it and the
tap know. Code that goes looking for it (through the collector's lists, frames of other threads or `ctypes`) is noted as
such, and a file that the kernel saw come and the audit did not was made behind its back: both clear nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass

from gate.suites.probes.checks.oracles.attack import Judged, Seen

_ALONE = """
def _alone(lay, *given):
    "Lay a hook with builtins of its own, out of sight of the collector."
    import builtins, gc, types
    types.FunctionType(lay.__code__, {"__builtins__": dict(vars(builtins))})(*given)
    gc.freeze()
"""
AUDIT = (
    _ALONE
    + """
def _lay(root, tap):
    import os, posix, posixpath, stat, sys
    write, absolute, lstat, fstat, regular = posix.write, posixpath.abspath, posix.lstat, posix.fstat, stat.S_ISREG
    creates, new, fspath, decode = os.O_CREAT, os.O_CREAT | os.O_EXCL, os.fspath, os.fsdecode
    nameless, word = os.O_TMPFILE, os.urandom(16).hex()
    def say(kind, name):
        write(tap, (word + ascii([kind, name]) + chr(10)).encode())
    def below(path):
        path = absolute(str.__str__(decode(fspath(path))))
        return path[len(root) + 1 :] if path.startswith(root + "/") else "" if path == root else None
    def found(path):
        try:
            return fstat(path) if isinstance(path, int) else lstat(path)
        except OSError:
            return None
    def opened(path, flags):
        name = None if isinstance(path, int) else below(path)
        if name is None or not isinstance(flags, int):
            return
        if flags & nameless == nameless:
            say("nameless", name)
        elif name and flags & creates and found(path) is None:
            say("exclusive" if flags & new == new else "careless", name)
    def changed(path):
        name = "" if isinstance(path, int) else below(path)
        state = found(path) if name is not None else None
        if state is not None and regular(state.st_mode):
            say("opened up" if state.st_mode & 0o077 else "changed", name)
    def hook(event, given):
        if event == "open":
            opened(given[0], given[2])
        elif event == "os.chmod":
            changed(given[0])
        elif event in ("os.link", "os.symlink", "os.rename") and below(given[1]) and found(given[1]) is None:
            say("careless" if event == "os.rename" else "exclusive", below(given[1]))
        elif event == "os.mkdir" and below(given[0]):
            say("folder", below(given[0]))
        elif event.startswith("ctypes.") or event in pries:
            say("pried", event)
    pries = ("gc.get_objects", "gc.get_referrers", "sys._current_frames", "sys._current_exceptions")
    say("begun", "")
    sys.addaudithook(hook)
_alone(_lay, audited, tap)
del _lay, _alone, tap, audited
"""
)
"""For the end of a trap, in which `audited` is the folder that is watched, and which taps."""

NETWORK = (
    _ALONE
    + """
def _lay(tap):
    import posix, sys
    write = posix.write
    def hook(event, given):
        if event in ("socket.getaddrinfo", "socket.gethostbyname", "socket.connect"):
            write(tap, b"real" + bytes([10]))
    sys.addaudithook(hook)
_alone(_lay, tap)
del _lay, _alone, tap
"""
)
"""For the end of a trap that pretends to be the network, and which taps: whether the real one was asked."""


@dataclass(frozen=True, slots=True)
class Audited:
    """What the audit told of one call, by names below the folder that it watched.

    Attributes:
        begun: whether it was there at all.
        exclusive: made by a call that fails where there is something already.
        careless: made by a call that takes what is there, or what a link there leads to.
        folders: folders that were made.
        opened_up: files that others could read before their mode was changed; "" where only a descriptor was known.
        changed: files whose mode was changed, and which nobody else could read before; "" as above.
        nameless: whether there was a file without a name.
        pried: how the code went looking for what watches it.
    """

    begun: bool = False
    exclusive: frozenset[str] = frozenset()
    careless: frozenset[str] = frozenset()
    folders: frozenset[str] = frozenset()
    opened_up: frozenset[str] = frozenset()
    changed: frozenset[str] = frozenset()
    nameless: bool = False
    pried: str = ""


def audited(one: Seen) -> Audited:
    """What the audit told of a call."""
    lines = one.tapped.split("\n")
    word, head = lines[0][:32], lines[0][32:]
    if len(word) != 32 or head != "['begun', '']":
        return Audited()
    told: dict[str, list[str]] = {}
    for line in lines[1:]:
        if line.startswith(word):
            kind, name = ast.literal_eval(line[len(word) :])
            told.setdefault(kind, []).append(name)
    of = _sets(told)
    gone = {path for kind, path in one.events if kind == "deleted"}
    exclusive = of.get("exclusive", frozenset())
    by_opener = {name for name in exclusive if not any(path.endswith(f"/{name}") for path in gone)}
    return Audited(
        begun=True,
        exclusive=exclusive,
        careless=of.get("careless", frozenset()) - by_opener,  # `open(…, opener=…)` tells twice, and only one is done
        folders=of.get("folder", frozenset()),
        opened_up=of.get("opened up", frozenset()),
        changed=of.get("changed", frozenset()),
        nameless="nameless" in told,
        pried=told.get("pried", [""])[0],
    )


def _sets(told: Mapping[str, list[str]]) -> Mapping[str, frozenset[str]]:
    return {kind: frozenset(names) for kind, names in told.items()}


def unheard(one: Seen, told: Audited) -> Judged | None:
    """Why a call can clear nothing, where the audit was not heard or was gone looking for."""
    if not one.ran:
        return Judged(None, one.outcome.told)
    if told.pried:
        return Judged(None, f"it went looking for what watches it ({told.pried})", spoiled=True)
    if not told.begun:
        return Judged(None, "it can't be told how its files came into being", spoiled=True)
    return None
