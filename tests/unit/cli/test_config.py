"""`gate config` tells for every setting its value, its origin and whether it decides, and never a secret."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from gate.cli.config import may_be
from gate.settings import decides, names
from tests.support import fork_server
from tests.support.repository import Repository


def config(*arguments: str, cwd: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    environ = {name: value for name, value in os.environ.items() if not name.startswith(("GATE_", "GITHUB_", "INPUT_"))}
    return fork_server.run([sys.executable, "-m", "gate", "config", *arguments], cwd=cwd, environ=environ | variables)


def rows(folder: Path, **variables: str) -> dict[str, dict[str, object]]:
    result = config("--json", cwd=folder, **variables)
    assert result.returncode == 0, result.stderr
    return {row["key"]: row for row in json.loads(result.stdout)["settings"]}


def test_every_setting_is_listed_with_its_origin(tmp_path: Path) -> None:
    (tmp_path / "gate.toml").write_text("alpha = 0.01\nsuite = 'fraud'\n", encoding="utf-8")
    found = rows(tmp_path, GATE_TIMEOUT="60", GATE_SUITE="spam")
    assert tuple(found) == names()
    assert {key: row["decides"] for key, row in found.items()} == {key: decides(key) for key in names()}
    assert (found["alpha"]["value"], found["alpha"]["from"]) == (0.01, "gate.toml")
    assert (found["suite"]["value"], found["suite"]["from"]) == ("spam", "environment")
    assert (found["timeout"]["value"], found["timeout"]["from"]) == (60.0, "environment")
    assert (found["delta"]["value"], found["delta"]["from"]) == (0.3, "default")


def test_the_table_has_a_line_for_each(tmp_path: Path) -> None:
    result = config(cwd=tmp_path)
    lines = result.stdout.splitlines()
    assert lines[0].split() == ["setting", "value", "from", "decides"]
    assert [line.split()[0] for line in lines[1:]] == list(names())
    assert {line.split()[0] for line in lines[1:] if line.endswith(" yes")} == {key for key in names() if decides(key)}


@pytest.mark.parametrize("arguments", [(), ("--json",), ("token",)])
def test_a_secret_is_never_shown(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    result = config(*arguments, cwd=tmp_path, GATE_TOKEN="ghs_secret")
    assert "ghs_secret" not in result.stdout + result.stderr
    assert "set" in result.stdout
    assert rows(tmp_path)["token"]["value"] == "not set"
    assert rows(tmp_path, GATE_TOKEN="ghs_secret")["token"]["value"] == "set"


def test_details_of_one_setting(tmp_path: Path) -> None:
    result = config("comment", cwd=tmp_path)
    assert result.stdout.splitlines() == [
        "comment = always",
        "  when to comment on the pull request",
        "  may be: one of always, findings, never",
        "  from: default",
        "  decides: no; the workflow may set it too",
        "  environment: GATE_COMMENT; also an input of the action",
    ]


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("alpha", "a number above 0 and below 1"),
        ("max-report-bytes", "a whole number above 0"),
        ("observe", "true or false"),
        ("reports", "a list of texts"),
        ("mode", "one of live, record, replay, auto"),
        ("baseline", "a text"),
        ("suite", "a text 1 to 60 letters, digits, `_`, `.` or `-`"),
    ],
)
def test_what_a_setting_may_be(key: str, expected: str) -> None:
    assert may_be(key) == expected


def test_every_rule_and_level_is_named() -> None:
    assert "negative-flip" in may_be("rules")
    assert "warning" in may_be("rules")


def test_an_unknown_name(tmp_path: Path) -> None:
    result = config("alpa", cwd=tmp_path)
    assert result.returncode == 2
    assert "did you mean `alpha`?" in result.stderr


def test_a_wrong_value_has_its_place(tmp_path: Path) -> None:
    (tmp_path / "gate.toml").write_text("alpha = 2\n", encoding="utf-8")
    result = config(cwd=tmp_path)
    assert result.returncode == 2
    assert "gate.toml:1" in result.stderr


def test_settings_can_not_write_to_the_terminal(tmp_path: Path) -> None:
    (tmp_path / "gate.toml").write_text('arguments = "\\u001b[2Jx"\n', encoding="utf-8")
    result = config(cwd=tmp_path)
    assert result.returncode == 0
    assert "\x1b" not in result.stdout


@pytest.fixture
def pull_request(tmp_path: Path) -> Repository:
    """A head that loosens the settings of its base."""
    repository = Repository(tmp_path / "project")
    repository.commit({"gate.toml": "alpha = 0.01\n"})
    repository.branch("feature")
    repository.commit({"gate.toml": "alpha = 0.5\nobserve = true\ntimeout = 60\n"})
    return repository


def check_as_on_a_pull_request(result: subprocess.CompletedProcess[str], base: str, head: str) -> None:
    assert result.returncode == 0, result.stderr
    told = json.loads(result.stdout)
    found = {row["key"]: (row["value"], row["from"]) for row in told["settings"]}
    assert found["alpha"] == (0.01, f"base {base[:7]}:gate.toml")
    assert found["observe"] == (False, "default")
    assert found["timeout"] == (3600.0, "default")
    assert found["delta"] == (0.3, "default")
    ignored = {(entry["key"], entry["from"].split()[0]) for entry in told["ignored"]}
    of_head = {(key, head) for key in ("alpha", "observe", "timeout")}
    assert ignored == {*of_head, ("delta", "environment")}


def test_against_a_base_only_the_base_decides(pull_request: Repository) -> None:
    base = pull_request.git("rev-parse", "main")
    result = config("--json", "--base", "main", cwd=pull_request.path, GATE_DELTA="0.9")
    check_as_on_a_pull_request(result, base, "gate.toml")
    table = config("--base", "main", cwd=pull_request.path, GATE_DELTA="0.9")
    assert "`delta` from the environment is ignored: on a pull request only the base decides" in table.stderr


def test_in_an_action_only_the_base_decides(pull_request: Repository, tmp_path: Path) -> None:
    base, head = (pull_request.git("rev-parse", name) for name in ("main", "feature"))
    merged = pull_request.merge_like_github("main", "feature")
    event = tmp_path / "event.json"
    repository = {"full_name": "owner/name"}
    sides = {
        "base": {"ref": "main", "sha": base, "repo": repository},
        "head": {"ref": "feature", "sha": head, "repo": repository},
    }
    event.write_text(json.dumps({"action": "opened", "number": 1, "pull_request": {"number": 1, **sides}}), "utf-8")
    variables = {
        "GITHUB_ACTIONS": "true",
        "GITHUB_EVENT_NAME": "pull_request",
        "GITHUB_EVENT_PATH": str(event),
        "GITHUB_REPOSITORY": "owner/name",
        "GITHUB_SHA": merged,
    }
    check_as_on_a_pull_request(config("--json", cwd=pull_request.path, GATE_DELTA="0.9", **variables), base, "head")


def test_inputs_of_other_programs_are_left_alone(tmp_path: Path) -> None:
    assert config(cwd=tmp_path, INPUT_METHOD="ibus").returncode == 0


def test_a_rule_has_keys_as_the_documentation_names_them(tmp_path: Path) -> None:
    (tmp_path / "gate.toml").write_text("[rules.negative-flip]\ntolerance = 0.002\n", encoding="utf-8")
    result = config("rules.negative-flip.tolerance", "rules.flaky.level", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines() == [
        "rules.negative-flip.tolerance = 0.002",
        "  how much does not matter",
        "  may be: a number from 0: share of the examples (NFR)",
        "  from: gate.toml",
        "  decides: yes; on a pull request only the base decides",
        "  environment: none; it stands in a settings file",
        "rules.flaky.level = warning",
        "  what a finding of this rule does to the check",
        "  may be: one of error, warning, note, off",
        "  from: default",
        "  decides: yes; on a pull request only the base decides",
        "  environment: none; it stands in a settings file",
    ]


def test_every_key_of_the_table_of_rules_is_known(tmp_path: Path) -> None:
    text = (Path(__file__).resolve().parents[3] / "docs" / "rules.md").read_text(encoding="utf-8")
    keys = re.findall(r"\| `(rules\.[a-z-]+\.(?:level|tolerance))` \|$", text, re.MULTILINE)
    assert len(keys) > 10
    found = json.loads(config("--json", *keys, cwd=tmp_path).stdout)["settings"]
    assert [row["key"] for row in found] == keys


def test_a_rule_alone_shows_all_that_it_has(tmp_path: Path) -> None:
    found = json.loads(config("--json", "rules.negative-flip", "rules.flaky", cwd=tmp_path).stdout)["settings"]
    assert [row["key"] for row in found] == [
        "rules.negative-flip.level",
        "rules.negative-flip.tolerance",
        "rules.flaky.level",
    ]


@pytest.mark.parametrize(
    ("key", "said", "advice"),
    [
        ("rules.negative-flp.level", "no rule is called `negative-flp`", "did you mean `negative-flip`?"),
        ("rules.negative-flip.tolerence", "a rule has no `tolerence`", "did you mean `tolerance`?"),
        ("rules.flaky.tolerance", "the rule `flaky` has no tolerance", "set `rules.flaky.level`"),
    ],
)
def test_an_unknown_key_of_a_rule(tmp_path: Path, key: str, said: str, advice: str) -> None:
    result = config(key, cwd=tmp_path)
    assert result.returncode == 2
    assert result.stderr.splitlines() == [f"gate: gate config: {said}", f"  next: {advice}"]


def test_what_says_the_same_is_not_ignored(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "project")
    repository.commit({"gate.toml": "alpha = 0.01\nobserve = false\n"})
    for arguments in (("alpha", "--base", "main"), ("--base", "main")):
        assert "ignored" not in config(*arguments, cwd=repository.path, GATE_ALPHA="0.01").stderr
    told = config("alpha", "--base", "main", cwd=repository.path, GATE_ALPHA="0.5", GATE_DELTA="0.9").stderr
    assert told == "warning: `alpha` from the environment is ignored: on a pull request only the base decides\n"


def test_half_a_frequency_is_still_told_as_ignored(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "project")
    repository.commit({"README.md": "x"})
    result = config("--base", "main", cwd=repository.path, GATE_RUNS="120 a month")
    assert (result.returncode, "`runs` from the environment is ignored" in result.stderr) == (0, True), result.stderr
