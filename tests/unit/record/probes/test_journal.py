"""The record of answers: whole after every accident, and nothing is asked twice."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from gate.errors import RecordingError
from gate.record.probes.agents.agent import Identity
from gate.record.probes.journal import Journal
from gate.record.probes.stored import Kept, Key
from gate.suites.probes.answer import Answer, Ended
from tests.support.probe_runs import ME

WHOLE = Answer(
    "said ü",
    files={"a/b.py": "x = 1\n"},
    ended=Ended.CRASHED,
    exit_code=0,
    message="why",
    seconds=1.5,
    cost=0.0,
    tokens=0,
    round=2,
    models=("m-1",),
)


def key(name: str = "p", number: int = 1, agent: str = ME.digest) -> Key:
    return Key(name, "d" * 16, agent, 0, number)


def kept(name: str = "p", text: str = "t", ended: Ended = Ended.ANSWERED) -> Kept:
    return Kept(key(name), Answer(text, ended=ended))


def test_an_answer_comes_back_as_it_was(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "deep" / "answers.ndjson")
    with journal.writing(ME):
        journal.add(Kept(key(number=2), WHOLE, by_hand="Ada"))
    again = Journal(tmp_path / "deep" / "answers.ndjson")
    assert again.get(key(number=2), any_run=True) == Kept(key(number=2), WHOLE, by_hand="Ada")
    assert again.agents() == {ME.digest: ME}


def test_another_agent_version_or_probe_version_is_another_answer(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "a.ndjson")
    with journal.writing(ME):
        journal.add(kept())
    assert journal.get(Key("p", "other", ME.digest, 0, 1), any_run=True) is None
    assert journal.get(key(agent="0" * 32), any_run=True) is None


def test_a_line_that_was_cut_at_any_byte_is_left_out_and_appended_over(tmp_path: Path) -> None:
    path = tmp_path / "a.ndjson"
    journal = Journal(path)
    with journal.writing(ME):
        journal.add(kept("one"))
        before = path.stat().st_size
        journal.add(kept("two"))
    whole = path.read_bytes()
    for cut in range(before, len(whole)):
        path.write_bytes(whole[:cut])
        again = Journal(path)
        assert bool(again.notice) == (cut > before)
        assert again.get(key("one"), any_run=True) is not None
        assert again.get(key("two"), any_run=True) is None
        with again.writing(ME):
            again.add(kept("two"))
        assert path.read_bytes() == whole


def test_damage_in_the_middle_is_named_by_its_line(tmp_path: Path) -> None:
    path = tmp_path / "a.ndjson"
    with Journal(path).writing(ME) as _:
        pass
    path.write_bytes(path.read_bytes() + b'{"probe": 1}\n{"x": []}\n')
    with pytest.raises(RecordingError) as refused:
        Journal(path)
    assert refused.value.where == f"{path}:3"


@pytest.mark.parametrize("first", [b'{"gate-probe-answers":99}\n', b"[]\n", b"no\n", b'{"probe":"p"}\n', b"\xff\n"])
def test_another_file_is_refused(tmp_path: Path, first: bytes) -> None:
    path = tmp_path / "a.ndjson"
    path.write_bytes(first)
    with pytest.raises(RecordingError):
        Journal(path)


def test_a_finished_run_is_replayed_but_not_gone_on_with(tmp_path: Path) -> None:
    path = tmp_path / "a.ndjson"
    journal = Journal(path)
    with journal.writing(ME):
        journal.add(kept(text="old"))
        journal.ended(ME)
    again = Journal(path)
    assert again.get(key(), any_run=False) is None
    with again.writing(ME):
        again.add(kept(text="new"))
    third = Journal(path)
    for any_run in (True, False):
        found = third.get(key(), any_run=any_run)
        assert found is not None
        assert found.answer.text == "new"


def test_a_failure_of_the_infrastructure_is_asked_again_but_replayed(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "a.ndjson")
    with journal.writing(ME):
        journal.add(kept(ended=Ended.INFRASTRUCTURE))
    assert journal.get(key(), any_run=False) is None
    assert journal.get(key(), any_run=True) is not None


def test_the_file_of_a_finished_run_is_sorted_and_holds_each_answer_once(tmp_path: Path) -> None:
    first, second = tmp_path / "a.ndjson", tmp_path / "b.ndjson"
    for path, names in ((first, ("b", "a", "a")), (second, ("a", "b"))):
        journal = Journal(path)
        with journal.writing(ME):
            for name in names:
                journal.add(kept(name))
            journal.ended(ME)
    assert first.read_bytes() == second.read_bytes()


def test_answers_of_other_agents_go_when_they_are_to_be_forgotten(tmp_path: Path) -> None:
    path = tmp_path / "a.ndjson"
    old, main = Identity(command="old"), Identity(command="main")
    for each in (old, main, ME):
        journal = Journal(path)
        with journal.writing(each):
            journal.add(Kept(key(agent=each.digest), Answer("x")))
            journal.ended(each, others={main.digest} if each is ME else None)
    assert list(Journal(path).agents()) == sorted([main.digest, ME.digest])
    assert Journal(path).get(key(agent=old.digest), any_run=True) is None
    assert Journal(path).get(key(agent=main.digest), any_run=True) is not None


def test_two_runs_do_not_write_at_the_same_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gate.record.probes.journal._PATIENCE", 0.0)
    path = tmp_path / "a.ndjson"
    with Journal(path).writing(ME), pytest.raises(RecordingError), Journal(path).writing(ME):
        pass


def test_a_second_run_takes_in_what_the_first_added_meanwhile(tmp_path: Path) -> None:
    path = tmp_path / "a.ndjson"
    late = Journal(path)
    early = Journal(path)
    with early.writing(ME):
        early.add(kept())
    with late.writing(ME):
        assert late.get(key(), any_run=False) is not None


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "a.ndjson").symlink_to(tmp_path / "elsewhere")
    journal = Journal(tmp_path / "a.ndjson")
    with pytest.raises(RecordingError), journal.writing(ME):
        pass
    assert not (tmp_path / "elsewhere").exists()


FULL_DISK = """
import sys, resource, signal
from pathlib import Path
from gate.errors import RecordingError
from gate.record.probes.agents.agent import Identity
from gate.record.probes.journal import Journal
from tests.unit.record.probes.test_journal import ME, kept
path = Path(sys.argv[1])
journal = Journal(path)
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
with journal.writing(ME):
    journal.add(kept("one"))
    size = path.stat().st_size
    resource.setrlimit(resource.RLIMIT_FSIZE, (size + 40, size + 40))
    try:
        journal.add(kept("two"))
    except RecordingError as error:
        print("refused:", error.message)
