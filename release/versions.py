"""One version, in every place that names it. `python release/versions.py --tag v1.2.3` says what does not agree.

The places: pyproject.toml, the package, the newest entry of the changelog, and what the documentation tells to use.
"""

from __future__ import annotations

import argparse
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
_PACKAGE = re.compile(r'^__version__ = "([^"]+)"$', re.MULTILINE)
_ENTRY = re.compile(r"^## \[([^\]]+)\](?: - (\S+))?\n(.*?)(?=^## \[|\Z)", re.MULTILINE | re.DOTALL)
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_ACTION = re.compile(r"robustness-gate/robustness-gate(?:/composite)?@(v[\w.]+)")
_DOCUMENTS = ("README.md", "docs/adopt.md", "docs/release.md", "docs/workflows.md")


def disagreements(root: Path = ROOT, tag: str | None = None) -> Iterator[str]:
    """A sentence for each place that says another version than pyproject.toml.

    Args:
        tag: of the release, with which the changelog's entry must have a date; None between releases.
    """
    version = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    package = _PACKAGE.findall((root / "gate/__init__.py").read_text(encoding="utf-8"))
    if package != [version]:
        yield f"gate/__init__.py says {', '.join(package) or 'nothing'}, pyproject.toml {version}"
    entry = _ENTRY.search((root / "CHANGELOG.md").read_text(encoding="utf-8"))
    if entry is None or entry[1] != version:
        yield f"the newest entry of CHANGELOG.md is {entry[1] if entry else 'missing'}, pyproject.toml says {version}"
    elif tag is not None and not _DATE.fullmatch(entry[2] or ""):
        yield f"the entry {version} of CHANGELOG.md has no date"
    for name in _DOCUMENTS:
        for named in _ACTION.findall((root / name).read_text(encoding="utf-8")):
            if named != major(version):
                yield f"{name} uses the action at {named}, and this is {version}"
    if tag is not None and tag != f"v{version}":
        yield f"the tag is {tag}, and this is {version}"


def major(version: str) -> str:
    """The tag that workflows name: `v0` for 0.1.0."""
    return f"v{version.partition('.')[0]}"


def notes(root: Path = ROOT) -> str:
    """The newest entry of the changelog, without its heading."""
    entry = _ENTRY.search((root / "CHANGELOG.md").read_text(encoding="utf-8"))
    return entry[3].strip() + "\n" if entry else ""


def main() -> int:
    """Print what does not agree, or with `--notes` the notes of the release; gives the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tag", help="of the release, such as v1.2.3")
    parser.add_argument("--notes", action="store_true", help="print the newest entry of the changelog")
    given = parser.parse_args()
    wrong = list(disagreements(tag=given.tag))
    sys.stderr.writelines(f"{sentence}\n" for sentence in wrong)
    if given.notes and not wrong:
        sys.stdout.write(notes())
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
