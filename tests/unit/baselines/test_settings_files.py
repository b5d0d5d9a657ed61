"""Settings files of a folder: read, refused with file and line, and told apart."""

from __future__ import annotations

from pathlib import Path

import pytest

from gate.baselines.settings_files import (
    MAX_SETTINGS_BYTES,
    local_layers,
    read_layer,
    readable,
    settings_differences,
)
from gate.errors import SettingsError
from gate.settings import Layer, resolve


def read(**files: str | bytes) -> Layer | None:
    named = {name.replace("_", "."): text.encode() if isinstance(text, str) else text for name, text in files.items()}
    return read_layer(named.get, "base 1234567")


def test_own_file_and_shared_file() -> None:
    assert read(gate_toml="alpha = 0.1") == Layer("base 1234567:gate.toml", {"alpha": 0.1})
    assert read(pyproject_toml="[tool.gate]\nalpha = 0.1") == Layer("base 1234567:pyproject.toml", {"alpha": 0.1})
    assert read(pyproject_toml="[tool.other]\nalpha = 0.1") is None
    assert read(pyproject_toml="tool = 1") is None
    assert read() is None


def test_an_own_file_beside_a_pyproject_without_our_table() -> None:
    layer = read(gate_toml="alpha = 0.1", pyproject_toml="[project]\nname = 'x'")
    assert layer is not None
    assert layer.name.endswith("gate.toml")


def test_both_are_refused() -> None:
    with pytest.raises(SettingsError, match="both hold settings"):
        read(gate_toml="alpha = 0.1", pyproject_toml="[tool.gate]\nalpha = 0.1")


def test_a_list_of_suppressions_is_no_setting() -> None:
    listed = "[[suppressions]]\nmutant = '0123456789ab'\nreason = 'equal'\n"
    assert read(gate_toml=f"alpha = 0.1\n{listed}") == Layer("base 1234567:gate.toml", {"alpha": 0.1})
    both = read(gate_toml=listed, pyproject_toml="[tool.gate]\nalpha = 0.1")
    assert both == Layer("base 1234567:pyproject.toml", {"alpha": 0.1})


@pytest.mark.parametrize(
    ("text", "said", "where"),
    [
        ("alpha = 0.1\nalpha = 0.2\n", "is not TOML", ":gate.toml:2:"),
        ("\na = [", "is not TOML", ":gate.toml:2"),
        ("x = " + "[" * 100_000, "is not TOML", ":gate.toml"),
        (b"alpha = 0.1\n\n# \xff", "is not UTF-8", ":gate.toml:3"),
        ("alpha = 0.1\n\nalhpa = 1", "unknown setting `alhpa`", ":gate.toml:3"),
        ("alpha = 0.1\n[rules]\nnewly-faling = {level = 'off'}", "no rule is called `newly-faling`", ":gate.toml:3"),
        ("[rules.flakey]\nlevel = 'off'", "no rule is called `flakey`", ":gate.toml:1"),
        ("# alpha\nalpha = 7", "`alpha` can't be '7'", ":gate.toml:2"),
        ("# [rules.flaky]\n# level = 1\n[rules.flaky]\nlevel = 'loud'", "`rules.flaky.level` can't be", ":gate.toml:4"),
        ("[rules.negative-flip]\nlevel = 'off'\n[rules.flaky]\nlevel = 'loud'", "can't be 'loud'", ":gate.toml:4"),
        ("alpha = 0.1\n[tool.gate]\ndelta = 0.2", "`[tool.gate]` stands in gate.toml", ":gate.toml:2"),
        ("[rules.flaky]\nlevel = 'loud'", "`rules.flaky.level` can't be 'loud'", ":gate.toml:2"),
        ("[rules.flaky]\ntolerance = nan", "`rules.flaky.tolerance` can't be 'nan'", ":gate.toml:2"),
        ("x = '" + "y" * MAX_SETTINGS_BYTES + "'", "more than the limit of 1,000,000", ":gate.toml"),
    ],
    ids=lambda value: str(value)[:25],
)
def test_what_cannot_be_read_names_file_and_line(text: str | bytes, said: str, where: str) -> None:
    with pytest.raises(SettingsError) as caught:
        read(gate_toml=text)
    assert said in caught.value.message
    assert where in caught.value.where
    assert caught.value.remedy
    assert caught.value.exit_code == 2


