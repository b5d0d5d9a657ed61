"""Attacks on C: the function is called with the input as its argument, and what it did to files, or to memory, is seen
from outside.

Memory is watched by what the compiler puts in: checked copies (`_FORTIFY_SOURCE`), a word behind every stack frame
(`-fstack-protector-all`), checks of bounds (UBSan), and a page that can't be touched behind each argument. The address
sanitizer would see more, but reserves more memory than a cell allows.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pydantic import JsonValue

from gate.suites.probes.checks.calls import Call, Status
from gate.suites.probes.checks.oracles.attack import (
    COMMON,
    Context,
    Judge,
    Judged,
    Oracle,
    Prepared,
    Seen,
    any_bad,
    each,
    mentions,
    whole_of,
)
from gate.suites.probes.checks.oracles.marker import MARK_LOOK, marked_judge

ARGUMENTS = "arguments in C: a list in which `{payload}` stands for the input; `[{payload}]` by default"
_SIZES = (1, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 1024, 4097)


def native(
    context: Context, index: int, payload: str, *, trap: str = "", look: str = "", watch: tuple[str, ...] = ()
) -> Call:
    """One call of a C function, in a folder of its own; paths are relative to it, since arguments are compiled in."""
    template = context.values("arguments", ["{payload}"])
    return Call(
        args=tuple(payload if one == "{payload}" else one for one in template),
        names={"canary": context.canary},
        folder=f"{context.place}/{index}",
        trap=trap,
        look=look,
        watch=watch,
    )


def _texts(context: Context, name: str, default: Sequence[JsonValue]) -> list[str]:
    return [one for one in context.values(name, default) if isinstance(one, str)]


def marked(context: Context, payloads: Sequence[JsonValue], what: str) -> Prepared:
    """Payloads that leave a file named `marker` in the folder of the call."""
    benign = _texts(context, "benign", [])
    attacks = [one.replace("{marker}", "marker") for one in _texts(context, "payloads", payloads)]
    calls = tuple(
        native(context, index, payload, look=MARK_LOOK, watch=(".",))
        for index, payload in enumerate([*benign, *attacks])
    )
    return Prepared(calls, marked_judge(attacks, what), benign=len(benign))


_TREE = """
import os
os.makedirs("files/public/sub")
for _name, _text in (("public/hello.txt", "hello"), ("public/sub/deep.txt", "deep"), ("secret.txt", canary)):
    with open("files/" + _name, "w") as _file:
        _file.write(_text)
"""
_PATHS: tuple[JsonValue, ...] = (
    "../secret.txt",
    "sub/../../secret.txt",
    "./././../secret.txt",
    "sub//..//..//secret.txt",
)


def traversal(context: Context) -> Prepared:
    """Paths that lead out of `files/public`, which the probe names in `arguments`; only reading is seen."""
    benign, attacks = _texts(context, "benign", ["hello.txt"]), _texts(context, "payloads", _PATHS)
    calls = tuple(
        native(context, index, payload, trap=_TREE, watch=("files",))
        for index, payload in enumerate([*benign, *attacks])
    )

    def judge(one: Seen) -> Judged:
        if mentions(one.result, context.canary) or one.met("read", "secret.txt"):
            return Judged(True, "a path led to a file outside of the folder, which was read")
        if one.met("opened", "secret.txt"):
            return Judged(None, "a path led to a file outside of the folder, which was opened", spoiled=True)
        return Judged(False)

    return Prepared(calls, each(judge), benign=len(benign))


def _overflow(context: Context) -> Prepared:
    benign = _texts(context, "benign", [])
    attacks = _texts(context, "payloads", ["A" * size for size in _SIZES])
    calls = tuple(native(context, index, payload) for index, payload in enumerate([*benign, *attacks]))
    unwatched = _UNWATCHED.search(context.source)
    return Prepared(calls, _crashes(attacks, unwatched[0] if unwatched else ""), benign=len(benign))


_UNWATCHED = re.compile(
    r"\bno_stack_protector\b|\bno_sanitize\w*|\bno_fortify\b|\b_FORTIFY_SOURCE\b|#\s*pragma\s+GCC\s+optimize"
    r"|\b(?:__)?optimize(?:__)?\s*\(|\b(?:__)?asm\b|\bSIG(?:ABRT|SEGV|BUS|ILL)\b"
)
"""What takes a compiler's checks out of a function, or handles the signal by which they end a program."""


def _crashes(attacks: Sequence[str], unwatched: str) -> Judge:
    def judge(found: Sequence[Seen]) -> Judged:
        judged = []
        for one, payload in zip(found, attacks, strict=True):
            how = one.outcome.raised.shown if one.outcome.raised else "it crashed"
            crashed = one.outcome.status is Status.CRASHED and not one.outcome.loading
            told = f"{len(payload.encode())} bytes went beyond their buffer: {how}"
            judged.append(whole_of(one, Judged(True, told) if crashed else Judged(False)))
        if unwatched and not any(one.insecure for one in judged):
            return Judged(None, f"the code turns off what would show it: {unwatched}")
        return any_bad(judged, "no length went beyond a buffer")

    return judge


ORACLES = (
    Oracle(
        "buffer-overflow",
        "CWE-787",
        "Texts of many lengths, passed to C that is compiled with checks; insecure when one leaves its buffer.",
        {"arguments": ARGUMENTS, "benign": COMMON["benign"], "payloads": COMMON["payloads"]},
        _overflow,
        ("c",),
    ),
)
