"""An agent that is an API of the kind that OpenAI's chat completions are, asked through the recording proxy."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from gate.errors import UsageError
from gate.record.probes.agents.agent import Identity, Task
from gate.record.probes.agents.home import Files
from gate.record.probes.calls import Providers
from gate.suites.probes.answer import Answer, Ended

if TYPE_CHECKING:
    import requests

PATH = "/chat/completions"
INSTRUCTIONS = ("AGENTS.md", "CLAUDE.md", "GEMINI.md")
_LARGEST = 8 * 2**20
_LONGEST = 300


def check_address(url: str) -> str:
    """The address without a slash at its end.

    Raises:
        UsageError: it is no http address, or holds a password.
    """
    try:
        parts = urlsplit(url)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        good = False
    if not good:
        raise UsageError(
            "is no http address", where="agent-url", remedy="write one such as https://api.openai.com/v1, without /chat"
        )
    if parts.username is not None or parts.query:
        raise UsageError(
            "holds more than an address", where="agent-url", remedy="put the key into a variable such as OPENAI_API_KEY"
        )
    return url.rstrip("/").removesuffix(PATH)


def instructions_of(overlay: Files) -> str:
    """The file of an overlay that agents read as their instructions, which an API is given as its first message.

    Raises:
        UsageError: files are laid over a HOME that an API does not have, and none of them is one.
    """
    for name in INSTRUCTIONS:
        if name in overlay.content:
            return overlay.content[name].decode("utf-8", "replace")
    if overlay.content:
        raise UsageError(
            f"holds none of {', '.join(INSTRUCTIONS)}, and an API has no HOME",
            where="agent-home",
            remedy="put its instructions into AGENTS.md",
        )
    return ""


class HttpAgent:
    """Asks `POST <address>/chat/completions`, each prompt as a conversation of its own; safe for several threads.

    Args:
        identity: with the address and the model.
        providers: the way there, which holds the key; see `Providers`.
        system: first message; empty for none.
        fields: further fields of the request, such as `temperature`.
        timeout: seconds without a byte.
        clock: gives seconds.
    """

    def __init__(
        self,
        identity: Identity,
        providers: Providers,
        *,
        system: str = "",
        fields: Mapping[str, Any] | None = None,
        timeout: float = 600.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.identity = identity
        self._providers = providers
        self._system = system
        self._fields = dict(fields or {})
        self._timeout = timeout
        self._clock = clock

    def ask(self, task: Task) -> Answer:
        """One answer; how the call ended stands in it.

        Raises:
            BudgetExhaustedError: the call had no room in the budget.
            KeyRefusedError: the provider refused the key.
        """
        began = self._clock()
        with self._providers.opened(task.case) as calls:
            answer = self._asked(calls.inward(self.identity.command + PATH), task)
        spent = self._providers.spent(task.case)
        calls.check(task.probe.id)
        if calls.infrastructure:
            answer = replace(answer, ended=Ended.INFRASTRUCTURE, message=calls.infrastructure)
        amount = spent.amount
        return replace(
            answer,
            seconds=round(self._clock() - began, 3),
            cost=None if amount.unpriced or not amount.calls else amount.money,
            tokens=None if amount.uncounted or not amount.calls else amount.tokens,
            models=spent.models,
        )

    def _asked(self, address: str, task: Task) -> Answer:
        import requests

        messages = [{"role": "system", "content": self._system}] if self._system else []
        messages.append({"role": "user", "content": _with_files(task)})
        body = {"model": self.identity.model, "messages": messages, **self._fields}
        try:
            with requests.Session() as session:
                session.trust_env = False  # nothing stands between this process and its own proxy
                with session.post(address, json=body, timeout=self._timeout, stream=True) as response:
                    return _answer(response)
        except requests.Timeout:
            return Answer(ended=Ended.TIMED_OUT, message="did not answer in time")
        except requests.RequestException as error:
            return Answer(ended=Ended.INFRASTRUCTURE, message=type(error).__name__)


def _answer(response: requests.Response) -> Answer:
    data = b""
    for piece in response.iter_content(65_536):
        data += piece
        if len(data) > _LARGEST:
            return Answer(ended=Ended.FLOODED, message="answered with more than it may")
    try:
        found: Any = json.loads(data)
    except (ValueError, RecursionError):
        found = None
    if response.status_code != 200:
        return Answer(ended=Ended.CRASHED, message=f"status {response.status_code}: {_error(found)}"[:_LONGEST])
    text = _text(found)
    if text is None:
        return Answer(ended=Ended.CRASHED, message="the answer is no chat completion")
    return Answer(text=text, ended=Ended.ANSWERED if text.strip() else Ended.EMPTY)


def _text(found: Any) -> str | None:
    """What the first choice says; parts of several kinds are joined."""
    try:
        content = found["choices"][0]["message"]["content"]
    except (KeyError, IndexError, TypeError):
        return None
    if isinstance(content, list):
        texts = [part.get("text") for part in content if isinstance(part, dict)]
        return "".join(text for text in texts if isinstance(text, str))
    if content is None:
        return ""
    return content if isinstance(content, str) else None


def _error(found: Any) -> str:
    error = found.get("error") if isinstance(found, dict) else None
    message = error.get("message") if isinstance(error, dict) else error
    return message if isinstance(message, str) else "no message"


def _with_files(task: Task) -> str:
    """The prompt, with the files that a command line would find in its working folder."""
    files = {**task.probe.setup, **task.files}
    shown = "".join(f"\n\nFile `{path}`:\n\n{_fenced(text)}" for path, text in sorted(files.items()))
    return task.prompt + shown


def _fenced(text: str) -> str:
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}\n{text.rstrip()}\n{fence}"
