"""What a suite prints is shown as it comes: progress on one line, and never a command of a terminal or a runner."""

from __future__ import annotations

import itertools
import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.cli.console import Echo
from gate.record.run import World, run_command
from tests.support.command_line import environment


class Stream:
    """Takes text and keeps the pieces."""

    encoding = "utf-8"

    def __init__(self) -> None:
        self.pieces: list[str] = []

    @property
    def text(self) -> str:
        return "".join(self.pieces)

    def write(self, text: str) -> None:
        self.pieces.append(text)

    def flush(self) -> None:
        pass


def shown(pieces: list[bytes]) -> str:
    stream = Stream()
    echo = Echo(stream)  # type: ignore[arg-type]
    for piece in pieces:
        echo(piece)
    echo(b"")
    return stream.text


def cut(data: bytes, places: list[int]) -> list[bytes]:
    """Pieces of data; an empty one would say that it ends."""
    edges = [0, *sorted(place % (len(data) + 1) for place in places), len(data)]
    return [data[start:end] for start, end in itertools.pairwise(edges) if start < end]


def test_dots_stay_on_their_line_and_come_one_by_one() -> None:
    stream = Stream()
    echo = Echo(stream)  # type: ignore[arg-type]
    echo(b"tests/test_a.py ")
    for _ in range(300):
        echo(b".")
    assert stream.text == "  tests/test_a.py " + "." * 300
    assert len(stream.pieces) > 290
    echo(b"                 [100%]\n\n")
    echo(b"300 passed\n")
    echo(b"")
    assert stream.text.splitlines() == [f"  tests/test_a.py {'.' * 300}                 [100%]", "", "  300 passed"]


def test_three_hundred_tests_are_a_few_lines(tmp_path: Path) -> None:
    """With the real pytest behind the real pipe."""
    (tmp_path / "test_a.py").write_text(
        "import pytest\n@pytest.mark.parametrize('n', range(300))\ndef test_it(n): pass\n", encoding="utf-8"
    )
    stream = Stream()
    world = World(sys.executable, tmp_path, environment({"COLUMNS": "80"}))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:randomly"]
    ended = run_command(command, world=world, timeout=60, echo=Echo(stream))  # type: ignore[arg-type]
    assert ended.exit_code == 0
    lines = stream.text.splitlines()
    assert sum(line.count(".") for line in lines if re.fullmatch(r" +\.+ +\[ *\d+%\]", line)) == 300
    assert len(lines) < 12


def test_a_name_with_colons_is_no_command() -> None:
    pieces = [b"tests/test_a.py", b"::", b"test_one ", b"PASSED", b" [ 50%]\n"]
    assert shown(pieces) == "  tests/test_a.py::test_one PASSED [ 50%]\n"


@pytest.mark.parametrize(
    "pieces",
    [
        [b":", b":error::forged\n"],
        [b"  ", b"::", b"error::forged\n"],
        [b"one\n", b":", b":error::forged"],
        [b"10%\r", b"::error::forged\n"],
        [b"one\r\n", b"::error::forged\n"],
        [b"\xc2\xa0", b"::error::forged\n"],
        [b"##", b"[error]forged\n"],
        [b"one #", b"#", b"[error]forged\n"],
        [b"::error::", b"forged"],
    ],
)
def test_no_piece_makes_a_command(pieces: list[bytes]) -> None:
    text = shown(pieces)
    assert "forged" in text
    assert not re.search(r"^\s*::", text, re.MULTILINE)
    assert "##[" not in text


def test_no_piece_makes_a_sequence() -> None:
    assert shown([b"red \x1b", b"[3", b"1mtext\x1b", b"[0m\n"]) == "  red text\n"


def test_a_progress_bar_ends_in_its_last_state() -> None:
    assert shown([b"10%", b"\r50%", b"\r100%\n", b"done\n"]).splitlines()[-2:] == ["  100%", "  done"]


def test_the_last_line_is_ended() -> None:
    assert shown([b"Segmentation", b" fault"]) == "  Segmentation fault\n"


def test_an_interrupted_run_leaves_no_open_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    others = set(threading.enumerate())

    def interrupted(process: subprocess.Popen[bytes], timeout: float) -> bool:
        process.wait(timeout)
        for reader in set(threading.enumerate()) - others:
            reader.join(timeout)
        assert process.stdout is not None
        process.stdout.close()
        raise KeyboardInterrupt

    monkeypatch.setattr("gate.record.run._wait", interrupted)
    stream = Stream()
    command = [sys.executable, "-c", "print('half a line', end='')"]
    with pytest.raises(KeyboardInterrupt):
        run_command(command, world=World(sys.executable, tmp_path, {}), timeout=30, echo=Echo(stream))  # type: ignore[arg-type]
    assert stream.text == "  half a line\n"


TEXTS = st.lists(
    st.sampled_from(["::", ":", "##", "#", "[", "[error]", "::error::x", " ", "  ", ".", "F", "a", "é", "\x1b[31m"])
    | st.just("\n")
    | st.text(max_size=3),
    max_size=12,
).map("".join)


@given(TEXTS, st.lists(st.integers(0, 200), max_size=8))
def test_however_it_is_cut_the_lines_are_those_of_the_whole(text: str, places: list[int]) -> None:
    data = text.replace("\r", "").encode("utf-8", "replace")
    whole, pieces = shown([data] if data else []), shown(cut(data, places))
    assert [line.rstrip() for line in pieces.split("\n")] == [line.rstrip() for line in whole.split("\n")]


@given(TEXTS, st.lists(st.integers(0, 200), max_size=8))
def test_nothing_commands_a_runner(text: str, places: list[int]) -> None:
    found = shown(cut(text.encode("utf-8", "replace"), places))
    assert not re.search(r"^\s*::", found, re.MULTILINE)
    assert "##[" not in found
    assert "\x1b" not in found
