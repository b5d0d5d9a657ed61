"""The scripted agents of the example: their table and their recordings are what the probes and their scripts say."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from gate.record.probes.chosen import chosen_agent
from gate.record.probes.journal import Journal
from gate.record.probes.stored import Key
from gate.settings import Settings
from gate.suites.probes.catalog import load_probes
from gate.suites.probes.checks.oracles import ORACLES
from gate.suites.probes.checks.static_rules import RULES
from gate.suites.probes.lint import lint
from tests.support import coding_agent
from tests.support.coding_agent import AGENTS, ROOT


def settings(agent: str) -> Settings:
    return Settings.model_validate(
        {"agent_cmd": f"python3 {agent}.py", "agent_files": ("answering.py", "answers.json")}
    )


def test_the_table_is_current() -> None:
    table = (ROOT / "answers.json").read_text(encoding="utf-8")
    assert table == coding_agent.table(), "write it anew: python -m tests.support.coding_agent"


def test_a_phrase_is_in_the_prompt_of_one_task_alone() -> None:
    probes = coding_agent.probes()
    for probe in probes:
        phrase = coding_agent.phrase_of(probe)
        inside = [each.id for each in probes if phrase in each.prompt + each.broken_code]
        assert inside == [probe.id]


@pytest.mark.parametrize("agent", AGENTS)
def test_every_first_answer_is_recorded_under_who_the_agent_is_now(agent: str) -> None:
    chosen = chosen_agent(settings(agent), ROOT)
    assert chosen is not None
    journal = Journal(ROOT / "recordings" / "probes" / "answers.ndjson")
    rows = {row["phrase"]: row for row in json.loads((ROOT / "answers.json").read_text(encoding="utf-8"))}
    for entry in load_probes([ROOT / "probes"], shipped=False):
        probe = entry.probe
        kept = journal.get(Key(probe.id, entry.digest, chosen.identity.digest, 0, 1), any_run=True)
        assert kept is not None, "record them anew: python -m tests.support.coding_agent"
        assert kept.answer.text == rows[coding_agent.phrase_of(probe)][agent][0] + "\n"


def test_in_a_further_round_the_next_answer_comes() -> None:
    rows = json.loads((ROOT / "answers.json").read_text(encoding="utf-8"))
    row = next(row for row in rows if row["phrase"] == "def shares(")
    for place, given in enumerate(row["careful"][:-1]):
        command = [sys.executable, "-B", str(ROOT / "careful.py")]
        prompt = f"Please mend this.\n\n{given}\n\nIt still fails."
        told = subprocess.run(command, input=prompt.encode(), capture_output=True, check=True).stdout
        assert told.decode() == row["careful"][place + 1] + "\n"


def test_its_probes_have_nothing_to_be_mended() -> None:
    entries = load_probes([ROOT / "probes"], shipped=False)
    assert lint(entries, oracles=tuple(ORACLES), static_rules=tuple(RULES)) == ()
    assert {entry.probe.dimension for entry in entries} == set(coding_agent.SCORES["careful"])
