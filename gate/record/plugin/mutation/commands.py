"""A command of the user's that rewrites rules: recorded and replayed like a call of a model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from gate.errors import UsageError
from gate.record.recordings.exchange import Answer, Request, Scope
from gate.suites.mutation.operators.command import Command, rewritten

if TYPE_CHECKING:
    from gate.record.plugin.calls import Calls

_JSON = (("content-type", "application/json"),)


def asked(command: Command, rule: str, calls: Calls | None, *, folder: Path, timeout: float) -> str | None:
    """What the command makes of a rule: from the recordings, or by running it, which is counted as one call of no test.

    Args:
        calls: answers and records; None where nobody does.
        folder, timeout: as of `rewritten`.

    Raises:
        UsageError: it failed, or what is stored of it is no answer.
        RecordingError: nothing is stored for it and the mode allows no call, or a limit was reached.
    """
    if calls is None:
        return rewritten(command, rule, folder=folder, timeout=timeout)
    words = [command.name, *command.words[1:]]
    body = json.dumps({"command": words, "rule": rule}, ensure_ascii=True, sort_keys=True).encode("ascii")
    answer = calls.ask(Request("POST", f"command:{command.name}", _JSON, body), Scope())
    if isinstance(answer, Answer):
        return _stored(answer, command)
    try:
        found = rewritten(command, rule, folder=folder, environ=calls.environ(), timeout=timeout)
    except BaseException:
        answer.fail("protocol")
        raise
    answer.start(200, _JSON)
    answer.chunk(json.dumps({"rule": found}, ensure_ascii=True).encode("ascii"))
    answer.finish()
    return found


def _stored(answer: Answer, command: Command) -> str | None:
    try:
        found = json.loads(answer.body)["rule"] if not answer.failure else False
    except (ValueError, KeyError, TypeError, RecursionError):
        found = False
    if found is not None and not isinstance(found, str):
        where = f"the semantic operator {command.name}"
        raise UsageError("what is stored of it is no answer", where=where, remedy="record it anew")
    return found
