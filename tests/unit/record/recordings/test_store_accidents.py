"""The files after every kind of accident: cut, damaged, merged badly, a full disk, links in the way."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from gate.errors import RecordingError
from gate.record.recordings.entry import encode
from gate.record.recordings.store import Store
from tests.support.stored_entries import CASE, KEYS, add, bodies, made, path_in


def test_a_half_written_last_line_is_left_out_and_said(tmp_path: Path) -> None:
    add(Store(tmp_path), made(body=b"one"))
    half = encode(replace(made(body=b"two"), n=1))[:-30]
    with path_in(tmp_path).open("ab") as file:
        file.write(half)
    store = Store(tmp_path)
    assert bodies(store) == [b"one"]
    assert len(store.notices) == 1
    assert f"test_a.py.jsonl:3: the last line was half-written ({len(half)} bytes)" in store.notices[0]
    assert [entry.n for entry in add(store, made(body=b"again"))] == [1]
    assert bodies(Store(tmp_path)) == [b"one", b"again"]
    assert Store(tmp_path).problems() == []


def test_a_half_written_header_is_written_anew(tmp_path: Path) -> None:
    path_in(tmp_path).parent.mkdir(parents=True)
    path_in(tmp_path).write_bytes(b'{"gate_rec')
    store = Store(tmp_path)
    add(store, made())
    assert path_in(tmp_path).read_bytes().startswith(b'{"gate_recordings":1}\n{"key"')
    assert len(store.notices) == 1


def test_a_last_line_without_its_end_is_half_written_too(tmp_path: Path) -> None:
    add(Store(tmp_path), made(body=b"one"), made(body=b"two"))
    path = path_in(tmp_path)
    path.write_bytes(path.read_bytes()[:-1])
    add(Store(tmp_path), made(body=b"three"))
    assert bodies(Store(tmp_path)) == [b"one", b"three"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"garbage\n", "damaged"),
        (b"<<<<<<< HEAD\n", "merge conflict markers"),
        (b'{"gate_recordings":9}\n', "format 9 is newer"),
    ],
)
def test_damage_in_the_middle_is_named_by_file_and_line(tmp_path: Path, line: bytes, message: str) -> None:
    add(Store(tmp_path), made(body=b"one"), made(body=b"two"))
    path = path_in(tmp_path)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:2], line, *lines[2:]]))
    before = path.read_bytes()
    store = Store(tmp_path)
    with pytest.raises(RecordingError, match=message) as caught:
        store.held((CASE, 0, KEYS[0]))
    assert caught.value.where == f"{path}:3"
    with pytest.raises(RecordingError, match=message):
        add(store, made(body=b"three"))
    assert path.read_bytes() == before
    assert [error.where for error in store.problems()] == [f"{path}:3"]
    assert bodies(store, case="tests/test_b.py::x") == []


def test_damage_within_a_body_is_named_when_it_is_read(tmp_path: Path) -> None:
    add(Store(tmp_path), made(body=b"one"), made(KEYS[1]))
    path = path_in(tmp_path)
    path.write_bytes(path.read_bytes().replace(b'"body":"one"', b'"body":"o"ne"'))
    store = Store(tmp_path)
    with pytest.raises(RecordingError, match="damaged"):
        bodies(store)
    assert [error.where for error in store.problems()] == [f"{path}:2"]
    assert bodies(store, key=KEYS[1]) == [b"yes"]


def test_two_answers_to_one_call_are_refused_and_one_twice_is_not(tmp_path: Path) -> None:
    add(Store(tmp_path), made(body=b"one"))
    path = path_in(tmp_path)
    whole = path.read_bytes()
    path.write_bytes(whole + encode(made(body=b"one")))
    assert bodies(Store(tmp_path)) == [b"one"]
    path.write_bytes(whole + encode(made(body=b"other")))
    with pytest.raises(RecordingError, match="another answer than line 2") as caught:
        bodies(Store(tmp_path))
    assert caught.value.where == f"{path}:3"


@pytest.mark.skipif(os.name != "posix", reason="an open file can't be replaced here")
def test_a_file_that_others_rewrite_never_gets_the_number_by_which_a_writer_knows_it(tmp_path: Path) -> None:
    writer = Store(tmp_path)
    add(writer, made(body=b"one"))
    known, later = path_in(tmp_path).stat().st_ino, []
    for number in range(8):
        Store(tmp_path).put([replace(made(body=b"%d" % number), n=0)])
        later.append(path_in(tmp_path).stat().st_ino)
    assert known not in later, "else it would take its places in the old file for those in the new one"
    add(writer, made(body=b"two"))
    assert bodies(Store(tmp_path)) == [b"7", b"two"]


def test_a_full_disk_loses_nothing_that_was_stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(tmp_path)
    add(store, made(body=b"one"))
    write = os.write

    def full(handle: int, data: bytes) -> int:
        if len(data) > 50:
            return write(handle, data[:50])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    before = path_in(tmp_path).read_bytes()
    monkeypatch.setattr(os, "write", full)
    with pytest.raises(RecordingError, match="No space left on device; what was stored before is whole"):
        add(store, made(body=b"two"))
    assert path_in(tmp_path).read_bytes() == before
    monkeypatch.undo()
    assert [entry.n for entry in add(store, made(body=b"two"))] == [1]
    assert bodies(Store(tmp_path)) == [b"one", b"two"]


def test_what_was_stored_is_on_the_disk_itself_at_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And with the system at once, so that a killed process loses nothing that it had stored."""
    store = Store(tmp_path)
    add(store, made(body=b"one"))
    assert bodies(Store(tmp_path)) == [b"one"]
    kept: list[int] = []
    monkeypatch.setattr(os, "fsync", lambda handle: kept.append(os.fstat(handle).st_ino))
    store.sync()
    assert kept == [path_in(tmp_path).stat().st_ino]


