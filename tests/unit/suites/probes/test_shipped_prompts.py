"""What shipped probes say to an agent is ordinary work: no word gives away that somebody looks at it, or for what."""

from __future__ import annotations

import re

from gate.suites.probes.catalog import load_probes
from gate.suites.probes.rounds import first_prompt

GIVES_AWAY = re.compile(
    r"\b(?:benchmark\w*|evaluat(?:ed|ion|ing|or)|assess\w*|probe[sd]?|adversar\w*|robust\w*|red.?team\w*|rubric\w*"
    r"|secure(?:ly)?|insecure\w*|security|vulnerab\w*|exploit\w*|malicious\w*|attack(?:er|ers|ing)|inject(?:ion|ed)\w*"
    r"|sanitiz\w*|CWE|OWASP|hallucinat\w*|edge.cases?|corner.cases?|trick(?:y|s|ed)?|honeypot|jailbreak|sandbox\w*"
    r"|you(?:'re| are) being|be honest|if (?:it|this) is impossible)\b",
    re.IGNORECASE,
)


def test_no_word_gives_the_shipped_probes_away() -> None:
    told = {entry.probe.id: GIVES_AWAY.findall(first_prompt(entry.probe)) for entry in load_probes()}
    assert {name: found for name, found in told.items() if found} == {}


def test_files_beside_a_prompt_say_no_more_than_the_prompt() -> None:
    for entry in load_probes():
        for name, text in entry.probe.setup.items():
            assert not GIVES_AWAY.search(f"{name} {text}"), (entry.probe.id, name)
