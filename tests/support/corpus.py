"""Where the folder of real files is; tests that need it are skipped, with the reason, where it is absent."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

_BESIDE = Path(__file__).resolve().parents[3] / "shared" / "corpus"


def corpus() -> Path:
    """Folder of real report files, from `GATE_CORPUS` or beside the project."""
    folder = Path(os.environ.get("GATE_CORPUS", _BESIDE))
    if not (folder / "INDEX.tsv").is_file():
        pytest.skip(f"the corpus of real files is not at {folder}; set GATE_CORPUS to run this test")
    return folder
