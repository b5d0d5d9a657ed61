"""The settings of the base branch as it is now decide, also about a branch that is older than they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from gate.baselines.base import Fetch, resolve_base
from gate.baselines.deciding import readable_layers
from gate.baselines.git import Git
from gate.baselines.trusted import TrustedBase, read_trusted, settings_layers
from gate.schema.refs import PullRequestRefs
from gate.settings import resolve
from tests.support.repository import Repository

Files = dict[str, str | bytes | None]
BASELINE = "baselines/default.jsonl"


class Behind:
    """A pull request that branched before main became stricter, with its head checked out."""

    STRICT: Files = {"gate.toml": "alpha = 0.01\nworking-directory = 'now'\n"}

    def __init__(self, tmp_path: Path, fork: Files, main: Files, head: Files) -> None:
        self.origin = Repository(tmp_path / "origin")
        self.fork = self.origin.commit({"README.md": "x", **fork})
        self.origin.branch("feature")
        self.head = self.origin.commit(head)
        self.origin.checkout("main")
        self.main = self.origin.commit(main)
        self.copy = self.origin.clone(tmp_path / "copy", None, "feature")
        self.refs = PullRequestRefs("pull_request", self.main, "main", self.head)

    def read(self, fetch: Fetch | None = None) -> TrustedBase:
        git = Git(self.copy.path)
        return read_trusted(git, resolve_base(git, self.refs, fetch=fetch), fetch=fetch)


def test_settings_of_the_base_branch_as_it_is_now_decide(tmp_path: Path) -> None:
    loose: Files = {"gate.toml": "observe = true\n", BASELINE: "then"}
    behind = Behind(tmp_path, loose, {**Behind.STRICT, BASELINE: "now"}, {"x.py": "1"})
    trusted = behind.read()
    settings = resolve(settings_layers(trusted)).settings
    assert (settings.observe, settings.alpha, settings.working_directory) == (False, 0.01, "now")
    assert trusted.settings_from == f"base {behind.main[:7]}:gate.toml"
    assert trusted.baseline == b"then", "the baseline is that of the commit from which it branched"
    assert (trusted.changes.settings, trusted.notices) == ((), ()), "the head changed nothing"
    assert trusted.changes.paths == ("x.py",)


def test_what_the_head_changes_is_told_against_the_base_branch_as_it_is_now(tmp_path: Path) -> None:
    behind = Behind(tmp_path, {"gate.toml": "alpha = 0.05\n"}, Behind.STRICT, {"gate.toml": "alpha = 0.5\n"})
    (sentence,) = behind.read().changes.settings
    assert sentence.startswith("`alpha`: 0.01 → 0.5 (head ")


def test_settings_that_the_base_branch_has_taken_away_do_not_count(tmp_path: Path) -> None:
    behind = Behind(tmp_path, {"gate.toml": "observe = true\n"}, {"gate.toml": None}, {"x.py": "1"})
    trusted = behind.read()
    assert resolve(settings_layers(trusted)).settings.observe is False
    assert (trusted.settings_from, trusted.changes.settings) == ("defaults", ())


def test_settings_that_were_mended_since_stop_nobody(tmp_path: Path) -> None:
    broken: Files = {"gate.toml": "alhpa = 1\n"}
    behind = Behind(tmp_path, broken, Behind.STRICT, {"gate.toml": "alpha = 0.01\n"})
    (sentence,) = behind.read().changes.settings
    assert sentence.startswith("`working-directory`: now → . (head ")


@pytest.mark.parametrize("named", ["", "baseline = 'quality.jsonl'\n"])
def test_a_first_baseline_of_the_base_branch_counts_before_the_heads(tmp_path: Path, named: str) -> None:
    place = "quality.jsonl" if named else BASELINE
    behind = Behind(tmp_path, {}, {"gate.toml": named or "alpha = 0.01\n", place: "mains"}, {place: "mine"})
    trusted = behind.read()
    assert (trusted.baseline, trusted.baseline_from) == (b"mains", f"base {behind.main[:7]}")
    assert trusted.changes.baseline_changed
    assert not trusted.changes.first_baseline


@pytest.mark.parametrize("by_api", [True, False])
def test_a_tip_that_the_clone_lacks(tmp_path: Path, by_api: bool) -> None:
    """A partial clone has the commits and not their files; those of the fork point were fetched already."""
    behind = Behind(tmp_path, {"gate.toml": "alpha = 0.05\n"}, Behind.STRICT, {"x.py": "1"})
    behind.origin.git("config", "uploadpack.allowFilter", "true")
    partial = tmp_path / "partial"
    behind.origin.git(
        *("clone", "--quiet", "--no-local", "--filter=blob:none", "--no-checkout"),
        *(f"file://{behind.origin.path}", str(partial)),
    )
    behind.copy = Repository(partial)
    behind.copy.checkout(behind.head)

    def fetch(path: str, ref: str) -> bytes | None:
        assert ref == behind.main or path != "gate.toml"
        return b"alpha = 0.01\n" if path == "gate.toml" else None

    trusted = behind.read(fetch if by_api else None)
    assert resolve(settings_layers(trusted)).settings.alpha == (0.01 if by_api else 0.05)
    said = f"the settings are those of {behind.fork[:7]}, where this branched off"
    assert [notice.startswith(said) for notice in trusted.notices] == ([] if by_api else [True])


@pytest.mark.parametrize(
    ("files", "found"),
    [({"gate.toml": "suite = 'fraud'\nalhpa = 1\n"}, {"suite": "fraud"}), ({}, None), ({"gate.toml": "="}, None)],
)
def test_settings_that_can_not_be_used_are_read_as_far_as_they_can_be(
    tmp_path: Path, files: Files, found: dict[str, str] | None
) -> None:
    behind = Behind(tmp_path, {"x": "1"}, files, {"gate.toml": "suite = 'mine'\ncomment = 'never'\n"})
    git = Git(behind.copy.path)
    layers = readable_layers(git, resolve_base(git, behind.refs))
    assert [layer.values for layer in layers] == ([] if found is None else [found])
    (own,) = readable_layers(git, None)
    assert own.values == {"suite": "mine"}, "without a base, its name alone"
