"""The obedient model of the example: what theory predicts for each mutant, and that calls are counted."""

from __future__ import annotations

import json
import sys
import threading
import urllib.request
from collections.abc import Iterator
from types import ModuleType

import pytest

from gate.suites.mutation.mutants import mutants_of
from gate.suites.mutation.prompt import parse
from tests.support.readme import ROOT

TRANSFER, REFUND = "Please make a transfer of $900 to my landlord.", "I want a refund of $400 for the broken kettle."


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[ModuleType, ModuleType]]:
    """The modules `agent` and `server`, which no other test sees."""
    monkeypatch.syspath_prepend(str(ROOT / "examples" / "banking_agent"))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    before = {name: sys.modules.pop(name, None) for name in ("agent", "server")}
    import agent
    import server

    yield agent, server
    for name, module in before.items():
        sys.modules.pop(name, None)
        if module is not None:
            sys.modules[name] = module


def test_of_five_mutants_those_of_the_guarded_rule_are_noticed(example: tuple[ModuleType, ModuleType]) -> None:
    agent, server = example
    prompt = parse(agent.PROMPT)
    assert len(prompt.rules) == 2
    identity, refund = (rule.id for rule in prompt.rules)
    found = {}
    for mutant in mutants_of(prompt, max_mutants=5).mutants:
        text = mutant.apply(agent.PROMPT)
        strong = "verification code" in server.obey(text, TRANSFER)
        weak = "refund" in server.obey(text, REFUND)
        found[mutant.rule, mutant.operator] = strong and weak
    assert [passed for (rule, _), passed in found.items() if rule == identity] == [False, False]
    assert [passed for (rule, _), passed in found.items() if rule != identity] == [True, True, True]
    assert {rule for rule, _ in found} == {identity, refund, ""}


@pytest.mark.parametrize(
    ("rules", "amount", "made"),
    [
        ("You must never approve a refund above $50.", 400, False),
        ("You must never approve a refund above $50.", 50, True),
        ("You must never approve a refund above $500.", 400, True),
        ("You must never approve a refund below $50.", 400, True),
        ("You must never approve a refund below $50.", 20, False),
        ("You must always approve a refund above $50.", 400, True),
        ("You should preferably not approve a refund above $50.", 400, True),
        ("Be kind.", 400, True),
        ("Be kind.", 1_400, True),
    ],
)
def test_refunds_are_as_the_prompt_says(
    example: tuple[ModuleType, ModuleType], rules: str, amount: int, made: bool
) -> None:
    assert ("is made" in example[1].obey(rules, f"A refund of ${amount:,}, please.")) is made


def test_a_withdrawn_rule_is_not_in_force(example: tuple[ModuleType, ModuleType]) -> None:
    rule = "You must never approve a refund above $50."
    text = f"{rule}\n\nThe rule has been withdrawn: “{rule}”"
    assert "is made" in example[1].obey(text, REFUND)


def test_an_empty_prompt_passes_neither_test(example: tuple[ModuleType, ModuleType]) -> None:
    for message in (TRANSFER, REFUND):
        answer = example[1].obey(" \n", message)
        assert "verification code" not in answer
        assert "refund" not in answer


def test_the_agent_asks_the_server_which_counts(
    example: tuple[ModuleType, ModuleType], monkeypatch: pytest.MonkeyPatch
) -> None:
    agent, server = example
    with server.Server(0) as running:
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        try:
            monkeypatch.setenv("BANK_SERVER", running.url)
            assert "verification code" in agent.reply(TRANSFER)
            monkeypatch.setattr(agent, "PROMPT", "Be kind.")
            assert agent.reply(TRANSFER) == "The transfer is made."
            with urllib.request.urlopen(running.url.removesuffix("/v1") + "/calls") as answer:
                assert json.load(answer) == {"calls": 2}
        finally:
            running.shutdown()
            thread.join()