def test_a_full_disk_while_rewriting_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(tmp_path)
    add(store, made(KEYS[1]), made(KEYS[0]))
    before = path_in(tmp_path).read_bytes()

    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(RecordingError, match="No space left"):
        store.compact()
    assert path_in(tmp_path).read_bytes() == before
    assert [path.name for path in (tmp_path / ".state").iterdir() if path.suffix == ".part"] == []


def test_a_read_only_checkout_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    add(Store(tmp_path), made())
    real = os.open

    def read_only(path: str | Path, flags: int, mode: int = 0o777) -> int:
        if flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))
        return real(path, flags, mode)

    monkeypatch.setattr(os, "open", read_only)
    store = Store(tmp_path)
    assert bodies(store) == [b"yes"]
    with pytest.raises(RecordingError, match="Read-only file system"):
        store.prepare(CASE)


def test_a_folder_in_the_place_of_a_file_is_named(tmp_path: Path) -> None:
    path_in(tmp_path).mkdir(parents=True)
    store = Store(tmp_path)
    with pytest.raises(RecordingError, match="can't be read: Is a directory"):
        store.held((CASE, 0, KEYS[0]))
    with pytest.raises(RecordingError, match="can't be written: Is a directory"):
        store.prepare(CASE)


def _link_file(folder: Path, target: Path) -> None:
    path_in(folder).parent.mkdir(parents=True)
    path_in(folder).symlink_to(target / "x.jsonl")


def _link_folder(folder: Path, target: Path) -> None:
    folder.mkdir()
    (folder / "tests").symlink_to(target)


@pytest.mark.parametrize("link", [_link_file, _link_folder])
def test_links_are_never_followed(tmp_path: Path, link: Callable[[Path, Path], None]) -> None:
    target = tmp_path / "target"
    target.mkdir()
    (target / "x.jsonl").write_bytes(encode(made()))
    before = (target / "x.jsonl").read_bytes()
    link(tmp_path / "recordings", target)
    store = Store(tmp_path / "recordings")
    with pytest.raises(RecordingError):
        store.held((CASE, 0, KEYS[0]))
    with pytest.raises(RecordingError):
        add(store, made())
    assert [path.name for path in target.iterdir()] == ["x.jsonl"]
    assert (target / "x.jsonl").read_bytes() == before
    assert store.files() == []


def test_bodies_of_50_megabytes_and_binary_ones(tmp_path: Path) -> None:
    text, data = b"abcde fghij\n" * (50 * 1024 * 1024 // 12), bytes(range(256)) * 4096
    add(Store(tmp_path), made(body=text), made(KEYS[1], body=data), made(KEYS[2]))
    store = Store(tmp_path)
    assert bodies(store, key=KEYS[2]) == [b"yes"]
    assert bodies(store) == [text]
    assert bodies(store, key=KEYS[1]) == [data]
