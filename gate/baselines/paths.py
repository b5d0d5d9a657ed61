"""Changed paths, grouped by what they can do to a result."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePosixPath

from gate.settings.recorded import within

HEADINGS = (
    "workflows",
    "gate settings",
    "waivers",
    "baselines",
    "conftest and plugins",
    "pytest configuration",
    "recordings",
    "tests",
    "prompts",
    "dependencies",
    "model and data",
    "code",
)
"""In the order in which a reviewer reads them; a path stands under the first that fits."""
_WAIVERS = "waivers.toml"

_OF_BASELINES = frozenset({".jsonl", ".witnesses", ".durations"})
_CONFIGURATION = frozenset({"pytest.ini", ".pytest.ini", "pytest.toml", "tox.ini", "setup.cfg", "pyproject.toml"})
_DEPENDENCIES = frozenset(
    {"pipfile", "pipfile.lock", "poetry.lock", "uv.lock", "pdm.lock", "environment.yml", "setup.py"}
)
_PROMPTS = frozenset({"prompts", "prompt"})
_MODELS = frozenset({"models", "model", "data", "datasets", "weights"})
_MODEL_ENDINGS = frozenset(
    {
        ".joblib",
        ".pkl",
        ".pickle",
        ".onnx",
        ".pt",
        ".pth",
        ".safetensors",
        ".h5",
        ".keras",
        ".csv",
        ".parquet",
        ".npz",
        ".npy",
    }
)
_CODE = frozenset({".py", ".pyi", ".pyx", ".ipynb", ".r", ".jl", ".js", ".ts", ".go", ".rs", ".java", ".c", ".cpp"})


def changed_groups(paths: Iterable[str], recorded: Sequence[str] = ()) -> Mapping[str, tuple[str, ...]]:
    """Paths by heading, in the order of `HEADINGS`; what can't change a result (documents, pictures) is left out.

    Args:
        recorded: folders of recordings, as the settings name them.
    """
    groups: dict[str, list[str]] = {heading: [] for heading in HEADINGS}
    for path in sorted(set(paths)):
        heading = heading_of(path, recorded)
        if heading:
            groups[heading].append(path)
    return {heading: tuple(found) for heading, found in groups.items() if found}


def heading_of(path: str, recorded: Sequence[str] = ()) -> str:
    """Heading of one path, or an empty text. `recorded` is as in `changed_groups`."""
    pure = PurePosixPath(path.lower())
    name, folders, ending = pure.name, pure.parts[:-1], pure.suffix
    if folders[:2] == (".github", "workflows") or name in ("action.yml", "action.yaml") or ".github" in folders:
        return "workflows"
    if name == "gate.toml":
        return "gate settings"
    if "baselines" in folders and name == _WAIVERS:
        return "waivers"
    if "baselines" in folders and (ending in _OF_BASELINES or folders[-1].endswith(".examples")):
        return "baselines"
    if (
        name == "conftest.py"
        or name in ("sitecustomize.py", "usercustomize.py")
        or (ending == ".pth" and not _weights(folders))
    ):
        return "conftest and plugins"
    if name in _CONFIGURATION:
        return "pytest configuration"
    if "recordings" in folders or "cassettes" in folders or within(path, [each for each in recorded if each != "."]):
        return "recordings"
    if name.startswith("test_") or name.endswith("_test.py") or "tests" in folders or "test" in folders:
        return "tests"
    return _heading_of_subject(name, folders, ending)


def _heading_of_subject(name: str, folders: tuple[str, ...], ending: str) -> str:
    if _PROMPTS & set(folders) or ending in (".prompt", ".jinja", ".j2"):
        return "prompts"
    listed = "requirements" in folders or name.startswith(("requirements", "constraints"))
    if name in _DEPENDENCIES or (listed and ending in (".txt", ".in")):
        return "dependencies"
    if ending in _CODE:
        return "code"
    if ending in _MODEL_ENDINGS or _MODELS & set(folders):
        return "model and data"
    return ""


def _weights(folders: tuple[str, ...]) -> bool:
    return bool(_MODELS & set(folders))
