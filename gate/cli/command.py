"""`gate command`: answers a `/gate` comment on a pull request, in a workflow of the default branch."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gate.cli.console import Console
from gate.cli.files import local_settings
from gate.errors import EXIT_HOLDS, GateError, UsageError

if TYPE_CHECKING:
    from gate.cli.answering import Answer, Desk
    from gate.deliver.asked import Asked
    from gate.deliver.client import Comment, GitHub, PullRequest
    from gate.deliver.commands import Command, Mistake
    from gate.deliver.event import Event

_DONE, _REFUSED = "+1", "confused"
_LONGEST_SENTENCE = 700
_MOST_REPLIES = 3


@click.command(epilog="Example: gate command")
@click.option("--suite", default=None, help="Whose verdict is meant; by default the settings' own suite.")
@click.pass_obj
def command(console: Console, suite: str | None) -> int:
    """Answer the comment of an `issue_comment` event: `/gate accept`, `record`, `refresh` or `explain`.

    Run it in a checkout of the default branch, into which the pull request's head was fetched and not checked out. The
    comment is read again from GitHub, its author's permission is asked for, and the verdict is made again from what the
    run of the head uploaded. GITHUB_TOKEN answers, and runs failed jobs again.

    Exit codes: 0 answered, refused or nothing to do; 2 wrong usage; 3 GitHub can't be asked.
    """
    from gate.cli.tools import payload_of
    from gate.deliver.asked import read_asked, still_asked

    payload = payload_of(os.environ)
    asked = read_asked(os.environ.get("GITHUB_EVENT_NAME", ""), payload)
    if isinstance(asked, str):
        console.say(f"nothing to do: {asked}")
        return EXIT_HOLDS
    github = _github()
    now = still_asked(github, asked)
    if isinstance(now, str):
        console.say(f"nothing to do: {now}")
        return EXIT_HOLDS
    _answer(console, github, asked, now, _desk_for(console, github, payload, suite, *now))
    return EXIT_HOLDS


def _github() -> GitHub:
    from gate.deliver.client import GitHub
    from gate.deliver.event import PUBLIC_API

    token = os.environ.get("GITHUB_TOKEN", "")
    if not token:
        raise UsageError("there is no token to answer with", where="GITHUB_TOKEN", remedy="give it to the step")
    api = os.environ.get("GITHUB_API_URL", "").strip().rstrip("/") or PUBLIC_API
    return GitHub(api, os.environ.get("GITHUB_REPOSITORY", ""), token)


def _desk_for(
    console: Console, github: GitHub, payload: Mapping[str, Any], suite: str | None, comment: Comment, pull: PullRequest
) -> Desk:
    from gate.cli.answering import Desk
    from gate.cli.tools import local_tools
    from gate.collaborators import Request

    settings = local_settings(Path.cwd(), {"suite": suite})
    request = Request(root=Path.cwd(), environ=dict(os.environ), options={"suite": settings.suite})
    return Desk(
        github=github,
        request=request,
        tools=local_tools(console, python=sys.executable),
        suite=settings.suite,
        comment=comment,
        pull=pull,
        event=_event(github, pull),
        branch=_default_branch(payload),
        limit=settings.max_report_bytes,
    )


def _default_branch(payload: Mapping[str, Any]) -> str:
    repository = payload.get("repository")
    name = repository.get("default_branch") if isinstance(repository, Mapping) else None
    if not isinstance(name, str) or not name:
        raise UsageError(
            "the event names no default branch", where="GITHUB_EVENT_PATH", remedy="leave it as the runner sets it"
        )
    return name


def _event(github: GitHub, pull: PullRequest) -> Event:
    """The event of the pull request's own run, as far as a verdict depends on it."""
    from gate.deliver.event import PUBLIC_API, PUBLIC_SERVER, Event

    return Event(
        repository=github.repository,
        name="pull_request",
        api_url=os.environ.get("GITHUB_API_URL", "").rstrip("/") or PUBLIC_API,
        server_url=os.environ.get("GITHUB_SERVER_URL", "").rstrip("/") or PUBLIC_SERVER,
        pull_request=pull.number,
        base_sha=pull.base_sha,
        base_ref=pull.base_ref,
        head_sha=pull.head_sha,
        head_repository=pull.head_name or None,
    )


def _answer(console: Console, github: GitHub, asked: Asked, now: tuple[Comment, PullRequest], desk: Desk) -> None:
    from gate.deliver.runner import RunnerFiles

    answers = [_one(github, each, *now, desk) for each in asked.commands]
    runner = RunnerFiles(os.environ, sys.stdout)
    for answer in answers:
        for name, value in (answer.outputs or {}).items():
            runner.set_output(name, value)
    done = all(answer.done for answer in answers)
    console.say("carried out" if done else "refused; the reply says why")
    told = _told(answers)
    try:
        github.act(f"/issues/comments/{asked.comment.id:d}/reactions", {"content": _DONE if done else _REFUSED})
        if told:
            github.create_comment(asked.number, told)
    except GateError as error:  # what was carried out stands
        console.warn(f"nobody could be told: {error.message}; {error.remedy}")
        console.say(told)


def _one(github: GitHub, command: Command | Mistake, comment: Comment, pull: PullRequest, desk: Desk) -> Answer:
    from gate.cli.answering import Answer
    from gate.deliver.commands import Mistake
    from gate.deliver.permissions import why_not_write

    try:
        own = getattr(command, "verb", "") == "explain" and comment.author == pull.author
        why = "" if own else why_not_write(github, comment.login)
    except GateError as error:
        why = f"GitHub does not say who may ask for this: {error.message}"
    if why:
        return Answer(False, why)
    if isinstance(command, Mistake):
        return Answer(False, command.message)
    return desk.answer(command)


def _told(answers: list[Answer]) -> str:
    """One reply; empty where a reaction says it all. Sentences may hold foreign words, and are escaped."""
    from gate.deliver.hide import scrubbed, secrets
    from gate.render.escape import markdown

    parts = [
        answer.body or markdown(answer.text, _LONGEST_SENTENCE) for answer in answers if answer.body or answer.text
    ]
    text = "\n\n".join(dict.fromkeys(parts[:_MOST_REPLIES]))
    return scrubbed(text, secrets(os.environ))
