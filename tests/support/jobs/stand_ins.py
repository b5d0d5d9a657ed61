"""What jobs can't fetch where the tests run: GitHub's actions, its command-line program, and a published gate."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

from tests.support import container
from tests.support.engine.base_image import BASE, ensure_base
from tests.support.engine.daemon import Engine

IMAGE = "robustness-gate-job:e2e"
GATE = "robustness-gate/robustness-gate@v0"
"""The action as docs/workflows.md names it."""
_DOCKERFILE = f"""
FROM {BASE}
ENV PATH=/opt/python/bin:/usr/local/bin:/usr/bin:/bin PIP_DISABLE_PIP_VERSION_CHECK=1
COPY action.txt /jobs/
RUN /usr/bin/python3 -m venv /opt/python && python -m pip install --quiet --require-hashes -r /jobs/action.txt
COPY gh /usr/local/bin/
COPY *.whl /jobs/
RUN python -m pip install --quiet --no-deps /jobs/*.whl && git config --system --add safe.directory '*'
"""
_GH = """#!/usr/bin/env python
import json, os, pathlib, sys

said = sys.argv[1:]
if not os.environ.get("GH_TOKEN"):
    sys.exit("gh: set the GH_TOKEN environment variable")
if said == ["auth", "setup-git"]:  # the repository is on this machine
    sys.exit(0)
if said[:2] == ["pr", "create"]:
    given = dict(zip(said[2::2], said[3::2]))
    given["--body-file"] = pathlib.Path(given["--body-file"]).read_text()
    pathlib.Path("/shared/proposed.json").write_text(json.dumps(given))
    sys.exit(0)
sys.exit(f"gh: nothing stands in for {said}")
"""
_UPLOAD = """
name: stands in for actions/upload-artifact
inputs: {name: {required: true}, path: {required: true}}
runs:
  using: composite
  steps:
    - shell: sh
      env: {NAME: "${{ inputs.name }}", PATHS: "${{ inputs.path }}"}
      run: |
        mkdir -p "/shared/artifacts/$NAME"
        for path in $PATHS; do
          if test -d "$path"; then cp -R "$path/." "/shared/artifacts/$NAME/"
          elif test -e "$path"; then cp "$path" "/shared/artifacts/$NAME/"; fi
        done
        rmdir "/shared/artifacts/$NAME" 2>/dev/null || true
"""
_DOWNLOAD = """
name: stands in for actions/download-artifact
inputs: {pattern: {required: true}, path: {required: true}}
runs:
  using: composite
  steps:
    - shell: sh
      env: {PATTERN: "${{ inputs.pattern }}", TARGET: "${{ inputs.path }}"}
      run: mkdir -p "$TARGET" && cd /shared/artifacts && cp -R $PATTERN "$GITHUB_WORKSPACE/$TARGET"
"""
_NOTHING = "name: stands in\nruns: {using: composite, steps: [{if: false, shell: sh, run: 'true'}]}\n"
_ACTIONS = {
    "actions/cache/restore": _NOTHING,
    "actions/cache/save": _NOTHING,
    "actions/download-artifact": _DOWNLOAD,
    "actions/setup-python": _NOTHING,
    "actions/upload-artifact": _UPLOAD,
}
_USES = re.compile(r"uses: (?P<name>[\w./-]+)@(?P<ref>\w+)")


def build(engine: Engine, folder: Path) -> None:
    """Build the image of jobs: the base image with this checkout's gate, so that a job's `pip install` finds it there.

    Args:
        folder: a new one, for what the image is made of.
    """
    ensure_base(engine)
    folder.mkdir()
    wheel = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*wheel, "--wheel-dir", str(folder), str(container.PROJECT)], check=True, capture_output=True)
    shutil.copy(container.PROJECT / "requirements/action.txt", folder)
    (folder / "gh").write_text(_GH, encoding="utf-8")
    (folder / "gh").chmod(0o755)
    (folder / "Dockerfile").write_text(_DOCKERFILE, encoding="utf-8")
    engine.docker("build", "--quiet", "--tag", IMAGE, str(folder))


def replaced(workflow: str, folder: Path) -> list[str]:
    """Write what stands in for the actions of a workflow; gives the runner's options that name it.

    checkout is not among them: the runner copies the clone in which it is started. The gate's own action is the one of
    this checkout, with its image built before.
    """
    told = []
    for name, ref in sorted({(match["name"], match["ref"]) for match in _USES.finditer(workflow)}):
        if f"{name}@{ref}" == GATE:
            text = (container.PROJECT / "action.yml").read_text(encoding="utf-8")
            assert "image: Dockerfile\n" in text
            text = text.replace("image: Dockerfile\n", f"image: docker://{container.IMAGE}\n")
        elif name == "actions/checkout":
            continue
        else:
            text = _ACTIONS[name]
        owner, repository, *inner = name.split("/")
        place = folder / owner / repository
        (place.joinpath(*inner)).mkdir(parents=True, exist_ok=True)
        place.joinpath(*inner, "action.yml").write_text(text, encoding="utf-8")
        told += ["--local-repository", f"{owner}/{repository}@{ref}={place}"]
    return told
