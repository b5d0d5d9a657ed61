"""What a report says of its machine: the processor as it calls itself, and what is set about threads."""

from __future__ import annotations

from pathlib import Path

import pytest

from gate.record.plugin import machine

X86 = "processor\t: 0\nmodel name\t: Some(R)  CPU @ 2.00GHz\n\nprocessor\t: 1\nmodel name\t: Other\n"


def named(monkeypatch: pytest.MonkeyPatch, path: Path, text: str) -> str:
    path.write_text(text, encoding="utf-8")
    monkeypatch.setattr(machine, "_CPU_INFO", path)
    return machine.processor()


def test_the_first_core_names_the_processor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert named(monkeypatch, tmp_path / "cpuinfo", X86).startswith("Some(R) CPU @ 2.00GHz ")
    assert "Other" not in named(monkeypatch, tmp_path / "cpuinfo", X86)


def test_where_the_system_does_not_say_the_architecture_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PROCESSOR_IDENTIFIER", raising=False)
    assert named(monkeypatch, tmp_path / "cpuinfo", "processor: 0\nflags: x\n")
    monkeypatch.setattr(machine, "_CPU_INFO", tmp_path / "none")
    assert machine.processor()


def test_only_what_is_set_about_threads_is_told() -> None:
    assert "threads" not in machine.machine({"HOME": "/h", "MKL_NUM_THREADS": ""})
    told = machine.machine({"OMP_NUM_THREADS": "4", "MKL_NUM_THREADS": "2", "TOKEN": "x"})
    assert told["threads"] == "OMP_NUM_THREADS=4 MKL_NUM_THREADS=2"
    assert sorted(told) == ["processor", "pytest", "python", "threads"]
