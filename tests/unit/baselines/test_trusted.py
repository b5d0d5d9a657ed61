"""What decides comes from the base, whatever the head holds."""

from __future__ import annotations

from pathlib import Path

import pytest

from gate.baselines.base import resolve_base
from gate.baselines.git import Git
from gate.baselines.required import require_baseline
from gate.baselines.trusted import TrustedBase, read_folder, read_trusted, settings_layers
from gate.errors import BaselineError, RepositoryError, SettingsError
from gate.schema.refs import PullRequestRefs
from gate.schema.verdict import Level, RuleName
from gate.settings import Layer, resolve
from tests.support.repository import Repository

Files = dict[str, str | bytes | None]
BASELINE = "baselines/default.jsonl"


class Proposal:
    """A pull request in the form in which a runner sees it."""

    def __init__(self, tmp_path: Path, base: Files, head: Files, depth: int | None = 2) -> None:
        origin = Repository(tmp_path / "origin")
        self.base = origin.commit({"README.md": "x", **base})
        origin.branch("feature")
        self.head = origin.commit(head)
        self.merge = origin.merge_like_github("main", "feature")
        self.copy = origin.clone(tmp_path / "copy", depth, "refs/pull/1/merge")
        self.git = Git(self.copy.path)
        self.refs = PullRequestRefs("pull_request", self.base, "main", self.head, "", self.merge)

    def read(self, *others: Layer) -> TrustedBase:
        return read_trusted(self.git, resolve_base(self.git, self.refs), others=others)


def test_settings_and_baseline_of_the_base_decide(tmp_path: Path) -> None:
    proposal = Proposal(
        tmp_path,
        {"gate.toml": "alpha = 0.01\n[rules.flaky]\nlevel = 'error'\n", BASELINE: "base"},
        {"gate.toml": "alpha = 0.9\nobserve = true\ntimeout = 5\n[rules.flaky]\nlevel = 'off'\n", BASELINE: "head"},
    )
    trusted = proposal.read()
    others = [Layer("environment", {"alpha": "0.5"}), Layer("action input", {"suite": "default"})]
    resolved = resolve(settings_layers(trusted, others))
    assert resolved.settings.alpha == 0.01
    assert resolved.settings.observe is False
    assert resolved.settings.timeout == 3600, "nothing comes from the head, also what does not decide"
    assert resolved.settings.level_of(RuleName.FLAKY, Level.NOTE) is Level.ERROR
    assert ("alpha", "environment") in resolved.ignored
    assert trusted.baseline == b"base"
    assert trusted.baseline_from == trusted.settings_from.partition(":")[0] == f"base {proposal.base[:7]}"
    assert trusted.changes.baseline_changed
    assert not trusted.changes.first_baseline
    head = f"head {proposal.merge[:7]}:gate.toml"
    assert trusted.changes.settings == (
        f"`alpha`: 0.01 → 0.9 ({head})",
        f"`observe`: false → true ({head})",
        f"`rules.flaky.level`: error → off ({head})",
        f"`timeout`: 3600.0 → 5.0 ({head})",
    )
    assert [layer.name for layer in trusted.layers] == [f"base {proposal.base[:7]}:gate.toml"]
    assert trusted.changes.paths == (BASELINE, "gate.toml")


def test_the_base_says_which_mutants_are_suppressed(tmp_path: Path) -> None:
    mutants = '{"gate_baseline":1}\n{"id":"mutant:t#m","mutation":{}}\n'
    entry = "[[suppressions]]\nmutant = '{}'\nreason = 'equal'\n"
    base: Files = {
        BASELINE: mutants,
        "gate.toml": "alpha = 0.01\n" + entry.format("a" * 12),
        ".gate/suppressions.toml": entry.format("b" * 12),
    }
    head: Files = {".gate/suppressions.toml": entry.format("c" * 12)}
    trusted = Proposal(tmp_path, base, head).read()
    assert trusted.changes.suppressed == {"a" * 12, "b" * 12}
    assert resolve(settings_layers(trusted)).settings.alpha == 0.01


def test_pyproject_table(tmp_path: Path) -> None:
    trusted = Proposal(tmp_path, {"pyproject.toml": "[project]\nname='x'\n[tool.gate]\nalpha=0.01\n"}, {}).read()
    assert resolve(settings_layers(trusted)).settings.alpha == 0.01
    assert trusted.settings_from.endswith(":pyproject.toml")


