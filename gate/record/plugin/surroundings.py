"""What a test may depend on beside the files of its project: Python, packages, options, the environment."""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
import sysconfig
import tempfile
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from gate.record.plugin.tree import is_skipped

if TYPE_CHECKING:
    import pytest

    from gate.record.plugin.tree import Tree

Json = dict[str, Any]
KNOWN_OPTIONS = "_gate_known_options"
OWN_OPTIONS = "gate_own_options"
_CLIENTS = re.compile(
    r"(OPENAI|ANTHROPIC|AZURE_OPENAI|GOOGLE_GENAI|GEMINI|MISTRAL|COHERE|GROQ|OLLAMA|LITELLM|LANGCHAIN|HF|HUGGINGFACE)_"
)
_GATE = str(Path(__file__).parents[2])
_SECRET = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL", re.IGNORECASE)
_OF_THIS_RUN = re.compile(
    r"(GITHUB|RUNNER|ACTIONS|PYTEST|GATE|CI|INPUT|GIT|COVERAGE|COV|XDG|SSH|PYTEST_XDIST)(_|$)"
    r"|^(PATH|HOME|PWD|OLDPWD|SHLVL|TMP|TEMP|TMPDIR|USER|LOGNAME|HOSTNAME|TERM|SHELL|COLUMNS|LINES|VIRTUAL_ENV|_)$"
)


def describe(config: pytest.Config, root: Path) -> Json:
    """What is the same for every test of a process."""
    machine = os.uname().machine if hasattr(os, "uname") else ""
    return {
        "python": [sys.implementation.name, *map(str, sys.version_info[:3]), sys.platform, machine],
        "packages": sorted(_packages(root)),
        "options": _options(config),
        "timeout": getattr(config.option, "gate_trial_timeout", None),
    }


def environment(words: Collection[str], environ: Mapping[str, str]) -> Json:
    """Digests of the environment variables that matter: those that the words name, and those of clients of models.

    Secrets and what differs from run to run are left out.
    """
    return {
        name: hashlib.blake2b(value.encode("utf-8", "surrogateescape"), digest_size=8).hexdigest()
        for name, value in sorted(environ.items())
        if (name in words or _CLIENTS.match(name)) and not _SECRET.search(name) and not _OF_THIS_RUN.match(name)
    }


def place_of(path: str, project: Tree) -> str | None:
    """A file's path relative to the root of the project; None where it is not of the project.

    First-party code may stand beside the root (`../lib`); the standard library, installed packages and temporary
    files are not of the project.
    """
    if _is_of_others(path, str(project.root)):
        return None
    inside = project.relative(path)
    if inside is not None or not Path(path).is_absolute():
        return inside
    real = os.path.realpath(path)
    if Path(real).is_relative_to(project.root) or is_skipped(Path(real).parts):
        return None
    if any(Path(real).is_relative_to(folder) for folder in _outside()):
        return None
    try:
        return Path(os.path.relpath(real, project.root)).as_posix()
    except ValueError:  # another drive
        return Path(real).as_posix()


def _is_of_others(path: str, root: str) -> bool:
    """Whether a file is plainly none of the project's: most modules are, and the exact answer takes far longer."""
    real = _real(path)
    if os.path.normpath(path) != path or _is_within(path, root) or _is_within(real, root):
        return False
    return any(_is_within(real, folder) for folder in _outside()) or is_skipped(Path(real).parts)


def _real(path: str) -> str:
    """As `os.path.realpath`; each folder is resolved once."""
    folder, name = os.path.split(path)
    place = Path(_real_folder(folder), name)
    return os.path.realpath(path) if name in ("", "..") or place.is_symlink() else str(place)


@cache
def _real_folder(folder: str) -> str:
    return os.path.realpath(folder)


def _is_within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


@cache
def _outside() -> tuple[str, ...]:
    """Folders of what is no project's; they are asked about once a module."""
    folders = (sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib"), tempfile.gettempdir(), _GATE)
    return tuple(os.path.realpath(folder) for folder in folders)


def is_of_tools(place: str) -> bool:
    """Whether a file is what pytest's plugins keep of their own."""
    name = place.rpartition("/")[2]
    return name.startswith(".coverage") or name.endswith((".pyc", ".partial"))


def known_options(namespace: Any) -> frozenset[str]:
    """Options that exist before the suite's own conftest files are loaded: pytest's and its plugins'."""
    return frozenset(vars(namespace))


def own_options(config: Any) -> list[str]:
    """Names of the options that the suite's conftest files define; a worker has them from its controller."""
    told = getattr(config, "workerinput", {}).get(OWN_OPTIONS)
    if told is not None:
        return list(told)
    known = getattr(config, KNOWN_OPTIONS, None)
    return [] if known is None else sorted(set(vars(config.option)) - known)


def _options(config: Any) -> Json:
    """Options that the suite defines itself, such as `--model`, and overridden settings of pytest."""
    options = vars(config.option)
    names = [name for name in own_options(config) if name in options]
    return {name: _plain(options[name]) for name in names} | {"override_ini": _plain(options.get("override_ini") or [])}


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return f"{type(value).__module__}.{type(value).__qualname__}"


def _packages(root: Path) -> Iterator[str]:
    """A line for each installed distribution: its version, and its content where it was built from local files."""
    for distribution in metadata.distributions():
        path = getattr(distribution, "_path", None)
        name = path.name if path is not None else f"{distribution.metadata['Name']}-{distribution.version}"
        origin = _origin(distribution)
        if origin is None:
            yield str(name)
        elif origin.get("vcs_info"):
            yield f"{name} {json.dumps(origin['vcs_info'], sort_keys=True)}"
        elif not origin.get("dir_info", {}).get("editable"):
            yield f"{distribution.metadata['Name']} {_content(distribution)}"
        elif not _folder(origin).is_relative_to(root):  # what is loaded of it counts file by file
            yield f"{distribution.metadata['Name']} editable"


def _origin(distribution: metadata.Distribution) -> Json | None:
    """Where a distribution came from, if not from an index (PEP 610)."""
    try:
        text = distribution.read_text("direct_url.json")
        found = json.loads(text) if text else None
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def _folder(origin: Json) -> Path:
    return Path(unquote(urlsplit(str(origin.get("url", ""))).path))


def _content(distribution: metadata.Distribution) -> str:
    """Digest of the installed files of a distribution, from the hashes in its record, but for its metadata."""
    record = distribution.read_text("RECORD") or ""
    lines = sorted(line for line in record.splitlines() if ".dist-info/" not in line and "__pycache__" not in line)
    return hashlib.blake2b("\n".join(lines).encode(), digest_size=8).hexdigest()
