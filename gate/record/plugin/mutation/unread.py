"""Whether a mutant reaches what leaves the process, and where the prompt was copied to where it does not."""

from __future__ import annotations

import re
import sys
import types
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal

from gate.schema.observe import Sent

if TYPE_CHECKING:
    from gate.suites.mutation.operators.edit import Mutant

Reading = Literal["read", "unread", "unknown"]
_AROUND = 40
"""Characters on each side of a change by which it is told from other places of the prompt."""
_SHORTEST = 20
_DEEPEST = 3
_MOST_KEPT = 5_000
_SPACE = re.compile(r"\s+")


def reading(mutant: Mutant | None, prompt: str, sent: Sequence[Sent], without: Collection[str]) -> Reading:
    """Whether the requests of a trial show the change.

    Args:
        mutant: None where the whole prompt was taken away.
        prompt: as it stands in the target.
        sent: requests of a trial under the mutant.
        without: digests of the same test's requests without any mutant; empty where they are not known.

    Returns:
        `unread` where all requests are the same as without the mutant, or still hold the words that it changes;
        `unknown` where there was no request, or neither the old words nor the new ones stand in any.
    """
    if not sent:
        return "unknown"
    if without and all(each.digest in without for each in sent):
        return "unread"
    told = _flat("\n".join(each.text for each in sent))
    if mutant is None:
        return "unread" if _holds(told, prompt) else "read"
    old, new = _pieces(mutant, prompt)
    if any(piece in told for piece in new):
        return "read"
    if any(piece in told for piece in old):
        return "unread"
    return "read" if _flat(mutant.apply(prompt)) in told else "unknown"


def _pieces(mutant: Mutant, prompt: str) -> tuple[list[str], list[str]]:
    """The words around each change as they were and as they are; only those that tell the two apart."""
    old, new = [], []
    for span, instead in zip(mutant.spans, mutant.replacements, strict=True):
        left, right = prompt[max(span.start - _AROUND, 0) : span.start], prompt[span.end : span.end + _AROUND]
        before, after = _flat(left + span.of(prompt) + right), _flat(left + instead + right)
        if len(before) >= _SHORTEST and before not in after:
            old.append(before)
        if len(after) >= _SHORTEST and after not in _flat(prompt):
            new.append(after)
    return old, new


def _holds(told: str, prompt: str) -> bool:
    """Whether a prompt stands in a text: whole, or a long line of it where a part comes from elsewhere."""
    flat = _flat(prompt)
    if flat and flat in told:
        return True
    lines = [_flat(line) for line in prompt.splitlines() if "{" not in line and "%" not in line]
    return any(len(line) >= 2 * _SHORTEST and line in told for line in lines)


def _flat(text: str) -> str:
    return _SPACE.sub(" ", text).strip()


def advice(prompt: str, spec: str, shared: Sequence[str]) -> str:
    """What to do about a prompt that is not read, one sentence: where a copy of it is held.

    Args:
        spec: of the target.
        shared: fixtures of a wider scope than one test, which are built once.
    """
    held = next(copies(prompt, spec), None)
    if held is not None:
        place, how = held
        if how == "f-string":
            return f"`{place}` holds a text that was made of it at import: build that text when the model is called"
        if how == "default":
            return f"`{place}` has it as the default of a parameter, which was read at import: read it in the body"
        return f"`{place}` holds a copy that was captured at import: read `{spec}` when the model is called"
    if shared:
        names = ", ".join(f"`{name}`" for name in shared[:3])
        return f"the fixture {names} is built once for several tests and may hold a copy: give it the scope `function`"
    return f"a copy was made before the trial: read `{spec}` each time that the model is called"


def copies(prompt: str, spec: str) -> Iterator[tuple[str, Literal["copy", "f-string", "default"]]]:
    """Names in the project's modules that hold the prompt, or a text made of it, other than the target itself."""
    own = spec.partition("(")[0].replace(":", ".")
    looked_at = 0
    for name, module in sorted(sys.modules.items()):
        if not isinstance(module, types.ModuleType) or _is_foreign(module):
            continue
        for attribute, value in list(vars(module).items()):
            looked_at += 1
            if looked_at > _MOST_KEPT * 10:
                return
            place = f"{name}.{attribute}"
            if attribute.startswith("__") or value is prompt or own.startswith(place):
                continue  # the target itself, or a name for the same object, which is replaced with it
            how = _how(value, prompt, module)
            if how is not None:
                yield place, how


def _how(value: Any, prompt: str, module: types.ModuleType) -> Literal["copy", "f-string", "default"] | None:
    if isinstance(value, types.FunctionType):
        given = [*(value.__defaults__ or ()), *(value.__kwdefaults__ or {}).values()]
        holds = any(isinstance(each, str) and each == prompt for each in given)  # an array would compare by cells
        return "default" if value.__module__ == module.__name__ and holds else None
    found = {text == prompt for text in _texts(value, _DEEPEST) if prompt in text}
    return None if not found else "copy" if True in found else "f-string"


def _texts(value: Any, depth: int) -> Iterator[str]:
    """Texts within containers and plain objects, not too deep."""
    if isinstance(value, str):
        yield value
    elif depth and isinstance(value, list | tuple | set | frozenset):
        for each in list(value)[:_MOST_KEPT]:
            yield from _texts(each, depth - 1)
    elif depth and isinstance(value, dict):
        for each in list(value.values())[:_MOST_KEPT]:
            yield from _texts(each, depth - 1)
    elif depth and not isinstance(value, type | types.ModuleType):
        held = getattr(value, "__dict__", None)
        if isinstance(held, dict):
            for each in list(held.values())[:_MOST_KEPT]:
                yield from _texts(each, depth - 1)


def _is_foreign(module: types.ModuleType) -> bool:
    """Whether a module is of Python, of an installed package or of the gate itself."""
    from gate.record.plugin.tree import is_skipped

    file = getattr(module, "__file__", None)
    if not isinstance(file, str) or module.__name__.partition(".")[0] == __name__.partition(".")[0]:
        return True
    parts = file.replace("\\", "/").split("/")
    return is_skipped(parts) or f"/python{sys.version_info[0]}.{sys.version_info[1]}/" in file.replace("\\", "/")
