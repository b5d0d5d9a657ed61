"""A stochastic regression is accepted: the stored trials decide it again, and the model is asked nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gate.deliver import sticky
from tests.support.command_line import Shell
from tests.support.commented import MERGED, judged_live, review
from tests.support.stochastic_project import FILES, SUITE, GateRuns, baseline, line, model, name, suite


@pytest.mark.parametrize("shards", [0, 2], ids=["one machine", "two shards"])
def test_no_call_of_the_model_is_made(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path, shards: int
) -> None:
    monkeypatch.setattr(sticky, "_SETTLE_SECONDS", 0.0)
    shell = Shell(monkeypatch, capsys)
    small = {**FILES, SUITE: suite(4), "baselines/default.jsonl": baseline(*map(line, map(name, range(4))))}
    made = judged_live(tmp_path, GateRuns(shell), small, {"model.py": model(case3=0.0)}, shards)
    before = {path.name: path.stat().st_size for path in (tmp_path / "calls").iterdir()}
    with review(made, shell) as at:
        at.ask("/gate accept all known")
        assert (at.reaction(), at.reply()) == ("+1", "")
        ended = at.ci(*(("--merged", MERGED) if shards else ()))
        assert ended.code == 0, ended.out + ended.err
    verdict = json.loads((made.work / ".gate/verdict.json").read_text())
    assert [each["accepted"]["who"] for each in verdict["findings"] if each["level"] == "error"] == ["mona"]
    assert [each["how"] for each in verdict["decisions"] if each["answer"] == "regression"] == ["both arms"]
    assert {path.name: path.stat().st_size for path in (tmp_path / "calls").iterdir()} == before
