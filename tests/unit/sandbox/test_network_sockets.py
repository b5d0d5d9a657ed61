"""The guard within Python: real sockets, nothing of which leaves the machine."""

from __future__ import annotations

import asyncio
import http.client
import http.server
import socket
import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from gate.errors import EXIT_UNDECIDED, RecordingError
from gate.sandbox.network import sockets
from gate.sandbox.network.loopback import Listeners, Loopback, foreign_listeners
from gate.sandbox.network.sockets import NetworkRefusedError, Refusal

OUTSIDE = "192.0.2.1"  # TEST-NET-1: without the guard a test would wait, not reach anyone
CASE = "test_a.py::test_a"


@contextmanager
def guarded(loopback: Loopback = "own", foreign: Listeners | None = None) -> Iterator[list[Refusal]]:
    refused: list[Refusal] = []
    sockets.install(case=lambda: CASE, note=refused.append, loopback=loopback, foreign=foreign)
    try:
        yield refused
    finally:
        sockets.uninstall()


def tcp() -> socket.socket:
    sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    sock.settimeout(0.2)
    return sock


def udp() -> socket.socket:
    return socket.socket(socket.AF_INET, socket.SOCK_DGRAM)


def _connect(family: int, address: tuple[object, ...]) -> None:
    with socket.socket(family, socket.SOCK_STREAM) as sock:
        sock.settimeout(0.2)
        sock.connect(address)


def _connect_ex() -> None:
    with tcp() as sock:
        sock.connect_ex((OUTSIDE, 443))


def _send_to() -> None:
    with udp() as sock:
        sock.sendto(b"x", 0, (OUTSIDE, 53))


def _send_message() -> None:
    with udp() as sock:
        sock.sendmsg([b"x"], [], 0, (OUTSIDE, 53))


def _connect_udp() -> None:
    with udp() as sock:
        sock.connect((OUTSIDE, 53))


def _below_python() -> None:
    import _socket

    sock = _socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        sock.settimeout(0.2)
        sock.connect((OUTSIDE, 443))
    finally:
        sock.close()


def _datagram_below_python(name: str, *arguments: object) -> None:
    import _socket

    sock = _socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    try:
        getattr(sock, name)(*arguments)
    finally:
        sock.close()


async def _asyncio() -> None:
    await asyncio.open_connection(OUTSIDE, 443)


CALLS: dict[str, tuple[Callable[[], object], str]] = {
    "connect": (lambda: _connect(socket.AF_INET, (OUTSIDE, 443)), "192.0.2.1:443"),
    "connect-ex": (_connect_ex, "192.0.2.1:443"),
    "create-connection": (lambda: socket.create_connection((OUTSIDE, 443), timeout=0.2), "192.0.2.1:443"),
    "version-6": (lambda: _connect(socket.AF_INET6, ("2001:db8::1", 443)), "[2001:db8::1]:443"),
    "mapped": (lambda: _connect(socket.AF_INET6, ("::ffff:192.0.2.1", 443, 0, 0)), "[::ffff:192.0.2.1]:443"),
    "name": (lambda: _connect(socket.AF_INET, ("api.example.org", 443)), "api.example.org:443"),
    "bytes": (lambda: _connect(socket.AF_INET, (b"api.example.org", 443)), "api.example.org:443"),
    "sendto": (_send_to, "192.0.2.1:53"),
    "sendmsg": (_send_message, "192.0.2.1:53"),
    "connect-udp": (_connect_udp, "192.0.2.1:53"),
    "c-class": (_below_python, "192.0.2.1:443"),
    "c-class-sendto": (lambda: _datagram_below_python("sendto", b"x", (OUTSIDE, 53)), "192.0.2.1:53"),
    "c-class-sendmsg": (lambda: _datagram_below_python("sendmsg", [b"x"], [], 0, (OUTSIDE, 53)), "192.0.2.1:53"),
    "asyncio": (lambda: asyncio.run(_asyncio()), "192.0.2.1:443"),
    "http-client": (lambda: http.client.HTTPConnection(OUTSIDE, timeout=0.2).request("GET", "/"), "192.0.2.1:80"),
    "look-up": (lambda: socket.getaddrinfo("api.example.org", 443), "api.example.org"),
    "look-up-bytes": (lambda: socket.getaddrinfo(b"api.example.org", 443), "api.example.org"),
    "old-look-up": (lambda: socket.gethostbyname("api.example.org"), "api.example.org"),
    "reverse": (lambda: socket.gethostbyaddr(OUTSIDE), OUTSIDE),
    "name-info": (lambda: socket.getnameinfo((OUTSIDE, 80), 0), OUTSIDE),
}


@pytest.mark.parametrize("name", CALLS)
def test_what_would_leave_the_machine_is_refused_and_noted(name: str) -> None:
    call, place = CALLS[name]
    with guarded() as refused, pytest.raises(NetworkRefusedError) as caught:
        call()
    assert f" {place} was refused" in str(caught.value)
    assert str(caught.value).startswith(f"{CASE}: ")
    (refusal,) = refused
    assert refusal.case == CASE
    assert place in (refusal.host, f"{refusal.host}:{refusal.port}", f"[{refusal.host}]:{refusal.port}")


def test_the_error_is_one_of_the_gate_and_one_of_sockets() -> None:
    with guarded(), pytest.raises(ConnectionRefusedError) as caught:
        socket.create_connection((OUTSIDE, 443))
    error = caught.value
    assert isinstance(error, RecordingError)
    assert (error.exit_code, error.where) == (EXIT_UNDECIDED, CASE)
    assert "192.0.2.1:443" in error.message
    assert "--mode record" in error.remedy


