"""Modes and times where jobs have the user of the gate: their own files may change, nobody else's."""

from __future__ import annotations

import json

import pytest

from tests.support.cells import run_as

SCRIPT = """
import json, os, pathlib, sys, tempfile
from gate.sandbox.cell import Job, SandboxError, open_cell
CODE = '''
import json, os, shutil, stat, sys
outside = sys.argv[1]
told = {}
def attempt(name, action):
    try:
        action()
        told[name] = "done"
    except OSError as error:
        told[name] = error.errno
open("own", "w").close(); os.mkdir("d"); os.symlink(outside, "link"); os.symlink("own", "inner")
attempt("mode", lambda: os.chmod("own", 0o751))
told["mode is"] = oct(os.stat("own").st_mode & 0o7777)
attempt("no set-uid bit", lambda: os.chmod("own", 0o4755))
told["set-uid is"] = oct(os.stat("own").st_mode & 0o7777)
attempt("absolute", lambda: os.chmod(os.path.abspath("d"), 0o700))
attempt("beneath a folder", lambda: os.chmod("own", 0o700, dir_fd=os.open(".", os.O_RDONLY)))
attempt("through an inner link", lambda: os.chmod("inner", 0o640))
attempt("times", lambda: os.utime("own", ns=(1_500_000_001, 2_500_000_002)))
told["times are"] = [os.stat("own").st_atime_ns, os.stat("own").st_mtime_ns]
attempt("now", lambda: os.utime("own"))
told["is now"] = os.stat("own").st_mtime > 1e9
attempt("of an open file", lambda: os.utime(os.open("own", os.O_RDWR), (5, 5)))
attempt("copy", lambda: shutil.copy2("own", "d/copy"))
attempt("absent", lambda: os.chmod("nothing", 0o700))
for name, path in (("outside", outside), ("through a link", "link"), ("root", "/"), ("a program", "/usr/bin/env")):
    attempt(f"{name}: mode", lambda: os.chmod(path, 0o777))
    attempt(f"{name}: times", lambda: os.utime(path, (0, 0)))
attempt("owner", lambda: os.chown("own", os.getuid(), os.getgid()))
attempt("attribute", lambda: os.setxattr("own", "user.x", b"y"))
os.write(int(os.environ["GATE_RESULT_FD"]), json.dumps(told).encode())
'''
with tempfile.TemporaryDirectory() as name:
    outside = pathlib.Path(name) / "outside"
    outside.touch(); outside.chmod(0o640); os.utime(outside, (1e9, 1e9))
    try:
        with open_cell(among=("bare",)) as cell:
            job = Job((cell.python, "-I", "-S", "main.py", str(outside)), files={"main.py": CODE.encode()})
            ended = cell.run(job)
            built = cell.run(Job(("sh", "-c", "echo 'int main(void) { return 7; }' > m.c && gcc -o m m.c && ./m")))
    except SandboxError as error:
        print(json.dumps({"skip": str(error)})); sys.exit()
    found = outside.stat()
    told = json.loads(ended.verdict) if ended.verdict else {"stderr": ended.stderr.decode()}
    print(json.dumps({"told": told, "outside": [found.st_mode & 0o777, found.st_mtime], "built": built.code}))
"""
REFUSED, UNKNOWN = 1, 95


def test_own_files_change_and_others_do_not() -> None:
    ended = run_as(False, "-c", SCRIPT)
    assert ended.returncode == 0, ended.stderr
    found = json.loads(ended.stdout)
    if "skip" in found:
        pytest.skip(found["skip"])
    told = found["told"]
    done = ("mode", "no set-uid bit", "absolute", "beneath a folder", "through an inner link", "times", "now")
    assert {name: told[name] for name in (*done, "of an open file", "copy")} == dict.fromkeys(
        (*done, "of an open file", "copy"), "done"
    )
    assert (told["mode is"], told["set-uid is"]) == ("0o751", "0o755")
    assert told["times are"] == [1_500_000_001, 2_500_000_002]
    assert told["is now"]
    assert told["absent"] == 2
    for name in ("outside", "through a link", "root", "a program"):
        assert (told[f"{name}: mode"], told[f"{name}: times"]) == (REFUSED, REFUSED), name
    assert (told["owner"], told["attribute"]) == (UNKNOWN, UNKNOWN)
    assert found["outside"] == [0o640, 1e9]
    assert found["built"] in (7, 127), "a linker makes its output executable by path"
