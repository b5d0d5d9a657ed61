"""`gate probes` as users call it, on a few small probes and agents that are scripts."""

from __future__ import annotations

import csv
import json
import subprocess
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

import pytest

from gate.ingest import read_report
from gate.sandbox.cell import Cell
from gate.schema.probes import COMPOSITE
from gate.schema.report import Kind
from gate.suites.probes.catalog import load_probes
from tests.support.command_line import Ended, Shell, refused
from tests.support.probe_cells import PYTHON, held_cell, share
from tests.support.probe_runs import write_probes

GOOD = "print('```python\\ndef answer():\\n    return 42\\n```')"
BAD = "print('```python\\ndef answer():\\n    return 41\\n```')"
RIGHT = "```python\ndef answer():\n    return 42\n```"
NAMES = ("first", "second", "third")


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
    """A folder with settings, three probes and an agent that is right."""
    write_probes(tmp_path / "probes", NAMES)
    (tmp_path / "agent.py").write_text(GOOD, encoding="utf-8")
    (tmp_path / "gate.toml").write_text('probes = "probes"\nprobe-shipped = false\n', encoding="utf-8")
    return tmp_path


def run(shell: Shell, place: Path, *options: str) -> Ended:
    command = ("--agent-cmd", f"{PYTHON} agent.py", "--date", "2026-11-30", *options)
    return shell("probes", "run", *command, cwd=place)


def test_a_run_leaves_a_candidate_a_report_and_exports(shell: Shell, place: Path) -> None:
    ended = run(shell, place)
    assert ended.code == 0, ended.err
    assert "100.0" in ended.out
    folder = place / ".gate" / "probes"
    report = read_report((folder / "candidate.json").read_bytes(), "candidate.json")
    assert [case.id for case in report.cases] == [
        *(f"probe:{name}" for name in NAMES),
        "probes:adversarial-correctness",
        COMPOSITE,
    ]
    assert {case.kind for case in report.cases} == {Kind.PROBE}
    assert report.completeness.complete
    assert report.fingerprints["agent"]
    assert [case.calls.live for case in report.cases if case.calls is not None] == [1, 1, 1]
    text = (folder / "report.md").read_text(encoding="utf-8")
    assert text.startswith("# Coding Agent Robustness Report")
    assert "**Date**: 2026-11-30" in text
    assert "<svg" in (folder / "report.html").read_text(encoding="utf-8")
    assert len(list(csv.DictReader((folder / "results.csv").read_text(encoding="utf-8").splitlines()))) == 3
    assert json.loads((folder / "results.json").read_text("ascii"))["composite"]["exact"] == "100"
    assert ET.parse(folder / "junit.xml").getroot().tag == "testsuites"
    assert json.loads((folder / "security.sarif").read_text("ascii"))["version"] == "2.1.0"


def test_what_was_recorded_is_graded_again_without_the_agent(shell: Shell, place: Path) -> None:
    assert run(shell, place, "--mode", "record").code == 0
    first = (place / ".gate" / "probes" / "report.md").read_bytes()
    (place / "agent.py").unlink()
    ended = shell("probes", "score", "--date", "2026-11-30", cwd=place)
    assert ended.code == 0, ended.err
    assert (place / ".gate" / "probes" / "report.md").read_bytes() == first
    once = shell("probes", "run", "--only", "second", "--mode", "replay", cwd=place)
    assert (once.code, "1 probe " in once.out) == (0, True)


def test_another_agent_is_not_recorded(shell: Shell, place: Path) -> None:
    assert run(shell, place, "--mode", "record").code == 0
    (place / "agent.py").write_text(BAD, encoding="utf-8")
    ended = run(shell, place, "--mode", "replay")
    assert ended.code == 3
    assert "3 of 3 probe answers are unscored" in ended.err
    assert "not recorded" in (place / ".gate" / "probes" / "report.md").read_text(encoding="utf-8")


def test_a_wrong_agent_scores_nothing_and_still_ends_well(shell: Shell, place: Path) -> None:
    (place / "agent.py").write_text(BAD, encoding="utf-8")
    ended = run(shell, place)
    assert ended.code == 0
    assert "Unreliable" in ended.out


def test_a_hard_gate_that_fails_is_said_and_ends_a_strict_run(shell: Shell, place: Path) -> None:
    write_probes(place / "own", ["settings"], dimension="security", checks={"oracle": [{"name": "hard-coded-secret"}]})
    secret = "print('```python\\npassword = \"N3wsl3tter-2024-Xq7\"\\ndef answer():\\n    return password\\n```')"
    (place / "agent.py").write_text(secret, encoding="utf-8")
    ended = run(shell, place, "--probes", "own")
    assert (ended.code, "Security 0.0 is below its floor of 70" in ended.err) == (0, True)
    assert run(shell, place, "--probes", "own", "--strict").code == 1


