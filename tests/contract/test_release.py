"""A release: one version everywhere, the image by its digest, and a workflow that publishes what it has tried."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from release import pin, versions

PROJECT = Path(__file__).resolve().parents[2]
WORKFLOW = PROJECT / ".github/workflows/release.yml"
PLACES = ("pyproject.toml", "gate/__init__.py", "CHANGELOG.md", "README.md", "docs/adopt.md", "docs/release.md")
PLACES += ("docs/workflows.md",)
DIGEST = "sha256:" + "0123456789abcdef" * 4


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    for name in PLACES:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(PROJECT / name, tmp_path / name)
    return tmp_path


def test_one_version_everywhere() -> None:
    assert list(versions.disagreements()) == []


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("pyproject.toml", 'version = "0.1.0"', 'version = "0.2.0"'),
        ("gate/__init__.py", '__version__ = "0.1.0"', '__version__ = "0.1.1"'),
        ("gate/__init__.py", "__version__", "__edition__"),
        ("CHANGELOG.md", "## [0.1.0]", "## [0.2.0]"),
        ("CHANGELOG.md", "## [0.1.0]", "## Next"),
        ("README.md", "robustness-gate@v0", "robustness-gate@v1"),
        ("docs/workflows.md", "composite@v0", "composite@v0.1"),
    ],
)
def test_a_place_that_differs_is_named(copy: Path, name: str, old: str, new: str) -> None:
    text = (copy / name).read_text(encoding="utf-8")
    assert old in text
    (copy / name).write_text(text.replace(old, new, 1), encoding="utf-8")
    told = list(versions.disagreements(copy))
    assert told
    assert all(name in sentence or name == "pyproject.toml" for sentence in told)


def test_a_tag_is_that_of_the_version_and_its_entry_has_a_date(copy: Path) -> None:
    text = (copy / "CHANGELOG.md").read_text(encoding="utf-8")
    dated = re.sub(r"^## \[0\.1\.0\].*$", "## [0.1.0] - 2026-12-01", text, count=1, flags=re.MULTILINE)
    undated = re.sub(r"^## \[0\.1\.0\].*$", "## [0.1.0] - unreleased", text, count=1, flags=re.MULTILINE)
    (copy / "CHANGELOG.md").write_text(undated, encoding="utf-8")
    assert list(versions.disagreements(copy)) == []
    assert list(versions.disagreements(copy, "v0.1.0")) == ["the entry 0.1.0 of CHANGELOG.md has no date"]
    (copy / "CHANGELOG.md").write_text(dated, encoding="utf-8")
    assert list(versions.disagreements(copy, "v0.1.0")) == []
    assert list(versions.disagreements(copy, "v0.1.1")) == ["the tag is v0.1.1, and this is 0.1.0"]
    assert versions.notes(copy).startswith("### Added\n")


def test_the_action_names_the_image_by_its_digest_and_nothing_else_changes() -> None:
    text = (PROJECT / "action.yml").read_text(encoding="utf-8")
    made = pin.pinned(text, "ghcr.io/octo/gate", DIGEST)
    before, after = YAML(typ="safe").load(text), YAML(typ="safe").load(made)
    assert after.pop("runs") == {"using": "docker", "image": f"docker://ghcr.io/octo/gate@{DIGEST}"}
    before.pop("runs")
    assert after == before
    assert pin.pinned(made, "ghcr.io/octo/gate", DIGEST) == made


@pytest.mark.parametrize(
    ("image", "digest"), [("ghcr.io/octo/gate", "latest"), ("gate", DIGEST), ("ghcr.io/a/b\n  x: y", DIGEST)]
)
def test_what_is_no_image_by_digest_is_refused(image: str, digest: str) -> None:
    with pytest.raises(ValueError, match="no image by digest"):
        pin.pinned("runs:\n  image: Dockerfile\n", image, digest)
    with pytest.raises(ValueError, match="names 0 images"):
        pin.pinned("runs:\n", "ghcr.io/octo/gate", DIGEST)


@pytest.fixture(scope="module")
def jobs() -> dict[str, Any]:
    loaded: dict[str, Any] = YAML(typ="safe").load(WORKFLOW.read_text(encoding="utf-8"))
    assert loaded["permissions"] == {}
    return dict(loaded["jobs"])


def test_only_the_last_job_may_write_and_only_on_a_tag_after_all_tests(jobs: dict[str, Any]) -> None:
    publish, others = jobs["publish"], {name: job for name, job in jobs.items() if name != "publish"}
    assert all(job["permissions"] == {"contents": "read"} for job in others.values())
    assert set(publish["needs"]) == set(others)
    assert publish["if"] == "github.event_name == 'push' && github.ref_type == 'tag'"
    assert publish["environment"] == "release"
    used = [step.get("uses", "").partition("@")[0] for step in publish["steps"]]
    assert used.count("actions/attest-build-provenance") == 2
    assert {"actions/attest-sbom", "pypa/gh-action-pypi-publish"} <= set(used)


def test_what_is_built_is_tried_before_it_is_kept(jobs: dict[str, Any]) -> None:
    runs = {name: [step.get("run", step.get("uses", "")) for step in job["steps"]] for name, job in jobs.items()}
    for name, order in (
        ("wheel", ["make dist", "make sbom", "make test-dist", "actions/upload-artifact"]),
        ("image", ["make e2e", "docker save robustness-gate:e2e", "actions/upload-artifact"]),
    ):
        at = [next(n for n, run in enumerate(runs[name]) if words in run) for words in order]
        assert at == sorted(at)
    architectures = {entry["architecture"] for entry in jobs["image"]["strategy"]["matrix"]["include"]}
    assert architectures == {"amd64", "arm64"}


def test_no_script_holds_an_expression(jobs: dict[str, Any]) -> None:
    scripts = [step["run"] for job in jobs.values() for step in job["steps"] if "run" in step]
    assert len(scripts) > 8
    assert all("${{" not in script for script in scripts)
