"""Twelve attempts of a pull request to loosen its own gate, each played; docs/security.md lists them with these tests.

Every pull request here makes a test fail, or a measure worse, and brings what is to hide that.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from gate.record.recordings.canonical import key
from gate.record.recordings.entry import Entry, Meta
from gate.record.recordings.exchange import Answer, Request
from gate.record.recordings.store import Store
from tests.support.command_line import BASELINE, PullRequest, Shell

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "security.md").read_text(encoding="utf-8")
ATTEMPTS = (
    *("baseline", "waiver", "settings", "levels", "alpha", "thresholds in test code"),
    *("workflow", "plugin options", "conftest that rewrites the report"),
    *("deleted tests", "skipped tests", "recordings edited"),
)
OUTCOMES = {"impossible", "made visible", "not promised"}
NOWHERE = "http://127.0.0.1:9"
CASE = "test_a.py::test_two"
WORSE = "def test_one(): pass\ndef test_two(): assert 0, 'lost'\n"
URL = "https://api.openai.com/v1/chat/completions"
Files = Mapping[str, str | bytes | None]


@dataclass(frozen=True, slots=True)
class Gated:
    """What `gate ci` made of one pull request."""

    code: int
    printed: str
    verdict: Mapping[str, Any]
    comment: str

    @property
    def rules(self) -> set[str]:
        return {each["rule"] for each in self.verdict["findings"]}

    def told(self, rule: str) -> str:
        """What the findings of a rule say."""
        return json.dumps([each for each in self.verdict["findings"] if each["rule"] == rule])

    @property
    def changed(self) -> str:
        """The lines at the top of the comment, down to the first finding."""
        return self.comment.partition("F1")[0] or self.comment


Attempt = Callable[..., Gated]


@pytest.fixture
def attempt(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Attempt:
    shell = Shell(monkeypatch, capsys)

    def run(change: Files, main: Files | None = None, arguments: Sequence[str] = (), **variables: str) -> Gated:
        pull = PullRequest(tmp_path, {"test_a.py": WORSE, **change}, main)
        folder = pull.checkout("work")
        ended = shell("ci", *arguments, cwd=folder, **pull.variables(NOWHERE, **variables))
        left = folder / ".gate"
        verdict = json.loads((left / "verdict.json").read_text("utf-8"))
        return Gated(ended.code, ended.out + ended.err, verdict, (left / "comment.md").read_text("utf-8"))

    return run


def baseline(*cases: Mapping[str, Any]) -> str:
    return "".join(f"{json.dumps(each)}\n" for each in ({"gate_baseline": 1}, *cases))


def still_red(gated: Gated, rule: str = "newly-failing") -> None:
    assert gated.code == 1, gated.printed
    assert rule in gated.rules


def test_the_page_lists_each_attempt_with_its_test() -> None:
    section = re.search(r"^## Twelve attempts .*?\n(.*?)(?=^## )", PAGE, re.MULTILINE | re.DOTALL)
    assert section is not None
    lines = [line for line in section[1].splitlines() if "`test_" in line]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    assert tuple(row[0] for row in rows) == ATTEMPTS
    assert {row[1] for row in rows} <= OUTCOMES
    own = {name for name in globals() if name.startswith("test_")} - {"test_the_page_lists_each_attempt_with_its_test"}
    assert sorted(row[-1].strip("`") for row in rows) == sorted(own)
    assert set(re.findall("|".join(OUTCOMES), section[1])) == OUTCOMES
    for remedy in ("code owners", "required workflow"):
        assert remedy in section[1]


def test_a_baseline_of_its_own(attempt: Attempt) -> None:
    gated = attempt({"baselines/default.jsonl": BASELINE.replace('"passed"', '"failed"')})
    still_red(gated)
    assert "baseline-changed" in gated.rules


def test_a_waiver_of_its_own(attempt: Attempt) -> None:
    waiver = f'[[waiver]]\nrule = "newly-failing"\ncase = "{CASE}"\namount = 1\nreason = "known"\nwho = "Ann"\n'
    gated = attempt({"baselines/waivers.toml": waiver})
    still_red(gated)
    assert not [each for each in gated.verdict["findings"] if each.get("waived") or each.get("accepted")]
    assert "waivers" in gated.changed
    assert "baselines/waivers.toml" in gated.changed


def test_settings_of_its_own(attempt: Attempt) -> None:
    gated = attempt({"gate.toml": f"observe = true\narguments = '--deselect {CASE}'\nreport = 'fine.json'\n"})
    still_red(gated)
    assert gated.verdict["observe"] is False
    for name in ("observe", "arguments", "report"):
        assert name in gated.told("settings-changed")


def test_levels_of_its_own(attempt: Attempt) -> None:
    gated = attempt({"gate.toml": "[rules.newly-failing]\nlevel = 'off'\n"})
    still_red(gated)
    assert "newly-failing" in gated.told("settings-changed")


def test_an_alpha_of_its_own(attempt: Attempt) -> None:
    gated = attempt({"gate.toml": "alpha = 0.000001\n"}, {"gate.toml": "alpha = 0.2\n"}, GATE_ALPHA="0.000001")
    still_red(gated)
    assert gated.verdict["alpha"] == 0.2
    assert "alpha" in gated.told("settings-changed")
    assert any("`alpha` from the" in each for each in gated.verdict["notices"])


def test_thresholds_in_its_test_code(attempt: Attempt) -> None:
    suite = "def test_a(robustness): robustness.metric('accuracy', {}, threshold={}, tolerance={})\n"
    metric = {"name": "accuracy", "value": 0.93, "better": "higher", "threshold": 0.9, "tolerance": 0.01}
    main = {
        "test_a.py": suite.format(0.93, 0.9, 0.01),
        "baselines/default.jsonl": baseline({"id": "test_a.py::test_a", "outcome": "passed", "metrics": [metric]}),
    }
    gated = attempt({"test_a.py": suite.format(0.6, 0.5, 0.5)}, main)
    still_red(gated, "metric-regression")
    assert "threshold" in gated.told("settings-changed")


def test_a_workflow_of_its_own(attempt: Attempt) -> None:
    """As long as the step runs. One that is deleted says nothing: only GitHub's own rules can ask for it."""
    path = ".github/workflows/robustness.yml"
    gated = attempt({path: "env: {GATE_OBSERVE: true}\n"}, {path: "env: {}\n"}, GATE_OBSERVE="true")
    still_red(gated)
    assert gated.verdict["observe"] is False
    assert path in gated.changed
    assert any("`observe` from the" in each for each in gated.verdict["notices"])


