"""The month's ledger: whole lines whoever writes, damage counted, nothing but sums in it."""

from __future__ import annotations

import datetime as dt
import json
import multiprocessing
import threading
from pathlib import Path

import pytest

from gate.errors import RecordingError
from gate.record.recordings.budget import Amount
from gate.record.recordings.ledger import Ledger, Line, summed

DAY = dt.date(2026, 11, 30)


def line(day: str = "2026-11-30", run: str = "1", model: str = "m", **amount: float) -> Line:
    return Line(day, run, model, Amount(**{"calls": 1, "tokens": 10, "money": 0.25, **amount}))  # type: ignore[arg-type]


def file(tmp_path: Path, month: str = "2026-11") -> Path:
    return tmp_path / "ledger" / f"{month}.ndjson"


def _writer(folder: str, run: str) -> None:
    ledger = Ledger(Path(folder))
    for _ in range(25):
        ledger.append(line(run=run))


def test_a_month_sums_up_and_others_are_apart(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    assert ledger.spent(DAY) == Amount()
    ledger.append(line())
    ledger.append(line("2026-11-01", tokens=5, money=0.0, uncounted=0, unpriced=1))
    ledger.append(line("2026-12-01"))
    assert ledger.spent(DAY) == Amount(2, 15, 0.25, unpriced=1)
    assert ledger.spent(dt.date(2026, 12, 24)) == Amount(1, 10, 0.25)


def test_another_process_is_seen(tmp_path: Path) -> None:
    mine, other = Ledger(tmp_path), Ledger(tmp_path)
    mine.append(line())
    assert mine.spent(DAY).calls == 1
    other.append(line())
    assert mine.spent(DAY).calls == 2
    other.compact("2026-11")
    other.append(line())
    assert mine.spent(DAY) == Amount(3, 30, 0.75)


def test_threads_and_processes_write_whole_lines(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=_writer, args=(str(tmp_path), f"p{number}")) for number in range(2)]
    threads = [threading.Thread(target=_writer, args=(str(tmp_path), f"t{number}")) for number in range(2)]
    for worker in (*processes, *threads):
        worker.start()
    for worker in (*processes, *threads):
        worker.join()
    lines, damaged = Ledger(tmp_path).lines("2026-11")
    assert damaged == 0
    assert {one.run: one.amount.calls for one in summed(lines)} == {"p0": 25, "p1": 25, "t0": 25, "t1": 25}


def test_a_half_written_line_is_a_call_of_which_nothing_is_known(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    ledger.append(line())
    with file(tmp_path).open("ab") as stream:
        stream.write(b'{"day":"2026-11-30","run":"1","mod')
    assert ledger.spent(DAY) == Amount(2, 10, 0.25, 1, 1)
    ledger.append(line())
    assert ledger.spent(DAY) == Amount(3, 20, 0.5, 1, 1)
    assert ledger.lines("2026-11")[1] == 1
    before = file(tmp_path).read_bytes()
    ledger.compact("2026-11")
    assert file(tmp_path).read_bytes() == before, "what can't be read is not thrown away"


@pytest.mark.parametrize(
    "damage",
    [
        b"[]",
        b"7",
        b"{",
        b'{"calls":-1}',
        b'{"calls":true}',
        b'{"money":"1"}',
        b'{"money":1e999}',
        b'{"run":7}',
        b"\xff",
    ],
)
def test_damage_never_counts_as_nothing(tmp_path: Path, damage: bytes) -> None:
    ledger = Ledger(tmp_path)
    ledger.append(line())
    with file(tmp_path).open("ab") as stream:
        stream.write(damage + b"\n")
    assert ledger.spent(DAY) == Amount(2, 10, 0.25, 1, 1)


def test_compacting_keeps_the_sums(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    for run in ("2", "1", "2"):
        ledger.append(line(run=run))
    ledger.compact("2026-11")
    assert [json.loads(text) for text in file(tmp_path).read_text().splitlines()] == [
        {"day": "2026-11-30", "run": "1", "model": "m", "calls": 1, "tokens": 10, "money": 0.25},
        {"day": "2026-11-30", "run": "2", "model": "m", "calls": 2, "tokens": 20, "money": 0.5},
    ]
    first = file(tmp_path).read_bytes()
    ledger.compact("2026-11")
    assert file(tmp_path).read_bytes() == first
    ledger.compact("2020-01")
    assert not file(tmp_path, "2020-01").exists()


def test_a_hostile_name_is_one_short_line(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    ledger.append(line(model="m\n{}\u2028" + "x" * 10_000))
    assert len(file(tmp_path).read_bytes().splitlines()) == 1
    assert len(file(tmp_path).read_bytes()) < 400
    assert ledger.spent(DAY).calls == 1


def test_a_folder_that_can_not_be_written(tmp_path: Path) -> None:
    (tmp_path / "ledger").write_text("a file in the way")
    with pytest.raises(RecordingError):
        Ledger(tmp_path).append(line())
    with pytest.raises(ValueError, match="no month"):
        Ledger(tmp_path).lines("../../etc")


def test_the_ledger_of_an_overlay_is_moved_once(tmp_path: Path) -> None:
    mine, other = Ledger(tmp_path / "mine"), Ledger(tmp_path / "other")
    mine.append(line())
    for each in (line(), line("2026-12-01"), line(run="2")):
        other.append(each)
    mine.take_over(other)
    mine.take_over(other)
    assert mine.spent(DAY) == Amount(3, 30, 0.75)
    assert mine.spent(dt.date(2026, 12, 1)).calls == 1
    assert other.spent(DAY) == Amount()
    assert len(mine.lines("2026-11")[0]) == 2, "summed up by day, run and model"
