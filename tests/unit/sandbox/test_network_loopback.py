"""Which addresses are the machine's, and which of its servers are the suite's."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path

import pytest

from gate.sandbox.network.loopback import Listeners, foreign_listeners, is_loopback, local_names, numeric

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")


@pytest.mark.parametrize("host", ["127.0.0.1", "127.9.9.9", "127.1", "::1", "::ffff:127.0.0.1", "0.0.0.0", "::", ""])
def test_loopback_addresses(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize(
    "host", ["10.0.0.1", "192.0.2.1", "8.8", "::ffff:192.0.2.1", "fe80::1%lo", "2001:db8::1", "localhost", "1.2.3.4.5"]
)
def test_other_addresses_and_names(host: str) -> None:
    assert not is_loopback(host)


def test_a_number_is_an_address_and_a_name_is_not() -> None:
    assert str(numeric("127.1")) == "127.0.0.1"
    assert str(numeric("fe80::1%eth0")) == "fe80::1"
    assert numeric("1password.com") is None
    assert numeric("localhost") is None


def test_names_of_the_hosts_file_that_mean_this_machine(tmp_path: Path) -> None:
    hosts = tmp_path / "hosts"
    hosts.write_text("127.0.0.1 localhost mine # not.mine\n192.0.2.1 theirs\n::1 Six\n# 127.0.0.1 comment\n\nbad\n")
    found = local_names(hosts)
    assert {"localhost", "mine", "six"} <= found
    assert not found & {"theirs", "not.mine", "comment", "bad", "#"}
    assert "localhost" in local_names(tmp_path / "absent")


SERVER = """
import socket, sys
tcp = socket.create_server(("127.0.0.1", 0))
udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
udp.bind(("127.0.0.1", 0))
print(tcp.getsockname()[1], udp.getsockname()[1], flush=True)
sys.stdin.read()
"""


@linux
def test_servers_of_other_processes_are_foreign_and_those_of_this_tree_are_not() -> None:
    with (
        subprocess.Popen([sys.executable, "-c", SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child,
        socket.create_server(("127.0.0.1", 0)) as own,
    ):
        assert child.stdout is not None
        tcp, udp = (int(text) for text in child.stdout.readline().split())
        mine = own.getsockname()[1]
        found = foreign_listeners()
        assert not (found.hold("tcp", tcp) or found.hold("udp", udp) or found.hold("tcp", mine))
        seen_by_a_stranger = Listeners.from_text(_listeners_of_another_process())
        assert seen_by_a_stranger.hold("tcp", tcp)
        assert seen_by_a_stranger.hold("udp", udp)
        assert seen_by_a_stranger.hold("tcp", mine)
        assert not seen_by_a_stranger.hold("udp", mine)
        own.close()
        assert not seen_by_a_stranger.hold("tcp", mine)
        with socket.create_server(("127.0.0.1", mine)):  # another server with the same port
            assert not seen_by_a_stranger.hold("tcp", mine)
        child.communicate(b"")


def _listeners_of_another_process() -> str:
    code = "from gate.sandbox.network.loopback import foreign_listeners; print(foreign_listeners().to_text())"
    root = Path(__file__).parents[3]
    return subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True).stdout


def test_listeners_survive_a_variable_of_the_environment() -> None:
    found = Listeners(frozenset({("tcp", 80, 12), ("udp", 53, 7)}))
    assert found.to_text() == "tcp:80:12 udp:53:7"
    assert Listeners.from_text(found.to_text()) == found
    assert Listeners.from_text("tcp:80 x:1:2 udp:a:1 tcp:1:b tcp:81:3") == Listeners(frozenset({("tcp", 81, 3)}))
    assert Listeners.from_text("") == Listeners()
