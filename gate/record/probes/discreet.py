"""Answers without secrets: those of this machine by their value, those of anybody by their shape.

Fields that are named like secrets stay as they are: a `password = "…"` in an answer is code, and a check may be about
it. What is graded is the answer as it is kept, so that a replay says what the run said.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from gate.record.recordings.secret_names import field_kind
from gate.record.recordings.secret_shapes import LONGEST_TOKEN, shaped, tokens
from gate.record.recordings.spans import merged, placeholder, replaced
from gate.record.recordings.upstreams import WELL_KNOWN
from gate.suites.probes.answer import Answer

_SHORTEST = 8
_KEYS = frozenset(name for upstream in WELL_KNOWN for name in upstream.keys)


def secrets_of(environ: Mapping[str, str]) -> tuple[str, ...]:
    """Values of variables that are named like secrets, the longest first; the shell's working folder is none."""
    found = {
        value.strip()
        for name, value in environ.items()
        if len(value.strip()) >= _SHORTEST and name != "PWD" and (name in _KEYS or field_kind(name))
    }
    return tuple(sorted(found, key=lambda value: (-len(value), value)))


def without_secrets(answer: Answer, secrets: Iterable[str]) -> Answer:
    """The answer with a placeholder for each secret.

    Args:
        secrets: values that must not stay, as `secrets_of` gives them.
    """
    values = tuple(secrets)
    return replace(
        answer,
        text=_clean(answer.text, values),
        files={_clean(path, values): _clean(text, values) for path, text in answer.files.items()},
        message=_clean(answer.message, values),
    )


def _clean(text: str, values: Iterable[str]) -> str:
    for value in values:
        text = text.replace(value, placeholder("secret"))
    data = text.encode("utf-8", "replace")
    found = [
        span
        for start, end in tokens(data)
        if end - start <= LONGEST_TOKEN
        for span in shaped(data, start, end, random=False)
    ]
    return replaced(data, merged(data, found)).decode("utf-8", "replace")
