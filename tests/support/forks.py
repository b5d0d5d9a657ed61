"""Runs of pytest in processes of their own that start in milliseconds: forked from one that has imported it all."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

_SERVER = """
import gc, importlib, json, os, pkgutil, sys, time
import numpy, pytest, _pytest.config
import markdown_it, gate.record.plugin.calls, gate.record.plugin.mutation.outputs, gate.record.plugin.mutation.runner
import gate.render, gate.stats.design, gate.suites.mutation.mutants, gate.suites.mutation.suppressions
import gate.suites.mutation.targets

for name in (*_pytest.config.default_plugins, "unraisableexception", "threadexception"):
    importlib.import_module("_pytest." + name)
for part in pkgutil.walk_packages(gate.record.plugin.__path__, "gate.record.plugin."):
    importlib.import_module(part.name)
parsed = gate.suites.mutation.prompt.parse("- You must never say more than 3 words.")
gate.suites.mutation.mutants.mutants_of(parsed)  # its patterns are compiled here, and not in each child
gc.collect()
gc.freeze()  # else each child's own collections walk, and copy, all of this

for line in sys.stdin:
    order = json.loads(line)
    child = os.fork()
    if child == 0:
        code = 70
        try:
            os.chdir(order["folder"])
            os.environ.clear()
            os.environ.update(order["environ"])
            for number, name in ((1, "out"), (2, "err")):
                handle = os.open(order[name], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
                os.dup2(handle, number)
                os.close(handle)
            sys.stdin.close()
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            sys.stdin = open(0, closefd=False)
            sys.path.insert(0, order["folder"])
            sys.argv = ["pytest", *order["arguments"]]
            code = pytest.main()
        except SystemExit as error:
            code = error.code
        finally:
            sys.stdout.flush(); sys.stderr.flush()
            os._exit(int(code))
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""
_SECONDS = 200


class Forks:
    """The process that is forked from."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def run(
        self, folder: Path, arguments: list[str], output: Path, environ: Mapping[str, str] | None = None
    ) -> pytest.RunResult:
        """One run of `pytest` in a folder.

        Args:
            output: a folder for what it prints, outside the one that it runs in.
            environ: the whole environment; by default this process's.
        """
        given = dict(os.environ if environ is None else environ)
        given.pop("PYTEST_CURRENT_TEST", None)
        given["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # most of a short run is the loading of plugins
        given["COLUMNS"] = "120"
        out, err = output / "out", output / "err"
        order = {
            "folder": str(folder),
            "arguments": arguments,
            "environ": given,
            "out": str(out),
            "err": str(err),
        }
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        ended, _, _ = select.select([self._process.stdout], [], [], _SECONDS)
        if not ended:
            self._process.kill()
            pytest.fail(f"a run of pytest did not end within {_SECONDS} s: {arguments}")
        code = int(self._process.stdout.readline())
        lines = [path.read_text(encoding="utf-8").splitlines() for path in (out, err)]
        print(*lines[0], *lines[1], sep="\n")
        return pytest.RunResult(code, lines[0], lines[1], 0.0)


@contextmanager
def forks() -> Iterator[Forks]:
    process = subprocess.Popen(
        [sys.executable, "-c", _SERVER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
    )
    try:
        yield Forks(process)
    finally:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.close()
        process.wait(10)
        process.stdout.close()