assert path.stat().st_size == size
"""


def test_a_full_disk_costs_one_answer_and_nothing_before_it(tmp_path: Path) -> None:
    path = tmp_path / "a.ndjson"
    ended = subprocess.run(
        [sys.executable, "-c", FULL_DISK, str(path)], capture_output=True, text=True, check=False, cwd=Path.cwd()
    )
    assert "refused: can't be written" in ended.stdout, ended.stderr
    again = Journal(path)
    assert not again.notice
    assert again.get(key("one"), any_run=True) is not None


SMALL_DISK = """
import sys
from pathlib import Path
from gate.errors import RecordingError
from gate.record.probes.journal import Journal
from tests.unit.record.probes.test_journal import ME, kept, key
journal, written = Journal(Path(sys.argv[1])), 0
with journal.writing(ME):
    try:
        for number in range(1_000):
            journal.add(kept(f"p{number}"))
            written += 1
    except RecordingError as error:
        print(written, error.message)
again = Journal(Path(sys.argv[1]))
print(again.notice or "whole", all(again.get(key(f"p{number}"), any_run=True) is not None for number in range(written)))
"""


def test_on_a_disk_that_is_really_full_what_was_written_before_stays(tmp_path: Path) -> None:
    mounted = 'mount -t tmpfs -o size=16k tmpfs $0 && exec $1 -c "$2" $0/a.ndjson'
    ended = subprocess.run(
        ["unshare", "-m", "sh", "-c", mounted, str(tmp_path), sys.executable, SMALL_DISK],
        capture_output=True,
        text=True,
        check=False,
    )
    if ended.returncode and ("unshare" in ended.stderr or "mount" in ended.stderr):
        pytest.skip(f"nothing can be mounted here: {ended.stderr.strip()}")
    first, second = ended.stdout.splitlines()
    assert int(first.split()[0]) > 3, ended.stderr
    assert "can't be written" in first
    assert second == "whole True"
