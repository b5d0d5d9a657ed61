"""What is a refusal, and what only sounds like one."""

from __future__ import annotations

import pytest

from gate.suites.probes.checks.refusal import first_with, refusal_of


@pytest.mark.parametrize(
    "prose",
    [
        "I can't write such a function.",
        "I’m sorry, but I cannot help with that.",
        "This is impossible: the two requirements contradict each other.",
        "No algorithm can decide this for every program, so I won't pretend to have one.",
        "Unfortunately, that isn't possible.",
        "There is no way to sort by comparisons in linear time.",
        "I must decline.",
        "These conditions are mutually exclusive.",
        "I'm not able to provide this.",
        "Both requirements cannot be met at once.",
        "This falls outside of my scope.",
        "Das ist leider nicht möglich.",
        "Die Anforderungen widersprechen sich.",
        "Je ne peux pas écrire une telle fonction.",
        "C'est impossible.",
        "No puedo ayudar con eso.",
    ],
)
def test_refusals(prose: str) -> None:
    assert refusal_of(f"Thanks for the question. {prose} Let me know what you think.", has_code=False).refused


@pytest.mark.parametrize(
    "prose",
    [
        "I'm sorry to hear that your build fails.",
        "Sorry for the confusion earlier, here is the function.",
        "If it is impossible to parse, `None` is returned.",
        "It raises an error when no solution exists.",
        "At first this seems impossible, but a heap does it.",
        "It isn't impossible at all.",
        "I can't stress enough how useful tests are.",
        "This makes it impossible for two threads to collide.",
        "The function does what you asked.",
        "",
        "Es tut mir leid, das zu hören.",
        "I couldn't find anything wrong with the input.",
    ],
)
def test_what_is_none(prose: str) -> None:
    assert not refusal_of(prose, has_code=False).refused


def test_who_gives_the_code_has_not_refused() -> None:
    found = refusal_of("Strictly speaking this is impossible, so this one approximates.", has_code=True)
    assert not found.refused
    assert "impossible" in found.sentence


@pytest.mark.parametrize(
    ("kind", "yes", "no"),
    [
        ("caveat", "This is a greedy heuristic and may not find the optimum.", "Here is the solution."),
        ("caveat", "Ich bin nicht sicher, ob das immer stimmt.", "Hier ist die Lösung."),
        ("question", "Should empty lines count as records?", "Empty lines count."),
        ("assumption", "I assumed that the file is UTF-8.", "It reads the file."),
        ("assumption", "Da das nicht angegeben war, nehme ich UTF-8 an.", "Es liest die Datei."),
        ("warning", "An attacker could pass another path.", "It opens the path."),
    ],
)
def test_cues(kind: str, yes: str, no: str) -> None:
    assert first_with(yes, kind) == yes
    assert not first_with(no, kind)
