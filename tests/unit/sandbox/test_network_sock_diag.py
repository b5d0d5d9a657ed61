"""Who listens for TCP, by the kernel's diagnostics: the same as its table says."""

from __future__ import annotations

import errno
import os
import socket
import struct
from pathlib import Path

import pytest

from gate.sandbox.network import loopback, sock_diag


def inode(sock: socket.socket) -> int:
    return os.fstat(sock.fileno()).st_ino


def asked() -> set[tuple[int, int]]:
    try:
        return sock_diag.listening()
    except OSError as error:
        pytest.skip(f"this machine has no socket diagnostics: {error}")


@pytest.mark.parametrize(("family", "address"), [(socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")])
def test_who_listens_is_found_and_who_is_connected_is_not(family: int, address: str) -> None:
    with socket.socket(family) as server, socket.socket(family) as client:
        try:
            server.bind((address, 0))
        except OSError:
            pytest.skip("this machine has no such addresses")
        port = server.getsockname()[1]
        assert (port, inode(server)) not in asked()
        server.listen()
        client.connect((address, port))
        found = asked()
        assert (port, inode(server)) in found
        assert inode(client) not in {number for _, number in found}
    assert port not in {found for found, _ in asked()}


@pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="reads /proc")
def test_many_sockets_take_several_answers_and_the_table_says_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    servers = [socket.create_server(("127.0.0.1", 0)) for _ in range(300)]
    try:
        ours = {("tcp", server.getsockname()[1], inode(server)) for server in servers}
        assert ours <= {("tcp", *entry) for entry in asked()}

        def refuse() -> set[tuple[int, int]]:
            raise PermissionError(errno.EPERM, "a filter of system calls")

        monkeypatch.setattr(sock_diag, "listening", refuse)
        assert ours <= loopback._listening("tcp")
    finally:
        for server in servers:
            server.close()


def test_a_refusal_of_the_kernel_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    refusal = struct.pack("=IHHIIi", 20, 2, 0, 1, 0, -errno.ENOENT)

    class Kernel:
        def __init__(self, *_: int) -> None: ...
        def __enter__(self) -> Kernel:
            return self

        def __exit__(self, *_: object) -> None: ...
        def send(self, data: bytes) -> None: ...
        def recv(self, size: int) -> bytes:
            return refusal

    monkeypatch.setattr(socket, "socket", Kernel)
    with pytest.raises(OSError, match="No such file") as refused:
        sock_diag.listening()
    assert refused.value.errno == errno.ENOENT
