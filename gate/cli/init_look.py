"""What `gate init` sees in a repository: tests, data, models, prompts, agents, and how it is installed. Reads only."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

Kind = Literal["model", "prompt", "agent", "any"]
MOST_FILES = 20_000
_LARGEST = 300_000
_NOT_SEARCHED = {"node_modules", "venv", "env", "build", "dist", "site-packages", "baselines", "recordings", "tests"}
_DATA = {".csv", ".tsv", ".parquet", ".feather", ".arrow"}
_MODELS = {".joblib", ".pkl", ".pickle", ".onnx", ".skops"}
_PROMPT_ENDINGS = {".md", ".txt", ".prompt", ".j2", ".jinja", ".jinja2"}
_INSTRUCTIONS = ("AGENTS.md", "CLAUDE.md", "GEMINI.md", ".cursorrules", ".github/copilot-instructions.md")
_IMPORT = re.compile(r"^\s*(?:from|import)\s+([\w.]+)", re.MULTILINE)
_AGENTS = ("agents", "autogen", "crewai", "google.adk", "langgraph", "llama_index", "pydantic_ai", "smolagents")
KEYS = {
    "openai": "OPENAI_API_KEY",
    "anthropic": "ANTHROPIC_API_KEY",
    "mistralai": "MISTRAL_API_KEY",
    "google.genai": "GEMINI_API_KEY",
    "google.generativeai": "GEMINI_API_KEY",
    "cohere": "CO_API_KEY",
}
"""The key that each client library reads."""
_REQUIREMENTS = re.compile(r"(?:requirements/)?[\w.-]*requirements[\w.-]*\.txt|requirements/(?:[\w-]+)\.txt")
_TEST_GROUPS = ("test", "tests", "testing", "dev")
_PYTHONS = ("3.13", "3.12", "3.11")


@dataclass(frozen=True, slots=True)
class Found:
    """What is there; paths are relative to the root, with forward slashes, in order.

    Attributes:
        pytest: the file with pytest's configuration; empty for none.
        instructions: files that tell coding agents what to do.
        libraries: top names of what its Python files import.
        requirements: files for `pip install -r`.
        lock: `uv`, `poetry`, `pipenv` or empty.
        extras, groups: of pyproject.toml, those that tests usually need.
        project: whether pip can install the repository itself.
        python: the version for the workflows.
    """

    pytest: str = ""
    data: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    prompts: tuple[str, ...] = ()
    instructions: tuple[str, ...] = ()
    libraries: frozenset[str] = frozenset()
    requirements: tuple[str, ...] = ()
    lock: str = ""
    extras: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    project: bool = False
    python: str = _PYTHONS[0]

    @property
    def kind(self) -> Kind:
        """What a first test should be of. Instructions for coding agents come last: many a repository has them."""
        if "sklearn" in self.libraries:
            return "model"
        if self.prompts:
            return "prompt"
        if self.instructions or self.libraries & set(_AGENTS):
            return "agent"
        return "any"

    @property
    def key(self) -> str:
        """The variable with the key of its model; empty where no known client is imported."""
        return next((key for name, key in KEYS.items() if name in self.libraries), "")

    def lines(self) -> list[str]:
        """One line for each thing that was found."""
        told = {
            "pytest configuration": (self.pytest,) if self.pytest else (),
            "data": self.data,
            "models": self.models,
            "prompts": self.prompts,
            "agent instructions": self.instructions,
            "requirements": (*self.requirements, *((f"{self.lock} lock file",) if self.lock else ())),
        }
        return [
            f"found {what}: {', '.join(names[:3])}{f' and {len(names) - 3} more' if len(names) > 3 else ''}"
            for what, names in told.items()
            if names
        ]


def look(root: Path) -> Found:
    """Everything that `gate init` goes by. Links are not followed, and nothing is imported or run."""
    names = sorted(_files(root))
    pyproject = _toml(root / "pyproject.toml")
    project = pyproject.get("project") if isinstance(pyproject.get("project"), dict) else {}
    extras = project.get("optional-dependencies", {}) if isinstance(project, dict) else {}
    return Found(
        pytest=_pytest(root, pyproject),
        data=tuple(name for name in names if Path(name).suffix in _DATA),
        models=tuple(name for name in names if Path(name).suffix in _MODELS),
        prompts=tuple(name for name in names if _is_prompt(name)),
        instructions=tuple(name for name in _INSTRUCTIONS if (root / name).is_file()),
        libraries=_libraries(root, [name for name in names if name.endswith(".py")]),
        requirements=tuple(name for name in names if _REQUIREMENTS.fullmatch(name) and "constraint" not in name),
        lock=_lock(root, pyproject),
        extras=_known(extras),
        groups=_known(pyproject.get("dependency-groups", {})),
        project=(root / "setup.py").is_file() or bool(pyproject.keys() & {"project", "build-system"}),
        python=_python(root, project if isinstance(project, dict) else {}),
    )


def _files(root: Path) -> Iterator[str]:
    left, waiting = MOST_FILES, [root]
    while waiting:
        for entry in _entries(waiting.pop()):
            if entry.is_symlink() or entry.name.startswith("."):
                continue
            left -= 1
            if left < 0:
                return
            if entry.is_dir():
                if entry.name not in _NOT_SEARCHED:
                    waiting.append(entry)
            else:
                yield entry.relative_to(root).as_posix()


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []  # what may not be read is not gone by


def _is_prompt(name: str) -> bool:
    path = Path(name)
    if path.suffix not in _PROMPT_ENDINGS or path.name.lower() == "readme.md":
        return False
    return path.suffix == ".prompt" or "prompt" in path.stem.lower() or "prompts" in path.parts[:-1]


def _libraries(root: Path, names: list[str]) -> frozenset[str]:
    found: set[str] = set()
    for name in names:
        for module in _IMPORT.findall(_text(root / name)):
            found.add(module.partition(".")[0])
            found.add(".".join(module.split(".")[:2]))
    return frozenset(found)


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8", "replace") if path.stat().st_size <= _LARGEST else ""
    except OSError:
        return ""


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}  # the settings say what is wrong with it


def _pytest(root: Path, pyproject: dict[str, Any]) -> str:
    tool = pyproject.get("tool")
    if isinstance(tool, dict) and "pytest" in tool:
        return "pyproject.toml"
    for name, section in (("pytest.ini", ""), ("tox.ini", "[pytest]"), ("setup.cfg", "[tool:pytest]")):
        path = root / name
        if path.is_file() and section in _text(path):
            return name
    return ""


def _lock(root: Path, pyproject: dict[str, Any]) -> str:
    for name, program in (("uv.lock", "uv"), ("poetry.lock", "poetry"), ("Pipfile.lock", "pipenv")):
        if (root / name).is_file():
            return program
    tool = pyproject.get("tool")
    return "poetry" if isinstance(tool, dict) and "poetry" in tool and "project" not in pyproject else ""


def _known(table: Any) -> tuple[str, ...]:
    return tuple(name for name in _TEST_GROUPS if isinstance(table, dict) and name in table)[:1]


def _python(root: Path, project: dict[str, Any]) -> str:
    """The newest that the repository names or allows, among those that the gate runs on."""
    from packaging.specifiers import InvalidSpecifier, SpecifierSet

    pinned = root / ".python-version"
    if pinned.is_file():
        named = _text(pinned).strip()
        for version in _PYTHONS:
            if named == version or named.startswith(f"{version}."):
                return version
    try:
        allowed = SpecifierSet(str(project.get("requires-python", "")))
    except InvalidSpecifier:
        return _PYTHONS[0]
    return next((version for version in _PYTHONS if f"{version}.99" in allowed), _PYTHONS[0])