def test_of_several_agents_one_must_be_named(shell: Shell, place: Path) -> None:
    run(shell, place, "--mode", "record", "--agent-version", "one")
    run(shell, place, "--mode", "record", "--agent-version", "two")
    refused(shell("probes", "score", cwd=place), 2, "answers of 2 agents are recorded", advice="--agent")
    assert shell("probes", "score", "--agent", "two", cwd=place).code == 0
    refused(shell("probes", "score", "--agent", "three", cwd=place), 2, "no answers of `three`")


def test_a_limit_of_cost_names_what_was_not_measured(shell: Shell, place: Path) -> None:
    said = {"type": "result", "subtype": "success", "result": "x", "total_cost_usd": 0.4}
    (place / "agent.py").write_text(f"print({json.dumps(said)!r})", encoding="utf-8")
    ended = run(shell, place, "--preset", "claude", "--max-cost", "0.5", "--jobs", "1")
    assert ended.code == 3
    assert "not measured, since the limit of $0.50 is reached: third" in ended.err
    candidate = read_report((place / ".gate" / "probes" / "candidate.json").read_bytes(), "c")
    assert not candidate.completeness.complete


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--weights", "adversarial-correctness=0"), "weight"),
        (("--weights", "adversarial-correctness=nan"), "weight"),
        (("--weights", "security=-1"), "weight"),
        (("--weights", "speed=1"), "speed"),
        (("--max-unscored", "1.5"), "probe-max-unscored"),
        (("--max-unscored", "nan"), "probe-max-unscored"),
        (("--dimension", "securty"), "security"),
        (("--only", "frist"), "first"),
        (("--probes", "nowhere"), "nowhere"),
        (("--rate", "-1"), "probe-rate"),
        (("--max-cost", "nan"), "probe-max-cost"),
        (("--date", "yesterday"), "yesterday"),
        (("--agent-url", "http://h/v1"), "either"),
        (("--preset", "clade"), "claude"),
        (("--home", "nowhere"), "nowhere"),
    ],
)
def test_what_can_not_be_is_refused_before_anything_is_asked(
    shell: Shell, place: Path, options: tuple[str, ...], says: str
) -> None:
    ended = run(shell, place, *options)
    assert ended.code == 2, ended.err
    assert says in ended.err
    assert not (place / ".gate").exists()


def test_no_agent_is_refused_with_the_options_that_name_one(shell: Shell, place: Path) -> None:
    refused(shell("probes", "run", cwd=place), 2, "no agent is named", advice="--agent-cmd")
    refused(shell("probes", "run", "--mode", "replay", cwd=place), 2, "no agent's answers are recorded")


def test_an_agent_that_does_not_start_is_refused(shell: Shell, place: Path) -> None:
    refused(shell("probes", "run", "--agent-cmd", "no-such-agent", cwd=place), 2, "no program on the PATH")


@pytest.mark.parametrize(
    ("file", "content", "says"),
    [
        ("again.json", None, "first"),
        ("bad.json", {"id": "a/b"}, "id"),
        ("bad.json", {"id": ".."}, "id"),
        ("bad.json", {"colour": "red"}, "colour"),
        ("bad.json", {"setup": {"../x": "y"}}, "setup"),
    ],
)
def test_probes_that_can_not_be_are_refused_with_their_file(
    shell: Shell, place: Path, file: str, content: dict[str, object] | None, says: str
) -> None:
    first = json.loads((place / "probes" / "first.json").read_text("utf-8"))
    (place / "probes" / file).write_text(json.dumps({**first, **(content or {})}), encoding="utf-8")
    refused(run(shell, place), 2, file, says)


def test_probes_are_listed_by_what_a_run_would_ask(shell: Shell, place: Path) -> None:
    ended = shell("probes", "list", "--only", "second", cwd=place)
    assert ended.out.split()[:3] == ["adversarial-correctness", "second", "python"]
    everything = json.loads(shell("probes", "list", "--json", cwd=place).out)
    assert [each["id"] for each in everything] == list(NAMES)


def test_probes_of_a_repository_are_fetched_for_every_command(shell: Shell, place: Path) -> None:
    private = write_probes(place.parent / f"{place.name}-private", ["secret-task"])
    for command in (("init", "--quiet"), ("add", "."), ("commit", "--quiet", "--message", "probes")):
        who = ("-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false")
        subprocess.run(["git", *who, *command], cwd=private, check=True, capture_output=True)
    named = f"git+file://{private}"
    assert "secret-task" in shell("probes", "list", "--probes", named, cwd=place).out
    (place / "gate.toml").write_text(f'probes = "{named}"\nprobe-shipped = false\n', encoding="utf-8")
    assert "secret-task" in shell("probes", "list", cwd=place).out
    assert "1 probe, 0 to be mended" in shell("probes", "lint", cwd=place).err
    refused(shell("probes", "list", "--probes", f"{named}-absent", cwd=place), 2, "`git fetch` failed")


