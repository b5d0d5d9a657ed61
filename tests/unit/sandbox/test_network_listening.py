"""Which ports this process listens at, as its own sockets tell."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from gate.sandbox.network import listening


@pytest.fixture
def path(tmp_path: Path) -> Iterator[Path]:
    listening.watch(tmp_path / "listened")
    yield tmp_path / "listened"
    listening.unwatch()


@pytest.mark.parametrize(("family", "host"), [(socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")])
def test_a_socket_that_listens_is_noted_and_stays_so(path: Path, family: socket.AddressFamily, host: str) -> None:
    if family is socket.AF_INET6 and not socket.has_ipv6:
        pytest.skip("this machine has no IPv6")
    with socket.socket(family) as server:
        try:
            server.bind((host, 0))
        except OSError:
            pytest.skip("this machine has no IPv6")
        assert listening.ports(path) == frozenset()
        server.listen()
        port = server.getsockname()[1]
    assert listening.ports(path) == {port}


def test_a_server_of_an_event_loop(path: Path) -> None:
    async def serve() -> int:
        server = await asyncio.start_server(lambda reader, writer: None, "127.0.0.1", 0)
        async with server:
            return int(server.sockets[0].getsockname()[1])

    assert asyncio.run(serve()) in listening.ports(path)


def test_a_unix_socket_has_no_port(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("s")
        server.listen()
    assert listening.ports(path) == frozenset()


def test_a_note_that_can_not_be_written_ends_no_server(tmp_path: Path) -> None:
    listening.watch(tmp_path / "nowhere" / "listened")
    try:
        with socket.create_server(("127.0.0.1", 0)):
            assert listening.ports(tmp_path / "nowhere" / "listened") == frozenset()
    finally:
        listening.unwatch()


def test_afterwards_nothing_is_changed(tmp_path: Path) -> None:
    before = socket.socket.listen
    listening.watch(tmp_path / "a")
    listening.watch(tmp_path / "b")
    listening.unwatch()
    assert socket.socket.listen is before
    with socket.create_server(("127.0.0.1", 0)):
        pass
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_port_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "listened").write_bytes(b"80\nhello\n\n8080\n99")
    assert listening.ports(tmp_path / "listened") == {80, 8080}
