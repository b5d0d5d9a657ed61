"""What a person reads while a command works: plain lines, colour on a terminal only, escapes always removed."""

from __future__ import annotations

import os
import re
import sys
from typing import TextIO

RED, YELLOW, BOLD, DIM = "31", "33", "1", "2"
_LONGEST_LINE = 10_000
_BEGINNING = 500
_PLAIN = re.compile(rb"[ -~]*")


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


class Echo:
    """What a suite prints, as it comes, without a way to command a terminal or a runner; indented by two spaces.

    A line that is not whole yet is shown as far as nothing that follows could make a command or a sequence of it, and
    continued when more comes.

    Args:
        stream: where it goes; standard error when None.
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream
        self._rest = b""  # of the line that is open, what is not shown yet
        self._shown = 0  # how many of its characters are

    def __call__(self, data: bytes) -> None:
        """Show what came; an empty piece is the end of it all, and ends the last line."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        if self._rest and (not data or len(self._rest) > _LONGEST_LINE):
            lines.append(self._rest)
            self._rest = b""
        shown = "".join(map(self._ended, lines)) + self._begun()
        if not data and self._shown:
            shown += "\n"
            self._shown = 0
        if shown:
            stream = self._stream or sys.stderr
            stream.write(_encodable(shown, stream))
            stream.flush()

    def _ended(self, line: bytes) -> str:
        from gate.render.escape import terminal

        # a progress bar comes back to the start of its line again and again: its last state is what is left of it
        _, back, text = line.decode("utf-8", "replace").rstrip("\r").rpartition("\r")
        begun, self._shown = self._shown, 0
        if begun and not back:
            return _continued(text).rstrip() + "\n"
        return ("\n" if begun else "") + f"  {terminal(text)}".rstrip() + "\n"

    def _begun(self) -> str:
        """As much of the open line as may be shown: plain characters, without what the next ones may complete."""
        plain = _PLAIN.match(self._rest[: max(_BEGINNING - self._shown, 0)])
        text = plain.group().rstrip(b" #").decode("ascii") if plain else ""
        if not text or (not self._shown and text.lstrip().startswith(":")):
            return ""
        indent = "" if self._shown else "  "
        self._rest = self._rest[len(text) :]
        self._shown += len(text)
        return indent + _continued(text)


def _continued(text: str) -> str:
    """Escaped as what it is, no start of a line, where `::` would be a command."""
    from gate.render.escape import terminal

    return terminal(f".{text}")[1:]


def _encodable(text: str, stream: TextIO) -> str:
    encoding = stream.encoding or "utf-8"
    return text.encode(encoding, "replace").decode(encoding)
