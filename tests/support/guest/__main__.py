"""`python -m tests.support.guest --arch arm64 --kernel 6.12`: what holds on that machine, one line each."""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.support.guest import kernel, machine, root

_PARTS = ("machine", "attacks", "cgroups", "probes", "unit", "hardened")
_ROOT = Path(__file__).parents[3]
_TOOLS = {
    "qemu-system-aarch64": "qemu-system-arm",
    "qemu-system-x86_64": "qemu-system-x86",
    "mmdebstrap": "mmdebstrap",
    "mke2fs": "e2fsprogs",
}


def main() -> int:
    options = argparse.ArgumentParser(prog="python -m tests.support.guest", description=__doc__)
    options.add_argument("--arch", choices=("arm64", "amd64"), default="arm64")
    options.add_argument("--kernel", choices=tuple(kernel.KERNELS), default="6.12")
    options.add_argument("--only", nargs="+", default=list(_PARTS), help="parts of what is shown")
    options.add_argument("--folder", type=Path, default=_ROOT / "build/guest", help="where images are made and kept")
    options.add_argument("--seconds", type=float, default=3600, help="until the machine is ended")
    asked = options.parse_args()
    _install()
    places = {name: asked.folder / f"{name}-{asked.arch}" for name in ("root", f"kernel-{asked.kernel}")}
    for place in places.values():
        place.mkdir(parents=True, exist_ok=True)
    disk, own = places.values()
    image = root.root(asked.arch, disk)
    chosen = kernel.kernel(asked.kernel, asked.arch, disk / "tree/usr/bin/busybox", own)
    archive = own / "product.tar"
    root.product(_ROOT, asked.only, archive)
    log = own / "console.log"
    return _show(machine.run(asked.arch, chosen, image, archive, log, asked.seconds))


def _show(told: Iterator[dict[str, Any]]) -> int:
    begun, broken = time.monotonic(), 0
    for one in told:
        held = one.pop("held")
        broken += not held
        sys.stdout.write(f"{time.monotonic() - begun:6.0f} s  {'holds ' if held else 'BROKEN'}  {one.pop('about')}\n")
        for name, value in one.items():
            sys.stdout.write(f"            {name}: {value}\n")
        sys.stdout.flush()
    return 1 if broken else 0


def _install() -> None:
    missing = [package for tool, package in _TOOLS.items() if shutil.which(tool) is None]
    if missing:
        subprocess.run(["apt-get", "update", "-qq"], check=True)
        subprocess.run(["apt-get", "install", "-y", "-qq", "--no-install-recommends", *missing], check=True)


if __name__ == "__main__":
    sys.exit(main())
