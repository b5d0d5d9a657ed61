"""The programs that do the calls, in every kind of cell, as root and as an ordinary user: they hold the same."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gate.sandbox.cell import Cell, Job
from gate.suites.probes.checks.calls import Call
from gate.suites.probes.checks.harness import text_of
from gate.suites.probes.checks.oracles.marker import MARK_LOOK
from tests.support.cells import run_as

BY_ROOT, BY_USER = True, False
PROGRAM = """
import json, sys
from gate.sandbox.cell import Job, open_cell
files, means = json.loads(sys.argv[1]), sys.argv[2:]
with open_cell(among=tuple(means)) as cell:
    ended = cell.run(Job((cell.python, "-I", "-S", "gate_runner.py"), files={k: v.encode() for k, v in files.items()}))
print(json.dumps([str(ended.ending), ended.verdict.decode(), ended.stderr.decode()]))
"""
ANSWER = """
import os, signal, subprocess
def f(x):
    subprocess.run("echo 1 > marker; rm marker", shell=True)
    done = []
    for one in (os.getppid(), 1, 2):
        for name, flags in (("mem", os.O_RDWR), *((f"fd/{handle}", os.O_WRONLY) for handle in range(3, 12))):
            try:
                os.write(os.open(f"/proc/{one}/{name}", flags), b'{"index": 0, "value": 4242}\\n')
                done.append(name)
            except OSError:
                pass
    try:
        os.kill(os.getppid(), signal.SIGTERM)
    except OSError:
        pass
    os.mkdir("a")
    os.mkdir("b")
    open("a/moved", "w").close()
    os.rename("a/moved", "b/moved")
    return done
"""


def _files() -> dict[str, str]:
    plan = {"how": "python", "file": "solution.py", "module": "solution", "own": [], "paths": [], "load": True}
    plan |= {"entry": "f", "wall": 20, "cpu": 5}
    calls = [
        Call("code", code="entry(1)", folder="attack/0", look=MARK_LOOK, watch=(".",), trap="secret = 'kept'"),
        Call("call", args=(2,)),
    ]
    names = {"gate_python.py": "python_call.py"}
    names |= {f"gate_{one}": one for one in ("runner.py", "watching.py", "apart.py", "encoding.py", "failure.py")}
    return {
        "solution.py": ANSWER,
        "plan.json": json.dumps(plan),
        "calls.ndjson": "".join(f"{json.dumps(one.as_json(index))}\n" for index, one in enumerate(calls)),
        **{name: text_of(file).decode() for name, file in names.items()},
    }


@pytest.mark.parametrize(
    ("root", "means"),
    [
        (BY_ROOT, "bare"),  # as root with namespaces every other test of the checks runs
        (BY_USER, "namespaces"),
        (BY_USER, "bubblewrap"),
        (BY_USER, "bare"),
    ],
)
def test_no_answer_reaches_what_watches_it(root: bool, means: str) -> None:
    ended = run_as(root, "-c", PROGRAM, json.dumps(_files()), means)
    said = ended.stderr.decode()
    if "SandboxError: nothing on this machine holds" in said and "not held" not in said:
        pytest.skip(said.splitlines()[-2])
    assert ended.stdout, f"{ended.returncode}: {said}"
    ending, verdict, errors = json.loads(ended.stdout)
    lines: list[dict[str, Any]] = [json.loads(line) for line in verdict.splitlines()]
    assert (ending, lines[-1]) == ("exited", {"finished": True}), errors
    first, second = (one for one in lines if "index" in one and "begun" not in one)
    assert (first["value"], second["value"]) == ([], [])
    assert (first["watched"]["before"], first["watched"]["after"]) == (False, False)
    assert ["created", "marker"] in first["watched"]["events"]
    assert ["deleted", "marker"] in first["watched"]["events"]


def test_an_attack_whose_folder_the_kernel_does_not_watch_is_no_result(cell: Cell) -> None:
    files = {name: text.encode() for name, text in _files().items()}
    files["gate_apart.py"] += b"\n_libc.inotify_add_watch = lambda *more: -1\n"
    ended = cell.run(Job((cell.python, "-I", "-S", "gate_runner.py"), files=files))
    told = [json.loads(line) for line in ended.verdict.splitlines()]
    first, second = (one for one in told if "index" in one and "begun" not in one)
    assert first["trap"].startswith("files can't be watched: ")
    assert second["value"] == []
    assert told[-1] == {"finished": True}
