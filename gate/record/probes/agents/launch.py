"""What stands in front of an agent in its cell: a few lines of Python that fill in folders and start it.

The text runs under `python -I -S` in the job's own folder, where `layout` has put what it reads. It starts no shell.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from gate.record.probes.agents.template import Filled

TOOLS, TASK = "~/.tools", "~/.task"
"""Folders below the job's home: the user's own files that the command names, and ours."""
SPEC = f"{TASK}/start.json"
PROMPT = f"{TASK}/prompt.md"
OUTPUT = f"{TASK}/answer.md"
NOT_STARTED = b"not started: "
"""Begins what the launcher writes where only it can, when the command can't be started."""

LAUNCHER = f"""
import json, os
work, home = os.getcwd(), os.environ["HOME"]
def at(path):
    return os.path.join(home, path[2:]) if path.startswith("~/") else os.path.join(work, path)
with open(at({SPEC!r}), encoding="utf-8") as stream:
    spec = json.load(stream)
os.unlink(at({SPEC!r}))
places = {{"workdir": work, "prompt_file": at({PROMPT!r}), "output_file": at({OUTPUT!r}), "tools": at({TOOLS!r})}}
for path in spec["executable"]:
    os.chmod(at(path), 0o755)
words = ["".join(places[place] if place else text for place, text in word) for word in spec["words"]]
result = int(os.environ.pop("GATE_RESULT_FD", "-1"))
environ = {{**os.environ, **spec["environment"]}}
if result >= 0:
    os.set_inheritable(result, False)
try:
    os.execvpe(words[0], words, environ)
except (OSError, ValueError) as error:
    text = {NOT_STARTED!r} + (getattr(error, "strerror", None) or "it can't be executed").encode("utf-8", "replace")
    os.write(result if result >= 0 else 2, text)
    os._exit(127)
"""


def spec(filled: Filled, environment: Mapping[str, str], executable: Iterable[str] = ()) -> bytes:
    """What the launcher is told, as the content of `SPEC`.

    Args:
        executable: relative paths of files that are to be executable.
    """
    told = {"words": filled.words, "environment": dict(environment), "executable": sorted(executable)}
    return json.dumps(told).encode("ascii")
