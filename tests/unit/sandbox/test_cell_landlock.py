"""What Landlock is asked to deny, by its version; the numbers are those of linux/landlock.h."""

from __future__ import annotations

import os

import pytest

from gate.sandbox.cell import kernel, landlock

_REFER, _TRUNCATE, _IOCTL_DEV, _RESOLVE_UNIX = 1 << 13, 1 << 14, 1 << 15, 1 << 16
_BIND_TCP, _CONNECT_TCP, _BIND_UDP, _SEND_UDP = 1, 2, 4, 8
_ABSTRACT_SOCKETS, _SIGNALS = 1, 2


@pytest.mark.parametrize(("version", "right"), [(2, _REFER), (3, _TRUNCATE), (5, _IOCTL_DEV), (9, _RESOLVE_UNIX)])
def test_a_right_over_files_is_denied_from_its_version_on(version: int, right: int) -> None:
    assert landlock.handled(version - 1)[0] & right == 0  # the kernel would refuse all of it
    for later in range(version, 20):
        assert landlock.handled(later)[0] & right


def test_ports_and_scopes_are_denied_from_their_versions_on() -> None:
    for version in (1, 2, 3):
        assert len(landlock.handled(version)) == 1
    for version in (4, 5):
        assert landlock.handled(version)[1:] == [_BIND_TCP | _CONNECT_TCP]
    for version in (6, 7, 8, 9):
        assert landlock.handled(version)[1:] == [_BIND_TCP | _CONNECT_TCP, _ABSTRACT_SOCKETS | _SIGNALS]
    ports = _BIND_TCP | _CONNECT_TCP | _BIND_UDP | _SEND_UDP
    for version in (10, 11):
        assert landlock.handled(version)[1:] == [ports, _ABSTRACT_SOCKETS | _SIGNALS]


def test_this_kernel_knows_all_that_its_version_is_said_to() -> None:
    version = landlock.version()
    if version == 0:
        pytest.skip("this kernel has no Landlock")
    packed = b"".join(value.to_bytes(8, "little") for value in landlock.handled(version))
    os.close(kernel.syscall(444, packed, len(packed), 0))  # landlock_create_ruleset
    with pytest.raises(OSError, match="Invalid argument"):
        kernel.syscall(444, bytes(7) + b"\x80", 8, 0)
