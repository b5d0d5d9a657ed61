"""Cells of other users and other interpreters, for tests of them."""

from __future__ import annotations

import functools
import json
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

_ROOT = Path(__file__).parents[2]
_NEEDED = ("gate/__init__.py", "gate/errors.py", "gate/sandbox/__init__.py", "gate/sandbox/bpf.py", "tests/__init__.py")
_ASKED = "import sys; sys.exit(sys.version_info < (3, 11))"


def user() -> int:
    """A user of this test process alone, where the machine can have one."""
    return 40_000 + os.getpid() % 20_000


@functools.cache
def shared_interpreter() -> str:
    """An interpreter that any user may run; the test that asks is skipped where there is none."""
    for name in (str(Path(sys.executable).resolve()), "/usr/local/bin/python3", "/usr/bin/python3"):
        ids: dict[str, Any] = {"user": user(), "group": user(), "extra_groups": []} if os.geteuid() == 0 else {}
        try:
            if subprocess.run([name, "-c", _ASKED], check=False, cwd="/", timeout=30, **ids).returncode == 0:
                return name
        except OSError:
            continue
    pytest.skip("no Python 3.11 that other users may run")


@contextmanager
def shared_copy() -> Iterator[Path]:
    """A copy of the cell and of its attacks that any user may read."""
    with TemporaryDirectory(prefix="gate-copy-") as name:
        folder = Path(name)
        for path in _NEEDED:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(_ROOT / path, folder / path)
        shutil.copytree(_ROOT / "gate/sandbox/cell", folder / "gate/sandbox/cell")
        (folder / "tests/support").mkdir()
        (folder / "tests/support/__init__.py").touch()
        shutil.copy(_ROOT / "tests/support/attacks.py", folder / "tests/support/attacks.py")
        for path in (folder, *folder.rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)
        yield folder


def run_as(root: bool, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    """Run a program of the copy as root or as an ordinary user; skipped where this process is not root but must be."""
    if root and os.geteuid() != 0:
        pytest.skip("needs root")
    ids: dict[str, Any] = {}
    if not root and os.geteuid() == 0:
        ids = {"user": user(), "group": user(), "extra_groups": []}
    with shared_copy() as copy:
        environment = {"PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1", "PATH": os.defpath}
        command = [shared_interpreter(), *arguments]
        return subprocess.run(command, capture_output=True, check=False, timeout=120, cwd=copy, env=environment, **ids)


def run_here_as(root: bool, code: str, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    """Run Python of ours, with all that is installed, as root or as an ordinary user, by an interpreter that both may
    run; skipped where this process is not root but must be, or where that user may not read what is installed."""
    if root and os.geteuid() != 0:
        pytest.skip("needs root")
    ids: dict[str, Any] = {}
    if not root and os.geteuid() == 0:
        ids = {"user": user(), "group": user(), "extra_groups": []}
    paths = [str(_ROOT), sysconfig.get_paths()["purelib"]]
    environment = {"PYTHONPATH": ":".join(paths), "PYTHONDONTWRITEBYTECODE": "1", "PATH": os.defpath}
    command = [shared_interpreter(), "-c", code, *arguments]
    ended = subprocess.run(command, capture_output=True, check=False, timeout=120, cwd="/", env=environment, **ids)
    if b"ModuleNotFoundError: No module named" in ended.stderr or b"ImportError" in ended.stderr:
        pytest.skip(f"another user can't use what is installed: {ended.stderr.decode().splitlines()[-1]}")
    return ended


def attacked(root: bool, *how: str) -> dict[str, Any]:
    """What `tests.support.attacks` tells about a cell of one means; skipped where it can't be opened here."""
    ended = run_as(root, "-m", "tests.support.attacks", *how)
    if ended.returncode != 0:
        said = ended.stderr.decode("utf-8", "replace").strip()
        if "SandboxError: nothing on this machine holds" in said and "not held" not in said:
            pytest.skip(said.splitlines()[-2] if len(said.splitlines()) > 1 else said)
        raise AssertionError(said)
    told: dict[str, Any] = json.loads(ended.stdout)
    return told
