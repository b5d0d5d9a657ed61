"""Probes for agents that only a person can drive: prompts out as files, answers in as files or as a table."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from gate.baselines.write import write_atomically
from gate.errors import UsageError
from gate.record.probes.agents.agent import Identity
from gate.record.probes.discreet import without_secrets
from gate.record.probes.filled import read_rows
from gate.record.probes.journal import Journal
from gate.record.probes.plan import Item
from gate.record.probes.runner import MOST_ROUNDS, Judge
from gate.record.probes.stored import Kept, Key
from gate.suites.probes.answer import Answer, Ended

PROMPTS, SETUP, ANSWERS, TABLE, AGENT = "prompts", "files", "answers", "answers.csv", "agent.txt"
_COLUMNS = ("name", "prompt", "answer")
_LARGEST = 8 * 2**20
_MOST_FILES = 200


@dataclass(frozen=True, slots=True)
class Question:
    """One prompt.

    Attributes:
        round: from 1.
        kept: the answer that is on the record; None for an open question.
        last: whether no further round was answered after it.
    """

    item: Item
    round: int
    prompt: str
    kept: Answer | None = None
    last: bool = True

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


def questions_of(items: Iterable[Item], journal: Journal, judge: Judge, identity: Identity) -> Iterator[Question]:
    """Each prompt that was answered, and the next one of each item; a further round needs the answers before it."""
    for item in items:
        probe = item.entry.probe
        answers: list[Answer] = []
        asked: list[Question] = []
        prompt: str | None = judge.first_prompt(probe)
        while prompt is not None and len(answers) < MOST_ROUNDS:
            key = Key(probe.id, item.entry.digest, identity.digest, item.sample, len(answers) + 1)
            kept = journal.get(key, any_run=True)
            if kept is None:
                asked.append(Question(item, key.round, prompt))
                break
            answers.append(kept.answer)
            asked.append(Question(item, key.round, prompt, kept.answer))
            graded = judge.grade(probe, answers, item.sample)
            prompt = judge.next_prompt(probe, answers, graded)
        yield from (replace(each, last=each.round >= len(answers)) for each in asked)


def export(questions: Sequence[Question], folder: Path, identity: Identity) -> None:
    """Write a prompt a file, the files that belong to it, a table that an answer may be written into, and whose it is.

    Raises:
        UsageError: the folder can't be written, or is another agent's.
    """
    require_agent(folder, identity)
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
    write_atomically(folder / AGENT, f"{identity.version}\n".encode())
    try:
        (folder / ANSWERS).mkdir(exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"can't be made: {error.strerror}", where=str(folder / ANSWERS), remedy="name another folder"
        ) from None


def require_agent(folder: Path, identity: Identity) -> None:
    """Refuse a folder whose prompts were exported for another agent; one without a note of it is anybody's.

    Raises:
        UsageError: it is another's.
    """
    path = folder / AGENT
    exported = _text(path).strip() if path.is_file() else identity.version
    if exported != identity.version:
        raise UsageError(
            f'its prompts were exported for the agent "{exported:.200}", not for "{identity.version}"',
            where=str(folder),
            remedy="name that agent with --agent, or export into another folder",
        )


def read_answers(
    questions: Sequence[Question], folder: Path, *, correct: bool = False
) -> tuple[tuple[Question, Answer], ...]:
    """What stands in the table, in `answers/<name>.md` (or `.txt`), and as files in the folder `answers/<name>`.

    An answer that is on the record just so is passed over, so that a folder can be given again.

    Args:
        questions: those that may be answered, and those that were.
        correct: whether an answer may take the place of another that is on the record.

    Raises:
        UsageError: no such folder, a name that no question has, a table that is none, an answer that is too large or
            can't be read, or another one to a question that was answered.
    """
    place = folder / ANSWERS
    if not place.is_dir() and not (folder / TABLE).is_file():
        raise UsageError(
            f"holds neither {TABLE} nor {ANSWERS}/" if folder.is_dir() else "no such folder",
            where=str(folder),
            remedy="name the folder that was given to `gate probes export`",
        )
    by_name = {each.name: each for each in questions}
    texts, files = _from_table(folder / TABLE, by_name), dict[str, dict[str, str]]()
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
        answer = without_secrets(Answer(text, written, Ended.ANSWERED, round=question.round), ())
        if (text.strip() or written) and _is_new(answer, question, correct=correct, where=str(folder)):
            found.append((question, answer))
    return tuple(found)


def _is_new(answer: Answer, question: Question, *, correct: bool, where: str) -> bool:
    """Whether it says something that is not on the record; refuses what must not take the place of what is there."""
    kept = question.kept
    if kept is None:
        return True
    if (answer.text, dict(answer.files)) == (kept.text, dict(kept.files)):
        return False
    if not question.last:
        raise UsageError(
            f"`{question.name}` was taken in already, with another answer, and a further round was asked after it",
            where=where,
            remedy="bring back the answer as it was; what came after it belongs to it",
        )
    if not correct:
        raise UsageError(
            f"`{question.name}` was taken in already, with another answer",
            where=where,
            remedy="`gate probes import --correct` puts this one in its place",
        )
    return True


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
            journal.add(Kept(key, answer, by_hand=by[:200]))
            count += 1
    return count


def _from_table(path: Path, known: Mapping[str, Question]) -> dict[str, str]:
    if not path.is_file():
        return {}
    remedy = "keep it as it was exported, and fill the column `answer`"
    found = {}
    for number, row in read_rows(_bytes(path), str(path), ("name", "answer"), remedy):
        name, answer = row["name"], row["answer"]
        if name not in known and answer.strip():
            raise _unknown(name, f"{path}:{number}")
        if answer.strip():
            found[name] = answer
    return found


def _unknown(name: str, where: str) -> UsageError:
    return UsageError(
        f"`{name:.80}` is no question of these probes",
        where=where,
        remedy="name the answer as its prompt, and give the same probes as to `gate probes export`",
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
    return _bytes(path).decode("utf-8-sig", "replace")


def _bytes(path: Path) -> bytes:
    try:
        with path.open("rb") as stream:
            data = stream.read(_LARGEST + 1)
    except OSError as error:
        raise UsageError(f"can't be read: {error.strerror}", where=str(path), remedy="check its permissions") from None
    if len(data) > _LARGEST:
        raise UsageError(
            f"is larger than {_LARGEST // 2**20} MiB", where=str(path), remedy="leave out what is no answer"
        )
    return data