def test_defaults_decide_where_the_base_has_no_settings(tmp_path: Path) -> None:
    proposal = Proposal(
        tmp_path, {"pyproject.toml": "[project]\nname='x'\n", BASELINE: "base"}, {"gate.toml": "alpha = 0.9\n"}
    )
    trusted = proposal.read()
    assert resolve(settings_layers(trusted)).settings.alpha == 0.05
    assert trusted.settings_from == "defaults"
    assert len(trusted.changes.settings) == 1


def test_deleting_the_settings_is_said_and_has_no_effect(tmp_path: Path) -> None:
    trusted = Proposal(tmp_path, {"gate.toml": "alpha = 0.01\n"}, {"gate.toml": None}).read()
    assert resolve(settings_layers(trusted)).settings.alpha == 0.01
    assert trusted.changes.settings == ("`alpha`: 0.01 → 0.05 (no settings file)",)


@pytest.mark.parametrize("head", [None, "head", b""], ids=["deleted", "changed", "emptied"])
def test_the_bases_baseline_decides_whatever_the_head_does(tmp_path: Path, head: str | bytes | None) -> None:
    trusted = Proposal(tmp_path, {BASELINE: "base"}, {BASELINE: head}).read()
    assert trusted.baseline == b"base"
    assert trusted.changes.baseline_changed


def test_the_bases_baseline_decides_when_the_head_makes_it_a_link(tmp_path: Path) -> None:
    origin = Repository(tmp_path / "origin")
    origin.commit({BASELINE: "base"})
    origin.branch("feature")
    (origin.path / BASELINE).unlink()
    (origin.path / BASELINE).symlink_to("/etc/passwd")
    origin.commit({})
    git = Git(origin.path)
    trusted = read_trusted(git, resolve_base(git, explicit="main"))
    assert trusted.baseline == b"base"
    assert trusted.changes.baseline_changed


def test_the_head_cannot_point_to_another_baseline(tmp_path: Path) -> None:
    trusted = Proposal(
        tmp_path, {BASELINE: "base"}, {"gate.toml": "baseline = 'mine.jsonl'\nsuite = 'mine'\n", "mine.jsonl": "mine"}
    ).read(Layer("environment", {"baseline": "mine.jsonl"}))
    assert trusted.baseline == b"base"
    assert resolve(settings_layers(trusted)).settings.suite == "default", "the base's file or the workflow names it"
    assert any("`suite`: default → mine" in sentence for sentence in trusted.changes.settings)


def test_all_suites_of_the_base_share_the_error_budget_whatever_the_head_removes(tmp_path: Path) -> None:
    base: Files = {BASELINE: "base", "baselines/agents.jsonl": "other", "baselines/notes.txt": "no suite"}
    assert Proposal(tmp_path, base, {"baselines/agents.jsonl": None}).read().changes.suites == 2


def test_unchanged_baseline_with_its_age(tmp_path: Path) -> None:
    proposal = Proposal(tmp_path, {BASELINE: "base"}, {"x.py": "1"}, depth=None)
    trusted = read_trusted(proposal.git, resolve_base(proposal.git, proposal.refs), now=1_700_000_060 + 3 * 86_400)
    assert not trusted.changes.baseline_changed
    assert trusted.baseline_age == "3 days old"
    assert trusted.changed_groups == {"code": ("x.py",)}
    assert (trusted.baseline_commit, trusted.baseline_time) == (proposal.base, 1_700_000_060)


def test_age_is_unknown_at_the_edge_of_a_shallow_clone(tmp_path: Path) -> None:
    origin = Repository(tmp_path / "origin")
    origin.commit({BASELINE: "base"})
    origin.commit({"later.py": "1"})
    base = origin.commit({"later.py": "2"})
    origin.branch("feature")
    head = origin.commit({"x.py": "1"})
    merge = origin.merge_like_github("main", "feature")
    git = Git(origin.clone(tmp_path / "copy", 2, "refs/pull/1/merge").path)
    trusted = read_trusted(git, resolve_base(git, PullRequestRefs("pull_request", base, "main", head, "", merge)))
    assert (trusted.baseline, trusted.baseline_time, trusted.baseline_commit) == (b"base", None, "")


def test_first_baseline_comes_from_the_head(tmp_path: Path) -> None:
    trusted = Proposal(tmp_path, {}, {BASELINE: "first"}).read()
    assert trusted.baseline == b"first"
    assert trusted.changes.first_baseline
    assert not trusted.changes.baseline_changed
    assert trusted.baseline_from == "this pull request"


def test_first_baseline_where_the_heads_settings_say(tmp_path: Path) -> None:
    trusted = Proposal(
        tmp_path, {}, {"gate.toml": "baseline = 'quality/first.jsonl'\n", "quality/first.jsonl": "first"}
    ).read()
    assert (trusted.baseline, trusted.baseline_path) == (b"first", "quality/first.jsonl")
    assert trusted.changes.first_baseline


