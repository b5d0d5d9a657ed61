"""A target by its specification."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from gate.errors import UsageError
from gate.suites.mutation.targets.files import FileTarget
from gate.suites.mutation.targets.objects import object_target
from gate.suites.mutation.targets.replacement import Replacement
from gate.suites.mutation.targets.variables import VariableTarget


class Target(Protocol):
    """A place that holds a prompt."""

    @property
    def spec(self) -> str:
        """As it was written."""

    def read(self) -> str:
        """The prompt as it stands now."""

    def replaced(self, change: str | Callable[[str], str]) -> contextlib.AbstractContextManager[Replacement]:
        """Another prompt in this place until the end of the block; then what was there before, whatever happens.

        Args:
            change: the other prompt, or what makes it of the present one, such as `Mutant.apply`. For a function
                that builds the prompt, the latter changes each of its answers.
        """


def target(spec: str, *, root: Path | None = None) -> Target:
    """The target of a specification, see `gate.suites.mutation.targets`; it is read at once.

    Args:
        root: what file names are relative to; the current folder by default.

    Raises:
        UsageError: the specification is malformed, there is no such thing, it is no text, or it can't be replaced.
    """
    if not isinstance(spec, str) or not spec.strip():
        raise UsageError(f"{spec!r} is no target", remedy='name one, such as target="package.module:PROMPT"')
    kind, _, rest = spec.partition(":")
    found: Target
    if kind == "env" and rest:
        found = VariableTarget(spec, rest)
    elif kind == "file" and rest:
        found = FileTarget(spec, root or Path.cwd(), rest)
    elif rest:
        found = object_target(spec, kind, rest)
    else:
        raise UsageError(
            "a target names a module and what it holds",
            where=spec,
            remedy="write `package.module:NAME`, `file:PATH` or `env:NAME`",
        )
    found.read()
    return found


def targets(specs: str | Sequence[str], *, root: Path | None = None) -> tuple[Target, ...]:
    """One target or several.

    Raises:
        UsageError: as `target`, or one stands twice.
    """
    listed = [specs] if isinstance(specs, str) else list(specs)
    if not listed:
        raise UsageError("no target is given", remedy='name one, such as target="package.module:PROMPT"')
    for place, spec in enumerate(listed):
        if spec in listed[:place]:
            raise UsageError("the target stands twice", where=str(spec), remedy="name each target once")
    return tuple(target(spec, root=root) for spec in listed)