def test_plugin_options_of_its_own(attempt: Attempt) -> None:
    """The gate's own plugin stays on, a test that is left out is missed, and the file is named."""
    gated = attempt({"pytest.ini": f"[pytest]\naddopts = -p no:gate --deselect {CASE}\n"})
    still_red(gated, "missing-case")
    assert CASE in gated.told("missing-case")
    assert "pytest.ini" in gated.changed


def test_a_conftest_that_rewrites_the_report(attempt: Attempt) -> None:
    """Nobody can prevent it; a reviewer sees that the file changed, also where everything is green."""
    lies = """
import pytest

@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    report.outcome, report.longrepr = "passed", None
    return report
"""
    gated = attempt({"conftest.py": lies})
    assert gated.code == 0, gated.printed
    assert "conftest.py" in gated.changed


def test_deleted_tests(attempt: Attempt) -> None:
    gated = attempt({"test_a.py": "def test_one(): pass\n"})
    still_red(gated, "missing-case")
    assert CASE in gated.told("missing-case")


def test_skipped_tests(attempt: Attempt) -> None:
    skipped = "import pytest\ndef test_one(): pass\n@pytest.mark.skip\ndef test_two(): assert 0\n"
    gated = attempt({"test_a.py": skipped})
    still_red(gated, "newly-skipped")
    assert CASE in gated.told("newly-skipped")


ASKS = """
import urllib3

def test_one():
    body = {"model": "m", "messages": [{"role": "user", "content": "PROMPT"}]}
    answer = urllib3.request("POST", "https://api.openai.com/v1/chat/completions", json=body, retries=False)
    assert answer.json()["choices"] == ["no advice"]
"""


def recorded(folder: Path, prompt: str, answer: str) -> dict[str, bytes]:
    """The files of a folder of recordings with one answer."""
    body = {"model": "m", "messages": [{"role": "user", "content": prompt}]}
    asked = key(Request("POST", URL, (("content-type", "application/json"),), json.dumps(body).encode()))
    given = Answer(200, (("content-type", "application/json"),), (json.dumps({"choices": [answer]}).encode(),))
    store = Store(folder / "recordings")
    store.put([Entry(asked.digest, "test_a.py::test_one", 0, 0, given, Meta("2026-01-01", "m-1"), request=asked.shown)])
    files = (path for path in sorted(store.folder.rglob("*")) if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def test_edited_recordings(attempt: Attempt, tmp_path: Path) -> None:
    """A replay believes what stands there, as it believes the tests; that it was edited stands above the verdict."""
    pytest.importorskip("urllib3")
    held = {"id": "test_a.py::test_one", "outcome": "passed"}
    main = {
        **{"test_a.py": ASKS.replace("PROMPT", "be kind"), "gate.toml": "mode = 'replay'\n"},
        **{"baselines/default.jsonl": baseline(held)},
        **recorded(tmp_path / "before", "be kind", "no advice"),
    }
    change = recorded(tmp_path / "after", "be rude", "no advice")
    gated = attempt({"test_a.py": ASKS.replace("PROMPT", "be rude"), **change}, main)
    assert gated.code == 0, gated.printed
    assert "recordings" in gated.changed
