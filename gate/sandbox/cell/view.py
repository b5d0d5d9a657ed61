"""The files that a job sees: where mounting is possible, a root of its own; else the machine's, which Landlock filters.

The root holds the system's programs and libraries read-only, a few devices, a /proc of its own processes alone and the
job's folders in a memory file system of the size that its limit says.
"""

# pathlib would make every fork larger
# ruff: noqa: PTH123, PTH102, PTH103, PTH110, PTH112, PTH114, PTH115, PTH120, PTH211

from __future__ import annotations

import contextlib
import os

from gate.sandbox.cell import kernel

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_SETTINGS = (
    "alternatives",
    "ca-certificates",
    "ca-certificates.conf",
    "debian_version",
    "host.conf",
    "hosts",
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "localtime",
    "mime.types",
    "nsswitch.conf",
    "os-release",
    "pki",
    "protocols",
    "services",
    "ssl",
    "timezone",
)
_USERS = ("/etc/passwd", "/etc/group")
ETC = tuple(f"/etc/{name}" for name in _SETTINGS)
DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
PROC = ("/proc/self", "/proc/meminfo", "/proc/cpuinfo", "/proc/sys/vm/overcommit_memory")
"""What of /proc a job may read where it sees the machine's."""
CELL = "/cell"
"""Where a job's folders are in a root of its own."""
_ROOT_SIZE = "size=4m,mode=755"
_PAGE, _FEWEST_ENTRIES = 4096, 1024


def readable(extra: list[str]) -> list[str]:
    """What a job may read beside its own folders, links resolved."""
    return list(dict.fromkeys(os.path.realpath(path) for path in (*SYSTEM, *ETC, *_USERS, *extra)))


def enter(place: str, extra: list[str], *, uid: int, gid: int) -> int:
    """Leave the machine's files for a root of its own; gives the open folder of the job's folders.

    Args:
        place: an empty folder that is mounted over in this process's view alone.
        extra: files and trees to show beside the system's.
        uid, gid: to whom the job's folders belong; `resize` says how large they may grow.

    Raises:
        OSError: the kernel refuses.
    """
    kernel.mount("none", "/", flags=kernel.MS_REC | kernel.MS_PRIVATE)
    kernel.mount("root", place, "tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, _ROOT_SIZE)
    for path in (*SYSTEM, *ETC, *extra):
        _show(place, path)
    _write_users(place, uid, gid)
    for path in DEVICES:
        _make_file(place + path)
        kernel.mount(path, place + path, flags=kernel.MS_BIND)
    for name, target in {"fd": "/proc/self/fd", "stdin": "fd/0", "stdout": "fd/1", "stderr": "fd/2"}.items():
        os.symlink(target, f"{place}/dev/{name}")
    os.mkdir(f"{place}/proc")
    flags = kernel.MS_NOSUID | kernel.MS_NODEV | kernel.MS_NOEXEC
    kernel.mount("proc", f"{place}/proc", "proc", flags | kernel.MS_READONLY)
    os.mkdir(place + CELL)
    data = f"{_size(0)},mode=700,uid={uid},gid={gid}"
    kernel.mount("cell", place + CELL, "tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, data)
    for name in ("tmp", "dev/shm"):
        with contextlib.suppress(FileExistsError):  # a tree to show lies in there
            os.symlink(f"{CELL}/tmp", f"{place}/{name}")  # noqa: S108
    kernel.enter_root(place)
    return os.open(CELL, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)


def resize(size: int) -> None:
    """Let the job's folders hold so many bytes, and an entry for each page of them."""
    kernel.mount("cell", CELL, "tmpfs", kernel.MS_REMOUNT | kernel.MS_NOSUID | kernel.MS_NODEV, _size(size))


def _size(size: int) -> str:
    return f"size={max(size, _PAGE)},nr_inodes={max(_FEWEST_ENTRIES, size // _PAGE)}"


def _write_users(place: str, uid: int, gid: int) -> None:
    """Give the job's user a name and a home; programs ask for them, and the machine's users are nobody's business."""
    users = (
        "root:x:0:0::/:/bin/false",
        f"job:x:{uid}:{gid}::{CELL}/home:/bin/sh",
        "nobody:x:65534:65534::/:/bin/false",
    )
    groups = ("root:x:0:", f"job:x:{gid}:", "nogroup:x:65534:")
    for path, lines in zip(_USERS, (users, groups), strict=True):
        _make_file(place + path)
        with open(place + path, "w", encoding="ascii") as stream:
            stream.write("\n".join((*lines, "")))


def _show(place: str, path: str) -> None:
    """Show a file, tree or link of the machine at the same path; absent ones are skipped."""
    target = place + path
    if os.path.lexists(target) and not os.path.isdir(target):
        return
    if os.path.islink(path):
        _make_parents(target)
        with contextlib.suppress(FileExistsError):
            os.symlink(os.readlink(path), target)
        real = os.path.realpath(path)
        if not os.path.exists(place + real):
            _show(place, real)
    elif os.path.exists(path):
        if os.path.isdir(path):
            os.makedirs(target, exist_ok=True)
        else:
            _make_file(target)
        kernel.bind_read_only(path, target)


def _make_parents(target: str) -> None:
    os.makedirs(os.path.dirname(target), exist_ok=True)


def _make_file(target: str) -> None:
    _make_parents(target)
    os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o644))
