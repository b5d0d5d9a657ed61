"""An environment variable as a target."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from gate.errors import UsageError
from gate.suites.mutation.targets.places import missing
from gate.suites.mutation.targets.replacement import Replacement, changed_text


@dataclass(frozen=True)
class VariableTarget:
    """A prompt that the environment brings."""

    spec: str
    name: str

    def read(self) -> str:
        found = os.environ.get(self.name)
        if found is None:
            raise missing("the environment", self.name, os.environ, self.spec)
        return found

    @contextlib.contextmanager
    def replaced(self, change: str | Callable[[str], str]) -> Iterator[Replacement]:
        was = self.read()
        new = changed_text(change, was, self.spec)
        placed = Replacement()
        try:
            os.environ[self.name] = new
        except (ValueError, UnicodeEncodeError) as error:
            remedy = "keep this prompt in a file or a module"
            raise UsageError(f"the variable can't hold this text: {error}", where=self.spec, remedy=remedy) from error
        try:
            yield placed
        finally:
            placed.disturbed = os.environ.get(self.name) != new
            os.environ[self.name] = was
