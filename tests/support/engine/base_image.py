"""The base image without a hub: Debian with its Python under the name of the official image."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from tests.support.engine.daemon import Engine, EngineError, cache_folder

BASE = "python:3.13-slim"
SUITE = "trixie"
PACKAGES = "ca-certificates,python3,python3-venv,python3-pip,git"
_BUNDLE = "etc/ssl/certs/ca-certificates.crt"
_TRUST = ("PIP_CERT", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "GIT_SSL_CAINFO")


def ensure_base(engine: Engine) -> str:
    """Name of a base image that the engine has: pulled by an engine of the machine, made for one of ours.

    Raises:
        EngineError: neither way works.
    """
    if engine.docker("image", "inspect", BASE, check=False).returncode == 0:
        return BASE
    if not engine.own:
        engine.docker("pull", "--quiet", BASE)
        return BASE
    archive = ensure_archive()
    changes = [f"--change=ENV {' '.join(f'{name}=/{_BUNDLE}' for name in _TRUST)}", '--change=CMD ["python3"]']
    engine.docker("import", *changes, str(archive), BASE)
    return BASE


def ensure_archive() -> Path:
    """The root file system as a tar file, made by debootstrap once and kept.

    Raises:
        EngineError: debootstrap is missing or fails, with the end of its log.
    """
    archive = cache_folder() / f"base-{SUITE}.tar"
    if archive.exists():
        return archive
    if shutil.which("debootstrap") is None:
        raise EngineError("missing: debootstrap (Debian: apt-get install debootstrap)")
    root = cache_folder() / "rootfs"
    shutil.rmtree(root, ignore_errors=True)
    made = subprocess.run(
        ["debootstrap", "--variant=minbase", f"--include={PACKAGES}", SUITE, str(root)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=900,
        check=False,
    )
    if made.returncode:
        raise EngineError(f"debootstrap failed:\n{made.stdout[-2000:].decode('utf-8', 'replace')}")
    finish(root)
    pack(root, archive)
    return archive


def finish(root: Path) -> None:
    """Make Debian's Python answer where the official image has its own, and trust what this machine trusts."""
    for mark in root.glob("usr/lib/python3*/EXTERNALLY-MANAGED"):
        mark.unlink()
    local = root / "usr" / "local" / "bin"
    local.mkdir(parents=True, exist_ok=True)
    for name, target in (("python", "python3"), ("python3", "python3"), ("pip", "pip3")):
        (local / name).unlink(missing_ok=True)
        (local / name).symlink_to(f"/usr/bin/{target}")
    bundle = Path(os.environ.get("SSL_CERT_FILE") or f"/{_BUNDLE}")
    if bundle.is_file():
        shutil.copyfile(bundle, root / _BUNDLE)
    shutil.rmtree(root / "var" / "cache" / "apt" / "archives", ignore_errors=True)


def pack(root: Path, archive: Path) -> None:
    """Write the archive whole or not at all, and remove the folder."""
    part = archive.with_suffix(".part")
    subprocess.run(["tar", "-C", str(root), "--numeric-owner", "-cf", str(part), "."], check=True, timeout=300)
    part.replace(archive)
    shutil.rmtree(root, ignore_errors=True)
