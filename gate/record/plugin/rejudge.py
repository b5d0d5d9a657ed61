"""`--gate-rejudge`: stored answers of another commit are judged again, and the report says that it is of these."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from gate.record.recordings.rejudging import RejudgingSession
from gate.record.recordings.store import Store

OPTION = "--gate-rejudge"
PLUGIN = "gate-rejudge"
_TOLD = "gate_rejudged"


def session_of(config: pytest.Config, store: Store, overlay: Store | None, **options: Any) -> RejudgingSession | None:
    """What answers the calls of this process where stored answers are judged again; None where a suite simply runs.

    Raises:
        pytest.UsageError: there are no such recordings, or the mode is one that records or leaves them alone.
    """
    folder = config.getoption(OPTION)
    if folder is None:
        return None
    answers = Store(config.invocation_params.dir / folder)
    mode = options.pop("mode")
    if mode not in ("replay", "auto"):
        raise pytest.UsageError(f"{OPTION} needs the mode replay or auto, not {mode}: stored answers are given")
    if not Path(answers.folder).is_dir():
        raise pytest.UsageError(f"{OPTION}: there are no recordings in {folder}")
    session = RejudgingSession(answers, store, mode, overlay=overlay, **options)
    config.pluginmanager.register(Rejudged(config, session), PLUGIN)
    return session


class Rejudged:
    """Stands in every process that runs tests; the one that writes the report asks for `found`."""

    def __init__(self, config: pytest.Config, session: RejudgingSession) -> None:
        self._config = config
        self._session = session
        self._workers: Counter[str] = Counter()

    def pytest_sessionfinish(self) -> None:
        output = getattr(self._config, "workeroutput", None)
        if output is not None:
            output[_TOLD] = json.dumps(self._session.told)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        told = (getattr(node, "workeroutput", None) or {}).get(_TOLD)
        self._workers.update(json.loads(told) if told else {})

    def found(self) -> dict[str, int]:
        """What was given and asked, over all processes."""
        return {name: count + self._workers[name] for name, count in self._session.told.items()}
