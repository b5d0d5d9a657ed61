"""A job's folders, filled, read, measured and removed, whatever the job left in them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from gate.sandbox.cell import folder


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[int]:
    handle = os.open(tmp_path, os.O_RDONLY | os.O_DIRECTORY)
    os.mkdir("job", dir_fd=handle)
    inner = os.open("job", os.O_RDONLY | os.O_DIRECTORY, dir_fd=handle)
    folder.prepare(inner)
    yield inner
    os.close(inner)
    os.close(handle)


@pytest.mark.parametrize(
    ("pattern", "wanted"),
    [
        ("*.txt", ["a.txt"]),
        ("**/*.txt", ["a.txt", "d/b.txt", "d/e/c.txt"]),
        ("d/*", ["d/b.txt"]),
        ("d/**", ["d/b.txt", "d/e/c.txt"]),
        ("**", ["a.txt", "d/b.txt", "d/e/c.txt"]),
        ("./d//b.txt", ["d/b.txt"]),
        ("?.txt", ["a.txt"]),
        ("[ab].txt", ["a.txt"]),
        ("~/**", ["~/h.txt"]),
        ("~/*.txt", ["~/h.txt"]),
        ("nothing", []),
    ],
)
def test_patterns(opened: int, pattern: str, wanted: list[str]) -> None:
    for name in ("a.txt", "d/b.txt", "d/e/c.txt", "~/h.txt"):
        folder.write(opened, name, name.encode())
    found, cut = folder.collect(opened, [pattern], 1000)
    assert found == {name: name.encode() for name in wanted}
    assert not cut


def test_the_first_pattern_does_not_hide_another(opened: int) -> None:
    folder.write(opened, "a", b"1")
    assert folder.collect(opened, ["a", "*", "~/a"], 10) == ({"a": b"1"}, False)


def test_what_is_too_much_is_left_out_but_what_fits_is_not(opened: int) -> None:
    for name, size in (("a", 60), ("b", 60), ("c", 40)):
        folder.write(opened, name, b"x" * size)
    found, cut = folder.collect(opened, ["*"], 100)
    assert (sorted(found), cut) == (["a", "c"], True)


def test_writing_goes_through_no_link(opened: int, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "job" / "work" / "link").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "job" / "work" / "file").symlink_to(tmp_path / "elsewhere/file")
    for name in ("link/x", "file"):
        with pytest.raises(OSError, match=r"directory|symbolic"):
            folder.write(opened, name, b"x")
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_what_a_folder_takes_counts_every_entry(opened: int) -> None:
    before = folder.used(opened, 10**9)
    folder.write(opened, "a", b"x" * 100_000)
    with_file = folder.used(opened, 10**9)
    assert with_file - before >= 100_000
    for number in range(50):
        folder.write(opened, f"d/{number}", b"")
    assert folder.used(opened, 10**9) - with_file >= 50 * 4096
    assert folder.used(opened, 1) > 1


def test_folders_that_are_nested_too_deep_are_over_any_limit(opened: int, tmp_path: Path) -> None:
    place = tmp_path / "job/work"
    for _ in range(folder.DEEPEST - 1):
        place /= "d"
    place.mkdir(parents=True)
    assert folder.used(opened, 10**9) < 10**9
    (place / "d").mkdir()
    (place / "d/d").mkdir()
    assert folder.used(opened, 10**9) > 10**9


def test_removing_a_tree_that_resists(opened: int, tmp_path: Path) -> None:
    work = tmp_path / "job/work"
    (work / "closed/in").mkdir(parents=True)
    (work / "closed/in/file").touch()
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept/file").touch()
    (work / "link").symlink_to(tmp_path / "kept")
    os.mkfifo(work / "pipe")
    here = Path.cwd()
    os.chdir(work)
    try:
        for _ in range(400):  # longer than a path may be
            Path("deep-folder").mkdir()
            os.chdir("deep-folder")
    finally:
        os.chdir(here)
    (work / "closed/in").chmod(0)
    (work / "closed").chmod(0)
    work.chmod(0)
    handle = os.open(tmp_path, os.O_RDONLY | os.O_DIRECTORY)
    folder.remove(handle, "job")
    folder.remove(handle, "absent")
    os.close(handle)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["kept"]
    assert (tmp_path / "kept/file").exists()
