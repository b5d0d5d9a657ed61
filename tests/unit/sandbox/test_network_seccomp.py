"""The filters, run by an interpreter of classic BPF, on both architectures; and what the supervisor decides."""

from __future__ import annotations

import errno
import socket
import struct

import pytest

from gate.sandbox.network.loopback import Listeners
from gate.sandbox.network.seccomp import ARCHITECTURES, Architecture, socketless_program, supervised_program
from gate.sandbox.network.supervisor import decide
from tests.support.bpf import ALLOW, ASK, run

STREAM, DATAGRAM, RAW = 1, 2, 3
CLOEXEC, NONBLOCK, FAST_OPEN = 0o2000000, 0o4000, 0x20000000


def result(program: list[tuple[int, int, int, int]], machine: Architecture, number: int, *arguments: int) -> object:
    """What a filter says about a call: `allow`, `ask`, or an error number."""
    full = (*arguments, *(0,) * (6 - len(arguments)))
    data = struct.pack("<iIQ6Q", number, machine.audit, 0, *full)
    return run(program, data)


@pytest.fixture(params=sorted(ARCHITECTURES))
def machine(request: pytest.FixtureRequest) -> Architecture:
    return ARCHITECTURES[request.param]


def test_kinds_of_sockets_under_supervision(machine: Architecture) -> None:
    program = supervised_program(machine)

    def made(*arguments: int) -> object:
        return result(program, machine, machine.socket, *arguments)

    for family in (2, 10):
        assert made(family, STREAM, 0) == ALLOW
        assert made(family, STREAM | CLOEXEC | NONBLOCK, 6) == ALLOW
        assert made(family, STREAM, 262) == made(family, STREAM, 132) == errno.EPROTONOSUPPORT
        assert made(family, DATAGRAM | CLOEXEC, 17) == made(family, RAW, 1) == errno.EACCES
    for family in (1, 16, 38):
        assert made(family, STREAM, 0) == made(family, DATAGRAM, 0) == ALLOW
    for family in (17, 40, 31, 0, 44):
        assert made(family, STREAM, 0) == errno.EAFNOSUPPORT


def test_calls_that_reach_an_address(machine: Architecture) -> None:
    program = supervised_program(machine)
    assert result(program, machine, machine.connect, 3, 0x7FFF00000000, 16) == ASK
    for number, place in ((machine.sendto, 3), (machine.sendmmsg, 3), (machine.sendmsg, 2)):
        for flags, wanted in ((0, ALLOW), (0x4000, ALLOW), (FAST_OPEN | 0x4000, errno.EOPNOTSUPP)):
            arguments = [0x7FFFFFFF] * 6 if wanted != ALLOW else [0] * 6
            arguments[place] = flags
            assert result(program, machine, number, *arguments) == wanted
    assert result(program, machine, machine.io_uring_setup) == errno.ENOSYS
    assert result(program, machine, 0) == result(program, machine, 1) == ALLOW


def test_without_sockets(machine: Architecture) -> None:
    program = socketless_program(machine)
    assert result(program, machine, machine.socket, 2, STREAM) == errno.EACCES
    assert result(program, machine, machine.socket, 10, DATAGRAM) == errno.EACCES
    assert result(program, machine, machine.socket, 1, STREAM) == ALLOW
    assert result(program, machine, machine.socket, 17, RAW) == errno.EAFNOSUPPORT
    assert result(program, machine, machine.connect, 3) == ALLOW
    assert result(program, machine, machine.io_uring_setup) == errno.ENOSYS


def test_calls_by_other_numbers_are_unknown(machine: Architecture) -> None:
    for program in (supervised_program(machine), socketless_program(machine)):
        assert result(program, machine, machine.connect | 0x40000000, 3) == errno.ENOSYS
        foreign = Architecture(0x40000003, *(getattr(machine, name) for name in machine.__slots__[1:]))
        assert result(program, foreign, 362, 3) == errno.ENOSYS


def inet(host: str, port: int = 80) -> bytes:
    return struct.pack("<H", socket.AF_INET) + struct.pack("!H", port) + socket.inet_aton(host) + bytes(8)


def inet6(host: str, port: int = 80) -> bytes:
    return struct.pack("<H", 10) + struct.pack("!HI", port, 0) + socket.inet_pton(socket.AF_INET6, host) + bytes(4)


@pytest.mark.parametrize(
    ("address", "error"),
    [
        (inet("127.0.0.1"), 0),
        (inet("127.3.2.1"), 0),
        (inet("0.0.0.0"), 0),
        (inet6("::1"), 0),
        (inet6("::ffff:127.0.0.1"), 0),
        (inet("192.0.2.1"), errno.ENETUNREACH),
        (inet("10.0.0.1"), errno.ENETUNREACH),
        (inet6("2001:db8::1"), errno.ENETUNREACH),
        (inet6("::ffff:192.0.2.1"), errno.ENETUNREACH),
        (inet("127.0.0.1")[:8], 0),
        (inet("192.0.2.1")[:8], errno.ENETUNREACH),
        (inet("127.0.0.1")[:7], errno.EINVAL),
        (inet6("::1")[:23], errno.EINVAL),
        (b"\x01\x00/run/socket", 0),
        (b"\x00\x00", 0),
        (b"\x10\x00", 0),
        (b"\x28\x00" + bytes(14), errno.EAFNOSUPPORT),
        (b"\x02", errno.EINVAL),
        (b"", errno.EINVAL),
    ],
)
def test_which_addresses_may_be_connected_to(address: bytes, error: int) -> None:
    assert decide(address, loopback="own", foreign=Listeners()) == error


def test_servers_that_are_not_the_suites_are_refused_unless_the_host_is_allowed() -> None:
    class Holding(Listeners):
        def hold(self, protocol: str, port: int) -> bool:
            return (protocol, port) == ("tcp", 5432)

    for address in (inet("127.0.0.1", 5432), inet6("::1", 5432)):
        assert decide(address, loopback="own", foreign=Holding()) == errno.ECONNREFUSED
        assert decide(address, loopback="host", foreign=Holding()) == 0
    assert decide(inet("127.0.0.1", 5433), loopback="own", foreign=Holding()) == 0
