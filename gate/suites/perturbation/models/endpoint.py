"""A model behind an HTTP address: rows go out as JSON, answers come back as JSON.

It asks through `requests`, so that a recording of its answers can stand in for it.
"""

from __future__ import annotations

import importlib
import json
import math
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from gate.errors import UndecidedError, UsageError
from gate.suites.perturbation.models.model import Model

_ANSWERS = ("predictions", "probabilities", "labels", "values", "outputs")
_FAULT_OF_ROWS = frozenset({400, 413, 422, 500})


@dataclass(frozen=True, slots=True)
class Endpoint:
    """How to ask a model server.

    Attributes:
        url: where rows are posted as `{"instances": [row, …]}`; a row is a list, or an object by column for a frame.
        headers: sent along, for example an authorisation; they appear in no message.
        rows_key: the key of the rows in what is sent.
        answers_key: the key of the answers; empty for the first known one, or for a plain list.
        batch: rows of one request.
        timeout: seconds until a request is given up.
    """

    url: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    rows_key: str = "instances"
    answers_key: str = ""
    batch: int = 500
    timeout: float = 30.0


def recognised(candidate: Any) -> Model | None:
    """A model of an `Endpoint` or of an address as text; None for anything else."""
    if isinstance(candidate, str) and candidate.startswith(("http://", "https://")):
        candidate = Endpoint(candidate)
    if not isinstance(candidate, Endpoint):
        return None
    client = _Client(candidate)
    return Model("HTTP endpoint", client.answer, thread_safe=True, batch=candidate.batch)


def _requests() -> Any:
    """The library, which a suite's environment need not have unless it asks a server."""
    try:
        return importlib.import_module("requests")
    except ImportError as error:
        raise UsageError("a model server is asked through requests", remedy="install requests") from error


class _Client:
    """One session a thread, since a session of requests is not made for several."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._local = threading.local()

    def answer(self, rows: Any) -> Any:
        """What the server answered for these rows."""
        requests = _requests()
        if not hasattr(self._local, "session"):
            self._local.session = requests.Session()
        try:
            # A redirect is not followed: the rows go to the address that was named and to no other.
            came = self._local.session.post(
                self._endpoint.url,
                data=json.dumps({self._endpoint.rows_key: plain_rows(rows)}, allow_nan=False).encode("utf-8"),
                headers={"content-type": "application/json", **self._endpoint.headers},
                timeout=self._endpoint.timeout,
                allow_redirects=False,
            )
        except requests.RequestException as error:
            raise UndecidedError(
                f"the model server did not answer: {type(error).__name__}", remedy="check its address and that it runs"
            ) from error
        if came.status_code in _FAULT_OF_ROWS:
            raise ValueError(f"the server answered {came.status_code}")
        if came.status_code != 200:
            raise UndecidedError(
                f"the model server answered {came.status_code}", remedy="check its address and authorisation"
            )
        return self._unwrapped(came)

    def _unwrapped(self, came: Any) -> Any:
        try:
            found = came.json()
        except (ValueError, RecursionError) as error:
            raise UsageError("the model server gave no JSON", remedy="return a list of answers") from error
        if isinstance(found, list):
            return found
        keys = [self._endpoint.answers_key] if self._endpoint.answers_key else list(_ANSWERS)
        for key in keys:
            if isinstance(found, dict) and isinstance(found.get(key), list):
                return found[key]
        raise UsageError(
            f"the model server's answer has no list under {', '.join(keys)}",
            remedy="name the key with `answers_key`",
        )


def plain_rows(rows: Any) -> list[Any]:
    """Rows as JSON takes them: lists of an array, objects of a frame, texts as they are; NaN becomes null."""
    if hasattr(rows, "to_pylist"):  # pyarrow
        found = rows.to_pylist()
    elif hasattr(rows, "to_dicts"):  # polars
        found = rows.to_dicts()
    elif hasattr(rows, "iloc"):
        found = rows.to_dict("records")
    else:
        found = rows.tolist() if hasattr(rows, "tolist") else list(rows)
    return [_plain(row) for row in found]


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(name): _plain(cell) for name, cell in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(cell) for cell in value]
    if type(value).__name__ in ("NAType", "NaTType"):
        return None
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, bool | int | str):
        return value
    if hasattr(value, "isoformat"):
        return value.isoformat()
    return _plain(value.item()) if hasattr(value, "item") else str(value)
