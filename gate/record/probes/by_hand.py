"""Probes for agents that only a person can drive: prompts out as files, answers in as files or as a table."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from gate.baselines.write import write_atomically
from gate.errors import UsageError
from gate.record.probes.agents.agent import Identity
from gate.record.probes.discreet import without_secrets
from gate.record.probes.journal import Journal
from gate.record.probes.plan import Item
from gate.record.probes.runner import MOST_ROUNDS, Judge
from gate.record.probes.stored import Kept, Key
from gate.suites.probes.answer import Answer, Ended

PROMPTS, SETUP, ANSWERS, TABLE = "prompts", "files", "answers", "answers.csv"
_COLUMNS = ("name", "prompt", "answer")
_LARGEST = 8 * 2**20
_MOST_FILES = 200


@dataclass(frozen=True, slots=True)
class Question:
    """One prompt that has no answer yet.

    Attributes:
        round: from 1.
    """

    item: Item
    round: int
    prompt: str

    @property
    def name(self) -> str:
        """Of its files, without an ending: `sql-search`, `sql-search.sample-2.round-3`."""
        name = self.item.entry.probe.id
        name += f".sample-{self.item.sample + 1}" if self.item.sample else ""
        return name + (f".round-{self.round}" if self.round > 1 else "")


def identity_of(name: str) -> Identity:
    """The agent that a person drives, by the name that is given to it.

    Raises:
        UsageError: it has none.
    """
    if not name.strip() or len(name) > 200 or not name.isprintable():
        raise UsageError("the agent needs a name", where="--agent", remedy="name product, version and model")
    return Identity(command="by hand", version=name.strip())


def open_questions(items: Iterable[Item], journal: Journal, judge: Judge, identity: Identity) -> Iterator[Question]:
    """The next prompt of each item that is not answered to its end; a further round needs the answers before it."""
    for item in items:
        probe = item.entry.probe
        answers: list[Answer] = []
        prompt: str | None = judge.first_prompt(probe)
        while prompt is not None and len(answers) < MOST_ROUNDS:
            key = Key(probe.id, item.entry.digest, identity.digest, item.sample, len(answers) + 1)
            kept = journal.get(key, any_run=True)
            if kept is None:
                yield Question(item, key.round, prompt)
                break
            answers.append(kept.answer)
            graded = judge.grade(probe, answers, item.sample)
            prompt = judge.next_prompt(probe, answers, graded)


def export(questions: Sequence[Question], folder: Path) -> None:
    """Write a prompt a file, the files that belong to it, and a table that an answer may be written into.

    Raises:
        UsageError: the folder can't be written.
    """
    table = io.StringIO()
    rows = csv.writer(table, lineterminator="\n")
    rows.writerow(_COLUMNS)
    for each in questions:
        path = f"{PROMPTS}/{each.name}.md"
        write_atomically(folder / path, each.prompt.encode("utf-8", "surrogatepass"))
        for name, text in each.item.entry.probe.setup.items():
            write_atomically(folder / SETUP / each.item.entry.probe.id / name, text.encode("utf-8"))
        rows.writerow((each.name, path, ""))
    write_atomically(folder / TABLE, table.getvalue().encode("utf-8"))
    try:
        (folder / ANSWERS).mkdir(exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"can't be made: {error.strerror}", where=str(folder / ANSWERS), remedy="name another folder"
        ) from None


def read_answers(questions: Sequence[Question], folder: Path) -> tuple[tuple[Question, Answer], ...]:
    """What stands in the table, in `answers/<name>.md` (or `.txt`), and as files in the folder `answers/<name>`.

    Args:
        questions: those that may be answered.

    Raises:
        UsageError: a name that no question has, a table that is none, or an answer that is too large or can't be read.
    """
    by_name = {each.name: each for each in questions}
    texts = _from_table(folder / TABLE, by_name)
    files: dict[str, dict[str, str]] = {}
    place = folder / ANSWERS
    for path in sorted(place.iterdir()) if place.is_dir() else ():
        name = path.name if path.is_dir() else path.stem
        if name not in by_name:
            raise _unknown(name, str(path))
        if path.is_dir():
            files[name] = _tree(path)
        else:
            texts[name] = _text(path)
    found = []
    for name, question in by_name.items():
        text, written = texts.get(name, ""), files.get(name, {})
        if text.strip() or written:
            found.append((question, Answer(text, written, Ended.ANSWERED, round=question.round)))
    return tuple(found)


def take_in(found: Iterable[tuple[Question, Answer]], journal: Journal, identity: Identity, by: str) -> int:
    """Keep answers on the record; says how many.

    Args:
        by: who brought them.

    Raises:
        RecordingError: the record can't be written.
    """
    count = 0
    with journal.writing(identity):
        for question, answer in found:
            entry = question.item.entry
            key = Key(entry.probe.id, entry.digest, identity.digest, question.item.sample, question.round)
            journal.add(Kept(key, without_secrets(answer, ()), by_hand=by[:200]))
            count += 1
    return count


def _from_table(path: Path, known: dict[str, Question]) -> dict[str, str]:
    if not path.is_file():
        return {}
    csv.field_size_limit(_LARGEST)
    try:
        rows = list(csv.DictReader(io.StringIO(_text(path), newline="")))
    except csv.Error as error:
        raise UsageError(f"is no table: {error}", where=str(path), remedy="keep it as it was exported") from None
    found = {}
    for number, row in enumerate(rows, 2):
        name, answer = row.get("name") or "", row.get("answer") or ""
        if name not in known and answer.strip():
            raise _unknown(name, f"{path}:{number}")
        if answer.strip():
            found[name] = answer
    return found


def _unknown(name: str, where: str) -> UsageError:
    return UsageError(
        f"`{name:.80}` is no question that is open",
        where=where,
        remedy="name the answer as the prompt, and give the same probes and agent as to `gate probes export`",
    )


def _tree(folder: Path) -> dict[str, str]:
    found: dict[str, str] = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink():
            found[path.relative_to(folder).as_posix()] = _text(path)
        if len(found) > _MOST_FILES:
            raise UsageError(
                f"holds more than {_MOST_FILES} files", where=str(folder), remedy="leave out what is not the answer"
            )
    return found


def _text(path: Path) -> str:
    try:
        with path.open("rb") as stream:
            data = stream.read(_LARGEST + 1)
    except OSError as error:
        raise UsageError(f"can't be read: {error.strerror}", where=str(path), remedy="check its permissions") from None
    if len(data) > _LARGEST:
        raise UsageError(
            f"is larger than {_LARGEST // 2**20} MiB", where=str(path), remedy="leave out what is no answer"
        )
    return data.decode("utf-8-sig", "replace")
