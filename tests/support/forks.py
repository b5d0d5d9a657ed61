"""Runs of pytest with the plugins that are named and no others."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.support import fork_server

_SECONDS = 200


class Forks:
    """Forks them from this process's server."""

    def __init__(self) -> None:
        self._at = fork_server.address()

    def run(self, folder: Path, arguments: list[str], environ: Mapping[str, str] | None = None) -> pytest.RunResult:
        """One run of `pytest` in a folder.

        Args:
            environ: the whole environment; by default this process's.
        """
        given = dict(os.environ if environ is None else environ)
        given.pop("PYTEST_CURRENT_TEST", None)
        given["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
        given["COLUMNS"] = "120"
        command = [sys.executable, "-m", "pytest", *arguments]
        ended = fork_server.run(command, cwd=folder, environ=given, timeout=_SECONDS, at=self._at)
        print(ended.stdout, ended.stderr, sep="")
        return pytest.RunResult(ended.returncode, ended.stdout.splitlines(), ended.stderr.splitlines(), 0.0)
