"""The engine itself: started with its own data, ended by the process id that was written when it started."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

PROGRAMS = ("dockerd", "docker", "iptables")
PACKAGES = ("docker.io", "iptables", "debootstrap")
DRIVERS = ("overlay2", "vfs")
_PATIENCE = 60.0


class EngineError(Exception):
    """No engine can be had on this machine; the text says why."""


@dataclass(frozen=True, slots=True)
class Engine:
    """An engine that answers.

    Attributes:
        host: for `DOCKER_HOST`.
        own: whether it is ours, so that the stand-in base image may be put in it.
    """

    host: str
    own: bool

    @property
    def socket(self) -> str:
        return self.host.removeprefix("unix://")

    def docker(
        self, *arguments: str, given: bytes | None = None, check: bool = True, timeout: float = 900
    ) -> subprocess.CompletedProcess[bytes]:
        """Run the client against this engine.

        Raises:
            EngineError: the client failed, with what it said.
        """
        result = subprocess.run(
            ["docker", *arguments],
            env={**os.environ, "DOCKER_HOST": self.host, "DOCKER_BUILDKIT": "0"},
            input=given,
            capture_output=True,
            timeout=timeout,
            check=False,
        )
        if check and result.returncode:
            said = (result.stdout[-4000:] + result.stderr[-4000:]).decode("utf-8", "replace")
            raise EngineError(f"`docker {' '.join(arguments)[:120]}` ended with {result.returncode}:\n{said}")
        return result


def cache_folder() -> Path:
    """Where the engine keeps its data between runs: `GATE_E2E_CACHE`, else below the user's cache folder."""
    chosen = os.environ.get("GATE_E2E_CACHE")
    folder = Path(chosen) if chosen else Path.home() / ".cache" / "robustness-gate-e2e"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def engine_here() -> Engine | None:
    """The engine that answers now: the machine's own, else ours if it runs."""
    for host, own in ((os.environ.get("DOCKER_HOST") or "unix:///var/run/docker.sock", False), (_host(), True)):
        if shutil.which("docker") and _answers(host):
            return Engine(host, own)
    return None


def start() -> Engine:
    """An engine that answers, started if need be.

    Raises:
        EngineError: a program is missing or the daemon does not come up, with the end of its log.
    """
    found = engine_here()
    if found is not None:
        return found
    missing = [name for name in PROGRAMS if shutil.which(name) is None]
    if missing:
        raise EngineError(f"missing: {', '.join(missing)} (Debian: apt-get install {' '.join(PACKAGES)})")
    said = ""
    for driver in DRIVERS:
        said = _launch(driver)
        if not said:
            return Engine(_host(), own=True)
    raise EngineError(f"dockerd does not start here:\n{said}")


def stop() -> bool:
    """End the engine that `start` started; whether there was one."""
    pid_file = cache_folder() / "engine.pid"
    try:
        pid = int(pid_file.read_text("ascii"))
    except (OSError, ValueError):
        return False
    pid_file.unlink()
    if not _is_dockerd(pid):
        return False
    os.kill(pid, signal.SIGTERM)
    deadline = time.monotonic() + _PATIENCE
    while _is_dockerd(pid) and time.monotonic() < deadline:
        _reap(pid)
        time.sleep(0.1)
    return True


def _launch(driver: str) -> str:
    """Start the daemon; what it said when it failed, empty when it answers."""
    folder = cache_folder()
    run = folder / "run"
    run.mkdir(exist_ok=True)
    log = folder / "engine.log"
    with log.open("wb") as stream:
        process = subprocess.Popen(
            [
                "dockerd",
                f"--data-root={folder / f'data-{driver}'}",
                f"--exec-root={run / 'exec'}",
                f"--pidfile={run / 'docker.pid'}",
                f"--host={_host()}",
                f"--storage-driver={driver}",
                "--group=root",
            ],
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    (folder / "engine.pid").write_text(str(process.pid), "ascii")
    deadline = time.monotonic() + _PATIENCE
    while time.monotonic() < deadline and process.poll() is None:
        if _answers(_host()):
            return ""
        time.sleep(0.2)
    if process.poll() is None:
        process.kill()
        process.wait()
    (folder / "engine.pid").unlink(missing_ok=True)
    return log.read_text("utf-8", "replace")[-2000:] or "no output"


def _host() -> str:
    return f"unix://{cache_folder() / 'run' / 'docker.sock'}"


def _answers(host: str) -> bool:
    if host.startswith("unix://") and not Path(host.removeprefix("unix://")).exists():
        return False
    try:
        asked = subprocess.run(
            ["docker", "version", "--format", "{{.Server.Version}}"],
            env={**os.environ, "DOCKER_HOST": host},
            capture_output=True,
            timeout=20,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return asked.returncode == 0


def _is_dockerd(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(") ")[2][:1]
        return state != "Z" and "dockerd" in Path(f"/proc/{pid}/comm").read_text("utf-8")
    except OSError:
        return False


def _reap(pid: int) -> None:
    with contextlib.suppress(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)
