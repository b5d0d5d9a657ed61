"""The commits that an event of GitHub names, as far as finding the base needs them."""

from __future__ import annotations

from dataclasses import dataclass

PULL_REQUEST_EVENTS = frozenset({"pull_request", "pull_request_target"})


@dataclass(frozen=True, slots=True)
class PullRequestRefs:
    """Commits of an event. Empty strings where the payload lacks a field.

    Attributes:
        event_name: `pull_request`, `pull_request_target`, `merge_group`, `push`, `schedule`, `workflow_dispatch`, ….
        base_sha: tip of the base branch when the event was made; it may be older than the base branch is now.
        base_ref: name of the base branch without `refs/heads/`; for a push, the default branch of the repository.
        head_sha: tip of the pull request's branch.
        merge_group_base: `merge_group.base_sha`.
        checkout_sha: `GITHUB_SHA`; on `pull_request`, the merge commit that GitHub made.
        ref: what `checkout_sha` is the tip of (`refs/heads/main`, `refs/pull/7/merge`).
        repository: owner and name of the repository whose workflow runs.
        number: of the pull request that the payload is about, whatever the event is called.
    """

    event_name: str = ""
    base_sha: str = ""
    base_ref: str = ""
    head_sha: str = ""
    merge_group_base: str = ""
    checkout_sha: str = ""
    ref: str = ""
    repository: str = ""
    number: int | None = None

    @property
    def pull_request(self) -> bool:
        """Whether the event itself proposes a change; of other events the commits tell."""
        named = self.event_name in PULL_REQUEST_EVENTS or self.event_name == "merge_group"
        return named or self.number is not None
