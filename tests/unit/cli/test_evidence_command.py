"""`gate evidence`: written from the last verdict, verified offline, and red after one flipped byte."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from gate import render
from gate.cli import exit_code_of
from tests.support import verdicts


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".gate").mkdir()
    (tmp_path / ".gate/verdict.json").write_text(render.verdict_json(verdicts.worse()))
    (tmp_path / ".gate/candidate.json").write_text("{}")
    (tmp_path / "baselines").mkdir()
    (tmp_path / "baselines/default.jsonl").write_text('{"gate_baseline":1,"suite":"default"}\n')
    return tmp_path


def created(capsys: pytest.CaptureFixture[str]) -> str:
    assert exit_code_of(["evidence", "create"]) == 0
    return capsys.readouterr().out.strip()


def test_an_archive_is_written_and_verified(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    seal = created(capsys)
    archive = folder / ".gate/evidence.zip"
    with zipfile.ZipFile(archive) as opened:
        assert set(opened.namelist()) == {
            "manifest.json",
            "verdict.json",
            "candidate.json",
            "baseline.jsonl",
            "settings.json",
            "acceptances.json",
            "versions.json",
        }
        assert "pytest" in json.loads(opened.read("versions.json"))["packages"]
        assert "token" not in json.loads(opened.read("settings.json"))
    assert exit_code_of(["evidence", "verify", str(archive), "--seal", seal]) == 0
    told = capsys.readouterr()
    assert told.out.strip() == seal
    assert "6 files hold; verdict: regression" in told.err


def test_one_flipped_byte_fails_the_verification(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    created(capsys)
    archive = folder / ".gate/evidence.zip"
    data = bytearray(archive.read_bytes())
    data[len(data) // 3] ^= 1
    archive.write_bytes(bytes(data))
    assert exit_code_of(["evidence", "verify", str(archive)]) == 1
    assert "evidence.zip" in capsys.readouterr().err


def test_another_seal_fails_the_verification(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    seal = created(capsys)
    assert exit_code_of(["evidence", "verify", ".gate/evidence.zip", "--seal", "0" * 64]) == 1
    assert seal in capsys.readouterr().err
    for part in (seal[:12], f"{seal}0", "abc"):
        assert exit_code_of(["evidence", "verify", ".gate/evidence.zip", "--seal", part]) == 2
        assert "64 hexadecimal digits" in capsys.readouterr().err
    assert exit_code_of(["evidence", "verify", "absent.zip"]) == 2
    assert "no such archive" in (said := capsys.readouterr().err)
    assert "`gate evidence create` writes one" in said


def test_without_a_verdict_there_is_nothing_to_seal(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / ".gate/verdict.json").unlink()
    assert exit_code_of(["evidence", "create"]) != 0
    assert "Traceback" not in capsys.readouterr().err
