"""`gate probes export`, `import` and `grade`: agents that a person drives, and what people grade."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from gate.sandbox.cell import Cell
from tests.support.command_line import Shell, refused
from tests.support.probe_cells import PYTHON, held_cell, share
from tests.support.probe_runs import write_probes

RIGHT = "Here:\n\n```python\ndef answer():\n    return 42\n```\n"
WRONG = RIGHT.replace("42", "41")
ME = ("--agent", "Some IDE 4, model x")


@pytest.fixture(scope="module")
def cell() -> Iterator[Cell]:
    with held_cell() as found:
        yield found


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], cell: Cell) -> Shell:
    share(cell, monkeypatch)
    return Shell(monkeypatch, capsys)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    write_probes(tmp_path / "probes", ["one"], setup={"data/a.csv": "a,b\n"})
    write_probes(tmp_path / "probes", ["two", "three"])
    (tmp_path / "gate.toml").write_text('probes = "probes"\nprobe-shipped = false\n', encoding="utf-8")
    return tmp_path


def test_prompts_go_out_as_files_and_answers_come_in_as_files_or_a_table(shell: Shell, place: Path) -> None:
    assert shell("probes", "export", "out", *ME, cwd=place).code == 0
    assert (place / "out" / "prompts" / "one.md").read_text("utf-8") == "Write `answer()` for one."
    assert (place / "out" / "files" / "one" / "data" / "a.csv").read_text("utf-8") == "a,b\n"
    written = "".join(path.read_text("utf-8") for path in (place / "out").rglob("*") if path.is_file())
    assert "42" not in written
    (place / "out" / "answers" / "one.md").write_text(RIGHT, encoding="utf-8")
    (place / "out" / "answers" / "two").mkdir()
    (place / "out" / "answers" / "two" / "solution.py").write_text("def answer():\n    return 41\n", encoding="utf-8")
    rows = list(csv.DictReader(io.StringIO((place / "out" / "answers.csv").read_text("utf-8"))))
    table = io.StringIO()
    writer = csv.DictWriter(table, ["name", "prompt", "answer"])
    writer.writeheader()
    writer.writerows({**row, "answer": RIGHT if row["name"] == "three" else ""} for row in rows)
    (place / "out" / "answers.csv").write_text(table.getvalue(), encoding="utf-8")
    ended = shell("probes", "import", "out", *ME, "--by", "Ada", cwd=place)
    assert (ended.code, "3 answers taken in, 0 questions are open" in ended.out) == (0, True), ended.err
    assert '"by":"Ada"' in (place / "recordings" / "probes" / "answers.ndjson").read_text("ascii")
    scored = shell("probes", "score", cwd=place)
    assert scored.code == 0, scored.err
    results = json.loads((place / ".gate" / "probes" / "results.json").read_text("ascii"))
    assert results["composite"]["exact"] == "200/3"
    assert results["agent"] == "by hand / Some IDE 4, model x"
    assert "everything is answered" in shell("probes", "export", "again", *ME, cwd=place).out


def test_a_further_round_is_exported_once_the_one_before_is_in(shell: Shell, place: Path) -> None:
    recovery = {
        "dimension": "error-recovery",
        "broken_code": "def answer():\n    return 41\n",
        "error_output": "41 is not 42",
        "checks": {"cases": [{"name": "all", "expected": 42}]},
    }
    write_probes(place / "own", ["mend"], **recovery)
    only = ("--probes", "own", *ME)
    shell("probes", "export", "out", *only, cwd=place)
    (place / "out" / "answers" / "mend.md").write_text(WRONG, encoding="utf-8")
    assert shell("probes", "import", "out", *only, cwd=place).code == 0
    shell("probes", "export", "next", *only, cwd=place)
    assert [path.name for path in (place / "next" / "prompts").iterdir()] == ["mend.round-2.md"]
    assert "return 41" in (place / "next" / "prompts" / "mend.round-2.md").read_text("utf-8")


def test_an_answer_to_no_question_is_refused(shell: Shell, place: Path) -> None:
    shell("probes", "export", "out", *ME, cwd=place)
    (place / "out" / "answers" / "four.md").write_text(RIGHT, encoding="utf-8")
    refused(shell("probes", "import", "out", *ME, cwd=place), 2, "four")
    assert not (place / "recordings" / "probes" / "answers.ndjson").exists()


def test_an_agent_without_a_name_is_refused(shell: Shell, place: Path) -> None:
    refused(shell("probes", "export", "out", "--agent", " ", cwd=place), 2, "needs a name")


# --- grades


@pytest.fixture
def graded(shell: Shell, tmp_path: Path) -> Path:
    """A folder in which an answer is recorded that only a person can grade."""
    write_probes(tmp_path / "probes", ["open"], dimension="spec-tolerance", checks={"manual": True}, assumptions=[])
    (tmp_path / "agent.py").write_text(f"print('=1+1', {RIGHT!r})", encoding="utf-8")
    (tmp_path / "gate.toml").write_text('probes = "probes"\nprobe-shipped = false\n', encoding="utf-8")
    ended = shell("probes", "run", "--mode", "record", "--agent-cmd", f"{PYTHON} agent.py", cwd=tmp_path)
    assert ended.code == 3, "one of one is ungraded"
    return tmp_path


def fill(path: Path, grade: str) -> None:
    rows = list(csv.DictReader(io.StringIO(path.read_text("utf-8"), newline="")))
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]))
    writer.writeheader()
    writer.writerows({**row, "grade": grade} for row in rows)
    path.write_text(out.getvalue(), encoding="utf-8", newline="")


def test_a_grade_overrides_counts_and_is_logged_with_what_was_before(shell: Shell, graded: Path) -> None:
    assert shell("probes", "grade", "--out", "g.csv", cwd=graded).code == 0
    (row,) = csv.DictReader(io.StringIO((graded / "g.csv").read_text("utf-8"), newline=""))
    assert row["answer"].startswith("'=1+1"), "no cell begins a formula"
    assert row["checks"] == "unscored: ungraded"
    for grade, by in (("1", "Ada"), ("2", "Grace")):
        fill(graded / "g.csv", grade)
        assert shell("probes", "grade", "--in", "g.csv", "--by", by, cwd=graded).code == 0
    assert shell("probes", "score", cwd=graded).code == 0
    results = json.loads((graded / ".gate" / "probes" / "results.json").read_text("ascii"))
    assert results["composite"]["exact"] == "100"
    lines = (graded / "recordings" / "probes" / "answers.grades.ndjson").read_text("ascii").splitlines()
    logged = [json.loads(line) for line in lines]
    assert [(each["by"], each["before"], each["grade"]) for each in logged] == [("Ada", None, 1), ("Grace", 1, 2)]
    assert all(each["at"] for each in logged)


def test_a_grade_of_an_answer_that_is_no_more_is_refused(shell: Shell, graded: Path) -> None:
    shell("probes", "grade", "--out", "g.csv", cwd=graded)
    fill(graded / "g.csv", "2")
    (graded / "g.csv").write_text((graded / "g.csv").read_text("utf-8").replace("open,1,", "open,1,0"), "utf-8")
    refused(shell("probes", "grade", "--in", "g.csv", cwd=graded), 2, "no recorded answer to `open`")


@pytest.mark.parametrize(("grade", "says"), [("9", "is no grade"), ("good", "is no grade"), ("3", "no grade 3")])
def test_a_grade_that_the_rubric_does_not_have_is_refused(shell: Shell, graded: Path, grade: str, says: str) -> None:
    shell("probes", "grade", "--out", "g.csv", cwd=graded)
    fill(graded / "g.csv", grade)
    refused(shell("probes", "grade", "--in", "g.csv", cwd=graded), 2, says)


def test_a_model_may_judge_and_what_it_leaves_open_is_said(shell: Shell, graded: Path) -> None:
    judge = graded / "judge.py"
    judge.write_text("import sys; sys.exit('Rubric' not in sys.stdin.read()) or print('No idea.')", encoding="utf-8")
    unsure = shell("probes", "grade", "--judge-cmd", f"{PYTHON} judge.py", cwd=graded)
    assert (unsure.code, "gives no grade" in unsure.err) == (3, True)
    judge.write_text("print('Sensible and said.\\n\\nGrade: 2')", encoding="utf-8")
    assert shell("probes", "grade", "--judge-cmd", f"{PYTHON} judge.py", cwd=graded).code == 0
    logged = json.loads((graded / "recordings" / "probes" / "answers.grades.ndjson").read_text("ascii"))
    assert (logged["grade"], logged["note"]) == (2, "Sensible and said.")
    assert logged["by"] == f"judge {PYTHON} judge.py"
    assert "no recorded" not in shell("probes", "score", cwd=graded).err


def test_one_way_of_grading_at_a_time(shell: Shell, graded: Path) -> None:
    refused(shell("probes", "grade", cwd=graded), 2, "one thing at a time")
    refused(shell("probes", "grade", "--out", "a", "--in", "b", cwd=graded), 2, "one thing at a time")


# --- what is cut, foreign, or given twice


def table_of(place: Path, answers: dict[str, str]) -> Path:
    """The exported table with answers in it."""
    path = place / "out" / "answers.csv"
    rows = list(csv.DictReader(io.StringIO(path.read_text("utf-8"))))
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]))
    writer.writeheader()
    writer.writerows({**row, "answer": answers.get(row["name"], "")} for row in rows)
    path.write_text(out.getvalue(), encoding="utf-8", newline="")
    return path


def test_a_folder_that_is_not_there_or_holds_no_answers_is_refused(shell: Shell, place: Path) -> None:
    refused(shell("probes", "import", "nope", *ME, cwd=place), 2, "nope: no such folder", advice="probes export")
    refused(shell("probes", "import", "probes", *ME, cwd=place), 2, "holds neither answers.csv nor answers/")


def test_a_table_that_was_cut_is_refused(shell: Shell, place: Path) -> None:
    shell("probes", "export", "out", *ME, cwd=place)
    path = table_of(place, {"one": RIGHT})
    path.write_bytes(path.read_bytes().partition(b"return")[0])
    refused(shell("probes", "import", "out", *ME, cwd=place), 2, "answers.csv: is cut within a quoted cell")
    assert not (place / "recordings").exists()


def test_a_folder_may_be_given_again_and_another_answer_needs_a_word(shell: Shell, place: Path) -> None:
    shell("probes", "export", "out", *ME, cwd=place)
    answer = place / "out" / "answers" / "one.md"
    answer.write_text(WRONG, encoding="utf-8")
    assert "1 answer taken in, 2 questions are open" in shell("probes", "import", "out", *ME, cwd=place).out
    record = place / "recordings" / "probes" / "answers.ndjson"
    before = record.read_bytes()
    again = shell("probes", "import", "out", *ME, cwd=place)
    assert (again.code, record.read_bytes()) == (0, before)
    assert "0 answers taken in, 2 questions are open" in again.out
    assert "nothing new is in out; 1 answer taken in before" in again.err
    answer.write_text(RIGHT, encoding="utf-8")
    other = shell("probes", "import", "out", *ME, cwd=place)
    refused(other, 2, "`one` was taken in already, with another answer", advice="--correct")
    assert record.read_bytes() == before
    corrected = shell("probes", "import", "out", *ME, "--correct", cwd=place)
    assert "1 answer taken in (1 in the place of another), 2 questions are open" in corrected.out
    shell("probes", "score", "--only", "one", cwd=place)
    assert json.loads((place / ".gate" / "probes" / "results.json").read_text("ascii"))["composite"]["exact"] == "100"


def test_what_was_exported_for_one_agent_is_not_taken_in_for_another(shell: Shell, place: Path) -> None:
    shell("probes", "export", "out", *ME, cwd=place)
    (place / "out" / "answers" / "one.md").write_text(RIGHT, encoding="utf-8")
    for command in ("import", "export"):
        ended = shell("probes", command, "out", "--agent", "Other 1", cwd=place)
        refused(ended, 2, 'exported for the agent "Some IDE 4, model x", not for "Other 1"', advice="--agent")


def test_a_score_names_its_agent_and_who_else_is_recorded(shell: Shell, place: Path) -> None:
    for name in ("Some IDE", "Some IDE 4.2"):
        shell("probes", "export", name, "--agent", name, cwd=place)
        (place / name / "answers" / "one.md").write_text(RIGHT, encoding="utf-8")
        taken = shell("probes", "import", name, "--agent", name, cwd=place)
        assert f"gate probes score --agent '{name}'" in taken.err
    only = ("--only", "one")
    named = shell("probes", "score", "--agent", "Some IDE", *only, cwd=place)
    assert (named.code, named.out.splitlines()[0]) == (0, "Agent: by hand / Some IDE"), named.err
    assert shell("probes", "score", "--agent", "4.2", *only, cwd=place).out.startswith(
        "Agent: by hand / Some IDE 4.2\n"
    )
    (place / "gate.toml").write_text(
        f'probes = "probes"\nprobe-shipped = false\nagent-cmd = "{PYTHON} agent.py"\n', encoding="utf-8"
    )
    (place / "agent.py").write_text("print(1)", encoding="utf-8")
    settings = shell("probes", "score", *only, cwd=place)
    assert settings.out.startswith(f"Agent: {PYTHON} agent.py\n")
    assert "answers of 2 other agents are recorded too: by hand / Some IDE, by hand / Some IDE 4.2" in settings.err


def test_half_a_table_of_grades_is_refused_and_one_without_grades_is_said(shell: Shell, graded: Path) -> None:
    shell("probes", "grade", "--out", "g.csv", cwd=graded)
    empty = shell("probes", "grade", "--in", "g.csv", cwd=graded)
    assert (empty.code, "no row of g.csv has a grade" in empty.err) == (0, True)
    data = (graded / "g.csv").read_bytes()
    (graded / "g.csv").write_bytes(data[: data.index(b"def answer")])
    refused(shell("probes", "grade", "--in", "g.csv", cwd=graded), 2, "is cut within a quoted cell", advice="--out")
