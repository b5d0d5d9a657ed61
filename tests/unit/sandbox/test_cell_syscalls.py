"""The filter of system calls, run by an interpreter of classic BPF, on both architectures."""

from __future__ import annotations

import errno
import os
import re
import struct
from pathlib import Path

import pytest

from gate.sandbox.cell import syscalls
from gate.sandbox.cell.calls import AUDIT, LAST_KNOWN, NUMBERS, name_of, number
from tests.support.bpf import ALLOW, ASK, run

HEADERS = {
    "x86_64": ("/usr/include/x86_64-linux-gnu/asm/unistd_64.h", re.compile(r"#define __NR_(\w+)\s+(\d+)")),
    "aarch64": ("/usr/include/asm-generic/unistd.h", re.compile(r"#define __NR(?:3264)?_(\w+)\s+(\d+)")),
}


class Filter:
    def __init__(self, machine: str, **how: object) -> None:
        settings = {"network": False, "ask": True, "shared_user": False, **how}
        self.machine = machine
        self.program = syscalls.program(machine, **settings)  # type: ignore[arg-type]

    def __call__(self, name: str | int, *arguments: int) -> object:
        value = name if isinstance(name, int) else number(name, self.machine)
        assert value is not None
        full = (*arguments, *(0,) * (6 - len(arguments)))
        return run(self.program, struct.pack("<iIQ6Q", value, AUDIT[self.machine], 0, *full))


@pytest.fixture(params=sorted(AUDIT))
def machine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_numbers_are_those_of_the_kernel(machine: str) -> None:
    path, pattern = HEADERS[machine]
    if not Path(path).exists():
        pytest.skip(f"no {path}")
    known = {name: int(value) for name, value in pattern.findall(Path(path).read_text(encoding="utf-8"))}
    ours = {name: number(name, machine) for name in NUMBERS}
    assert {name: value for name, value in ours.items() if known.get(name, value) != value} == {}
    assert sum(name in known for name in ours) > 90


def test_names_and_numbers_are_one_to_one(machine: str) -> None:
    for name in NUMBERS:
        value = number(name, machine)
        assert value is None or name_of(value, machine) == name
    assert name_of(9999, machine) == "9999"


def test_no_socket_but_pairs_of_streams(machine: str) -> None:
    held = Filter(machine)
    for family in (2, 10, 17, 40, 38, 31):
        for kind in (1, 2, 3):
            assert held("socket", family, kind, 0) == ASK
    assert held("socket", 1, 1, 0) == held("socket", 16, 3, 0) == errno.EACCES
    assert held("socketpair", 1, 1 | 0o2000000, 0) == held("socketpair", 1, 5, 0) == ALLOW
    assert held("socketpair", 1, 2, 0) == held("socketpair", 2, 1, 0) == errno.EACCES
    assert held("connect", 3, 0x7FFF00000000, 16) == ASK
    for name in ("bind", "listen", "accept", "accept4"):
        assert held(name, 3) == errno.EPERM


def test_with_a_port_only_tcp_sockets_can_be_made(machine: str) -> None:
    held = Filter(machine, network=True)
    for family in (2, 10):
        assert held("socket", family, 1 | 0o2000000 | 0o4000, 0) == held("socket", family, 1, 6) == ALLOW
        assert held("socket", family, 1, 262) == errno.EPROTONOSUPPORT
        assert held("socket", family, 2, 17) == held("socket", family, 3, 1) == ASK
    assert held("connect", 3, 1, 16) == ASK
    for name, place in (("sendto", 3), ("sendmmsg", 3), ("sendmsg", 2)):
        arguments = [0] * 6
        assert held(name, *arguments) == ALLOW
        arguments[place] = 0x20000000 | 0x4000
        assert held(name, *arguments) == errno.EOPNOTSUPP


def test_other_doors_are_shut(machine: str) -> None:
    held = Filter(machine)
    for name in ("ptrace", "mount", "bpf", "setns", "unshare", "process_vm_writev", "open_by_handle_at"):
        assert held(name) == ASK
    for name in ("io_uring_setup", "userfaultfd", "memfd_create", "shmget", "clone3", "mq_open", LAST_KNOWN + 1, 9999):
        assert held(name) == errno.ENOSYS
    for flag in (0x00020000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000, 0x80):
        assert held("clone", flag | 17) == ASK
    assert held("clone", 0x003D0F00) == held("clone", 17) == ALLOW  # a thread, a process
    assert held("prctl", 4, 0) == errno.EPERM
    assert held("prctl", 15, 0) == ALLOW


