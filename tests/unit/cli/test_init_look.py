"""What `gate init` sees in a repository, and that what it writes fits: workflows that linters pass, tests that run."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from gate.cli.init import plan, workflows
from gate.cli.init_adapt import adapted, first_test, install_lines
from gate.cli.init_look import Found, look

PROGRAMS = Path(sys.executable).parent
SKLEARN = "from sklearn.linear_model import LogisticRegression\n"


def write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return root


def test_what_is_seen(tmp_path: Path) -> None:
    files = {
        "pyproject.toml": "[project]\nname='x'\nrequires-python='>=3.11,<3.13'\n[project.optional-dependencies]\n"
        "docs=[]\ntest=['pytest']\n[dependency-groups]\ndev=[]\n[tool.pytest.ini_options]\n",
        "data/train.csv": "",
        "models/churn.joblib": "",
        "prompts/system.md": "",
        "prompts/README.md": "",
        "src/system_prompt.txt": "",
        "docs/guide.md": "",
        "AGENTS.md": "",
        "src/a.py": f"{SKLEARN}\nimport openai as o\n",
        "node_modules/b.csv": "",
        ".hidden/c.csv": "",
    }
    found = look(write(tmp_path, files))
    assert (found.pytest, found.data, found.models) == ("pyproject.toml", ("data/train.csv",), ("models/churn.joblib",))
    assert found.prompts == ("prompts/system.md", "src/system_prompt.txt")
    assert found.instructions == ("AGENTS.md",)
    assert (found.extras, found.groups, found.project, found.python) == (("test",), ("dev",), True, "3.12")
    assert (found.kind, found.key) == ("model", "OPENAI_API_KEY")
    assert "found prompts: prompts/system.md, src/system_prompt.txt" in found.lines()


@pytest.mark.parametrize(
    ("files", "kind"),
    [
        ({"a.py": SKLEARN}, "model"),
        ({"a.py": SKLEARN, "prompts/a.md": ""}, "model"),
        ({"prompts/a.md": "", "AGENTS.md": ""}, "prompt"),
        ({"AGENTS.md": ""}, "agent"),
        ({"a.py": "import langgraph.graph\n"}, "agent"),
        ({"a.py": "# import sklearn\nx = 'import sklearn'\n"}, "any"),
        ({}, "any"),
    ],
)
def test_the_kind_of_the_first_test(tmp_path: Path, files: dict[str, str], kind: str) -> None:
    assert look(write(tmp_path, files)).kind == kind


@pytest.mark.parametrize(
    ("files", "version"),
    [
        ({".python-version": "3.11.9\n"}, "3.11"),
        ({".python-version": "3.9\n"}, "3.13"),
        ({"pyproject.toml": "[project]\nrequires-python='~=3.11.0'\n"}, "3.11"),
        ({"pyproject.toml": "[project]\nrequires-python='nonsense'\n"}, "3.13"),
        ({"pyproject.toml": "not toml ["}, "3.13"),
    ],
)
def test_the_python_of_the_workflows(tmp_path: Path, files: dict[str, str], version: str) -> None:
    found = look(write(tmp_path, files))
    assert found.python == version
    assert f'python-version: "{version}"' in adapted(workflows()["robustness.yml"], found, "main")


_NOTHING = "# - run: python -m pip install -r"
INSTALLS = {
    "uv": ({"uv.lock": "", "pyproject.toml": ""}, "uv export --quiet --frozen"),
    "poetry": ({"poetry.lock": "", "pyproject.toml": ""}, "poetry install --no-interaction"),
    "poetry without a lock": ({"pyproject.toml": "[tool.poetry]\nname='x'\n"}, "poetry install --no-interaction"),
    "pipenv": ({"Pipfile.lock": ""}, "pipenv sync --system --dev"),
    "requirements": (
        {
            "requirements.txt": "",
            "requirements-test.txt": "",
            "requirements/dev.txt": "",
            "requirements/constraints.txt": "",
        },
        "pip install -r requirements-test.txt -r requirements.txt -r requirements/dev.txt",
    ),
    "extra": ({"pyproject.toml": "[project]\n[project.optional-dependencies]\ntests=[]\n"}, 'pip install ".[tests]"'),
    "group": ({"pyproject.toml": "[project]\n[dependency-groups]\ndev=[]\n"}, "pip install . --group dev"),
    "group alone": ({"pyproject.toml": "[dependency-groups]\ndev=[]\n"}, "pip install --group dev"),
    "project": ({"setup.py": ""}, "pip install . #"),
    "build system": ({"pyproject.toml": "[build-system]\n", "setup.cfg": ""}, "pip install . #"),
    "settings of tools": ({"pyproject.toml": "[tool.pytest.ini_options]\n", "setup.cfg": "[flake8]\n"}, _NOTHING),
    "nothing": ({}, _NOTHING),
    "prompts": ({"prompts/a.md": ""}, _NOTHING),
}


@pytest.mark.parametrize("case", INSTALLS)
def test_how_the_workflows_install(tmp_path: Path, case: str) -> None:
    files, expected = INSTALLS[case]
    found = look(write(tmp_path, files))
    assert expected in "\n".join(install_lines(found))
    for name in ("robustness.yml", "baseline.yml"):  # the others run no suite
        made = adapted(workflows()[name], found, "main")
        (job,) = YAML(typ="safe").load(made)["jobs"].values()
        runs = [step.get("run", "") for step in job["steps"]]
        at = next(n for n, run in enumerate(runs) if "robustness-gate" in run)
        assert ("pip install" in runs[at + 1] or "poetry" in runs[at + 1]) is (expected != _NOTHING)


def test_a_repository_with_prompts_gets_the_extra_wherever_its_suite_runs(tmp_path: Path) -> None:
    found = look(write(tmp_path, {"prompts/a.md": "", "requirements.txt": ""}))
    made = {name: adapted(text, found, "main") for name, text in workflows(("nightly", "shards")).items()}
    with_extra = {name: text.count('install "robustness-gate[mutation]"\n') for name, text in made.items()}
    wanted = {"baseline.yml": 1, "commands.yml": 0, "fork.yml": 0, "nightly.yml": 1, "robustness.yml": 2}
    assert with_extra == wanted
    assert all("install robustness-gate\n" not in text for name, text in made.items() if wanted[name])


def test_the_linters_of_workflows_pass_all_of_them(tmp_path: Path) -> None:
    folder = tmp_path / ".github/workflows"
    for number, (files, _) in enumerate(INSTALLS.values()):
        found = look(write(tmp_path / str(number), files))
        made = {f"{number}-{name}": adapted(text, found, "main") for name, text in workflows().items()}
        write(folder, made)
    names = [str(path) for path in sorted(folder.iterdir())]
    assert len(names) == len(workflows()) * len(INSTALLS)
    for command in (["actionlint"], ["zizmor", "--offline", "--no-progress", "--quiet"]):
        ended = subprocess.run(
            [PROGRAMS / command[0], *command[1:], *names], capture_output=True, text=True, check=False, cwd=tmp_path
        )
        assert ended.returncode == 0, ended.stdout + ended.stderr


@pytest.mark.parametrize(("library", "key"), [("anthropic", "ANTHROPIC_API_KEY"), ("json", "OPENAI_API_KEY")])
def test_the_key_is_that_of_the_client(tmp_path: Path, library: str, key: str) -> None:
    made = adapted(workflows()["baseline.yml"], look(write(tmp_path, {"a.py": f"import {library}\n"})), "main")
    assert made.count(key) == workflows()["baseline.yml"].count("OPENAI_API_KEY")


def test_a_repository_that_runs_the_gate_gets_no_second_workflow(tmp_path: Path) -> None:
    write(tmp_path, {".github/workflows/ci.yml": "jobs:\n  a:\n    steps:\n      - run: gate ci\n"})
    kept = {each.path.name: each for each in plan(tmp_path, "default", "main", look(tmp_path))}["robustness.yml"]
    assert (kept.changes, kept.reason) == (False, "ci.yml runs the gate already")
    write(tmp_path, {".github/workflows/ci.yml": "# gate ci\njobs: {}\n"})
    assert {each.path.name: each for each in plan(tmp_path, "default", "main", look(tmp_path))}[
        "robustness.yml"
    ].changes


def test_the_first_tests_run_as_they_are(tmp_path: Path) -> None:
    name = 'prompts/a "quoted" \\ name.md'
    found = {
        "model": Found(libraries=frozenset({"sklearn"}), data=('data/"x".csv',)),
        "prompt": Found(prompts=(name,)),
        "agent": Found(instructions=("AGENTS.md",)),
        "any": Found(),
    }
    assert {kind: each.kind for kind, each in found.items()} == {kind: kind for kind in found}
    tests = {f"tests/robustness/test_{kind}.py": first_test(each) for kind, each in found.items()}
    assert all("@FOUND@" not in text and "@PROMPT@" not in text for text in tests.values())
    write(tmp_path, {name: "Be kind.", **tests})
    command = [sys.executable, "-m", "gate", "--quiet", "run", "--", "-p", "no:cacheprovider", "tests/robustness"]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    report = json.loads((tmp_path / ".gate/candidate.json").read_text(encoding="utf-8"))
    assert {test["outcome"] for test in report["tests"]} == {"passed"}
    assert len(report["tests"]) == 5


def test_links_and_great_numbers_of_files_are_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "elsewhere", {"a.csv": ""})
    root = write(tmp_path / "root", {f"d{number}/x.csv": "" for number in range(5)})
    (root / "link").symlink_to(tmp_path / "elsewhere")
    assert len(look(root).data) == 5
    monkeypatch.setattr("gate.cli.init_look.MOST_FILES", 7)
    assert len(look(root).data) < 5
