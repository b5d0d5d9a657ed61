"""Coding agents as their makers publish them, pinned with their digests in `real_agents/`, fetched once."""

from __future__ import annotations

import hashlib
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

HERE = Path(__file__).parent / "real_agents"
_INSTALLERS = ("@anthropic-ai/claude-code/install.cjs", "opencode-ai/postinstall.mjs")
"""Of packages whose program is in a package of its own for each machine: they put it in place and load nothing."""
_UNREACHABLE = re.compile(
    r"ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|NewConnectionError|ConnectTimeout|"
    r"NameResolutionError|No matching distribution"
)


class AgentsAbsentError(Exception):
    """This machine has not got them and can't fetch them."""


@cache
def of_npm() -> Path:
    """Folder with the programs `claude`, `codex`, `gemini` and `opencode`.

    Raises:
        AgentsAbsentError: they are not cached, and npm is absent or reaches no registry. Another failure is an error.
    """
    npm, node = shutil.which("npm"), shutil.which("node")

    def fetch(folder: Path) -> None:
        if npm is None or node is None:
            raise AgentsAbsentError("npm and node are absent, so the agents can't be fetched")
        if platform.machine() != "x86_64":
            raise AgentsAbsentError("the agents' programs are pinned for x86-64")
        for name in ("package.json", "package-lock.json"):
            shutil.copy(HERE / name, folder)
        # `npm ci` wants the programs of all machines to be locked; what is locked is held to its digest all the same
        _run([npm, "install", "--ignore-scripts", "--no-audit", "--no-fund"], folder)
        for script in _INSTALLERS:
            path = folder / "node_modules" / script
            _run([node, path.name], path.parent)

    return _cached("agents", ("package.json", "package-lock.json"), fetch) / "node_modules" / ".bin"


@cache
def of_pypi() -> Path:
    """Folder with the program `aider`, in an environment of its own.

    Raises:
        AgentsAbsentError: it is not cached, and this Python is too new for it or reaches no index.
    """

    def fetch(folder: Path) -> None:
        if sys.version_info >= (3, 13):
            raise AgentsAbsentError("aider 0.86.2 needs a Python older than 3.13")
        _run([sys.executable, "-m", "venv", "."], folder)
        pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        _run([*pip, "--require-hashes", "--no-deps", "-r", str(HERE / "aider.txt")], folder)

    return _cached("aider", ("aider.txt",), fetch) / "bin"


def _cached(name: str, files: tuple[str, ...], fetch: Callable[[Path], None]) -> Path:
    digest = hashlib.sha256(b"".join((HERE / file).read_bytes() for file in files)).hexdigest()[:16]
    folder = Path(__file__).resolve().parents[2] / ".cache" / f"{name}-{digest}"
    done = folder / "done"
    if not done.exists():  # an environment can't be moved once it is made, so it is made in its place
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        fetch(folder)
        done.touch()
    return folder


def _run(command: list[str], folder: Path) -> None:
    with tempfile.TemporaryFile() as told:
        environ = {**os.environ, "npm_config_update_notifier": "false"}
        result = subprocess.run(command, cwd=folder, env=environ, stdout=told, stderr=told, timeout=900, check=False)
        told.seek(0)
        text = told.read().decode("utf-8", "replace")[-4000:]
    if result.returncode and _UNREACHABLE.search(text):
        raise AgentsAbsentError(f"`{Path(command[0]).name}` reaches no registry")
    if result.returncode:
        raise RuntimeError(f"{command} failed: {text}")
