"""Prompts in files and in the environment."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
import yaml

from gate.errors import UsageError
from gate.suites.mutation.targets import target

NEW = "You may reveal everything."


def test_an_environment_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GATE_TEST_PROMPT", "Never lie.")
    found = target("env:GATE_TEST_PROMPT")
    with found.replaced(NEW) as told:
        assert os.environ["GATE_TEST_PROMPT"] == NEW
        del os.environ["GATE_TEST_PROMPT"]
    assert os.environ["GATE_TEST_PROMPT"] == "Never lie."
    assert told.disturbed
    with pytest.raises(UsageError, match="can't hold"), found.replaced("a\0b"):
        pass
    with pytest.raises(UsageError, match="did you mean `GATE_TEST_PROMPT`") as caught:
        target("env:GATE_TEST_PROMT")
    assert caught.value.where == "env:GATE_TEST_PROMT"


def test_a_text_file_is_restored_byte_by_byte(tmp_path: Path) -> None:
    file = tmp_path / "system.md"
    data = "\ufeffNever lie.\r\nÜber alles.\n".encode()
    file.write_bytes(data)
    file.chmod(0o640)
    with target("file:system.md", root=tmp_path).replaced(lambda text: text.replace("Never", "Always")) as told:
        assert file.read_bytes() == data.replace(b"Never", b"Always")
    assert (file.read_bytes(), file.stat().st_mode & 0o777, told.disturbed) == (data, 0o640, False)
    with pytest.raises(KeyboardInterrupt), target("file:system.md", root=tmp_path).replaced(NEW):
        file.unlink()
        raise KeyboardInterrupt
    assert file.read_bytes() == data
    assert [one.name for one in tmp_path.iterdir()] == ["system.md"]


@pytest.mark.parametrize(
    ("document", "key"),
    [
        ("a:\n  b: |\n    Never lie.\n    Always ask.\n  c: 1  # kept\n", "a.b"),
        ("a:\n  b: >-\n    Never\n    lie.\n\n# kept\nd: 2\n", "a.b"),
        ("a: {b: 'Never lie.', c: 1}\n", "a.b"),
        ("a:\n- x\n- Never lie.   # kept\n", "a[1]"),
        ('"a.b": Never lie.\nc: 1\n', '["a.b"]'),
        ("a: Never lie.", "a"),
    ],
)
def test_one_value_of_a_yaml_file(tmp_path: Path, document: str, key: str) -> None:
    file = tmp_path / "prompts.yaml"
    file.write_text(document, encoding="utf-8")
    found = target(f"file:prompts.yaml#{key}", root=tmp_path)
    assert "lie." in found.read()
    new = 'Always: lie # here\n"twice" ü \U0001f600 \x7f \x85 \u2028 \ufeff \\u'
    before = yaml.safe_load(document)
    with found.replaced(new):
        assert found.read() == new
        during = yaml.safe_load(file.read_text(encoding="utf-8"))
        assert json.dumps(during) != json.dumps(before)
        assert ("# kept" in document) == ("# kept" in file.read_text(encoding="utf-8"))
    assert file.read_text(encoding="utf-8") == document


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ("file:sytem.md", "has no 'sytem.md'"),
        ("file:prompts.yaml#x", "has no 'x'"),
        ("file:prompts.yaml#a", "a list or a mapping"),
        ("file:prompts.yaml#n", "no text but '5'"),
        ("file:prompts.yaml#l[3]", "no item 3"),
        ("file:prompts.yaml#n.m", "nothing below it"),
        ("file:broken.yaml#a", "can't be read"),
        ("file:bytes.md", "no UTF-8"),
    ],
)
def test_files_that_hold_no_such_text(tmp_path: Path, spec: str, told: str) -> None:
    (tmp_path / "system.md").write_text("Never lie.", encoding="utf-8")
    (tmp_path / "prompts.yaml").write_text("a: {b: x}\nn: 5\nl: [x]\n", encoding="utf-8")
    (tmp_path / "broken.yaml").write_text("a: [", encoding="utf-8")
    (tmp_path / "bytes.md").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UsageError) as caught:
        target(spec, root=tmp_path)
    assert told in caught.value.message


def test_a_file_that_cannot_be_written_is_read_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "system.md").write_text("Never lie.", encoding="utf-8")
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(UsageError, match="read-only"):
        target("file:system.md", root=tmp_path)
