"""Races for a file that is made between a check and its use."""

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
    whole_of,
)
from gate.suites.probes.checks.oracles.audited import AUDIT, audited, unheard

_RACE = (
    """
import builtins, os, pathlib
path = os.path.abspath("shared/job.lock")
os.makedirs(os.path.dirname(path))
victim = os.path.abspath("notes.txt")
with open(victim, "w") as _file:
    _file.write("precious")
if how == "dangling":
    os.symlink(os.path.abspath("new.txt"), path)
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
            with builtins.open(path, "x") as other:
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
content, audited = "mine", os.path.dirname(path)
"""
    + AUDIT
)


_RACE_AFTER = "os.stat, os.lstat, os.access = _stat, _lstat, _access"
_RACE_LOOK = """
import os
def _text(path):
    if not os.path.isfile(path) or os.path.islink(path):
        return None
    with open(path, errors="replace") as _file:
        return _file.read(1000)
[_text("notes.txt"), _text("shared/job.lock"), os.path.lexists("new.txt")]
"""


def _race(context: Context) -> Prepared:
    ways = (("none", False), ("none", False), ("file", True), ("link", True), ("dangling", False))
    calls = tuple(
        call(
            context,
            index,
            {"how": how, "attack": attack},
            trap=_RACE,
            look=_RACE_LOOK,
            watch=(".",),
            tap=True,
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
        if victim != "precious" or one.met("written", "notes.txt"):
            return Judged(True, "between the check and the use a link was put there, and another file was overwritten")
        if elsewhere or one.met("created", "new.txt"):
            return Judged(True, "a link that leads to no file was followed, and a file was made where it leads")
        if one.extra is True and target is not None and "theirs" not in str(target):
            return Judged(True, "between the check and the use a file was made there, and it was overwritten")
        told = audited(one)
        if "job.lock" in told.careless:
            return Judged(True, "the file is made by a call that takes one that another has just put there")
        why = unheard(one, told)
        if why is None and one.met("created", "job.lock") and "job.lock" not in told.exclusive:
            why = Judged(None, "the file was made in a way that can't be watched", spoiled=True)
        return why or Judged(False if "job.lock" in told.exclusive else None, "no file was made")

    def whole(found: Sequence[Seen]) -> Judged:
        each = [whole_of(one, judge(one)) for one in found]
        judged = any_bad(each, "the file is made in one step, or not at all")
        undisturbed = each[0].insecure is not None and all(one.ran for one in found)
        if judged.insecure is not False or undisturbed:
            return judged
        return next(one for one in each if one.insecure is None)

    return Prepared(calls, whole, benign=1)


ORACLES = (
    Oracle(
        "race",
        "CWE-367",
        "Puts a file or a link at `path` right after it was looked for; insecure when that is overwritten.",
        COMMON,
        _race,
    ),
)
