"""Which addresses are the suite's own: loopback ones where somebody listens who did not before."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from gate.record.plugin.own_servers import OwnServers
from gate.sandbox.network.loopback import Listeners, _listening

if not Path("/proc/net/tcp").exists():
    pytest.skip("reads /proc", allow_module_level=True)


@pytest.fixture
def port() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "LOCALHOST", "127.1", "a.localhost", "[::1]", "0.0.0.0"])
def test_every_name_of_this_machine(port: int, host: str) -> None:
    assert OwnServers(Listeners())(f"http://user:pw@{host}:{port}/v1?a=b")


@pytest.mark.parametrize("host", ["api.openai.com", "192.0.2.1", "localhost.example.org"])
def test_no_other_machine(port: int, host: str) -> None:
    assert not OwnServers(Listeners())(f"http://{host}:{port}/v1")


def test_not_who_listened_before(port: int) -> None:
    before = Listeners(frozenset(_listening("tcp")))
    assert not OwnServers(before)(f"http://127.0.0.1:{port}/")


@pytest.mark.parametrize("upstream", ["http://127.0.0.1:{}/v1", "http://localhost:{}", "https://[::1]:{}/"])
def test_not_what_is_named_as_the_address_of_a_model(port: int, upstream: str) -> None:
    own = OwnServers(Listeners(), [upstream.format(port), "https://api.openai.com"])
    assert not own(f"http://127.0.0.1:{port}/v1/chat")


def test_where_nobody_ever_listened_a_recording_may_answer() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        free = server.getsockname()[1]
    own = OwnServers(Listeners())
    assert not own(f"http://127.0.0.1:{free}/")
    assert not own("http://127.0.0.1:port/")
    assert not own("")


def test_what_was_its_own_is_not_looked_at_again(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    own = OwnServers(Listeners())
    assert own(f"http://127.0.0.1:{port}/")
    monkeypatch.setattr("gate.sandbox.network.loopback._listening", lambda protocol: pytest.fail("looked"))
    assert own(f"http://127.0.0.1:{port}/")


def test_where_the_machine_does_not_say_only_what_was_seen_to_listen(port: int) -> None:
    own = OwnServers(Listeners(), [f"http://localhost:{port + 1}"], listened=lambda: {port, port + 1})
    assert own(f"http://127.0.0.1:{port}/")
    assert not own(f"http://127.0.0.1:{port + 1}/"), "it is named as the address of a model"
    assert not own(f"http://127.0.0.1:{port + 2}/")


def test_a_server_of_the_suite_may_come_where_no_other_listens(port: int) -> None:
    """Also one that has come a moment ago, when the last look saw nobody yet."""
    before = Listeners(frozenset(_listening("tcp")))
    own = OwnServers(before, ["http://localhost:1/v1"])
    with socket.create_server(("127.0.0.1", 0)) as server:
        came = server.getsockname()[1]
        assert own.may_come(f"http://127.0.0.1:{came}/", lambda: False)
    assert own.may_come(f"http://127.0.0.1:{came}/", lambda: False)
    assert not own.may_come(f"http://127.0.0.1:{came}/", lambda: True)
    assert not own.may_come(f"http://127.0.0.1:{port}/", lambda: False), "somebody else's"
    assert not own.may_come("http://127.0.0.1:1/v1/chat", lambda: False), "named as the address of a model"
    assert not own.may_come("http://192.0.2.1:80/", lambda: False), "another machine"
    blind = OwnServers(before, listened=lambda: ())
    assert not blind.may_come(f"http://127.0.0.1:{came}/", lambda: False), "who listens can't be told"
