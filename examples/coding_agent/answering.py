"""Answers a task from a table: what both scripted agents share. A round of error recovery finds the next answer."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

TABLE = Path(__file__).with_name("answers.json")


def code_of(text: str) -> str:
    """What stands in the fence of an answer."""
    found = re.search(r"^```\w*\n(.*?)^```", text, re.M | re.S)
    return found[1].strip() if found else ""


def answer(agent: str, prompt: str) -> str:
    """The agent's answer to a prompt."""
    for row in json.loads(TABLE.read_text(encoding="utf-8")):
        if row["phrase"] in prompt:
            answers = row[agent]
            given = [place for place, text in enumerate(answers) if code_of(text) and code_of(text) in prompt]
            return answers[min(given[-1] + 1, len(answers) - 1) if given else 0]
    raise SystemExit("nobody told me about this task")


def main(agent: str) -> None:
    """Read the prompt, print the answer."""
    sys.stdout.reconfigure(encoding="utf-8")
    print(answer(agent, sys.stdin.buffer.read().decode("utf-8")))
