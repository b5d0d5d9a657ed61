"""The workflow of main without its secret: it says what to do, and touches no recording."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from tests.support.readme import ROOT

WORKFLOW = ROOT / "gate" / "cli" / "templates" / "baseline.yml"


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
@pytest.mark.parametrize("key", ["", "sk-x"])
def test_a_refresh_without_its_secret_says_so_and_records_nothing(tmp_path: Path, key: str) -> None:
    (job,) = YAML(typ="safe").load(WORKFLOW.read_text(encoding="utf-8"))["jobs"].values()
    (told,) = [step["run"] for step in job["steps"] if "--mode record" in step.get("run", "")]
    program = tmp_path / "gate"
    program.write_text("#!/bin/sh\ntouch recorded\n", encoding="utf-8")
    program.chmod(0o755)
    environ = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "OPENAI_API_KEY": key}
    ended = subprocess.run(
        ["bash", "-e", "-c", told], cwd=tmp_path, env=environ, capture_output=True, text=True, check=False, timeout=30
    )
    assert (ended.returncode, (tmp_path / "recorded").exists()) == ((0, True) if key else (1, False))
    assert ("::error::set the secret OPENAI_API_KEY" in ended.stdout) is not bool(key)
