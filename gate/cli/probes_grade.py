"""`gate probes grade`: what no check can grade is graded by a person, in a table, or by a judging model."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gate.baselines.write import write_atomically
from gate.cli.console import Console
from gate.cli.files import read_bytes
from gate.cli.probes_by_hand import somebody
from gate.errors import EXIT_HOLDS, EXIT_UNDECIDED, UsageError
from gate.render.words import plural, verb

if TYPE_CHECKING:
    from gate.cli.probes_options import Asked
    from gate.record.probes.grades import GradeKey, Grades, Logged
    from gate.record.probes.plan import Sampled
    from gate.sandbox.cell import Cell
    from gate.suites.probes.grading import ManualGrade

_LARGEST = 64 * 2**20
_WAYS = ("out", "taken", "judge_cmd", "judge_url")


def grade_answers(console: Console, options: Mapping[str, Any]) -> int:
    """Write a table to be graded, take one in, or let a model judge."""
    from gate.cli.probes_options import asked_by
    from gate.record.probes.grades import read_grades
    from gate.sandbox.cell import open_cell

    if sum(bool(options[name]) for name in _WAYS) != 1:
        raise UsageError(
            "one thing at a time", where="gate probes grade", remedy="give --out, --in, --judge-cmd or --judge-url"
        )
    asked = asked_by({**options, "mode": "replay", "output": ".gate/probes"})
    grades = read_grades(asked.answers)
    with open_cell(unsafe=asked.unsafe) as cell:
        sampled = _replayed(console, asked, cell)
        wanted = [each for each in sampled if each.answers and (options["every"] or each.graded.cause == "ungraded")]
        if options["out"]:
            return _written(console, wanted, Path(options["out"]))
        if options["taken"]:
            taken = _taken(Path(options["taken"]), options["by"] or somebody(), sampled)
            if not taken:
                console.warn(f"no row of {options['taken']} has a grade")
            return _told(console, grades, taken, 0)
        found = _judged(console, asked, options, cell, wanted)
    return _told(console, grades, found, len(wanted) - len(found))


def _replayed(console: Console, asked: Asked, cell: Cell) -> tuple[Sampled, ...]:
    """What is recorded, as the checks grade it."""
    from gate.cli.probes_options import identity_in
    from gate.cli.probes_run import runner_of
    from gate.record.probes.chosen import chosen_agent
    from gate.record.probes.journal import Journal
    from gate.record.probes.plan import plan

    journal = Journal(asked.answers)
    identity = identity_in(chosen_agent(asked.settings, asked.root), journal, asked)
    console.say(f"answers of {identity.name}")
    items = plan(asked.entries, asked.settings.probe_samples or None)
    return runner_of(console, asked, None, identity, journal, cell)(items).sampled


def _written(console: Console, wanted: Sequence[Sampled], path: Path) -> int:
    from gate.record.probes.rubrics import table

    write_atomically(path, table(wanted))
    count = f"{plural(len(wanted), 'answer')} to grade {verb(len(wanted), 'is', 'are')}"
    console.result(f"{count} in {path}; fill the column `grade`, then give it with --in")
    return EXIT_HOLDS


def _taken(path: Path, by: str, sampled: Sequence[Sampled]) -> list[Logged]:
    from gate.record.probes.rubrics import matching, read_table

    given = read_table(read_bytes(path, _LARGEST, "table of grades", "`gate probes grade --out`"), str(path), by)
    return [_logged(key, each.grade, about) for key, each, about in matching(given, sampled)]


def _told(console: Console, grades: Grades, new: Sequence[Logged], left: int) -> int:

    count = grades.add(new)
    console.result(f"{plural(count, 'grade')} {verb(count, 'is', 'are')} new; `gate probes score` counts them")
    console.detail(f"the log is {grades.path}")
    return EXIT_UNDECIDED if left else EXIT_HOLDS


def _judged(
    console: Console, asked: Asked, options: Mapping[str, Any], cell: Cell, wanted: Sequence[Sampled]
) -> list[Logged]:
    """Grades of a judging model; an answer that it gives no grade is left open, and said."""
    from gate.record.probes import rubrics
    from gate.record.probes.agents.agent import Task
    from gate.record.probes.chosen import chosen_agent, opened_agent, providers_of, setup_of
    from gate.record.probes.grades import key_of

    update = {"agent_cmd": options["judge_cmd"] or "", "agent_url": options["judge_url"] or ""}
    update |= {"agent_model": options["judge_model"] or "", "agent_preset": "", "agent_home": "", "agent_version": ""}
    settings = asked.settings.model_copy(update=update)
    chosen = chosen_agent(settings, asked.root)
    if chosen is None:
        return []
    environ = dict(os.environ)
    providers = providers_of(chosen, settings, root=asked.root, environ=environ, mode="live", today=_today)
    setup = setup_of(chosen, settings, root=asked.root, environ=environ)
    judge = opened_agent(chosen, setup, settings, cell=cell, providers=providers)
    found = []
    for each in wanted:
        probe = each.item.entry.probe
        bare = probe.model_copy(update={"setup": {}})
        said = judge.ask(Task(bare, each.item.sample, 1, rubrics.question(each)))
        grade = rubrics.judged(said.text, probe.dimension, f"judge {judge.identity.name}"[:200])
        if grade is None:
            console.warn(f"{each.item.name}: the judge gives no grade of the rubric ({said.ended.value})")
        else:
            found.append(_logged(key_of(probe, each.answers), grade, each))
    return found


def _logged(key: GradeKey, grade: ManualGrade, about: Sampled) -> Logged:
    from gate.record.probes.grades import Logged

    now = dt.datetime.now(dt.UTC).isoformat(timespec="seconds")
    return Logged(key, grade, now, checks=f"{about.graded.standing.value}: {about.graded.cause}".rstrip(": "))


def _today() -> dt.date:
    return dt.datetime.now(dt.UTC).date()
