"""The runner's side of a workflow: outputs, step summary, annotations, and output that may not be commands."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from gate.errors import DeliveryError

SUMMARY_BYTES = 1 << 20
OUTPUT_BYTES = 1_000_000
"""GitHub drops a summary of more than 1 MiB whole, and the outputs of a job past 1 MB."""
_NOTE = "\n\n*Cut here, since GitHub drops a summary of more than 1 MiB. The report holds everything.*\n"
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_ANNOTATION = re.compile(r"::(?:error|warning|notice)(?: [^\r\n]*?)?::")


def in_workflow(environ: Mapping[str, str]) -> bool:
    """Whether GitHub Actions runs this, or a runner that stands for it.

    What is unclear counts as one: where a proposal were taken for somebody's own shell, it would judge itself.
    """
    said = environ.get("GITHUB_ACTIONS", "").strip().lower()
    return said not in ("", "false") or bool(environ.get("GITHUB_EVENT_NAME", "").strip())


class RunnerFiles:
    """Writes what a runner reads; where a file or the runner is absent, it does nothing.

    Args:
        environ: `GITHUB_OUTPUT`, `GITHUB_STEP_SUMMARY`, `GITHUB_ACTIONS`.
        stdout: the log of the step.
        entropy: gives words that nobody can guess.
    """

    def __init__(
        self, environ: Mapping[str, str], stdout: TextIO, *, entropy: Callable[[], str] = lambda: secrets.token_hex(16)
    ) -> None:
        self._environ = environ
        self._stdout = stdout
        self._entropy = entropy

    @property
    def present(self) -> bool:
        """Whether a runner of GitHub reads the log."""
        return in_workflow(self._environ)

    def set_output(self, name: str, value: str) -> None:
        """Set an output of the step, of any text.

        Raises:
            DeliveryError: a name that no output can have, a value that GitHub drops, a file that can't be written.
        """
        if not _NAME.fullmatch(name):
            raise DeliveryError(f"no output can be called {name!r:.80}", remedy="use letters, digits, - and _")
        data = _bytes(value)
        if len(data) > OUTPUT_BYTES:
            raise DeliveryError(f"the output `{name}` has {len(data)} bytes", remedy="read the report's file instead")
        delimiter = self._delimiter(value)
        self._append("GITHUB_OUTPUT", _bytes(f"{name}<<{delimiter}\n") + data + _bytes(f"\n{delimiter}\n"))

    def append_summary(self, text: str) -> None:
        """Add Markdown to the summary of the step, cut at a line where GitHub would drop all of it.

        Raises:
            DeliveryError: the file can't be written.
        """
        data = _bytes(text if text.endswith("\n") else text + "\n")
        room = SUMMARY_BYTES - self._size("GITHUB_STEP_SUMMARY")
        if len(data) > room:
            room -= len(_bytes(_NOTE))
            head = data[: max(0, room)]
            data = head[: head.rfind(b"\n") + 1] + _bytes(_NOTE) if room >= 0 else b""
        self._append("GITHUB_STEP_SUMMARY", data)

    def annotate(self, lines: Iterable[str]) -> None:
        """Write annotations, as `gate.render.annotations` makes them; anything else is no command and is left out."""
        if self.present:
            for line in lines:
                if _ANNOTATION.match(line) and "\n" not in line and "\r" not in line:
                    self._say(line)

    @contextmanager
    def stopped_commands(self) -> Iterator[None]:
        """Within it, no line of the log is a command, whoever writes it."""
        if not self.present:
            yield
            return
        word = self._entropy()
        self._say(f"::stop-commands::{word}")
        try:
            yield
        finally:
            # What was written may not end with a line's end, and a command starts a line.
            self._say(f"\n::{word}::")

    def _delimiter(self, value: str) -> str:
        while True:
            delimiter = f"gate_{self._entropy()}"
            if delimiter not in value:
                return delimiter

    def _say(self, line: str) -> None:
        encoding = self._stdout.encoding or "utf-8"
        self._stdout.write(line.encode(encoding, "backslashreplace").decode(encoding) + "\n")
        self._stdout.flush()

    def _path(self, variable: str) -> Path | None:
        given = self._environ.get(variable, "")
        return Path(given) if given else None

    def _size(self, variable: str) -> int:
        path = self._path(variable)
        try:
            return path.stat().st_size if path else 0
        except OSError:
            return 0

    def _append(self, variable: str, data: bytes) -> None:
        path = self._path(variable)
        if path is None or not data:
            return
        try:
            with path.open("ab") as file:
                file.write(data)
        except OSError as error:
            raise DeliveryError(
                f"can't write the file of {variable}: {error.strerror}", remedy="check the step's container and user"
            ) from None


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")
