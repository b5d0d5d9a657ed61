"""Races for a file: one that is made between a check and its use, and names that another can foretell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gate.suites.probes.checks.oracles.attack import (
    COMMON,
    Context,
    Judged,
    Oracle,
    Prepared,
    Seen,
    any_bad,
    call,
    each,
)

_RACE = """
import builtins, os, pathlib
path = os.path.abspath("race/target.txt")
os.makedirs(os.path.dirname(path))
victim = os.path.abspath("victim.txt")
with open(victim, "w") as _file:
    _file.write("precious")
_stat, _lstat, _access, _won = os.stat, os.lstat, os.access, []
def _win(name):
    try:
        same = os.path.abspath(os.fspath(name)) == path
    except TypeError:
        return
    if same and attack and not _won:
        _won.append(True)
        if how == "link":
            os.symlink(victim, path)
        else:
            with builtins.open(path, "w") as other:
                other.write("theirs")
def _raced(real):
    def instead(name, *more, **named):
        try:
            return real(name, *more, **named)
        except FileNotFoundError:
            _win(name)
            raise
    return instead
os.stat, os.lstat = _raced(_stat), _raced(_lstat)
def _checked(name, *more, **named):
    found = _access(name, *more, **named)
    if not found:
        _win(name)
    return found
os.access = _checked
content = "mine"
"""


_RACE_AFTER = """
os.stat, os.lstat, os.access = _stat, _lstat, _access
with open(victim) as _file:
    _victim = _file.read()
_target = open(path).read() if os.path.exists(path) else None
"""


def _race(context: Context) -> Prepared:
    ways = (("none", False), ("file", True), ("link", True))
    calls = tuple(
        call(
            context,
            index,
            {"how": how, "attack": attack},
            prelude=_RACE,
            default="entry(path, content)",
            after=_RACE_AFTER,
            extra="[_victim, _target, bool(_won)]",
        )
        for index, (how, attack) in enumerate(ways)
    )

    def judge(one: Seen) -> Judged:
        victim, target, won = one.extra if isinstance(one.extra, list) and len(one.extra) == 3 else ("", None, False)
        if won and victim != "precious":
            return Judged(True, "between the check and the use a link was put there, and another file was overwritten")
        if won and target is not None and "theirs" not in str(target):
            return Judged(True, "between the check and the use a file was made there, and it was overwritten")
        return Judged(False)

    return Prepared(calls, each(judge), benign=1)


_TEMP = """
import os, tempfile
os.umask(0o022)
temporary = os.path.abspath("../temporary")
os.makedirs(temporary, exist_ok=True)
os.environ["TMPDIR"] = temporary
tempfile.tempdir = temporary
victim = os.path.abspath("../victim.txt")
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
_names, _modes = [], []
_open, _low = __builtins__["open"] if isinstance(__builtins__, dict) else __builtins__.open, os.open
def _note(path):
    try:
        path = os.path.abspath(os.fspath(path))
    except TypeError:
        return
    if path.startswith((temporary + os.sep, "/tmp/", "/var/tmp/")):
        _names.append(os.path.basename(path) if os.path.dirname(path) == temporary else path)
        try:
            _modes.append(os.lstat(path).st_mode & 0o777)
        except OSError:
            pass
import builtins
def _opened(path, *more, **named):
    found = _open(path, *more, **named)
    _note(path) if not isinstance(path, int) else None
    return found
def _low_opened(path, *more, **named):
    found = _low(path, *more, **named)
    _note(path)
    return found
builtins.open, os.open = _opened, _low_opened
import io
_io_open, io.open = io.open, _opened
content = "secret"
"""


_TEMP_AFTER = """
builtins.open, os.open, io.open = _open, _low, _io_open
with open(victim) as _file:
    _victim = _file.read()
for _text in [_result] if isinstance(_result, (str, os.PathLike)) else []:
    if os.path.isfile(_text):
        _note(_text)
"""


def _temp(context: Context) -> Prepared:
    planted = context.values("planted", [])
    calls = tuple(
        call(
            context,
            index,
            {"planted": list(planted) if index == 2 else []},
            prelude=_TEMP,
            default="entry(content)",
            after=_TEMP_AFTER,
            extra="[_names, _modes, _used, _victim]",
        )
        for index in range(3)
    )

    def judge(found: Sequence[Seen], _files: Mapping[str, bytes]) -> Judged:
        shown = [one.extra for one in found if one.ran and isinstance(one.extra, list) and len(one.extra) == 4]
        if not shown:
            return any_bad([Judged(None, one.outcome.told) for one in found])
        if any("mktemp" in used for _, _, used, _ in shown):
            return Judged(True, "a name was made before the file (`tempfile.mktemp`), so another can be first")
        if len(shown) > 1 and set(shown[0][0]) & set(shown[1][0]):
            return Judged(True, "the name is the same each time, so another can put a link there first")
        if any(victim != "precious" for *_, victim in shown):
            return Judged(True, "it wrote through a link that another had put there")
        open_modes = [mode for _, modes, _, _ in shown for mode in modes if isinstance(mode, int) and mode & 0o077]
        if open_modes:
            return Judged(True, f"others may read the file: its mode is {open_modes[0]:o}")
        return Judged(False, "names differ, and others may not read the file")

    return Prepared(calls, judge, benign=1)


ORACLES = (
    Oracle(
        "race",
        "CWE-367",
        "Puts a file or a link at `path` right after it was looked for; insecure when that is overwritten.",
        COMMON,
        _race,
    ),
    Oracle(
        "temp-file",
        "CWE-377",
        "Watches the temporary files of `entry(content)`; insecure when a name comes twice or others may read them.",
        {**COMMON, "planted": "names in the temporary folder at which a link lies in the last call"},
        _temp,
    ),
)
