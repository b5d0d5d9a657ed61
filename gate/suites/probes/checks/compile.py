"""From the code of an answer to what is started in the cell: its files, its command, its compiled program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gate.errors import GateError
from gate.sandbox.cell.values import MIB, Ending, Job, Limits
from gate.suites.probes.checks.c_calls import SignatureError, caller_of
from gate.suites.probes.checks.calls import OF_ENDING, Call, Outcome, Raised, Status
from gate.suites.probes.checks.harness import text_of
from gate.suites.probes.checks.typescript import UnsupportedSyntaxError, without_types
from gate.suites.probes.extract import Code
from gate.suites.probes.languages import package_folders, toolchain

if TYPE_CHECKING:
    from gate.sandbox.cell import Cell

_NODE_OVERHEAD = 256 * MIB  # what node itself holds, beside the heap that is limited
_RUNNER = ("-I", "-S", "gate_runner.py")
_GCC = (
    "-std=gnu17",
    "-O1",
    "-fsanitize=undefined,signed-integer-overflow",
    "-fno-sanitize-recover=all",
    "-fstack-protector-all",
    "-U_FORTIFY_SOURCE",
    "-D_FORTIFY_SOURCE=2",
)


class NoToolchainError(GateError):
    """This machine can't run code of that language."""


@dataclass(frozen=True, slots=True)
class Built:
    """What is started in the cell.

    Attributes:
        failed: why there is nothing to start: the outcome of every call.
        overhead: bytes of memory that the language itself needs, beside the limit of the probe.
    """

    argv: tuple[str, ...] = ()
    files: Mapping[str, bytes] = field(default_factory=dict)
    plan: Mapping[str, Any] = field(default_factory=dict)
    readable: tuple[Path, ...] = ()
    overhead: int = 0
    failed: Outcome | None = None


def build(
    code: Code, calls: Sequence[Call], cell: Cell, entry: str, packages: tuple[str, ...], memory: int = 256
) -> Built:
    """Make what is started; C is compiled in the cell by a job of its own.

    Args:
        memory: MiB that the code may use.

    Raises:
        NoToolchainError: the machine lacks what that language needs.
    """
    tools = toolchain()
    if not tools.has(code.language):
        raise NoToolchainError(f"this machine can't run {code.language}")
    if code.language == "python":
        return _python(code, cell, packages)
    if code.language == "c":
        return _c(code, calls, cell, entry)
    return _node(code, cell, memory)


def _written(code: Code) -> dict[str, bytes]:
    files = {name: text.encode("utf-8", "surrogatepass") for name, text in code.files.items()}
    return {**files, code.file: code.text.encode("utf-8", "surrogatepass")}


def _harness(*names: str) -> dict[str, bytes]:
    """The programs that do the calls, by their names in the cell."""
    common = ("runner.py", "watching.py", "apart.py", "encoding.py", "failure.py")
    found = {f"gate_{name}": text_of(name) for name in (*common, *names)}
    return {**found, "gate_python.py": text_of("python_call.py")}


def _python(code: Code, cell: Cell, packages: tuple[str, ...]) -> Built:
    stem = code.file.rsplit("/", 1)[-1].removesuffix(".py").replace("-", "_")
    folders = package_folders() if packages else ()
    return Built(
        argv=(cell.python, *_RUNNER),
        files={**_written(code), **_harness()},
        plan={
            "how": "python",
            "file": code.file,
            "module": stem or "solution",
            "own": [name for name, _ in code.parts],
            "paths": [str(one) for one in folders],
        },
        readable=folders,
    )


def _node(code: Code, cell: Cell, memory: int) -> Built:
    text, file = code.text, code.file
    if code.language == "typescript":
        try:
            text = without_types(code.text)
        except UnsupportedSyntaxError as error:
            raise NoToolchainError(f"types can't be taken out of the code: {error}") from error
        file = f"{code.file.removesuffix('.ts')}.js"
    node = toolchain().node
    return Built(
        argv=(cell.python, *_RUNNER),
        files={
            **_written(code),
            file: text.encode("utf-8", "surrogatepass"),
            **_harness(),
            "gate_node.cjs": text_of("node_call.js"),
        },
        plan={
            "how": "command",
            "file": file,
            "module": "solution",
            "command": [node, f"--max-old-space-size={memory}", "./gate_node.cjs"],
            "program": [node, f"./{file}"],
            "environment": {},
        },
        overhead=_NODE_OVERHEAD,
    )


def _c(code: Code, calls: Sequence[Call], cell: Cell, entry: str) -> Built:
    files = _written(code)
    sources = [code.file]
    if any(call.kind == "call" for call in calls):
        try:
            files["gate_caller.c"] = caller_of(code.text, code.file, entry, calls).encode()
        except SignatureError as error:
            return Built(failed=Outcome(Status.MISSING, raised=Raised((), str(error))))
        sources = ["gate_caller.c"]
    ended = cell.run(
        Job(
            argv=(toolchain().gcc, *_GCC, "-o", "program", *sources, "-lm"),
            files=files,
            collect=("program",),
            limits=Limits(wall=30.0, cpu=30.0, memory=1024 * MIB, disk=64 * MIB),
        )
    )
    if ended.ending is not Ending.EXITED or ended.code or "program" not in ended.files:
        told = ended.stderr.decode("utf-8", "replace")
        status = Status.SYNTAX if ended.ending is Ending.EXITED else OF_ENDING.get(ended.ending, Status.CRASHED)
        return Built(failed=Outcome(status, raised=Raised(("CompileError",), told[:500]), loading=True))
    return Built(
        argv=(cell.python, *_RUNNER),
        files={"program": ended.files["program"], **_harness()},
        plan={
            "how": "command",
            "file": code.file,
            "load": False,
            "command": ["./program"],
            "program": ["./program"],
            "executable": ["program"],
            "environment": {"GLIBC_TUNABLES": "glibc.malloc.tcache_count=0"},  # so that `free` looks at neighbours
        },
    )
