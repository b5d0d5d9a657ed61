"""A command line with places for the prompt, split without a shell."""

from __future__ import annotations

import difflib
import re
import shlex
from dataclasses import dataclass

from gate.errors import UsageError

MOST_ARGUMENT = 131_071
"""Bytes of one argument: the kernel's MAX_ARG_STRLEN of 32 pages, without the closing NUL (execve(2))."""
PROMPT, PROMPT_FILE, WORKDIR, OUTPUT_FILE = "{prompt}", "{prompt_file}", "{workdir}", "{output_file}"
PLACES = (PROMPT, PROMPT_FILE, WORKDIR, OUTPUT_FILE)
_BRACES = re.compile(r"\{[A-Za-z_-]{3,20}\}")
_SPLIT = re.compile(r"(\{(?:prompt|prompt_file|workdir|output_file)\})")


@dataclass(frozen=True, slots=True)
class Template:
    """A command that was split.

    Attributes:
        words: with the places as they were written.
        where: what errors name.
    """

    words: tuple[str, ...]
    where: str = "agent-cmd"

    def has(self, place: str) -> bool:
        """Whether a place stands anywhere in it."""
        return any(place in word for word in self.words)


Part = tuple[str, str]
"""A piece of an argument: a place that the cell fills, or empty and a text."""


@dataclass(frozen=True, slots=True)
class Filled:
    """A command for one prompt. Folders stay places, since only the cell knows where they are.

    Attributes:
        words: arguments in parts; `{prompt}` is filled, and what a prompt holds is never taken for a place.
        stdin: the prompt where it goes there; None closes standard input.
        prompt_file: whether the prompt is to be written to a file.
    """

    words: tuple[tuple[Part, ...], ...]
    stdin: bytes | None
    prompt_file: bool


def read_template(text: str, where: str = "agent-cmd") -> Template:
    """A template from a line of text, split as a shell would, without one.

    Raises:
        UsageError: it is empty, a quotation mark has no partner, or a place is misspelt.
    """
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise UsageError(
            f"can't be split: {str(error).lower()}", where=where, remedy="quote it as for a shell"
        ) from None
    if not words or not words[0]:
        raise UsageError("is empty", where=where, remedy=f"write a command such as `agent --ask {PROMPT}`")
    if "\0" in text:
        raise UsageError("holds a NUL", where=where, remedy="leave it out")
    for word in words:
        for found in _BRACES.findall(word):
            close = difflib.get_close_matches(found, PLACES, n=1, cutoff=0.75)
            if found not in PLACES and close:
                raise UsageError(f"has no place `{found}`", where=where, remedy=f"did you mean `{close[0]}`?")
    return Template(tuple(words), where)


def fill(template: Template, prompt: str) -> Filled:
    """The command for a prompt.

    Without a place for it the prompt goes to standard input. An argument that would be longer than `MOST_ARGUMENT`, or
    would hold a NUL, is left out and the prompt goes to standard input too, which is where command lines look when
    they are given none.
    """
    fits = "\0" not in prompt and all(
        len(word.replace(PROMPT, prompt).encode("utf-8", "surrogatepass")) <= MOST_ARGUMENT
        for word in template.words
        if PROMPT in word
    )
    words = tuple(_parts(word, prompt) for word in template.words if fits or PROMPT not in word)
    in_argument = fits and template.has(PROMPT)
    to_stdin = not in_argument and not template.has(PROMPT_FILE)
    stdin = prompt.encode("utf-8", "surrogatepass") if to_stdin else None
    return Filled(words, stdin, template.has(PROMPT_FILE))


def _parts(word: str, prompt: str) -> tuple[Part, ...]:
    found = []
    for place, text in enumerate(_SPLIT.split(word)):
        if place % 2 == 0 or text == PROMPT:
            found.append(("", prompt if place % 2 else text))
        else:
            found.append((text.strip("{}"), ""))
    return tuple(part for part in found if part != ("", ""))
