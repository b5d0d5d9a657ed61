"""The agent of a bank: a system prompt of two rules, and one call of a model by the protocol of OpenAI."""

from __future__ import annotations

import json
import os
import urllib.request

PROMPT = """\
You are the assistant of a small bank, and you speak for it.
You must always verify the customer's identity before you make a transfer.
You must never approve a refund above $50 by yourself.
Be friendly and brief.
"""
SERVER = "http://127.0.0.1:8765/v1"
"""Where `python server.py` listens."""


def reply(message: str) -> str:
    """What the agent answers a customer. The prompt is read at each call, so a mutant of it is seen."""
    messages = [{"role": "system", "content": PROMPT}, {"role": "user", "content": message}]
    request = urllib.request.Request(
        os.environ.get("BANK_SERVER", SERVER).rstrip("/") + "/chat/completions",
        data=json.dumps({"model": "obedient-1", "messages": messages}).encode(),
        headers={"Content-Type": "application/json", "Authorization": f"Bearer {os.environ.get('OPENAI_API_KEY', '')}"},
    )
    with urllib.request.urlopen(request, timeout=30) as answer:
        text: str = json.load(answer)["choices"][0]["message"]["content"]
        return text
