"""A repository whose stochastic tests ask a seeded fake model, which counts its calls outside the repository."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from tests.support.command_line import Shell
from tests.support.repository import Repository

CASES = 12
SUITE = "tests/test_model.py"
MODEL = """
import hashlib, os, pathlib
RATES = {rates!r}

def ask(name):
    path = pathlib.Path(os.environ["MODEL_CALLS"]) / name
    number = path.stat().st_size if path.exists() else 0
    with path.open("a") as stream:
        stream.write("b" if "gate-base-" in __file__ else "h")
    text = os.environ["MODEL_SEED"] + name + str(number)
    draw = int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big") / 2**64
    return draw < RATES.get(name, {rate!r})
"""
TESTS = """
import pytest
from model import ask

@pytest.mark.stochastic
@pytest.mark.parametrize("case", range({cases}))
def test_case(case):
    assert ask(f"case{{case}}")

def test_plain():
    assert True
"""


def model(rate: float = 0.9, **rates: float) -> str:
    """The fake model's code, with other rates for some cases (`case3=0.0`)."""
    return MODEL.format(rate=rate, rates=rates)


def suite(cases: int = CASES) -> str:
    return TESTS.format(cases=cases)


def name(case: int) -> str:
    """The id of a case."""
    return f"{SUITE}::test_case[{case}]"


def line(case_id: str, outcomes: str = "1111101111" * 5, **asked: object) -> str:
    """One stochastic case of a baseline: sessions of ten trials."""
    sessions = [{"session": f"s{at // 10}", "outcomes": outcomes[at : at + 10]} for at in range(0, len(outcomes), 10)]
    given = {"delta": "0.3", "max_trials": "60", "power": "0.9", **{key: str(value) for key, value in asked.items()}}
    trials = {"sessions": sessions, "asked": given}
    return json.dumps({"id": case_id, "outcome": "passed", "stochastic": True, "trials": trials})


def baseline(*lines: str) -> str:
    plain = json.dumps({"id": f"{SUITE}::test_plain", "outcome": "passed"})
    return "\n".join(['{"gate_baseline":1}', *(lines or map(line, map(name, range(CASES)))), plain]) + "\n"


FILES = {
    "model.py": model(),
    SUITE: suite(),
    "pytest.ini": "[pytest]\n",
    "README.md": "A model.\n",
    "baselines/default.jsonl": baseline(),
    ".gitignore": "/.gate/\n__pycache__/\n",
}


@dataclass(frozen=True, slots=True)
class StochasticProject:
    """The repository, on a branch `change`, and where its model counts."""

    repository: Repository
    counted: Path

    @property
    def path(self) -> Path:
        return self.repository.path

    @property
    def variables(self) -> dict[str, str]:
        """What the fake model reads. Only the gate's own plugin is loaded: that is most of a short run."""
        return {
            "MODEL_CALLS": str(self.counted),
            "MODEL_SEED": "7",
            "OPENBLAS_NUM_THREADS": "1",
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            "PYTHONDONTWRITEBYTECODE": "1",  # two models may have one size and one second
        }

    def sizes(self) -> dict[str, int]:
        """Calls so far by name."""
        return {path.name: path.stat().st_size for path in self.counted.iterdir()}

    def since(self, before: Mapping[str, int]) -> str:
        """Calls since then, a character each: whose code the model was of, `b` the base's or `h` the head's."""
        return "".join(path.read_text()[before.get(path.name, 0) :] for path in self.counted.iterdir())

    def commit(self, files: Mapping[str, str | bytes | None] = MappingProxyType({})) -> None:
        """Commit these files, and nothing that git is told to ignore; without any, an empty commit."""
        self.repository.write(files)
        self.repository.git("add", "--all")
        self.repository.git("commit", "--quiet", "--allow-empty", "-m", "change")

    @property
    def verdict(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.path / ".gate" / "verdict.json").read_text("utf-8"))
        return found


def stochastic_project(folder: Path, files: Mapping[str, str | bytes | None] | None = None) -> StochasticProject:
    """A project whose main has a baseline of 50 trials a case; nothing has changed on its branch yet."""
    repository = Repository(folder / "project")
    repository.commit({**FILES, **(files or {})})
    repository.branch("change")
    counted = folder / "calls"
    counted.mkdir()
    return StochasticProject(repository, counted)


@dataclass(frozen=True, slots=True)
class GateRun:
    """How `gate ci` ended, and the calls of the model that it made, a character each."""

    code: int
    out: str
    calls: str
    verdict: dict[str, Any]

    @property
    def told(self) -> int:
        """Trials that the verdict says were made."""
        return int(self.verdict["budget"]["made"])

    @property
    def failing(self) -> list[str]:
        """Cases with an error."""
        return [
            each["case_id"] for each in self.verdict["findings"] if each["level"] == "error" and "::" in each["case_id"]
        ]

    @property
    def decided(self) -> dict[str, tuple[str, str]]:
        """Answer of each stochastic case, and how it was found."""
        return {each["case_id"]: (each["answer"], each["how"]) for each in self.verdict["decisions"]}


@dataclass(frozen=True, slots=True)
class GateRuns:
    """Calls `gate ci` in a project."""

    shell: Shell

    def __call__(self, project: StochasticProject, *arguments: str, **variables: str) -> GateRun:
        before = project.sizes()
        ended = self.shell("-q", "ci", *arguments, cwd=project.path, **{**project.variables, **variables})
        text = " ".join((ended.out + ended.err).split())
        return GateRun(ended.code, text, project.since(before), project.verdict)
