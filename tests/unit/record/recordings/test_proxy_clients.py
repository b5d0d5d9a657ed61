"""Clients in other languages and processes, recorded and replayed through the proxy."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from gate.record.recordings import scope
from gate.record.recordings.exchange import Scope
from gate.record.recordings.proxy import Proxy
from gate.record.recordings.upstreams import routes
from gate.sandbox.network import sockets
from gate.sandbox.network.guard import strongest
from tests.support.upstream import KeepingSession, Upstream, upstream

NODE = """
const base = process.env.OPENAI_BASE_URL;
const headers = {"content-type": "application/json", authorization: "Bearer " + process.env.OPENAI_API_KEY};
const ask = (path, body) => fetch(base + path, {method: "POST", headers, body: JSON.stringify(body)});
for (const prompt of ["a", "b"]) {
  const answer = await ask("/chat/completions", {model: "m", messages: [{role: "user", content: prompt}]});
  console.log(answer.status, JSON.stringify(await answer.json()));
}
const stream = await ask("/stream", {stream: true});
let text = "";
for await (const piece of stream.body.pipeThrough(new TextDecoderStream())) text += piece;
console.log(JSON.stringify(text), stream.headers.get("content-type"));
console.log(await (await ask("/zipped", {})).json());
console.log((await ask("/busy", {})).status);
"""
SHELL = """
set -eu
curl -sS --fail -H "Authorization: Bearer $OPENAI_API_KEY" -d '{"prompt": "a"}' "$OPENAI_BASE_URL/chat"
head -c 1500000 /dev/zero | curl -sS --fail -H 'Expect: 100-continue' --data-binary @- "$OPENAI_BASE_URL/chat"
curl -sS --fail -N -d '{}' "$OPENAI_BASE_URL/stream"
curl -sS --fail --compressed -d '{}' "$OPENAI_BASE_URL/zipped"
curl -sS --fail -T - -X POST "$OPENAI_BASE_URL/chat" < /dev/null
curl -sS -L "$OPENAI_BASE_URL/redirect"
"""
MISSING = 'curl -sS -w "%{http_code}" -d "{}" "$OPENAI_BASE_URL/never-recorded"'

CLIENTS = [
    pytest.param("node", NODE, "script.mjs", marks=pytest.mark.skipif(not shutil.which("node"), reason="needs node")),
    pytest.param("sh", SHELL, "script.sh", marks=pytest.mark.skipif(not shutil.which("curl"), reason="needs curl")),
]


@pytest.fixture
def server() -> Iterator[Upstream]:
    with upstream() as found:
        yield found


@pytest.fixture
def proxy(server: Upstream) -> Iterator[Proxy]:
    with Proxy(KeepingSession(), routes({"OPENAI_BASE_URL": f"{server.address}/v1"})) as found:
        yield found


def run(command: list[str], proxy: Proxy) -> tuple[int, str, str]:
    environ = {"PATH": "/usr/local/bin:/usr/bin:/bin", "OPENAI_API_KEY": "sk-test"}
    dead_end = {"http_proxy": "http://192.0.2.1:9", "HTTP_PROXY": "http://192.0.2.1:9"}
    ended = subprocess.run(
        command,
        env={**environ, **dead_end, **proxy.environment({})},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return ended.returncode, ended.stdout, ended.stderr


@pytest.mark.parametrize(("program", "text", "name"), CLIENTS)
def test_a_script_is_recorded_and_replayed_without_its_upstream(
    program: str, text: str, name: str, proxy: Proxy, server: Upstream, tmp_path: Path
) -> None:
    session = proxy.session
    assert isinstance(session, KeepingSession)
    (tmp_path / name).write_text(text)
    command = [program, str(tmp_path / name)]
    with scope.entered(Scope("test_a.py::test_script")):
        live = run(command, proxy)
        assert (live[0], live[2]) == (0, "")
        deadline = time.monotonic() + 10  # a client may see the end of an answer a moment before it is kept
        while len(server.requests) != sum(map(len, session.kept.values())) and time.monotonic() < deadline:
            time.sleep(0.01)
        assert len(server.requests) == sum(map(len, session.kept.values())) >= 5
        calls, connections = len(server.requests), server.connections
        session.replay()
        assert run(command, proxy) == live
    assert (len(server.requests), server.connections, session.missing) == (calls, connections, [])
    assert {key[3].case for key in session.kept} == {"test_a.py::test_script"}


@pytest.mark.skipif(not shutil.which("curl"), reason="needs curl")
def test_a_script_that_asks_something_new_is_told_so(proxy: Proxy, server: Upstream) -> None:
    session = proxy.session
    assert isinstance(session, KeepingSession)
    session.replay()
    code, told, _ = run(["sh", "-c", MISSING], proxy)
    assert (code, told[-3:], server.connections) == (0, "599", 0)
    assert '"type": "gate_missing_recording"' in told


@pytest.mark.skipif(not shutil.which("curl"), reason="needs curl")
def test_the_proxy_serves_within_the_guard_of_sockets(proxy: Proxy) -> None:
    session = proxy.session
    assert isinstance(session, KeepingSession)
    run(["sh", "-c", MISSING], proxy)
    session.replay()
    refused: list[sockets.Refusal] = []
    sockets.install(note=refused.append)
    try:
        code, told, _ = run(["sh", "-c", MISSING], proxy)
    finally:
        sockets.uninstall()
    assert (code, told[-3:], refused) == (0, "200", [])


WHOLE = """
import subprocess, sys
from gate.record.recordings.proxy import Proxy
from gate.record.recordings.upstreams import routes
from tests.support.upstream import KeepingSession

session = KeepingSession()
session.replay()
with Proxy(session, routes({})) as proxy:
    environ = {"PATH": "/usr/local/bin:/usr/bin:/bin", **proxy.environment({})}
    print(subprocess.run(["sh", "-c", sys.argv[1]], env=environ, capture_output=True, text=True).stdout[-3:])
    outside = ["curl", "-sS", "--noproxy", "*", "-m", "5", "http://192.0.2.1/"]
    print(subprocess.run(outside, env=environ, capture_output=True, text=True).returncode)
"""


@pytest.mark.skipif(not shutil.which("curl"), reason="needs curl")
@pytest.mark.parametrize("kind", ["network-namespace", "user-namespace", "seccomp"])
def test_child_processes_reach_the_proxy_within_the_guard_of_the_kernel(kind: str) -> None:
    guard = strongest(among=[kind])  # type: ignore[list-item]
    if guard.kind == "none":
        pytest.skip(guard.failed[0])
    root = Path(__file__).parents[4]
    ended = subprocess.run(
        guard.wrap([sys.executable, "-c", WHOLE, MISSING]),
        cwd=root,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.stdout.split() == ["599", "7"], ended.stderr
