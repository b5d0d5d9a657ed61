"""The guest's file system: a small Debian, unpacked and never configured; the product is on a disk beside it."""

from __future__ import annotations

import io
import shutil
import subprocess
import sys
import tarfile
from importlib import metadata
from pathlib import Path

from tests.support.guest.kernel import extract

SUITE = "trixie"
PACKAGES = (
    *("python3", "python3-pytest", "python3-hypothesis", "busybox-static", "bubblewrap", "gcc", "libc6-dev"),
    *(
        "coreutils",
        "git",
        "lsof",
        "procps",
        "nodejs",
        "python3-pydantic",
        "python3-yaml",
        "python3-numpy",
        "python3-click",
    ),
    *("python3-requests", "python3-markdown", "python3-defusedxml", "python3-junitparser", "python3-nh3"),
)
WHEELS = ("tree-sitter", "tree-sitter-typescript", "ty", "bandit", "stevedore", "rich", "markdown-it-py", "mdurl")
"""What Debian has not; in the versions of this environment."""
USER = 1001
_MERGED = ("bin", "lib", "sbin", "lib64")
_FOLDERS = ("dev", "proc", "sys", "run", "tmp", "product", "root", "home/runner")
_SIZE = "2G"
_PRODUCT = ("gate", "tests", "pyproject.toml")
_INIT = f"""#!/bin/busybox sh
export PATH=/usr/sbin:/usr/bin HOME=/root LANG=C.UTF-8 PYTHONDONTWRITEBYTECODE=1
busybox mount -t proc proc /proc
busybox mount -t sysfs sys /sys
busybox mount -t devtmpfs dev /dev 2>/dev/null
busybox mkdir -p /dev/pts /dev/shm
busybox mount -t devpts pts /dev/pts
busybox mount -t securityfs security /sys/kernel/security
for each in /dev/shm /tmp /run; do busybox mount -t tmpfs -o mode=1777 tmp $each; done
busybox mount -t cgroup2 cgroup /sys/fs/cgroup
busybox ip link set lo up
busybox hostname guest
busybox chown {USER}:{USER} /home/runner
busybox tar -x -f /dev/vdb -C /product
cd /product && python3 -m tests.support.guest.inside $(busybox cat /product/asked)
echo "GUEST-ENDED $?"
busybox poweroff -f
"""


def root(arch: str, folder: Path) -> Path:
    """The image of the file system, made where the folder has none yet; its tree stands beside it."""
    image, tree = folder / "root.ext4", folder / "tree"
    if not image.exists():
        if not tree.exists():
            extract(SUITE, arch, PACKAGES, tree)
        _add_wheels(arch, tree)
        _finish(tree)
        made = folder / "root.part"
        made.unlink(missing_ok=True)
        command = ["mke2fs", "-q", "-t", "ext4", "-O", "^has_journal", "-d", str(tree), str(made), _SIZE]
        subprocess.run(command, check=True)
        made.rename(image)
    return image


def _add_wheels(arch: str, tree: Path) -> None:
    machine = {"arm64": "aarch64", "amd64": "x86_64"}[arch]
    named = [f"{name}=={metadata.version(name)}" for name in WHEELS]
    fitting = [f"--platform={kind}_{machine}" for kind in ("manylinux2014", "manylinux_2_17", "manylinux_2_34")]
    command = [sys.executable, "-m", "pip", "install", "-qq", "--disable-pip-version-check", "--no-deps"]
    target = tree / "usr/lib/python3/dist-packages"
    chosen = ["--only-binary=:all:", "--python-version=3.13", "--implementation=cp", "--upgrade", f"--target={target}"]
    subprocess.run([*command, *chosen, *fitting, *named], check=True)


def _finish(tree: Path) -> None:
    """What the packages' scripts would have made, as far as it is needed."""
    for name in _MERGED:
        if not (tree / name).exists() and (tree / "usr" / name).exists():
            (tree / name).symlink_to(f"usr/{name}")
    for name in _FOLDERS:
        (tree / name).mkdir(parents=True, exist_ok=True)
    users = f"root:x:0:0::/root:/bin/sh\nrunner:x:{USER}:{USER}::/home/runner:/bin/sh\n"
    (tree / "etc/passwd").write_text(users + "nobody:x:65534:65534::/:/bin/false\n", encoding="ascii")
    (tree / "etc/group").write_text(f"root:x:0:\nrunner:x:{USER}:\nnogroup:x:65534:\n", encoding="ascii")
    (tree / "etc/hosts").write_text("127.0.0.1 localhost guest\n::1 localhost\n", encoding="ascii")
    init = tree / "usr/sbin/guest-init"
    init.write_text(_INIT, encoding="ascii")
    init.chmod(0o755)
    (tree / "usr/bin/sh").exists() or shutil.copy(tree / "usr/bin/busybox", tree / "usr/bin/sh")


def product(source: Path, asked: list[str], target: Path) -> None:
    """Write the product, and what it is asked to show, as an archive that fills whole sectors."""
    words = " ".join(asked).encode("ascii")
    with tarfile.open(target, "w") as archive:
        for name in _PRODUCT:
            archive.add(source / name, name, filter=_shown)
        entry = tarfile.TarInfo("asked")
        entry.size = len(words)
        archive.addfile(entry, io.BytesIO(words))


def _shown(entry: tarfile.TarInfo) -> tarfile.TarInfo | None:
    if "__pycache__" in entry.name or "/web/" in entry.name:
        return None
    entry.uid = entry.gid = 0
    entry.mode = 0o755 if entry.isdir() or entry.mode & 0o100 else 0o644
    return entry
