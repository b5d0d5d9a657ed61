"""A kernel of Debian's, and a first file system for it that finds the disk with the real one.

What the kernel needs for that are modules; which of them need which stands in the modules themselves, so that nothing
of the guest's must be run to find out.
"""

from __future__ import annotations

import gzip
import lzma
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

KERNELS = {
    "6.1": ("bookworm", "linux-image-{arch}"),
    "6.12": ("trixie", "linux-image-{arch}"),
    "6.12-16k": ("trixie", "linux-image-{arch}-16k"),
    "newest": ("trixie-backports", "linux-image-{arch}"),
}
"""Suite and package of each; the one with pages of 16 KiB is arm64's alone."""
_WANTED = ("crc32c_generic", "virtio_pci", "virtio_blk", "ext4")
_FILE, _FOLDER = 0o100755, 0o040755
_INIT = """#!/busybox sh
/busybox mount -t devtmpfs dev /dev
for each in {modules}; do /busybox insmod /$each.ko; done
for each in 1 2 3 4 5; do /busybox mount -t ext4 -o noatime /dev/vda /new && break; /busybox sleep 1; done
exec /busybox switch_root /new /sbin/guest-init
"""


@dataclass(frozen=True, slots=True)
class Kernel:
    """A kernel and the first file system that goes with it."""

    image: Path
    initial: Path


def extract(suite: str, arch: str, packages: tuple[str, ...], folder: Path) -> None:
    """Unpack packages, and what they depend on, into a new folder; none of their scripts runs.

    Raises:
        CalledProcessError: a package can't be had.
    """
    suites = [suite] if "-" not in suite else [suite.partition("-")[0], suite]
    mirror = [f"deb http://deb.debian.org/debian {name} main" for name in suites]
    chosen = [f"{name}/{suite}" for name in packages] if len(suites) > 1 else packages
    command = ["mmdebstrap", "--variant=extract", f"--architectures={arch}", "--quiet"]
    included = [part for name in chosen for part in ("--include", name)]
    subprocess.run([*command, *included, suites[0], str(folder), *mirror], check=True)


def kernel(name: str, arch: str, busybox: Path, folder: Path) -> Kernel:
    """A kernel, made where the folder has none yet.

    Args:
        name: of `KERNELS`.
        busybox: of that architecture, without libraries.
    """
    ready = Kernel(folder / "vmlinuz", folder / "initial.gz")
    if not ready.initial.exists():
        tree = folder / "tree"
        suite, package = KERNELS[name]
        if not tree.exists():
            extract(suite, arch, (package.format(arch=arch),), tree)
        (found,) = {one.name: one for one in tree.rglob("vmlinuz*")}.values()
        modules = {one.name.partition(".")[0]: one for one in tree.rglob("*.ko*")}
        ready.image.write_bytes(found.read_bytes())
        ready.initial.write_bytes(gzip.compress(_initial(busybox, modules), 1, mtime=0))
    return ready


def _initial(busybox: Path, modules: dict[str, Path]) -> bytes:
    loaded: dict[str, bytes] = {}
    for name in _WANTED:
        _load(name, modules, loaded)
    files = {"init": _INIT.format(modules=" ".join(loaded)).encode(), "busybox": busybox.read_bytes()}
    files |= {f"{name}.ko": data for name, data in loaded.items()}
    return b"".join(_archived(["dev", "new"], files))


def _load(name: str, modules: dict[str, Path], loaded: dict[str, bytes]) -> None:
    """Add a module after those that it needs; what is no module is part of the kernel."""
    if name in loaded or name not in modules:
        return
    data = modules[name].read_bytes()
    data = lzma.decompress(data) if modules[name].suffix == ".xz" else data
    for needed in data.partition(b"\0depends=")[2].partition(b"\0")[0].decode("ascii").split(","):
        _load(needed.replace("-", "_"), modules, loaded)
    loaded[name] = data


def _archived(folders: list[str], files: dict[str, bytes]) -> Iterator[bytes]:
    """An archive as the kernel unpacks it: the `newc` form of cpio."""
    entries = [*((name, _FOLDER, b"") for name in folders), *((name, _FILE, data) for name, data in files.items())]
    for place, (name, mode, data) in enumerate([*entries, ("TRAILER!!!", 0, b"")], start=1):
        numbers = (place, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name) + 1, 0)
        head = b"070701" + b"".join(b"%08X" % number for number in numbers) + name.encode() + b"\0"
        yield head + bytes(-len(head) % 4)
        yield data + bytes(-len(data) % 4)
