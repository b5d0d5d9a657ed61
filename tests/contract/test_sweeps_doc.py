"""docs/sweeps.md lists every key of the configuration with its default, and its examples work."""

from __future__ import annotations

import dataclasses
import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from gate.suites.perturbation.audit_config import AUDIT_KEYS, KEYS, SweepConfig, read_config
from tests.support import fork_server, readme
from tests.support.command_line import environment

TEXT = (readme.ROOT / "docs" / "sweeps.md").read_text(encoding="utf-8")
SAID_IN_WORDS = {"path", "target", "features", "ids", "imported", "file", "url", "kind", "labels"}
"""Fields whose empty default means something else than an empty value."""


def table(heading: str) -> dict[str, list[str]]:
    part = TEXT.split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0]
    rows = part.split("| key |", 1)[1].split("\n\n", 1)[0].splitlines()[2:]
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in rows]
    return {row[0].strip("`"): row[1:] for row in cells}


def test_every_key_of_our_format_stands_there_in_order_with_its_default() -> None:
    rows = table("Configuration")
    assert list(rows) == [f"{part}.{key}" for part, known in KEYS.items() for key in known]
    defaults = {each.name: each.default for each in dataclasses.fields(SweepConfig)}
    for part, known in KEYS.items():
        for key, (name, _) in known.items():
            told, meaning = rows[f"{part}.{key}"]
            assert meaning
            if name not in SAID_IN_WORDS:
                value = defaults[name]
                wanted = json.dumps(list(value) if isinstance(value, tuple) else value)
                assert told == f"`{wanted}`", key


def test_every_key_of_a_foreign_file_stands_there() -> None:
    assert list(table("From GlassAlpha")) == [f"{part}.{key}" for part, known in AUDIT_KEYS.items() for key in known]


def test_every_field_can_be_set() -> None:
    settable = {name for known in KEYS.values() for name, _ in known.values()}
    assert settable == {each.name for each in dataclasses.fields(SweepConfig)} - {"columns", "aliases", "notes"}
    assert {name for known in AUDIT_KEYS.values() for name, _ in known.values()} <= settable


def test_the_configuration_that_is_shown_is_read() -> None:
    block = readme.blocks(TEXT, "toml")[0]
    found = read_config(block.encode(), "sweep.toml")
    assert (found.path, found.protected, found.epsilons) == ("credit.csv", ("sex", "age"), (0.01, 0.05, 0.1))


def test_the_python_that_is_shown_runs(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("pandas")
    pytest.importorskip("sklearn")
    swept, _, compared = readme.blocks(TEXT, "python")
    exec(compile(swept, "docs/sweeps.md", "exec"), {})
    assert re.match(r"(PASS|WARNING|FAIL) 0\.\d+ ", capsys.readouterr().out)
    found: dict[str, Any] = {}
    exec(compile(compared, "docs/sweeps.md", "exec"), found)
    assert found["pairs"].gone == ("a0",)
    assert found["rates"].negative > 0
    assert "True" in capsys.readouterr().out.splitlines()


def test_the_test_that_is_shown_runs(tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    pytest.importorskip("sklearn")
    (tmp_path / "test_doc.py").write_text(readme.blocks(TEXT, "python")[1], encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--gate-report", "report.json"]
    ended = fork_server.run(command, cwd=tmp_path, environ=environment({}))
    assert ended.returncode == 0, ended.stdout + ended.stderr
    (test,) = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))["tests"]
    (swept,) = test["metadata"]["gate"]["predictions"]
    assert [attack["name"] for attack in swept["attacks"]] == [
        "gaussian ε=0.02", "gaussian ε=0.1", "worst case ε=0.02", "worst case ε=0.1",
        "uniform ε=0.02", "uniform ε=0.1", "category-swap k=1",
    ]  # fmt: skip
    assert (tmp_path / "witnesses.jsonl").is_file()


def test_links_lead_to_headings() -> None:
    for target, anchor in re.findall(r"\]\((?!https?:)([\w./-]*)#([\w-]+)\)", TEXT):
        there = (readme.ROOT / "docs" / target).read_text(encoding="utf-8") if target else TEXT
        slugs = {
            re.sub(r"[^\w\- ]", "", head).replace(" ", "-").lower() for head in re.findall(r"^#+ (.+)$", there, re.M)
        }
        assert anchor in slugs, f"{target}#{anchor}"


def test_every_option_of_the_command_that_is_named_exists() -> None:
    from gate.cli.sweep import sweep

    known: set[Any] = {option for each in sweep.params for option in each.opts}
    assert set(re.findall(r"`(--[a-z-]+)", TEXT)) <= known