def test_a_table_that_is_none() -> None:
    with pytest.raises(SettingsError, match=r"`tool\.gate` is a table"):
        read(pyproject_toml="[tool]\ngate = 1")


def test_a_byte_order_mark_is_no_error() -> None:
    assert read(gate_toml=b"\xef\xbb\xbfalpha = 0.1") is not None


def test_differences_are_told_also_of_what_does_not_decide() -> None:
    before = read(gate_toml="alpha = 0.1\ntimeout = 5\nreports = ['a.json']\n[rules.flaky]\ntolerance = 1")
    after = Layer(
        "head",
        {"timeout": 6, "suite": "slow", "rules": {"flaky": {"tolerance": 2}, "new-case": {"level": "error"}}},
        trusted=False,
    )
    assert settings_differences(before, after) == (
        "`alpha`: 0.1 → 0.05 (head)",
        "`rules.flaky.tolerance`: 1.0 → 2.0 (head)",
        "`rules.new-case.level`: default → error (head)",
        "`reports`: a.json → none (head)",
        "`suite`: default → slow (head)",
        "`timeout`: 5.0 → 6.0 (head)",
    )
    assert settings_differences(before, before) == ()
    assert settings_differences(None, None) == ()


def test_what_only_the_base_changed_since_is_no_difference_of_the_heads() -> None:
    fork = read(gate_toml="alpha = 0.1\ntimeout = 5\n[rules.flaky]\nlevel = 'note'")
    now = read(gate_toml="alpha = 0.01\ntimeout = 7\n[rules.flaky]\nlevel = 'error'")
    assert settings_differences(now, fork, fork) == ()
    head = Layer("head", {"alpha": 0.2, "timeout": 7, "rules": {"flaky": {"level": "off"}}}, trusted=False)
    assert settings_differences(now, head, fork) == (
        "`alpha`: 0.01 → 0.2 (head)",
        "`rules.flaky.level`: error → off (head)",
    )


@pytest.mark.parametrize("file", ["gate_toml", "pyproject_toml"])
def test_a_token_may_not_stand_in_a_file(file: str) -> None:
    table = "[tool.gate]\n" if file == "pyproject_toml" else "# ours\n"
    with pytest.raises(SettingsError, match="`token` may not stand in a file") as caught:
        read(**{file: f"{table}alpha = 0.1\ntoken = 'ghs_0123456789'\n"})
    assert caught.value.where == f"base 1234567:{file.replace('_', '.')}:3"
    assert "ghs_" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("suite = 'slow'\nalhpa = 1\ntoken = 'x'\n", {"suite": "slow"}),
        ("suite = '../x'\n", {"suite": "../x"}),
        ("suite = ", None),
        (b"\xff", None),
    ],
)
def test_what_is_left_of_a_file_that_can_not_be_used(text: str | bytes, found: dict[str, str] | None) -> None:
    data = text.encode() if isinstance(text, str) else text
    layer = readable({"gate.toml": data}.get)
    assert (None if layer is None else layer.values) == found


def test_writing_a_default_down_changes_nothing() -> None:
    assert settings_differences(None, read(gate_toml="alpha = 0.05")) == ()


def test_local_layers(tmp_path: Path) -> None:
    assert local_layers(tmp_path) == []
    (tmp_path / "gate.toml").write_text("delta = 0.2\n", encoding="utf-8")
    assert resolve(local_layers(tmp_path)).settings.delta == 0.2
    assert local_layers(tmp_path)[0].trusted


def test_local_files_must_be_plain(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_text("delta = 0.2\n", encoding="utf-8")
    (tmp_path / "gate.toml").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(SettingsError, match="no plain file"):
        local_layers(tmp_path)
    (tmp_path / "gate.toml").unlink()
    (tmp_path / "gate.toml").mkdir()
    with pytest.raises(SettingsError, match="no plain file"):
        local_layers(tmp_path)