def test_without_a_warden_what_it_would_be_asked_is_refused(machine: str) -> None:
    held = Filter(machine, ask=False)
    assert held("socket", 2, 1, 0) == held("mount") == held("connect", 3) == errno.EPERM


def test_attributes_of_other_processes_are_out_of_reach(machine: str) -> None:
    held = Filter(machine)
    for name, place in (("prlimit64", 0), ("sched_setaffinity", 0), ("setpriority", 1), ("ioprio_set", 1)):
        for value, wanted in ((0, ALLOW), (1234, errno.EPERM), (1 << 32, errno.EPERM)):
            arguments = [0] * 6
            arguments[place] = value
            assert held(name, *arguments) == wanted
    for command in (8, 15):
        assert held("fcntl", 3, command, 1) == errno.EPERM
    assert held("fcntl", 3, 2, 1) == ALLOW
    for request in (0x8901, 0x8902, 0x5412, 0x541C):
        assert held("ioctl", 3, request) == errno.EPERM
    assert held("ioctl", 3, 0x5401) == ALLOW


def test_signals_stay_within_where_nothing_else_holds_them(machine: str) -> None:
    held, alone = Filter(machine), Filter(machine, own=4321)
    for name in ("kill", "tkill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo"):
        assert held(name, 1234, 9) == ALLOW
        assert alone(name, 1234, 9) == alone(name, 0xFFFFFFFF, 9) == alone(name, 0xFFFFFFFFFFFFFFFF, 9) == errno.EPERM
        assert alone(name, 4321, 6) == alone(name, 0, 6) == ALLOW
    assert alone("pidfd_send_signal", 3, 9) == errno.EPERM


def test_metadata_is_the_wardens_to_change_where_the_user_is_shared(machine: str) -> None:
    held, shared = Filter(machine), Filter(machine, shared_user=True)
    for name in ("fchmodat", "fchmodat2"):
        assert (held(name, -100 & 0xFFFFFFFF, 1, 0o777), shared(name, 1, 1, 0o777)) == (ALLOW, ASK)
    assert shared("utimensat", 3, 0x7F0000000000, 0) == ASK
    assert shared("utimensat", 3, 0, 0) == ALLOW  # of an open file
    for name in ("fchownat", "setxattr", "fsetxattr", "lremovexattr"):
        assert (held(name, 3), shared(name, 3)) == (ALLOW, errno.EOPNOTSUPP)


def test_truncation_is_refused_where_landlock_does_not_know_it(machine: str) -> None:
    held, old = Filter(machine), Filter(machine, truncation=True)
    assert (held("truncate", 1, 0), old("truncate", 1, 0)) == (ALLOW, errno.EPERM)
    assert (held("openat2"), old("openat2")) == (ALLOW, errno.ENOSYS)
    for flags in (os.O_TRUNC, os.O_TRUNC | os.O_ACCMODE, os.O_TRUNC | os.O_CLOEXEC):
        assert (held("openat", 3, 1, flags), old("openat", 3, 1, flags)) == (ALLOW, errno.EPERM)
    for flags in (os.O_TRUNC | os.O_WRONLY | os.O_CREAT, os.O_TRUNC | os.O_RDWR, os.O_RDONLY, os.O_CLOEXEC):
        assert old("openat", 3, 1, flags) == ALLOW


def test_what_programs_need_is_allowed(machine: str) -> None:
    held = Filter(machine, shared_user=True, own=4321)
    usual = {"x86_64": (0, 1, 2, 3, 9, 11, 59, 61, 202, 231, 257), "aarch64": (63, 64, 56, 57, 222, 215, 221, 260, 98)}
    assert {held(value) for value in usual[machine]} == {ALLOW}


def test_another_architecture_and_x32_are_unknown() -> None:
    program = Filter("x86_64").program
    for value, audit in ((0, AUDIT["aarch64"]), (0, 0x40000003), (0x40000000, AUDIT["x86_64"])):
        assert run(program, struct.pack("<iIQ6Q", value, audit, 0, *(0,) * 6)) == errno.ENOSYS