def test_first_baseline_that_is_a_link_is_refused(tmp_path: Path) -> None:
    origin = Repository(tmp_path / "origin")
    base = origin.commit({"a": "1"})
    origin.branch("feature")
    (origin.path / "baselines").mkdir()
    (origin.path / BASELINE).symlink_to("/etc/passwd")
    head = origin.commit({})
    git = Git(origin.path)
    with pytest.raises(RepositoryError, match="a symbolic link"):
        read_trusted(git, resolve_base(git, PullRequestRefs("pull_request", base, "main", head)))
    with pytest.raises(BaselineError, match="a symbolic link"):
        read_trusted(git, resolve_base(git))


def test_welcome_where_nobody_has_a_baseline(tmp_path: Path) -> None:
    trusted = Proposal(tmp_path, {}, {"x.py": "1"}).read()
    assert trusted.baseline is None
    assert trusted.other_suites == ()
    require_baseline(trusted, "default")


def test_no_welcome_for_another_name_of_the_suite(tmp_path: Path) -> None:
    proposal = Proposal(tmp_path, {BASELINE: "base", "baselines/slow.jsonl": "slow"}, {"x.py": "1"})
    trusted = proposal.read(Layer("action input", {"suite": "other"}))
    assert trusted.baseline is None
    with pytest.raises(BaselineError, match="baselines of `default`, `slow`, none of the suite `other`") as caught:
        require_baseline(trusted, "other")
    assert caught.value.exit_code == 3
    assert "--suite other" in caught.value.remedy


@pytest.mark.parametrize("place", ["baselines/slow.jsonl", "mine.jsonl"])
def test_a_second_suite_can_not_bring_its_own_first_baseline(tmp_path: Path, place: str) -> None:
    """Else a workflow that renames the suite, and a file beside it, would choose what the pull request is judged by."""
    settings = {} if place.startswith("baselines/") else {"gate.toml": f"baseline = '{place}'\n"}
    proposal = Proposal(tmp_path, {BASELINE: "base"}, {place: "slow", **settings})
    trusted = proposal.read(Layer("action input", {"suite": "slow"}))
    assert trusted.changes.first_baseline
    with pytest.raises(BaselineError, match="has baselines of `default`, none of the suite `slow`") as caught:
        require_baseline(trusted, "slow")
    assert caught.value.exit_code == 3
    assert "on the default branch before anything names it" in caught.value.remedy


def test_depth_1_reads_all_by_the_contents_api(tmp_path: Path) -> None:
    proposal = Proposal(
        tmp_path,
        {"gate.toml": "alpha = 0.01\n", BASELINE: "base"},
        {"gate.toml": "alpha = 0.9\n", BASELINE: "head"},
        depth=1,
    )
    files = {"gate.toml": b"alpha = 0.01\n", BASELINE: b"base"}
    asked: list[tuple[str, str]] = []

    def fetch(path: str, ref: str) -> bytes | None:
        asked.append((path, ref))
        return files.get(path)

    trusted = read_trusted(proposal.git, resolve_base(proposal.git, proposal.refs, fetch=fetch), fetch=fetch)
    assert trusted.baseline == b"base"
    assert trusted.changes.baseline_changed
    assert len(trusted.changes.settings) == 1
    assert {ref for _, ref in asked} == {proposal.base}


def test_depth_1_sees_an_unchanged_baseline(tmp_path: Path) -> None:
    proposal = Proposal(tmp_path, {BASELINE: "base"}, {"x.py": "1"}, depth=1)

    def fetch(path: str, ref: str) -> bytes | None:
        return b"base" if path == BASELINE else None

    trusted = read_trusted(proposal.git, resolve_base(proposal.git, proposal.refs, fetch=fetch), fetch=fetch)
    assert not trusted.changes.baseline_changed


def test_a_huge_baseline_is_refused(tmp_path: Path) -> None:
    proposal = Proposal(tmp_path, {BASELINE: "x" * 2000}, {"x.py": "1"})
    with pytest.raises(RepositoryError, match="2,000 bytes are more than the limit of 1,000"):
        proposal.read(Layer("action input", {"max-report-bytes": "1000"}))


def test_a_pointer_of_large_file_storage_is_refused(tmp_path: Path) -> None:
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12\n"
    with pytest.raises(BaselineError, match="pointer of Git LFS"):
        Proposal(tmp_path, {BASELINE: pointer}, {"x.py": "1"}).read()


