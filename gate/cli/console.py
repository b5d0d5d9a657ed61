"""What a person reads while a command works: plain lines, colour on a terminal only, escapes always removed."""

from __future__ import annotations

import os
import sys
from typing import TextIO

RED, YELLOW, BOLD, DIM = "31", "33", "1", "2"


class Console:
    """Progress and errors go to standard error, results to standard output.

    Args:
        quiet: print results and errors only.
        verbose: also print what is done and where things come from.
        colour: None decides by the terminal and `NO_COLOR`.
    """

    def __init__(
        self,
        *,
        quiet: bool = False,
        verbose: bool = False,
        colour: bool | None = None,
        out: TextIO | None = None,
        err: TextIO | None = None,
    ) -> None:
        self.quiet = quiet
        self.verbose = verbose
        self._colour = colour
        self._out = out
        self._err = err

    def colour_on(self, stream: TextIO | None = None) -> bool:
        if self._colour is not None:
            return self._colour
        return (stream or sys.stdout).isatty() and "NO_COLOR" not in os.environ

    def result(self, text: str) -> None:
        """What was asked for, as it is: the caller has escaped it."""
        stream = self._out or sys.stdout
        stream.write(_encodable(text, stream) + "\n")
        stream.flush()

    def say(self, text: str) -> None:
        """A step of long work."""
        if not self.quiet:
            self._line(text, DIM)

    def detail(self, text: str) -> None:
        if self.verbose and not self.quiet:
            self._line(text, DIM)

    def warn(self, text: str) -> None:
        self._line(f"warning: {text}", YELLOW)

    def error(self, message: str, *, where: str = "", remedy: str = "") -> None:
        place = f"{where}: " if where else ""
        self._line(f"gate: {place}{message}", RED)
        if remedy:
            self._line(f"  next: {remedy}", BOLD)

    def raw(self, text: str) -> None:
        self._line(text, "")

    def _line(self, text: str, style: str) -> None:
        from gate.render.escape import terminal

        stream = self._err or sys.stderr
        shown = _encodable("\n".join(terminal(line) for line in text.splitlines()), stream)
        if style and self.colour_on(stream):
            shown = f"\x1b[{style}m{shown}\x1b[0m"
        stream.write(shown + "\n")
        stream.flush()


def _encodable(text: str, stream: TextIO) -> str:
    encoding = stream.encoding or "utf-8"
    return text.encode(encoding, "replace").decode(encoding)
