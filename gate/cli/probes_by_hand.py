"""`gate probes export`, `import` and `grade`: what people do by hand."""

from __future__ import annotations

import contextlib
import getpass
import os
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gate.cli.console import Console
from gate.errors import EXIT_HOLDS
from gate.render.words import plural, verb

if TYPE_CHECKING:
    from gate.record.probes.agents.agent import Identity
    from gate.record.probes.by_hand import Question
    from gate.record.probes.journal import Journal


@contextlib.contextmanager
def _questions(options: Mapping[str, Any]) -> Iterator[tuple[tuple[Question, ...], Journal, Identity]]:
    """What is open, and what was answered, of the probes that are meant."""
    from gate.cli.probes_options import answers_path, entries_of, settings_of
    from gate.record.probes.by_hand import identity_of, questions_of, require_agent
    from gate.record.probes.grades import read_grades
    from gate.record.probes.journal import Journal
    from gate.record.probes.judge import CellJudge
    from gate.record.probes.plan import plan
    from gate.sandbox.cell import open_cell

    root = Path.cwd()
    settings = settings_of(options)
    entries = entries_of(settings, options)
    identity = identity_of(options["agent"])
    require_agent(Path(options["folder"]), identity)
    path = answers_path(settings, options, root)
    journal = Journal(path)
    items = plan(entries, settings.probe_samples or None)
    with open_cell(unsafe=options["unsafe"]) as cell:
        judge = CellJudge(cell, read_grades(path).of)
        yield tuple(questions_of(items, journal, judge, identity)), journal, identity


def export_prompts(console: Console, options: Mapping[str, Any]) -> int:
    """Write what is still to be asked."""
    from gate.record.probes.by_hand import export

    folder = Path(options["folder"])
    with _questions(options) as (questions, _, identity):
        waiting = [each for each in questions if each.kept is None]
        if not waiting:
            console.result(f"everything is answered: {_score(options)} grades it")
            return EXIT_HOLDS
        export(waiting, folder, identity)
    count = len(waiting)
    told = f"{plural(count, 'prompt')} {verb(count, 'is', 'are')} in {folder / 'prompts'}"
    console.result(f"{told}; put each answer beside them")
    console.result(f"as {folder / 'answers'}/NAME.md, as files in the folder of that name, or into answers.csv;")
    console.result(f"then: gate probes import {shlex.quote(str(folder))} --agent {shlex.quote(options['agent'])}")
    return EXIT_HOLDS


def import_answers(console: Console, options: Mapping[str, Any]) -> int:
    """Keep answers that a person brought."""
    from gate.record.probes.by_hand import read_answers, take_in

    with _questions(options) as (questions, journal, identity):
        found = read_answers(questions, Path(options["folder"]), correct=options["correct"])
        count = take_in(found, journal, identity, options["by"] or somebody()) if found else 0
    corrected = sum(question.kept is not None for question, _ in found)
    waiting = sum(each.kept is None for each in questions) - count + corrected
    told = f" ({corrected:,} in the place of another)" if corrected else ""
    console.result(
        f"{plural(count, 'answer')} taken in{told}, {plural(waiting, 'question')} {verb(waiting, 'is', 'are')} open"
    )
    if not found:
        known = sum(each.kept is not None for each in questions)
        console.warn(f"nothing new is in {options['folder']}; {plural(known, 'answer')} taken in before")
    again = "`gate probes export` writes what comes next, such as further rounds; " if count else ""
    console.say(f"{again}{_score(options)} grades what is there")
    return EXIT_HOLDS


def _score(options: Mapping[str, Any]) -> str:
    """The command that grades answers of this agent, whichever the settings name."""
    return f"`gate probes score --agent {shlex.quote(options['agent'])}`"


def somebody() -> str:
    """Who works here, as far as the machine knows."""
    try:
        return os.environ.get("GITHUB_ACTOR") or getpass.getuser()
    except (KeyError, OSError):
        return "unknown"