@pytest.mark.parametrize("side", ["base", "head"])
def test_settings_that_cannot_be_read_name_their_side(tmp_path: Path, side: str) -> None:
    broken: Files = {"gate.toml": "alpha = 0.01\nalhpa = 1\n"}
    sound: Files = {"gate.toml": "alpha = 0.01\n"}
    proposal = Proposal(
        tmp_path, broken if side == "base" else sound, {"x": "1", **(broken if side == "head" else sound)}
    )
    with pytest.raises(SettingsError, match="unknown setting `alhpa`") as caught:
        proposal.read()
    assert caught.value.where.startswith(f"{side} ")
    assert caught.value.where.endswith(":gate.toml:2")
    assert "alpha" in caught.value.remedy


def test_the_folder_in_which_the_gate_runs_has_its_own_settings(tmp_path: Path) -> None:
    origin = Repository(tmp_path / "origin")
    origin.commit({"gate.toml": "alpha = 0.2\n", "sub/gate.toml": "alpha = 0.01\n", f"sub/{BASELINE}": "sub"})
    origin.branch("feature")
    origin.commit({"x": "1"})
    git = Git(origin.path / "sub")
    trusted = read_trusted(git, resolve_base(git, explicit="main"))
    assert resolve(settings_layers(trusted)).settings.alpha == 0.01
    assert trusted.baseline == b"sub"


def test_in_a_shell_on_a_branch_the_base_decides_too(tmp_path: Path) -> None:
    origin = Repository(tmp_path / "origin")
    origin.commit({"gate.toml": "alpha = 0.01\n", BASELINE: "base"})
    origin.branch("feature")
    origin.commit({"x": "1"})
    origin.write({"gate.toml": "alpha = 0.2\n"})
    git = Git(origin.path)
    trusted = read_trusted(git, resolve_base(git))
    settings = resolve(settings_layers(trusted, [Layer("environment", {"delta": "0.5"})])).settings
    assert (settings.alpha, settings.delta) == (0.01, 0.3)
    assert trusted.changes.settings == ("`alpha`: 0.01 → 0.2 (gate.toml)",)
    assert trusted.baseline == b"base"


def test_in_a_shell_on_main_the_working_tree_decides(tmp_path: Path) -> None:
    origin = Repository(tmp_path / "origin")
    origin.commit({"gate.toml": "alpha = 0.01\n", BASELINE: "base"})
    origin.write({"gate.toml": "alpha = 0.2\n"})
    git = Git(origin.path)
    trusted = read_trusted(git, resolve_base(git))
    settings = resolve(settings_layers(trusted, [Layer("environment", {"delta": "0.5"})])).settings
    assert (settings.alpha, settings.delta, trusted.settings_from) == (0.2, 0.5, "gate.toml")
    assert trusted.baseline == b"base"


def test_in_a_shell_a_new_baseline_need_not_be_committed(tmp_path: Path) -> None:
    origin = Repository(tmp_path / "origin")
    origin.commit({"x": "1"})
    origin.write({BASELINE: "new"})
    git = Git(origin.path)
    trusted = read_trusted(git, resolve_base(git))
    assert trusted.baseline == b"new"
    assert trusted.baseline_from == "the checkout"


def test_on_main_the_committed_baseline_is_used(tmp_path: Path) -> None:
    origin = Repository(tmp_path / "origin")
    origin.commit({BASELINE: "old"})
    head = origin.commit({BASELINE: "accepted", "x.py": "1"})
    git = Git(origin.path)
    refs = PullRequestRefs("push", base_ref="main", checkout_sha=head, ref="refs/heads/main")
    trusted = read_trusted(git, resolve_base(git, refs))
    assert trusted.baseline == b"accepted"
    assert trusted.changes.paths == (BASELINE, "x.py")
    assert not trusted.changes.baseline_changed


def test_base_branch_checked_out_reads_only_the_base(tmp_path: Path) -> None:
    origin = Repository(tmp_path / "origin")
    main = origin.commit({"gate.toml": "alpha = 0.01\n", BASELINE: "base"})
    git = Git(origin.path)
    refs = PullRequestRefs("pull_request_target", main, "main", "f" * 40, "", main)
    trusted = read_trusted(git, resolve_base(git, refs))
    assert trusted.baseline == b"base"
    assert trusted.proposed
    assert not trusted.base.head_checked_out if trusted.base else False


