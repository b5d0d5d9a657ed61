"""How GitHub's runner reads what a step leaves: the file of outputs, and the commands in a log."""

from __future__ import annotations

import re

_COMMAND = re.compile(r"\s*::(?P<name>[\w-]+)(?P<properties> .*?)?::(?P<data>.*)")


def outputs(data: bytes) -> dict[str, str]:
    """Outputs of a step: `name=value` lines and `name<<delimiter` blocks; an error where the runner fails the step."""
    text = data.decode("utf-8")
    found: dict[str, str] = {}
    while text:
        line, _, text = text.partition("\n")
        if not line:
            continue
        equals, heredoc = line.find("="), line.find("<<")
        if equals >= 0 and (heredoc < 0 or equals < heredoc):
            found[line[:equals]] = line[equals + 1 :]
            continue
        assert heredoc > 0, f"the runner can't read {line!r}"
        delimiter = line[heredoc + 2 :]
        value, end, text = text.partition(f"\n{delimiter}\n")
        if not end:
            assert value == f"{delimiter}\n" or text == "", "no closing delimiter"
        found[line[:heredoc]] = value
    return found


def commands(log: str) -> list[tuple[str, str]]:
    """Commands (name, data) that a runner carries out, those that stop and start commands left out."""
    found: list[tuple[str, str]] = []
    stopped = ""
    for line in re.split(r"\r?\n", log):
        match = _COMMAND.match(line)
        if match is None:
            continue
        if stopped:
            stopped = "" if match["name"] == stopped else stopped
        elif match["name"] == "stop-commands":
            stopped = match["data"]
        else:
            found.append((match["name"], match["data"]))
    return found
