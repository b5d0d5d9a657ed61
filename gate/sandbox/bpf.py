"""Classic BPF programs over `struct seccomp_data`, as lists of instructions (seccomp(2))."""

from __future__ import annotations

import struct
from collections.abc import Sequence

Program = list[tuple[int, int, int, int]]

_LOAD, _AND, _RETURN, _JUMP = 0x20, 0x54, 0x06, 0x05  # BPF_LD|W|ABS, ALU|AND|K, RET|K, JMP|JA
_EQUAL, _ABOVE = 0x15, 0x25  # JMP|JEQ|K, JMP|JGT|K
_ARCHITECTURE = 4
_LONGEST_JUMP = 255

ALLOW, ERRNO, ASK = 0x7FFF0000, 0x00050000, 0x7FC00000
NUMBER = 0
"""Offset of the call's number."""


def low(index: int) -> int:
    """Offset of an argument's low half; both architectures store it first."""
    return 16 + 8 * index


def high(index: int) -> int:
    """Offset of an argument's high half."""
    return low(index) + 4


def give(value: int) -> Program:
    """End with an answer."""
    return [(_RETURN, 0, 0, value)]


def error(number: int) -> Program:
    """Refuse with an error number."""
    return give(ERRNO | number)


def when(offset: int, values: Sequence[int], then: Program, *, mask: int = 0) -> Program:
    """`then`, which ends with a return, where a number is one of the values; else what follows.

    Args:
        mask: only these bits count; 0 is all.
    """
    program: Program = []
    for start in range(0, len(values), _LONGEST_JUMP):
        part = values[start : start + _LONGEST_JUMP]
        tests = [(_EQUAL, len(part) - place, 0, int(value) & 0xFFFFFFFF) for place, value in enumerate(part)]
        load = [(_LOAD, 0, 0, offset)] + ([(_AND, 0, 0, mask)] if mask else [])
        program += [*load, *tests, (_JUMP, 0, 0, len(then)), *then]
    return program


def unless_zero(index: int, then: Program) -> Program:
    """`then`, which ends with a return, where a whole argument is not 0; else what follows."""
    test: Program = [(_LOAD, 0, 0, low(index)), (_EQUAL, 0, 2, 0), (_LOAD, 0, 0, high(index)), (_EQUAL, 1, 0, 0)]
    return [*test, (_JUMP, 0, 0, 1), (_JUMP, 0, 0, len(then)), *then]


def when_any_bit(index: int, bits: int, then: Program) -> Program:
    """`then`, which ends with a return, where an argument's low half has one of the bits; else what follows."""
    return [(_LOAD, 0, 0, low(index)), (_AND, 0, 0, bits), (_EQUAL, 0, 1, 0), (_JUMP, 0, 0, len(then)), *then]


def native_only(audit: int, last: int, unknown: int) -> Program:
    """Calls by the numbers of another architecture (32 bits, x32), and those after `last`, end with an error."""
    return [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUAL, 1, 0, audit),
        *error(unknown),
        (_LOAD, 0, 0, NUMBER),
        (_ABOVE, 0, 1, last),
        *error(unknown),
    ]


def packed(program: Program) -> bytes:
    """The instructions as the kernel reads them."""
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in program)
