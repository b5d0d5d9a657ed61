"""`gate probes export`, `import` and `grade`: what people do by hand."""

from __future__ import annotations

import contextlib
import getpass
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gate.cli.console import Console
from gate.errors import EXIT_HOLDS

if TYPE_CHECKING:
    from gate.record.probes.agents.agent import Identity
    from gate.record.probes.by_hand import Question
    from gate.record.probes.journal import Journal

_LARGEST = 64 * 2**20


@contextlib.contextmanager
def _questions(options: Mapping[str, Any]) -> Iterator[tuple[tuple[Question, ...], Journal, Identity]]:
    """What is open of the probes that are meant."""
    from gate.cli.probes_options import answers_path, entries_of, settings_of
    from gate.record.probes.by_hand import identity_of, open_questions
    from gate.record.probes.grades import read_grades
    from gate.record.probes.journal import Journal
    from gate.record.probes.judge import CellJudge
    from gate.record.probes.plan import plan
    from gate.sandbox.cell import open_cell

    root = Path.cwd()
    settings = settings_of(options)
    entries = entries_of(settings, options, root)
    identity = identity_of(options["agent"])
    path = answers_path(settings, options, root)
    journal = Journal(path)
    items = plan(entries, settings.probe_samples or None)
    with open_cell(unsafe=options["unsafe"]) as cell:
        judge = CellJudge(cell, read_grades(path).of)
        yield tuple(open_questions(items, journal, judge, identity)), journal, identity


def export_prompts(console: Console, options: Mapping[str, Any]) -> int:
    """Write what is still to be asked."""
    from gate.record.probes.by_hand import export
    from gate.render.words import plural

    folder = Path(options["folder"])
    with _questions(options) as (questions, _, _):
        if not questions:
            console.result("everything is answered: `gate probes score` grades it")
            return EXIT_HOLDS
        export(questions, folder)
    console.result(
        f"{plural(len(questions), 'prompt is', 'prompts are')} in {folder / 'prompts'}; put each answer beside them"
    )
    console.result(f"as {folder / 'answers'}/NAME.md, as files in the folder of that name, or into answers.csv;")
    console.result(f'then: gate probes import {folder} --agent "{options["agent"]}"')
    return EXIT_HOLDS


def import_answers(console: Console, options: Mapping[str, Any]) -> int:
    """Keep answers that a person brought."""
    from gate.record.probes.by_hand import read_answers, take_in
    from gate.render.words import plural

    with _questions(options) as (questions, journal, identity):
        found = read_answers(questions, Path(options["folder"]))
        count = take_in(found, journal, identity, options["by"] or somebody())
    still = plural(len(questions) - count, "question is", "questions are")
    console.result(f"{plural(count, 'answer')} taken in, {still} open")
    again = "`gate probes export` writes what comes next, such as further rounds; " if count else ""
    console.say(f"{again}`gate probes score` grades what is there")
    return EXIT_HOLDS


def somebody() -> str:
    """Who works here, as far as the machine knows."""
    try:
        return os.environ.get("GITHUB_ACTOR") or getpass.getuser()
    except (KeyError, OSError):
        return "unknown"
