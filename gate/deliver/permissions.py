"""Who may ask the gate for what: GitHub is asked each time, and what it does not say is no."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from gate.deliver import problems
from gate.deliver.client import Comment, GitHub, PullRequest
from gate.deliver.problems import ApiError
from gate.settings import Settings

WRITE = frozenset({"admin", "maintain", "write"})
_NO_WRITER = "only somebody who may write to this repository can ask for this"
_OWN = "whoever opened a pull request can't accept its findings; a second person can"


def why_not_write(github: GitHub, login: str) -> str:
    """Why an account may not write to the repository, one sentence; empty where it may.

    Raises:
        ApiError: GitHub does not say, for whatever reason; then nobody may.
    """
    if not login:
        return _NO_WRITER
    try:
        found: Any = github.read(f"/collaborators/{quote(login, safe='')}/permission")
    except ApiError as error:
        if error.status == 404:
            return _NO_WRITER
        raise
    if not isinstance(found, dict):
        raise problems.nonsense("collaborators", "a permission")
    # A role of an organisation's own has any name; `permission` then says what it amounts to.
    return "" if {found.get("permission"), found.get("role_name")} & WRITE else _NO_WRITER


def why_not_accept(github: GitHub, comment: Comment, pull: PullRequest, settings: Settings) -> str:
    """Why the author of a comment may not accept findings of a pull request, one sentence; empty where they may.

    Args:
        settings: those of the base; `accept-self` and `accept-team` decide.

    Raises:
        ApiError: as `why_not_write`.
    """
    if comment.bot or not comment.author:
        return "an app can't accept findings; a person can"
    if not settings.accept_self and comment.author == pull.author:
        return _OWN
    return why_not_write(github, comment.login) or _why_not_of_team(github, comment.login, settings.accept_team)


def _why_not_of_team(github: GitHub, login: str, team: str) -> str:
    if not team:
        return ""
    owner, _, name = team.rpartition("/")
    owner = owner or github.repository.partition("/")[0]
    try:
        found: Any = github.read_outside(
            f"/orgs/{quote(owner, safe='')}/teams/{quote(name, safe='')}/memberships/{quote(login, safe='')}"
        )
    except ApiError as error:
        if error.status not in (403, 404):  # GitHub shows what a token may not see as absent, or refuses it
            raise
        seen = "as far as the token may see who they are; a workflow's own token can't (`gate doctor` says what can)"
        return f"only members of the team `{team}` can accept findings, {seen}"
    active = isinstance(found, dict) and found.get("state") == "active"
    return "" if active else f"only members of the team `{team}` can accept findings"
