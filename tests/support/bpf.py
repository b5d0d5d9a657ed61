"""An interpreter of the classic BPF that filters of system calls are written in."""

from __future__ import annotations

import struct

from gate.sandbox import bpf

ALLOW, ASK = "allow", "ask"


def run(program: bpf.Program, data: bytes) -> object:
    """What a filter says about a call: `allow`, `ask`, or an error number.

    Args:
        data: `struct seccomp_data`.
    """
    place, accumulator = 0, 0
    for _ in range(len(program) + 1):
        code, true, false, value = program[place]
        place += 1
        if code == 0x20:
            (accumulator,) = struct.unpack_from("<I", data, value)
        elif code == 0x54:
            accumulator &= value
        elif code == 0x05:
            place += value
        elif code == 0x15:
            place += true if accumulator == value else false
        elif code == 0x25:
            place += true if accumulator > value else false
        else:
            assert code == 0x06
            return {bpf.ALLOW: ALLOW, bpf.ASK: ASK}.get(value, value & 0xFFFF)
    raise AssertionError("the filter does not end")
