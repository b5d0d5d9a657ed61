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
_GCC = ("-std=gnu17", "-O1", "-fsanitize=undefined,signed-integer-overflow", "-fno-sanitize-recover=all")


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


def build(code: Code, calls: Sequence[Call], cell: Cell, entry: str, packages: tuple[str, ...]) -> Built:
    """Make what is started; C is compiled in the cell by a job of its own.

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
    return _node(code, calls, cell)


def _written(code: Code) -> dict[str, bytes]:
    files = {name: text.encode("utf-8", "surrogatepass") for name, text in code.files.items()}
    return {**files, code.file: code.text.encode("utf-8", "surrogatepass")}


def _python(code: Code, cell: Cell, packages: tuple[str, ...]) -> Built:
    stem = code.file.rsplit("/", 1)[-1].removesuffix(".py").replace("-", "_")
    folders = package_folders() if packages else ()
    helpers = {
        "gate_encoding.py": text_of("encoding.py"),
        "gate_failure.py": text_of("failure.py"),
        "gate_runner.py": text_of("python_runner.py"),
    }
    return Built(
        argv=(cell.python, "-I", "-S", "gate_runner.py"),
        files={**_written(code), **helpers},
        plan={
            "file": code.file,
            "module": stem or "solution",
            "own": [name for name, _ in code.parts],
            "paths": [str(one) for one in folders],
        },
        readable=folders,
    )


def _node(code: Code, calls: Sequence[Call], cell: Cell) -> Built:
    text, file = code.text, code.file
    if code.language == "typescript":
        try:
            text = without_types(code.text)
        except UnsupportedSyntaxError as error:
            raise NoToolchainError(f"types can't be taken out of the code: {error}") from error
        file = f"{code.file.removesuffix('.ts')}.js"
    files = {**_written(code), file: text.encode("utf-8", "surrogatepass")}
    if all(call.kind == "program" for call in calls):
        helpers = {"gate_encoding.py": text_of("encoding.py"), "gate_runner.py": text_of("command_runner.py")}
        return Built(
            argv=(cell.python, "-I", "-S", "gate_runner.py"),
            files={**files, **helpers},
            plan={"command": [toolchain().node, file]},
            overhead=_NODE_OVERHEAD,
        )
    return Built(
        argv=(toolchain().node, "gate_runner.cjs"),
        files={**files, "gate_runner.cjs": text_of("node_runner.js")},
        plan={"file": file, "module": "solution"},
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
    helpers = {"gate_encoding.py": text_of("encoding.py"), "gate_runner.py": text_of("command_runner.py")}
    return Built(
        argv=(cell.python, "-I", "-S", "gate_runner.py"),
        files={"program": ended.files["program"], **helpers},
        plan={"command": ["./program"], "executable": ["program"]},
    )