def test_lint_says_what_is_to_be_mended_and_proves_probes(shell: Shell, place: Path) -> None:
    fine = shell("probes", "lint", "--self-test", cwd=place)
    assert (fine.code, fine.out) == (0, "")
    write_probes(place / "probes", ["fourth"], bad={"text": RIGHT, "cause": "wrong result"})
    ended = shell("probes", "lint", "--self-test", "probes", cwd=place)
    assert (ended.code, ended.out) == (1, "probes/fourth.json: fourth: the bad answer passes\n")
    write_probes(place / "probes", ["fourth"], prompt="Write `answer()` for this benchmark.")
    assert "fourth" in shell("probes", "lint", cwd=place).out


def test_lint_names_every_fault_with_the_path_of_its_file(shell: Shell, place: Path) -> None:
    for name in ("a", "b"):
        (place / "probes" / f"{name}.json").write_text(json.dumps({"id": "A b", "colour": 1}), encoding="utf-8")
    ended = shell("probes", "lint", cwd=place)
    lines = ended.out.splitlines()
    assert (ended.code, len(lines)) == (1, 18), ended.out
    assert "probes/a.json: title: is missing; docs/probe.schema.json has every field" in lines
    assert all(line.startswith(("probes/a.json: ", "probes/b.json: ")) for line in lines)


@pytest.mark.parametrize("dimension", ["security", "consistency", "error-recovery"])
def test_a_new_probe_is_one_that_can_be_started_from(shell: Shell, place: Path, dimension: str) -> None:
    ended = shell("probes", "new", "my-own", "--dimension", dimension, "--output", "own", cwd=place)
    assert ended.code == 0, ended.err
    found = load_probes([place / "own"], shipped=False)
    assert len(found) == (2 if dimension == "consistency" else 1)
    assert {entry.probe.dimension.value for entry in found} == {dimension}
    linted = shell("probes", "lint", "own", cwd=place)
    assert linted.code == 0
    assert linted.err.count("still asks what the shipped") == len(found), "it says that nothing was changed yet"
    copied = (place / "own" / Path(found[0].where)).read_text("utf-8").partition("\n")[0]
    assert copied.startswith("# A copy of the shipped probe `"), copied
    refused(shell("probes", "new", "my-own", "--dimension", dimension, "--output", "own", cwd=place), 2, "already")


def test_an_id_that_can_not_be_one_is_refused(shell: Shell, place: Path) -> None:
    for name in ("../x", "A", "a/b", "-a"):
        assert shell("probes", "new", "--dimension", "security", "--", name, cwd=place).code == 2


def test_why_an_agent_failed_is_shown_for_one_answer(shell: Shell, place: Path) -> None:
    (place / "agent.py").write_text("open('words.txt')", encoding="utf-8")
    ended = run(shell, place)
    assert (ended.code, ended.err.count("for example")) == (3, 1), ended.err
    assert "for example first: agent failed: FileNotFoundError: [Errno 2]" in ended.err


def test_files_of_an_agent_lie_beside_its_script(shell: Shell, place: Path) -> None:
    """As docs/probes.md says where they are found."""
    (place / "tools").mkdir()
    (place / "tools" / "words.txt").write_text(RIGHT, encoding="utf-8")
    script = "from pathlib import Path\nprint(Path(__file__).with_name('words.txt').read_text())"
    (place / "tools" / "agent.py").write_text(script, encoding="utf-8")
    with (place / "gate.toml").open("a", encoding="utf-8") as settings:
        settings.write('agent-files = "tools/words.txt"\n')
    ended = shell("probes", "run", "--agent-cmd", f"{PYTHON} tools/agent.py", "--only", "first", cwd=place)
    assert "100.0" in ended.out, ended.err


def test_a_report_without_a_sandbox_says_so(shell: Shell, place: Path) -> None:
    ended = run(shell, place, "--unsafe-no-sandbox")
    assert ended.code == 0, ended.err
    assert "UNSANDBOXED" in (place / ".gate" / "probes" / "report.md").read_text(encoding="utf-8")
    candidate = json.loads((place / ".gate" / "probes" / "candidate.json").read_text("ascii"))
    assert candidate["gate"]["probes"]["cell"]["unsafe"] is True
