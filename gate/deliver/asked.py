"""The comment that started a workflow: read from its event, then again from GitHub, which alone is believed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gate.deliver.client import Comment, GitHub, PullRequest
from gate.deliver.commands import Command, Mistake, read_commands
from gate.deliver.problems import ApiError
from gate.errors import UsageError

EVENT = "issue_comment"


@dataclass(frozen=True, slots=True)
class Asked:
    """What a comment asks for.

    Attributes:
        number: of the pull request.
        comment: as it was made; its text and its author are untrusted.
        commands: at least one.
    """

    number: int
    comment: Comment
    commands: tuple[Command | Mistake, ...]


def read_asked(name: str, payload: Mapping[str, object]) -> Asked | str:
    """What the comment of an event asks for, or why there is nothing to do, one sentence.

    Args:
        name: of the event.

    Raises:
        UsageError: it is no event of a comment, or its payload is none of GitHub's.
    """
    if name != EVENT:
        raise UsageError(
            f"`{name or 'no event'}` brings no comment", where="GITHUB_EVENT_NAME", remedy=f"run it on `{EVENT}`"
        )
    issue, comment = _table(payload, "issue"), _table(payload, "comment")
    user = comment.get("user")
    author = user if isinstance(user, Mapping) else {}
    if payload.get("action") != "created":
        return "only a comment that is made asks for something; one that is edited does not"
    if not isinstance(issue.get("pull_request"), Mapping):
        return "the comment is on no pull request"
    if author.get("type") == "Bot":
        return "an app asks for nothing"
    commands = read_commands(_text(comment, "body"))
    if not commands:
        return "the comment has no command"
    if issue.get("state") != "open":
        return "the pull request is closed"
    made = Comment(
        id=_number(comment, "id"),
        body=_text(comment, "body"),
        url=_text(comment, "html_url"),
        author=_number(author, "id"),
        bot=False,
        login=_text(author, "login"),
    )
    return Asked(_number(issue, "number"), made, commands)


def still_asked(github: GitHub, asked: Asked) -> tuple[Comment, PullRequest] | str:
    """The comment and its pull request as they are now, or why it counts no more, one sentence.

    Raises:
        ApiError: GitHub can't be asked.
    """
    try:
        comment = github.read_comment(asked.comment.id)
    except ApiError as error:
        if error.status in (404, 410):
            return "the comment is gone"
        raise
    if comment.edited or comment.body != asked.comment.body or comment.author != asked.comment.author:
        return "the comment was edited; make a new one"
    pull = github.pull_request(asked.number)
    return (comment, pull) if pull.open else "the pull request is closed"


def _table(payload: Mapping[str, object], key: str) -> Mapping[str, object]:
    value = payload.get(key)
    if not isinstance(value, Mapping):
        raise UsageError(
            f"the event has no `{key}`", where="GITHUB_EVENT_PATH", remedy="leave it as the runner sets it"
        )
    return value


def _text(table: Mapping[str, object], key: str) -> str:
    value = table.get(key)
    return value if isinstance(value, str) else ""


def _number(table: Mapping[str, object], key: str) -> int:
    value = table.get(key)
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise UsageError(
            f"`{key}` is no number in the event", where="GITHUB_EVENT_PATH", remedy="leave it as the runner sets it"
        )
    return value