def test_a_folder_without_git(tmp_path: Path) -> None:
    assert read_folder(tmp_path).baseline is None
    (tmp_path / "baselines").mkdir()
    (tmp_path / "baselines" / "other.jsonl").write_bytes(b"other")
    assert read_folder(tmp_path).other_suites == ("other",)
    (tmp_path / BASELINE).write_bytes(b"here")
    trusted = read_folder(tmp_path)
    assert (trusted.baseline, trusted.proposed) == (b"here", False)
    with pytest.raises(BaselineError, match="larger than the limit of 3 bytes"):
        read_folder(tmp_path, [Layer("command line", {"max-report-bytes": 3})])
    (tmp_path / BASELINE).unlink()
    (tmp_path / BASELINE).symlink_to(tmp_path / "baselines" / "other.jsonl")
    with pytest.raises(BaselineError, match="symbolic link"):
        read_folder(tmp_path)


@pytest.mark.parametrize("path", ["/etc/passwd", "../other.jsonl", "a/../../x", "."])
def test_a_baseline_outside_the_repository_is_refused(tmp_path: Path, path: str) -> None:
    proposal = Proposal(tmp_path, {"gate.toml": f"baseline = '{path}'\n"}, {"x.py": "1"})
    with pytest.raises(SettingsError, match="outside the repository"):
        proposal.read()
    (tmp_path / "gate.toml").write_text(f"baseline = '{path}'\n", encoding="utf-8")
    with pytest.raises(SettingsError, match="outside the repository"):
        read_folder(tmp_path)


def test_a_path_with_a_dot_is_the_same_baseline(tmp_path: Path) -> None:
    trusted = Proposal(tmp_path, {"gate.toml": "baseline = './b.jsonl'\n", "b.jsonl": "base"}, {"x.py": "1"}).read()
    assert (trusted.baseline, trusted.baseline_path) == (b"base", "b.jsonl")


def test_what_the_api_does_not_show_is_no_first_baseline(tmp_path: Path) -> None:
    """The API says 404 to a token without permission too: the head's own baseline must not step in."""
    proposal = Proposal(tmp_path, {BASELINE: "base"}, {BASELINE: "mine"}, depth=1)

    def forbidden(path: str, ref: str) -> bytes | None:
        return None

    base = resolve_base(proposal.git, proposal.refs, fetch=forbidden)
    with pytest.raises(RepositoryError, match="can't be told from one that was not read") as caught:
        read_trusted(proposal.git, base, fetch=forbidden)
    assert "fetch-depth: 2" in caught.value.remedy


def test_unknown_changes_are_said(tmp_path: Path) -> None:
    proposal = Proposal(tmp_path, {BASELINE: "base"}, {"x.py": "1"}, depth=1)

    def fetch(path: str, ref: str) -> bytes | None:
        return b"base" if path == BASELINE else None

    trusted = read_trusted(proposal.git, resolve_base(proposal.git, proposal.refs, fetch=fetch), fetch=fetch)
    assert trusted.changes.paths == ()
    assert "changed and renamed files are unknown" in trusted.notices[0]


@pytest.mark.parametrize("filtered", ["blob:none", "tree:0"])
def test_a_partial_clone_reads_by_the_contents_api(tmp_path: Path, filtered: str) -> None:
    proposal = Proposal(tmp_path, {BASELINE: "base"}, {BASELINE: "head"}, depth=None)
    origin = Repository(tmp_path / "origin")
    origin.git("config", "uploadpack.allowFilter", "true")
    partial = tmp_path / "partial"
    origin.git(
        "clone", "--quiet", "--no-local", f"--filter={filtered}", "--no-checkout", f"file://{origin.path}", str(partial)
    )
    Repository(partial).git("checkout", "--quiet", proposal.head)
    git = Git(partial)

    def fetch(path: str, ref: str) -> bytes | None:
        return b"base" if path == BASELINE else None

    trusted = read_trusted(git, resolve_base(git, proposal.refs, fetch=fetch), fetch=fetch)
    assert trusted.baseline == b"base"
    assert trusted.changes.baseline_changed


def test_recordings_under_another_name_are_named_and_a_tracked_overlay_is_refused(tmp_path: Path) -> None:
    settings = "recordings = 'answers'\nworking-directory = 'evals'\noverlay = 'more'\n"
    here: Files = {"evals/answers/t.py.jsonl": "{}", "x.py": "1"}
    assert Proposal(tmp_path / "a", {"gate.toml": settings}, here).read().changed_groups == {
        "recordings": ("evals/answers/t.py.jsonl",),
        "code": ("x.py",),
    }
    with pytest.raises(RepositoryError, match="the overlay is tracked"):
        Proposal(tmp_path / "b", {"gate.toml": settings}, {"more/t.py.jsonl": "{}"}).read()