def test_clients_wrap_it_as_any_refused_connection() -> None:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with guarded(), pytest.raises(urllib.error.URLError, match=r"api\.example\.org was refused"):
        opener.open("http://api.example.org/v1", timeout=1)


def test_other_families_are_refused_by_name() -> None:
    if not hasattr(socket, "AF_VSOCK"):
        pytest.skip("only Linux has the family")
    try:
        sock = socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM)
    except OSError:
        pytest.skip("this kernel does not have the family")
    with sock, guarded() as refused, pytest.raises(NetworkRefusedError, match="AF_VSOCK"):
        sock.connect((2, 1))
    assert refused[0].host == "AF_VSOCK"


def test_own_servers_can_be_reached_by_every_spelling() -> None:
    with guarded() as refused, socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        for host in ("127.0.0.1", "localhost", "0.0.0.0", "127.1"):
            with socket.create_connection((host, port), timeout=5):
                server.accept()[0].close()
        for host in ("", "LocalHost"):
            _connect(socket.AF_INET, (host, port))
            server.accept()[0].close()
        with tcp() as client:
            assert client.connect_ex(("127.0.0.1", port)) == 0
            server.accept()[0].close()
    assert refused == []


def test_own_servers_of_asyncio_threads_and_http_can_be_reached() -> None:
    async def both() -> bytes:
        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(await reader.readline())
            writer.close()

        async with await asyncio.start_server(answer, "localhost", 0) as server:
            reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname()[:2])
            writer.write(b"hello\n")
            found = await reader.read()
            writer.close()
            await writer.wait_closed()
            return found

    with guarded() as refused:
        assert asyncio.run(both()) == b"hello\n"
        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler) as server:
            assert server.server_port
        with udp() as receiver, udp() as sender:
            receiver.bind(("127.0.0.1", 0))
            sender.sendto(b"x", receiver.getsockname())
            assert receiver.recv(9) == b"x"
    assert refused == []


def test_unix_sockets_and_pairs_are_left_alone(tmp_path: Path) -> None:
    with guarded() as refused:
        left, right = socket.socketpair()
        with left, right:
            left.sendmsg([b"x"])
            assert right.recv(9) == b"x"
        with socket.socket(socket.AF_UNIX) as server, socket.socket(socket.AF_UNIX) as client:
            server.bind(str(tmp_path / "s"))
            server.listen()
            client.connect(str(tmp_path / "s"))
    assert refused == []


def test_look_ups_that_ask_no_one_are_left_alone() -> None:
    with guarded() as refused:
        for host in (None, "localhost", "LOCALHOST", "127.0.0.1", "::1", "192.0.2.1", socket.gethostname()):
            try:
                socket.getaddrinfo(host, 80)
            except socket.gaierror:
                assert host == socket.gethostname()
        assert socket.gethostbyname("localhost").startswith("127.")
        socket.getfqdn("127.0.0.1")
        socket.getnameinfo(("127.0.0.1", 80), 0)
    assert refused == []


@pytest.mark.skipif(not foreign_listeners().sockets and not Path("/proc/net/tcp").exists(), reason="reads /proc")
def test_a_server_that_the_machine_ran_before_is_not_the_suites() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = server.getsockname()
        inode = int(Path(f"/proc/self/fd/{server.fileno()}").readlink().name.removeprefix("socket:[")[:-1])
        foreign = Listeners(frozenset({("tcp", address[1], inode)}))
        with guarded(foreign=foreign) as refused:
            for host in ("127.0.0.1", "localhost"):
                with pytest.raises(NetworkRefusedError):
                    socket.create_connection((host, address[1]), timeout=5)
        assert {refusal.port for refusal in refused} == {address[1]}
        with guarded("host", foreign), socket.create_connection(address, timeout=5):
            server.accept()[0].close()


def test_without_loopback_nothing_is_left() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, guarded("none"), pytest.raises(NetworkRefusedError):
        socket.create_connection(server.getsockname())


def test_threads_are_guarded_too() -> None:
    errors: list[BaseException] = []

    def ask() -> None:
        try:
            socket.create_connection((OUTSIDE, 443), timeout=0.2)
        except NetworkRefusedError as error:
            errors.append(error)

    with guarded():
        thread = threading.Thread(target=ask)
        thread.start()
        thread.join()
    assert len(errors) == 1


def test_afterwards_everything_is_as_before() -> None:
    before = {name: getattr(socket.socket, name) for name in ("connect", "connect_ex", "sendto", "sendmsg")}
    for _ in range(2):
        with guarded() as refused:
            assert socket.socket.connect is not before["connect"]
    assert {name: getattr(socket.socket, name) for name in before} == before
    assert not before.keys() & socket.socket.__dict__.keys()
    with tcp() as sock:
        sock.setblocking(False)
        assert sock.connect_ex((OUTSIDE, 443)) != 0  # under way or unreachable, and not refused by the guard
    assert refused == []


def test_arguments_that_no_socket_takes_fail_as_without_the_guard() -> None:
    with guarded() as refused, tcp() as sock:
        for address in ("127.0.0.1:80", ("127.0.0.1",), ("127.0.0.1", "80"), None):
            with pytest.raises((TypeError, AttributeError)):
                sock.connect(address)  # type: ignore[arg-type]
        with pytest.raises(TypeError):
            sock.connect()  # type: ignore[call-arg]
    assert refused == []
