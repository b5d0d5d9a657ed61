"""A semantic operator that is a command: it reads a rule and writes the text that takes its place."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from gate.errors import UsageError

LONGEST_ANSWER = 100_000
"""Characters; a rule is a sentence."""
_TOLD = 300


@dataclass(frozen=True, slots=True)
class Command:
    """A command as a list of words; it is started without a shell, once for each rule.

    It reads the rule as UTF-8 from its standard input and writes another wording to its standard output, or nothing
    where it has none.
    """

    words: tuple[str, ...]

    @property
    def name(self) -> str:
        """The program's name without the folder, which differs from machine to machine."""
        return Path(self.words[0]).name

    def __call__(self, rule: str) -> str | None:
        """Run it in this folder and environment, see `rewritten`."""
        return rewritten(self, rule)


def rewritten(
    command: Command,
    rule: str,
    *,
    folder: Path | None = None,
    environ: Mapping[str, str] | None = None,
    timeout: float | None = None,
) -> str | None:
    """What a command writes for a rule, without white space around it; None where that is nothing.

    Args:
        folder: to run it in; the current one by default.
        environ: for the command; this process's by default.
        timeout: seconds; None for any time.

    Raises:
        UsageError: it can't be started, takes too long, ends with another code than 0, or writes no UTF-8.
    """
    where = f"the semantic operator {command.name}"
    try:
        done = subprocess.run(
            command.words,
            input=rule.encode("utf-8", "surrogatepass"),
            capture_output=True,
            cwd=folder,
            env=None if environ is None else dict(environ),
            timeout=timeout,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise UsageError(f"took longer than {timeout:g} s", where=where, remedy="make it quicker") from None
    except (OSError, ValueError) as error:
        raise UsageError(f"can't be started: {error}", where=where, remedy="name a program that is installed") from None
    if done.returncode != 0:
        said = done.stderr.decode("utf-8", "replace").strip()[-_TOLD:] or "it said nothing"
        raise UsageError(f"ended with {done.returncode}: {said}", where=where, remedy="mend the command")
    try:
        answer = done.stdout.decode("utf-8").strip()
    except UnicodeDecodeError:
        raise UsageError("wrote no UTF-8", where=where, remedy="let it write UTF-8") from None
    if len(answer) > LONGEST_ANSWER:
        raise UsageError(f"wrote {len(answer):,} characters", where=where, remedy="let it write one rule")
    return answer or None
