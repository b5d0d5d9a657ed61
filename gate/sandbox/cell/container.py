"""A cell in a container beside this process, made by a container engine from an image of the user's choice.

The image must have Python 3.11 or newer as `python3`. The cell within is a bare one: the container adds its own walls
to those of every job. Folders of the machine are not in there, so `Job.readable` names what the image has.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import socket
import subprocess
import time
from pathlib import Path
from typing import Any

from gate.sandbox.cell.client import ENVIRONMENT, FLAGS, ROOT, Zygote, last_word
from gate.sandbox.cell.values import SandboxError
from gate.sandbox.cell.zygote import BOOT

_START_SECONDS = 120.0
_INSIDE = "/gate-cell"
_CONTROL = f"{_INSIDE}/control/socket"
_SCRATCH = f"{_INSIDE}/scratch"
_PROCESSES = 4096
_CAPABILITIES = ("CHOWN", "DAC_OVERRIDE", "FOWNER", "KILL", "SETGID", "SETUID")
"""What makes a user of its own for each job, ends its processes and removes its files."""


def start_in_container(image: str, folder: Path, settings: dict[str, Any]) -> tuple[Zygote, str]:
    """Start a cell's process in a container; gives it and the container's name.

    The container ends with its first process, and that one with this client, however the client ends.

    Args:
        image: what the engine knows, or can pull.
        folder: an empty one, for the socket between here and there.
        settings: as `client.start`, whose folders are replaced by the container's.

    Raises:
        SandboxError: no engine, no such image, no fitting Python in it.
    """
    engine = shutil.which("docker") or shutil.which("podman")
    if engine is None:
        raise SandboxError(
            "no container engine is installed", remedy="install docker or podman, or ask for no container"
        )
    name = f"gate-cell-{os.urandom(8).hex()}"
    inside = {**settings, "folder": _SCRATCH, "scratch": _SCRATCH}
    python = ("python3", *FLAGS, BOOT, _INSIDE, _CONTROL, json.dumps(inside))
    process = subprocess.Popen(
        [engine, "run", *_options(name, folder), image, *python],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        return Zygote(process, _connected(process, folder / "socket")), name
    except SandboxError:
        end_container(name)
        raise


def end_container(name: str) -> None:
    """End a container; one that is gone is no error."""
    engine = shutil.which("docker") or shutil.which("podman") or "docker"
    with contextlib.suppress(OSError, subprocess.TimeoutExpired):
        subprocess.run([engine, "kill", name], capture_output=True, check=False, timeout=30)


def _options(name: str, folder: Path) -> list[str]:
    rights = ["--cap-drop", "ALL", *(part for one in _CAPABILITIES for part in ("--cap-add", one))]
    limits = ["--security-opt", "no-new-privileges", "--pids-limit", str(_PROCESSES)]
    files = ["--read-only", "--tmpfs", f"{_SCRATCH}:mode=711,exec", "-v", f"{folder}:{_INSIDE}/control"]
    source = ["-v", f"{ROOT}/gate:{_INSIDE}/gate:ro"]
    environment = [part for pair in ENVIRONMENT.items() if pair[0] != "PATH" for part in ("-e", "=".join(pair))]
    apart = ["--rm", "--name", name, "--network", "none", "--user", "0:0", "--entrypoint", "", "--workdir", "/"]
    return [*apart, *rights, *limits, *files, *source, *environment]


def _connected(process: subprocess.Popen[bytes], path: Path) -> socket.socket:
    control = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline:
        try:
            control.connect(str(path))
        except OSError:
            if process.poll() is not None:
                control.close()
                raise SandboxError(f"the container does not start: {last_word(process)}") from None
            time.sleep(0.02)
        else:
            return control
    control.close()
    process.kill()
    raise SandboxError("the container does not start in time: " + last_word(process))
