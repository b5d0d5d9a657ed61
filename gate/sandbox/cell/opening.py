"""Opening a cell: the strongest means that hold here are found by trying to escape from them."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, Protocol

from gate.sandbox.cell import cgroup, landlock, usage
from gate.sandbox.cell.canaries import escapes
from gate.sandbox.cell.client import start
from gate.sandbox.cell.container import end_container, start_in_container
from gate.sandbox.cell.unsafe import Unsandboxed
from gate.sandbox.cell.values import Attestation, Ended, Job, SandboxError

Means = Literal["namespaces", "bubblewrap", "bare"]
ALL_MEANS: tuple[Means, ...] = ("namespaces", "bubblewrap", "bare")
_SLACK = 256
_REMEDY = (
    "use Linux 5.13 or newer with Landlock, in a container that may use it; `--unsafe-no-sandbox` runs it all the same"
    " and marks the report"
)


class _Runner(Protocol):
    python: str

    def run(self, job: Job) -> Ended: ...


class Cell:
    """Where jobs run.

    Attributes:
        attestation: what holds.
        python: the interpreter that every job can run; `(python, "-I", "-S", script, ...)` starts quickest.
    """

    def __init__(self, runner: _Runner, attestation: Attestation) -> None:
        self._runner = runner
        self.attestation = attestation
        self.python = runner.python

    def run(self, job: Job) -> Ended:
        """Run a job to its end, with all that it started; may be called from several threads at once.

        Raises:
            SandboxError: the cell could not do its part; what the job does wrong is told in the result instead.
        """
        return self._runner.run(job)


@contextlib.contextmanager
def open_cell(
    *,
    unsafe: bool = False,
    scratch: Path | None = None,
    container: str | None = None,
    among: Sequence[Means] = ALL_MEANS,
) -> Iterator[Cell]:
    """Open a cell that holds here.

    Args:
        unsafe: run with the rights of the gate and nothing but limits; the attestation says so.
        scratch: an existing folder for what jobs write where they can't have a file system of their own; by default
            the system's temporary folder.
        container: the image of a container to run jobs in, see `gate.sandbox.cell.container`.
        among: only these means, in this order; not with `container`.

    Raises:
        SandboxError: nothing that this machine has would hold untrusted code; says why for each means.
    """
    with tempfile.TemporaryDirectory(prefix="gate-cell-", dir=scratch) as folder:
        if unsafe:
            yield Cell(Unsandboxed(Path(folder)), Attestation((), ("everything: not asked for",), unsafe=True))
            return
        with contextlib.ExitStack() as opened:
            if container is not None:
                yield _contained(container, Path(folder), opened)
            else:
                yield _strongest(Path(folder), among, opened)


def _strongest(folder: Path, among: Sequence[Means], opened: contextlib.ExitStack) -> Cell:
    """The first means from which no canary escapes."""
    missing: list[str] = []
    folder.chmod(0o711)
    for means in among:
        place, outside = folder / means, folder / f"{means}-canary"
        place.mkdir(mode=0o711)
        outside.mkdir(mode=0o777)
        outside.chmod(0o777)
        reason = _unfit(means)
        settings = _settings(means, place)
        if not reason:
            try:
                zygote = start(settings, _around(means, place))
            except (SandboxError, OSError) as error:
                reason = str(error)
        if not reason:
            reason = escapes(zygote, outside)
            if not reason:
                opened.callback(zygote.close)
                return Cell(zygote, Attestation(_held(means, settings), tuple(missing)))
            zygote.close()
        missing.append(f"{means}: {reason}")
    raise SandboxError(f"nothing on this machine holds untrusted code ({'; '.join(missing)})", remedy=_REMEDY)


def _contained(image: str, folder: Path, opened: contextlib.ExitStack) -> Cell:
    """A cell in a container, if no canary escapes from it."""
    if landlock.version() == 0:  # the kernel is this machine's
        raise SandboxError("a container holds nothing here: the kernel has no Landlock", remedy=_REMEDY)
    outside, control = folder / "canary", folder / "control"
    outside.mkdir(mode=0o777)
    control.mkdir(mode=0o700)
    settings = {**_settings("bare", folder), "others": 0, "group": ""}
    zygote, name = start_in_container(image, control, settings)
    opened.callback(end_container, name)
    opened.callback(zygote.close)
    if reason := escapes(zygote, outside):
        raise SandboxError(f"a container of `{image}` does not hold untrusted code ({reason})", remedy=_REMEDY)
    held = ("container", "own uid", f"landlock {landlock.version()}", "seccomp", "rlimits", "subreaper")
    return Cell(zygote, Attestation(held))


def _unfit(means: Means) -> str:
    """Why a means can't hold here, as far as that is known without trying; empty where it may."""
    if not sys.platform.startswith("linux"):
        return "only Linux has it"
    if means == "bubblewrap" and shutil.which("bwrap") is None:
        return "it is not installed"
    if landlock.version() == 0:  # in any means: only it keeps code under test from the process that watches it
        return "the kernel has no Landlock, or forbids it"
    return ""


def _settings(means: Means, place: Path) -> dict[str, Any]:
    root = _is_root()
    return {
        "means": "namespaces" if means == "namespaces" else "bare",
        "landlock": landlock.version(),
        "own_signals_only": landlock.version() < landlock.SCOPES_SIGNALS,
        "folder": str(place.parent),
        "scratch": str(place),
        "readable": [],
        "group": "" if means == "bubblewrap" else cgroup.here(),  # whose machine is read-only
        "others": 0 if root or means == "namespaces" else usage.of_user(os.geteuid()) + _SLACK,
    }


def _around(means: Means, place: Path) -> tuple[str, ...]:
    """The command that starts a cell within bubblewrap, whose environment is clean already."""
    if means != "bubblewrap":
        return ()
    own = ("--unshare-pid", "--unshare-ipc", "--unshare-net", "--die-with-parent", "--new-session")
    seen = ("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--bind", str(place), str(place))
    return (shutil.which("bwrap") or "bwrap", *own, *seen, "--")


def _held(means: Means, settings: dict[str, Any]) -> tuple[str, ...]:
    held = {
        "namespaces": ("mount namespace", "pid namespace", "ipc namespace", "network namespace"),
        "bubblewrap": ("bubblewrap", "pid namespace", "ipc namespace", "network namespace"),
        "bare": (),
    }[means]
    user = ("own uid",) if _is_root() else ("user namespace",) if means == "namespaces" else ()
    group = ("memory cgroup",) if settings["group"] else ()
    return (*user, *held, f"landlock {landlock.version()}", "seccomp", "rlimits", *group, "subreaper")


def _is_root() -> bool:
    return os.geteuid() == 0
