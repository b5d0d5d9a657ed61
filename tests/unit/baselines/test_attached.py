"""Large sets of examples beside a baseline: what refreshes rewrite, who reads them, and what is refused."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

from gate.baselines.attached import INLINE, attach, detach, folder_of, on_disk, remove_unreferenced, write_attached
from gate.baselines.base import resolve_base
from gate.baselines.distill import SCORED, distill, dump_baseline
from gate.baselines.git import Git
from gate.baselines.refresh import Prepared, refresh
from gate.baselines.trusted import read_folder, read_trusted
from gate.errors import BaselineError
from gate.ingest import read_report
from gate.schema.outcome import Outcome
from gate.schema.refs import PullRequestRefs
from gate.schema.report import Attack, Case, Kind, Predictions, Report
from tests.support.repository import Repository

PATH = "baselines/default.jsonl"
LIMIT = 10**8


def sets(count: int, *, other: bool = False, scores: bool = True) -> Predictions:
    """Examples whose classes are drawn; another model disagrees about some."""
    draw = random.Random(count)
    expected = "".join(draw.choice("01") for _ in range(count))
    again = random.Random(1 + other)
    predicted = "".join(each if again.random() < 0.9 else "01"[each == "0"] for each in expected)
    flipped = "".join("1" if again.random() < 0.04 else "0" for _ in range(count))
    return Predictions(
        name="credit",
        ids=tuple(f"{row:012x}" for row in range(count)),
        labels=("no", "yes"),
        expected=expected,
        predicted=predicted,
        scores="a" * count if scores else "",
        attacks=(Attack("gaussian ε=0.05", flipped, {0: "age −0.1 sd"}),),
    )


def report(found: Predictions) -> Report:
    return Report(cases=(Case("s::\u2028“sweep”", Kind.SWEEP, Outcome.PASSED, predictions=(found,)),))


def inline(found: Predictions) -> bytes:
    return dump_baseline(distill(report(found), "1" * 40))


def reading(files: dict[str, bytes]) -> bytes:
    slim, _ = detach(inline(sets(INLINE + 1)))
    folder = folder_of(PATH)
    return attach(slim, PATH, lambda path: files.get(path.removeprefix(f"{folder}/")), limit=LIMIT)


@pytest.mark.parametrize("count", [1, INLINE, INLINE + 1])
def test_what_is_detached_comes_back(count: int) -> None:
    data = inline(sets(count))
    slim, files = detach(data)
    assert len(files) == (2 if count > INLINE else 0)
    assert (slim == data) == (not files)
    whole = attach(slim, PATH, lambda path: files[path.rpartition("/")[2]], limit=LIMIT)
    assert read_report(whole, "b").cases == read_report(data, "b").cases


def test_the_same_examples_are_written_once(tmp_path: Path) -> None:
    path = tmp_path / PATH
    first = refresh(report(sets(2_000)), "1" * 40)
    write_attached(path, first.files)
    remove_unreferenced(path, first.files)
    folder = tmp_path / folder_of(PATH)
    times = {each.name: each.stat().st_mtime_ns for each in folder.iterdir()}
    assert set(times) == set(first.files)

    before = read_report(attach(first.data, str(path), on_disk(LIMIT), limit=LIMIT), "b")
    same = refresh(report(sets(2_000)), "2" * 40, previous=before, current=first.data)
    assert (same.changed, same.files) == (False, first.files)

    retrained = refresh(report(sets(2_000, other=True)), "2" * 40, previous=before, current=first.data)
    write_attached(path, retrained.files)
    remove_unreferenced(path, retrained.files)
    kept = set(times) & set(retrained.files)
    assert len(kept) == 1, "who the examples are did not change, what the model made of them did"
    assert {each.name for each in folder.iterdir()} == set(retrained.files)
    assert all((folder / name).stat().st_mtime_ns == times[name] for name in kept)


def test_a_damaged_file_is_written_again_and_foreign_ones_stay(tmp_path: Path) -> None:
    path, files = tmp_path / PATH, refresh(report(sets(2_000)), "1" * 40).files
    write_attached(path, files)
    folder = tmp_path / folder_of(PATH)
    name = min(files)
    (folder / name).write_bytes(b"x")
    (folder / "notes.txt").write_text("mine")
    write_attached(path, files)
    remove_unreferenced(path, {})
    assert [each.name for each in folder.iterdir()] == ["notes.txt"]


def test_a_retrained_model_of_many_rows_leaves_a_small_difference(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "project")

    def stored(prepared: Prepared) -> dict[str, str | bytes | None]:
        return {PATH: prepared.data, **{f"{folder_of(PATH)}/{name}": held for name, held in prepared.files.items()}}

    first = refresh(report(sets(30_000)), "1" * 40)
    before = read_report(attach(first.data, PATH, lambda path: first.files[path[-64:]], limit=LIMIT), "b")
    second = refresh(report(sets(30_000, other=True)), "2" * 40, previous=before, current=first.data)
    repository.commit(stored(first))
    gone: dict[str, str | bytes | None] = dict.fromkeys(set(stored(first)) - set(stored(second)))
    repository.commit({**gone, **stored(second)})
    assert len(repository.git("diff", "HEAD~1", "HEAD")) < 10_000
    new = [held for name, held in second.files.items() if name not in first.files]
    assert sum(map(len, new)) < 12_000, "of 300,000 rows ten times as much: a tenth of 100 KB"


def test_scores_of_very_many_examples_are_left_out() -> None:
    few, many = (distill(report(sets(count)), "1" * 40).cases[0].predictions[0] for count in (SCORED, SCORED + 1))
    assert few.scores
    assert many == replace(sets(SCORED + 1), scores="")


def test_a_missing_file_says_where_it_should_be() -> None:
    with pytest.raises(BaselineError, match="is missing") as caught:
        reading({})
    assert caught.value.where.startswith("baselines/default.examples/")
    assert "gate baseline refresh" in caught.value.remedy


@pytest.mark.parametrize("damage", [b"", b"text", b"gate examples 1\0", b"gate examples 1\0x\x9c"])
def test_a_wrong_file_is_refused(damage: bytes) -> None:
    _, files = detach(inline(sets(INLINE + 1)))
    with pytest.raises(BaselineError, match="something else than its name says"):
        reading(dict.fromkeys(files, damage))
    swapped = dict(zip(files, reversed(files.values()), strict=True))
    with pytest.raises(BaselineError, match="something else than its name says"):
        reading(swapped)


def test_what_unpacks_to_more_than_the_limit_is_refused() -> None:
    slim, files = detach(inline(sets(50_000, scores=False)))
    with pytest.raises(BaselineError, match="larger than the limit"):
        attach(slim, PATH, lambda path: files[path[-64:]], limit=len(slim) + 10_000)


@pytest.mark.parametrize("name", ['"../../etc/passwd"', "7", "[]", '"' + "g" * 64 + '"'])
def test_a_reference_that_is_no_digest_reads_nothing(name: str) -> None:
    line = f'{{"gate_baseline":1}}\n{{"id":"a","predictions":[{{"examples":{name}}}]}}\n'
    with pytest.raises(BaselineError, match="names no attached file"):
        attach(line.encode(), PATH, lambda _: pytest.fail("nothing may be read"), limit=LIMIT)


def test_a_baseline_without_its_folder_is_told_so() -> None:
    slim, _ = detach(inline(sets(INLINE + 1)))
    with pytest.raises(BaselineError, match="stand in a file beside the baseline"):
        read_report(slim, "copied.jsonl")


def test_links_are_not_followed(tmp_path: Path) -> None:
    slim, files = detach(inline(sets(INLINE + 1)))
    (tmp_path / "elsewhere").mkdir()
    for name, held in files.items():
        (tmp_path / "elsewhere" / name).write_bytes(held)
    (tmp_path / "b.examples").symlink_to("elsewhere")
    with pytest.raises(BaselineError, match="symbolic link"):
        attach(slim, "b.jsonl", on_disk(LIMIT, tmp_path), limit=LIMIT)
    with pytest.raises(BaselineError, match="symbolic link"):
        write_attached(tmp_path / "b.jsonl", files)


def test_the_files_of_the_base_are_read_from_the_base(tmp_path: Path) -> None:
    data = inline(sets(INLINE + 1))
    slim, files = detach(data)
    beside = {f"{folder_of(PATH)}/{name}": held for name, held in files.items()}
    origin = Repository(tmp_path / "origin")
    base = origin.commit({PATH: slim, **beside})
    origin.branch("feature")
    head = origin.commit(dict.fromkeys(beside))
    merge = origin.merge_like_github("main", "feature")
    copy = origin.clone(tmp_path / "copy", 2, "refs/pull/1/merge")
    git = Git(copy.path)
    refs = PullRequestRefs("pull_request", base, "main", head, "", merge)
    trusted = read_trusted(git, resolve_base(git, refs))
    assert trusted.baseline is not None
    assert read_report(trusted.baseline, "b").cases == read_report(data, "b").cases
    with pytest.raises(BaselineError, match="is missing"):
        read_folder(copy.path)
