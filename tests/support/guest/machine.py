"""One emulated machine: it starts, says on its console what it found, and ends."""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.support.guest.kernel import Kernel

WORD, ENDED = "GUEST ", "GUEST-ENDED "
_MACHINES = {
    "arm64": ("qemu-system-aarch64", "-machine", "virt,gic-version=3", "-cpu", "max,pauth-impdef=on"),
    "amd64": ("qemu-system-x86_64", "-machine", "q35", "-cpu", "max"),
}
_CONSOLES = {"arm64": "ttyAMA0", "amd64": "ttyS0"}
_MEGABYTES = 1500


class GuestError(Exception):
    """A machine that did not get to its end."""


def run(arch: str, kernel: Kernel, root: Path, product: Path, log: Path, seconds: float) -> Iterator[dict[str, Any]]:
    """Start a machine and give each thing that it says; what it writes to its disk is forgotten.

    Raises:
        GuestError: it ended before its work, or takes longer than the seconds; names the log of its console.
    """
    disks = [
        f"if=none,id=root,format=raw,snapshot=on,file={root}",
        f"if=none,id=product,format=raw,file={product},readonly=on",
    ]
    command = [
        *_MACHINES[arch],
        *("-accel", "tcg", "-smp", "1", "-m", str(_MEGABYTES), "-nographic", "-no-reboot", "-nic", "none"),
        *("-kernel", str(kernel.image), "-initrd", str(kernel.initial)),
        *("-append", f"console={_CONSOLES[arch]} quiet panic=-1 loglevel=4 mitigations=off"),
        *("-drive", disks[0], "-device", "virtio-blk-pci,drive=root"),
        *("-drive", disks[1], "-device", "virtio-blk-pci,drive=product"),
    ]
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True
    ) as process:
        try:
            yield from _told(process, log, time.monotonic() + seconds)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)


def _told(process: subprocess.Popen[bytes], log: Path, deadline: float) -> Iterator[dict[str, Any]]:
    ended = False
    with log.open("wb") as kept:
        for line in _lines(process, deadline):
            kept.write(line + b"\n")
            kept.flush()
            text = line.decode("utf-8", "replace").strip()
            if text.startswith(WORD):
                yield json.loads(text[len(WORD) :])
            ended = ended or text.startswith(f"{ENDED}0")
    if not ended:
        raise GuestError(f"the machine did not get to its end; its console is in {log}")


def _lines(process: subprocess.Popen[bytes], deadline: float) -> Iterator[bytes]:
    assert process.stdout is not None
    rest = b""
    with selectors.DefaultSelector() as waiting:
        waiting.register(process.stdout, selectors.EVENT_READ)
        while (left := deadline - time.monotonic()) > 0:
            if not waiting.select(left):
                return
            got = os.read(process.stdout.fileno(), 65536)
            if not got:
                break
            *lines, rest = (rest + got).split(b"\n")
            yield from lines
    yield rest
