"""The files: one a module, numbered, sorted, replaced case by case."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.record.recordings.store import OUTSIDE, Store, file_of
from tests.support.stored_entries import CASE, KEYS, OTHER, add, bodies, made, path_in


@pytest.mark.parametrize(
    ("case", "file"),
    [
        ("tests/test_a.py::test_x[1]", "tests/test_a.py.jsonl"),
        ("tests/test_a.py::TestA::test_x", "tests/test_a.py.jsonl"),
        ("tests\\test_a.py::test_x", "tests/test_a.py.jsonl"),
        ("test_a.py::test_x", "test_a.py.jsonl"),
        ("", OUTSIDE),
        ("no file", OUTSIDE),
        ("::x", OUTSIDE),
        ("../../etc/cron.d/x::y", "%2E./%2E./etc/cron.d/x.jsonl"),
        ("/etc/passwd::y", "etc/passwd.jsonl"),
        (".git/hooks/x::y", "%2Egit/hooks/x.jsonl"),
        ("C:/x::y", "C%3A/x.jsonl"),
        (
            "mutant:agent:PROMPT#47747b418f2f tests/test_a.py::test_x",
            "mutants/agent.PROMPT/47747b418f2f/tests/test_a.py.jsonl",
        ),
        ('mutant:a:P["x"][0]#1 t.py::y kills', "mutants/a.P-x-0/1/t.py.jsonl"),
        ("mutants:agent:PROMPT tests/test_a.py::test_x", "mutants/agent.PROMPT/tests/test_a.py.jsonl"),
        ("mutants:unmutated tests/test_a.py::test_x", "mutants/unmutated/tests/test_a.py.jsonl"),
        ("mutant:../../x#.. ../a::y", "mutants/x/-/%2E./a.jsonl"),
        ("mutant::y", "mutant.jsonl"),
        ("a\0b/ü::y", "a%00b/%C3%BC.jsonl"),
    ],
)
def test_the_file_of_a_case(case: str, file: str) -> None:
    assert file_of(case) == file


@given(st.text(max_size=400))
def test_no_case_leads_out_of_the_folder(case: str) -> None:
    path = PurePosixPath(file_of(case + "::x"))
    assert not path.is_absolute()
    assert all(
        part and not part.startswith(".") and len(part.encode()) < 255 and "\0" not in part for part in path.parts
    )


def test_what_is_appended_is_there_for_the_next_store(tmp_path: Path) -> None:
    stored = add(Store(tmp_path), made(body=b"one"), made(body=b"two"), made(trial=1, body=b"three"))
    assert [entry.n for entry in stored] == [0, 1, 0]
    store = Store(tmp_path)
    assert bodies(store) == [b"one", b"two"]
    assert bodies(store, trial=1) == [b"three"]
    assert store.trials(CASE) == {0, 1}
    assert store.held((OTHER, 0, KEYS[0])) is None
    assert store.held(("tests/none.py::x", 0, KEYS[0])) is None


def test_a_store_never_hands_out_what_was_appended_after_it_looked(tmp_path: Path) -> None:
    store = Store(tmp_path)
    add(store, made())
    assert bodies(store) == [b"yes"]
    add(store, made(body=b"later"))
    assert bodies(store) == [b"yes"]


def test_two_stores_number_one_behind_the_other(tmp_path: Path) -> None:
    first, second = Store(tmp_path), Store(tmp_path)
    for turn in range(4):
        add((first, second)[turn % 2], made(body=b"%d" % turn))
    assert bodies(Store(tmp_path)) == [b"0", b"1", b"2", b"3"]
    assert path_in(tmp_path).read_bytes().count(b'"request"') == 1


def test_a_store_goes_on_after_another_one_rewrote_the_file(tmp_path: Path) -> None:
    first, second = Store(tmp_path), Store(tmp_path)
    add(first, made(case=OTHER), made(body=b"one"))
    add(second, made(key=KEYS[1]))
    second.compact()
    assert [entry.n for entry in add(first, made(body=b"two"))] == [1]
    assert bodies(Store(tmp_path)) == [b"one", b"two"]


def test_a_reader_keeps_what_it_opened_when_the_file_is_rewritten(tmp_path: Path) -> None:
    add(Store(tmp_path), made(key=KEYS[3]), made(body=b"one"))
    reader = Store(tmp_path)
    held = reader.held((CASE, 0, KEYS[0]))
    assert held is not None
    other = Store(tmp_path)
    add(other, made(key=KEYS[0], case="tests/test_a.py::test_0"))
    other.compact()
    assert reader.answer(held.answers[0]).body == b"one"


def test_failures_are_numbered_before_the_answer_they_delayed(tmp_path: Path) -> None:
    stored = add(Store(tmp_path), made(failed=1), made(failed=1), made(), made(failed=1))
    assert [(entry.n, entry.failed) for entry in stored] == [(0, 1), (0, 2), (0, 0), (1, 1)]
    held = Store(tmp_path).held((CASE, 0, KEYS[0]))
    assert held is not None
    assert sorted(held.answers) == [0]
    assert {n: len(heads) for n, heads in held.failures.items()} == {0: 2, 1: 1}


def test_compacting_sorts_and_is_the_same_whatever_the_order_was(tmp_path: Path) -> None:
    entries = [made(key, case, trial) for key in KEYS for case in (OTHER, CASE) for trial in (1, 0)]
    files = []
    for turn, order in enumerate((entries, entries[::-1])):
        store = Store(tmp_path / str(turn))
        add(store, *order)
        store.compact()
        files.append(path_in(tmp_path / str(turn)).read_bytes())
        assert [entry.order for entry in Store(store.folder).entries()] == sorted(entry.order for entry in entries)
    assert files[0] == files[1]
    assert files[0].count(b'"request"') == len(KEYS)


def test_compacting_twice_writes_once(tmp_path: Path) -> None:
    store = Store(tmp_path)
    add(store, made(KEYS[1]), made(KEYS[0]))
    store.compact()
    before = path_in(tmp_path).stat()
    store.compact()
    after = path_in(tmp_path).stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)
    assert before.st_mode & 0o777 == 0o644
    assert [path.name for path in (tmp_path / ".state").iterdir() if path.suffix == ".part"] == []


def test_the_request_moves_to_the_first_entry_that_is_left(tmp_path: Path) -> None:
    store = Store(tmp_path)
    add(store, made(case=CASE), made(case=OTHER))
    assert store.remove(lambda entry: entry.case == CASE) == 1
    (entry,) = Store(tmp_path).entries()
    assert (entry.case, entry.request) == (OTHER, {"method": "POST", "url": f"u{KEYS[0]}"})


def test_a_file_without_entries_goes_with_its_folder(tmp_path: Path) -> None:
    store = Store(tmp_path)
    add(store, made())
    assert store.remove(lambda entry: True) == 1
    assert store.files() == []
    assert not (tmp_path / "tests").exists()


def test_putting_replaces_the_answer_of_the_same_call(tmp_path: Path) -> None:
    store = Store(tmp_path)
    add(store, made(body=b"old"), made(body=b"second"))
    new = replace(made(body=b"new"), n=0)
    assert store.put([new, replace(made(key=KEYS[1], case=OTHER), n=0)]) == 2
    assert bodies(Store(tmp_path)) == [b"new", b"second"]
    assert len(list(Store(tmp_path).entries(OTHER))) == 1


def test_a_run_replaces_a_case_only_when_it_ended(tmp_path: Path) -> None:
    store = Store(tmp_path)
    add(store, made(body=b"old 1"), made(body=b"old 2"), made(case=OTHER, body=b"other"))
    claim = store.claim("ab")
    add(store, made(body=b"new", run="ab"))
    assert bodies(Store(tmp_path)) == [b"old 1", b"old 2"]
    Store(tmp_path).compact()
    store.end(CASE, "ab")
    assert bodies(Store(tmp_path)) == [b"new"]
    claim.release()
    store.compact()
    assert bodies(Store(tmp_path)) == [b"new"]
    assert bodies(Store(tmp_path), case=OTHER) == [b"other"]
    assert b"old" not in path_in(tmp_path).read_bytes()
    assert b'"run"' not in path_in(tmp_path).read_bytes()


def test_compacting_keeps_what_a_living_run_has_not_ended(tmp_path: Path) -> None:
    store, other = Store(tmp_path), Store(tmp_path)
    add(store, made(body=b"old"))
    claim = store.claim("ab")
    add(store, made(body=b"new", run="ab"))
    add(other, made(case=OTHER))
    other.compact()
    add(store, made(body=b"newer", run="ab"))
    store.end(CASE, "ab")
    claim.release()
    assert bodies(Store(tmp_path)) == [b"new", b"newer"]


def test_of_two_runs_at_once_the_last_that_ends_holds_whole(tmp_path: Path) -> None:
    store = Store(tmp_path)
    for turn in range(2):
        add(store, made(body=b"a%d" % turn, run="aa"), made(body=b"b%d" % turn, run="bb"))
    store.end(CASE, "bb")
    store.end(CASE, "aa")
    assert bodies(Store(tmp_path)) == [b"a0", b"a1"]


def test_what_a_killed_run_left_holds_where_nothing_older_is_stored(tmp_path: Path) -> None:
    add(Store(tmp_path), made(body=b"one", run="ab"), made(body=b"two", run="ab"))
    store = Store(tmp_path)
    assert bodies(store) == [b"one", b"two"]
    assert [entry.n for entry in add(store, made(body=b"three"))] == [2]
    assert bodies(Store(tmp_path)) == [b"one", b"two", b"three"]
    store.compact()
    assert bodies(Store(tmp_path)) == [b"one", b"two", b"three"]


def test_a_case_that_asks_nothing_any_more_is_replaced_by_nothing(tmp_path: Path) -> None:
    store = Store(tmp_path)
    add(store, made())
    store.end(CASE, "ab")
    assert bodies(Store(tmp_path)) == []
    store.compact()
    assert store.files() == []


def test_a_thousand_answers_are_found_by_another_process(tmp_path: Path) -> None:
    body = json.dumps({"choices": [{"message": {"content": 'a "quoted" word; ' * 110}}]}).encode()
    Store(tmp_path).put(made(f"{number:032x}", body=body) for number in range(1000))
    store = Store(tmp_path)
    assert all(store.held((CASE, 0, f"{number:032x}")) is not None for number in range(1000))


def test_short_fields_stand_first_so_that_a_file_is_indexed_without_its_bodies(tmp_path: Path) -> None:
    store = Store(tmp_path)
    add(store, *(made(f"{number:032x}", trial=number % 7) for number in range(300)))
    store.compact()
    fields = [json.loads(line) for line in path_in(tmp_path).read_bytes().splitlines()[1:]]
    assert len({entry["key"] for entry in fields}) == 300
    assert all(list(entry)[:4] == ["key", "case", "trial", "n"] for entry in fields)
