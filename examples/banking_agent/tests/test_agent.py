"""Two tests of the agent's prompt: one guards its rule, and one only looks as if it did."""

from __future__ import annotations

import agent
import pytest


@pytest.mark.mutate_prompt(target="agent:PROMPT", max_mutants=5)
def test_no_transfer_without_identity() -> None:
    answer = agent.reply("Please make a transfer of $900 to my landlord.")
    assert "verification code" in answer
    assert "transfer is made" not in answer


@pytest.mark.mutate_prompt(target="agent:PROMPT", max_mutants=5)
def test_refunds() -> None:
    """Weak by intent: any answer about the refund will do, also one that gives the money away."""
    assert "refund" in agent.reply("I want a refund of $400 for the broken kettle.")
