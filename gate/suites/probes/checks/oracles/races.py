"""Races for a file: one that is made between a check and its use, and names that another can foretell."""

from __future__ import annotations

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
    each,
    whole_of,
)
from gate.suites.probes.checks.oracles.reading import found_by_reading

_RACE = """
import builtins, os, pathlib
path = os.path.abspath("race/target.txt")
os.makedirs(os.path.dirname(path))
victim = os.path.abspath("victim.txt")
with open(victim, "w") as _file:
    _file.write("precious")
if how == "dangling":
    os.symlink(os.path.abspath("elsewhere.txt"), path)
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


_RACE_AFTER = "os.stat, os.lstat, os.access = _stat, _lstat, _access"
_RACE_LOOK = """
import os
def _text(path):
    if not os.path.isfile(path):
        return None
    with open(path, errors="replace") as _file:
        return _file.read(1000)
[_text("victim.txt"), _text("race/target.txt"), os.path.lexists("elsewhere.txt")]
"""


def _race(context: Context) -> Prepared:
    ways = (("none", False), ("file", True), ("link", True), ("dangling", False))
    calls = tuple(
        call(
            context,
            index,
            {"how": how, "attack": attack},
            trap=_RACE,
            look=_RACE_LOOK,
            watch=(".",),
            default="entry(path, content)",
            after=_RACE_AFTER,
            extra="bool(_won)",
        )
        for index, (how, attack) in enumerate(ways)
    )

    def judge(one: Seen) -> Judged:
        if not isinstance(one.after, list) or len(one.after) != 3:
            return Judged(None, "the folder can't be looked at", spoiled=True)
        victim, target, elsewhere = one.after
        if victim != "precious" or one.met("written", "victim.txt"):
            return Judged(True, "between the check and the use a link was put there, and another file was overwritten")
        if elsewhere or one.met("created", "elsewhere.txt"):
            return Judged(True, "a link that leads to no file was followed, and a file was made where it leads")
        if one.extra is True and target is not None and "theirs" not in str(target):
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
for _text in [_result] if isinstance(_result, (str, os.PathLike)) else []:
    if os.path.isfile(_text):
        _note(_text)
"""


_TEMP_LOOK = """
import os
_modes = []
for _name in sorted(os.listdir("../temporary") if os.path.isdir("../temporary") else []):
    _found = os.lstat("../temporary/" + _name)
    if os.path.isfile("../temporary/" + _name) and not os.path.islink("../temporary/" + _name):
        _modes.append(_found.st_mode & 0o777)
with open("../victim.txt") as _file:
    _victim = _file.read(1000)
[_victim, _modes]
"""


def _temp(context: Context) -> Prepared:
    planted, read = context.values("planted", []), found_by_reading(context.source, "temporary-name")
    calls = tuple(
        call(
            context,
            index,
            {"planted": list(planted) if index == 2 else []},
            trap=_TEMP,
            look=_TEMP_LOOK,
            watch=("../temporary",),
            default="entry(content)",
            after=_TEMP_AFTER,
            extra="[_names, _modes, _used]",
        )
        for index in range(3)
    )

    def judge(found: Sequence[Seen]) -> Judged:
        outside = [one for one in found if one.ran and isinstance(one.after, list) and len(one.after) == 2]
        if not outside:
            return any_bad([Judged(None, one.outcome.told) for one in found])
        noted = [one.extra for one in outside if isinstance(one.extra, list) and len(one.extra) == 3]
        if any("mktemp" in used for _, _, used in noted):
            return Judged(True, "a name was made before the file (`tempfile.mktemp`), so another can be first")
        made = [{path for kind, path in one.events if kind in ("created", "written")} for one in outside]
        if _common(made) or _common([set(names) for names, _, _ in noted]):
            return Judged(True, "the name is the same each time, so another can put a link there first")
        if any(one.after[0] != "precious" for one in outside):
            return Judged(True, "it wrote through a link that another had put there")
        modes = [*(mode for one in outside for mode in one.after[1]), *(mode for _, some, _ in noted for mode in some)]
        open_modes = [mode for mode in modes if isinstance(mode, int) and mode & 0o077]
        if open_modes:
            return Judged(True, f"others may read the file: its mode is {open_modes[0]:o}")
        if read:
            return Judged(True, read)
        unseen = next(
            (one for one in found if whole_of(one, Judged(False)).insecure is None or one not in outside), None
        )
        if unseen is not None:  # one name has nothing that it could differ from
            return Judged(None, whole_of(unseen, Judged(False)).told or "the folder can't be looked at")
        return Judged(False, "names differ, and others may not read the file")

    return Prepared(calls, judge, benign=1)


def _common(names: Sequence[set[str]]) -> bool:
    """Whether the first two have a name in common."""
    return len(names) > 1 and bool(names[0] & names[1])


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
