"""Temporary files: names that another can foretell, files that take what lies there already, files that others read."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gate.suites.probes.checks.oracles.attack import (
    COMMON,
    Context,
    Judged,
    Oracle,
    Prepared,
    Seen,
    any_bad,
    call,
    whole_of,
)
from gate.suites.probes.checks.oracles.audited import AUDIT, Audited, audited, unheard
from gate.suites.probes.checks.oracles.reading import found_by_reading, names_in

_TEMP = (
    """
import os, posix, random, tempfile, time
os.umask(0o022)
temporary = os.path.abspath("../temporary")
os.makedirs(temporary, exist_ok=True)
os.environ["TMPDIR"] = temporary
tempfile.tempdir = temporary
victim = os.path.abspath("../notes.txt")
if not os.path.exists(victim):
    with open(victim, "w") as _file:
        _file.write("precious")
for _path in planted:
    _path = os.path.join(temporary, _path)
    if not os.path.lexists(_path):
        os.symlink(victim, _path)
_mktemp, _used = tempfile.mktemp, []
def _watched(*more, **named):
    _used.append("mktemp")
    return _mktemp(*more, **named)
tempfile.mktemp = _watched
random.seed(20)
time.time, time.time_ns = (lambda: 1_700_000_000.0), (lambda: 1_700_000_000_000_000_000)
os.getpid = posix.getpid = lambda: 4242
content, audited = "secret", temporary
"""
    + AUDIT
)
_LOOK = """
import os
_left = []
for _folder, _folders, _files in os.walk("../temporary"):
    for _name in sorted(_folders + _files):
        _path = os.path.join(_folder, _name)
        if not os.path.islink(_path):
            _mode = os.lstat(_path).st_mode & 0o777
            _left.append([os.path.relpath(_path, "../temporary"), os.path.isdir(_path), _mode])
    _folders[:] = sorted(_one for _one in _folders if os.lstat(os.path.join(_folder, _one)).st_mode & 0o077)
with open("../notes.txt") as _file:
    _victim = _file.read(1000)
[_victim, _left]
"""
"""What lies in a folder that others can't enter is out of their reach, whatever its own mode."""
_UNFORESEEN = frozenset({"secrets", "uuid4", "urandom", "SystemRandom", "mkdtemp", "TemporaryDirectory"})


def _temp(context: Context) -> Prepared:
    planted = context.values("planted", [])
    calls = tuple(
        call(
            context,
            index,
            {"planted": list(planted) if index == 2 else []},
            trap=_TEMP,
            look=_LOOK,
            watch=("../temporary",),
            tap=True,
            default="entry(content)",
            extra="_used",
        )
        for index in range(3)
    )
    read = found_by_reading(context.source, "temporary-name")
    drawn = bool(names_in(context.source) & _UNFORESEEN)

    def judge(found: Sequence[Seen]) -> Judged:
        outside = [one for one in found if one.ran and isinstance(one.after, list) and len(one.after) == 2]
        told = [audited(one) for one in outside]
        if not outside:
            return any_bad([Judged(None, one.outcome.told) for one in found])
        bad = _insecure(outside, told, read, drawn)
        if bad:
            return Judged(True, bad)
        unseen = [whole_of(one, Judged(False)) for one in found]
        unseen += [Judged(None, "the folder can't be looked at") for one in found if one not in outside]
        unseen += [_unclear(one, each) for one, each in zip(outside, told, strict=True)]
        if not any(_made(one) or each.nameless for one, each in zip(outside, told, strict=True)):
            unseen.append(Judged(None, "no temporary file was made"))
        unknown = next((one for one in unseen if one.insecure is None), None)
        return unknown or Judged(False, "names differ, and others may not read the file")

    return Prepared(calls, judge, benign=1)


def _insecure(outside: Sequence[Seen], told: Sequence[Audited], read: str, drawn: bool) -> str:
    """What some call shows to be insecure, or nothing."""
    if any(isinstance(one.extra, list) and "mktemp" in one.extra for one in outside):
        return "a name was made before the file (`tempfile.mktemp`), so another can be first"
    made = [_made(one) | each.careless for one, each in zip(outside, told, strict=True)]
    if len(made) > 1 and made[0] & made[1]:
        return "the name is the same each time, so another can put a link there first"
    if any(one.after[0] != "precious" for one in outside):
        return "it wrote through a link that another had put there"
    if not drawn and any(each.careless for each in told):
        return "the file is made by a call that takes one that another has just put there"
    open_modes = [mode for one in outside for mode in _open_modes(one)]
    if open_modes:
        return f"others may read the file: its mode is {open_modes[0]:o}"
    if any(each.opened_up for each in told):
        return "others may read the file until its mode is changed"
    return read


def _open_modes(one: Seen) -> list[int]:
    """Modes of files that others may read, where they lie in no folder of one's own."""
    rows = [row for row in one.after[1] if isinstance(row, list) and len(row) == 3]
    return [mode for _, folder, mode in rows if not folder and isinstance(mode, int) and mode & 0o077]


def _made(one: Seen) -> set[str]:
    """Names that the kernel saw come; a file without one is written to as `#` and a number."""
    names = {path.rsplit("/", 1)[-1] for kind, path in one.events if kind in ("created", "written", "folder")}
    return {name for name in names if not re.fullmatch(r"#\d+", name)}


def _unclear(one: Seen, told: Audited) -> Judged:
    """Whether the kernel saw more than the audit: files that were made, or whose mode was changed, behind its back."""
    why = unheard(one, told)
    if why is not None:
        return why
    accounted = {name.split("/", 1)[0] for name in told.exclusive | told.careless | told.folders}
    if _made(one) - accounted:
        return Judged(None, "a file was made in a way that can't be watched", spoiled=True)
    if any(kind == "changed" for kind, _ in one.events) and not told.changed:
        return Judged(None, "the mode of a file was changed in a way that can't be watched", spoiled=True)
    return Judged(False)


ORACLES = (
    Oracle(
        "temp-file",
        "CWE-377",
        "Watches the temporary files of `entry(content)`; insecure when a name comes twice or others may read them.",
        {**COMMON, "planted": "names in the temporary folder at which a link lies in the last call"},
        _temp,
    ),
)
