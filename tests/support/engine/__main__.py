"""`python -m tests.support.engine prepare|up|down|status`."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

from tests.support.engine.base_image import ensure_archive, ensure_base
from tests.support.engine.daemon import PACKAGES, PROGRAMS, EngineError, cache_folder, engine_here, start, stop


def main(words: list[str]) -> int:
    """Do one of the words; 0 also where no engine can be had, which is said in a box."""
    word = words[0] if len(words) == 1 else ""
    if word == "prepare":
        return _prepare()
    if word == "up":
        engine = start()
        print(f"engine: {engine.host}\nimage: {ensure_base(engine)}\nexport DOCKER_HOST={engine.host}")
        return 0
    if word == "down":
        print("engine: stopped" if stop() else "engine: none of ours runs")
        return 0
    if word == "status":
        found = engine_here()
        print(f"engine: {found.host if found else 'none'}\ncache: {cache_folder()}")
        return 0 if found else 1
    print(__doc__, file=sys.stderr)
    return 2


def _prepare() -> int:
    """Install what is missing, make the base image's archive, and see whether an engine comes up at all."""
    try:
        if engine_here() is None:
            _install()
            ensure_archive()
        engine = start()
        ensure_base(engine)
    except (EngineError, subprocess.SubprocessError, OSError) as error:
        print(box("No container engine here: the end-to-end tests will be SKIPPED", str(error)))
    return 0


def _install() -> None:
    wanted = [name for name in (*PROGRAMS, "debootstrap") if shutil.which(name) is None]
    if not wanted or shutil.which("apt-get") is None or os.geteuid() != 0:
        return
    for arguments in (["update", "-qq"], ["install", "-y", "-qq", "--no-install-recommends", *PACKAGES]):
        subprocess.run(["apt-get", *arguments], stdin=subprocess.DEVNULL, check=True, timeout=900)


def box(title: str, text: str) -> str:
    """A frame that nobody overlooks."""
    lines = [title, "", *text.strip().splitlines()[-20:]]
    width = min(max(len(line) for line in lines), 110)
    body = "\n".join(f"║ {line[:width]:<{width}} ║" for line in lines)
    return f"╔{'═' * (width + 2)}╗\n{body}\n╚{'═' * (width + 2)}╝"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
