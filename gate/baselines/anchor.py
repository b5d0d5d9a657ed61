"""The anchor: the baseline as it stood at a tag, which no refresh moves."""

from __future__ import annotations

from dataclasses import dataclass

from gate.baselines.age import in_words
from gate.baselines.attached import attach
from gate.baselines.base import Fetch
from gate.baselines.git import Git, MissingObjectError
from gate.baselines.places import baseline_path
from gate.errors import BaselineError, GateError
from gate.settings import Settings

_TAGS = "refs/tags/"


@dataclass(frozen=True, slots=True)
class Anchor:
    """What stood at the anchor.

    Attributes:
        data: the baseline of this suite there; None where none is asked for or the suite had none.
        name: of these bytes, for errors.
        told: for the foot of the comment (`robustness-anchor at 3f9c1e2, its baseline 2 days old`); empty without one.
        notice: what a reviewer must see; empty for nothing.
    """

    data: bytes | None = None
    name: str = ""
    told: str = ""
    notice: str = ""


NO_ANCHOR = Anchor()


def read_anchor(git: Git, settings: Settings, *, fetch: Fetch | None = None, now: float | None = None) -> Anchor:
    """The baseline of the suite at the tag that the settings name.

    Args:
        fetch: the contents API, for a clone that lacks the tag or its objects.
        now: the time in Unix seconds, for the age in words.

    Raises:
        BaselineError: the tag is gone or can't be read; the total loss is then unknown, and nothing may pass.
    """
    if not settings.anchor:
        return NO_ANCHOR
    path, limit, tag = git.prefix + baseline_path(settings), settings.max_report_bytes, _TAGS + settings.anchor
    commit = git.resolve(tag)

    def read(name: str) -> bytes | None:
        if commit is not None:
            try:
                return git.read(commit, name, limit=limit)
            except MissingObjectError:
                if fetch is None:
                    raise
        return None if fetch is None else fetch(name, tag.removeprefix("refs/"))

    if commit is None and fetch is None:
        raise _gone(settings.anchor)
    try:
        data = read(path)
    except GateError as error:
        raise _gone(settings.anchor, error.message) from None
    told = settings.anchor if commit is None else f"{settings.anchor} at {commit[:7]}{_age(git, path, commit, now)}"
    if data is None:
        said = f"the anchor `{settings.anchor}` has no {path}, so what this suite lost since then is not judged"
        return Anchor(None, "", told, said)
    name = f"{path} at {settings.anchor}"
    return Anchor(attach(data, path, read, limit=limit, where=name), name, told)


def _age(git: Git, path: str, commit: str, now: float | None) -> str:
    try:
        last = git.last_commit_of(path, commit) if now is not None else None
    except MissingObjectError:
        return ""
    return f", its baseline {in_words(last[1], now)}" if last is not None and now is not None else ""


def _gone(name: str, why: str = "") -> BaselineError:
    said = f" ({why:.200})" if why else ""
    return BaselineError(
        f"the anchor is gone: no tag `{name:.100}` is here{said}, so the total loss is unknown",
        where="anchor",
        remedy=f"set it again on main (`gate anchor set` and `git push origin {name:.100}`), fetch tags in the "
        "checkout (`fetch-tags: true`), or take the setting `anchor` away",
    )
