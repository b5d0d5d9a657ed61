"""What persons accepted of one head of a pull request, and what an earlier run of that head measured.

The record of an acceptance is the person's own comment, which is read and checked again each time: it must stand there
unedited, and its author must still be permitted. Which finding its `F3` meant stands in the gate's comment, which only
the gate's own account can write.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from gate.deliver import artifacts
from gate.deliver.artifacts import CANDIDATE, TRIALS
from gate.deliver.client import Comment, GitHub, PullRequest
from gate.deliver.commands import Command, read_commands
from gate.deliver.earlier import KNOWN, MOST_BYTES
from gate.deliver.permissions import why_not_accept
from gate.render.joined import sections_of
from gate.render.marker import Marker, parse_marker
from gate.render.record import Bound, Record, digest_of_findings, parse_record
from gate.render.words import plural, verb
from gate.schema.acceptance import MOST_REASON, Acceptance
from gate.schema.verdict import Finding, Verdict
from gate.settings import Settings


@dataclass(frozen=True, slots=True)
class Shown:
    """The gate's own comment of a suite: whose it is, which run wrote it, and what its numbers mean.

    Attributes:
        joined: whether it is a section of the comment that all suites share.
    """

    comment: Comment
    marker: Marker
    record: Record
    joined: bool = False


@dataclass(frozen=True, slots=True)
class Standing:
    """One acceptance that holds: what it is bound to, and whose comment it is."""

    bound: Bound
    who: str
    reason: str
    url: str


@dataclass(frozen=True, slots=True)
class Stored:
    """What this head has from earlier.

    Attributes:
        standing: acceptances that hold.
        candidate, trials: what an earlier attempt measured; None where it can't be had. Untrusted.
        findings: digest of what the gate's comment shows of it.
        notices: sentences that a reviewer must see.
    """

    standing: tuple[Standing, ...] = ()
    candidate: bytes | None = None
    trials: bytes = b""
    findings: str = ""
    notices: tuple[str, ...] = ()

    def same(self, verdict: Verdict) -> bool:
        """Whether a verdict is the one that the comment shows, so that its numbers mean the same."""
        return bool(self.findings) and digest_of_findings(verdict.findings) == self.findings


NOTHING = Stored()


def shown(github: GitHub, comments: Iterable[Comment], suite: str) -> Shown | None:
    """The gate's comment of a suite; None without one, and where two accounts claim to be the gate."""
    found: list[Shown] = []
    me: list[int | None] = []
    for comment in comments:
        for each in _told(comment):
            if each.marker.suite != suite:
                continue
            if not comment.bot:
                me = me or [github.whoami()]
                if comment.author == 0 or comment.author != me[0]:
                    continue
            found.append(each)
    if len({each.comment.author for each in found}) != 1:
        return None
    return max(found, key=lambda each: (each.marker.order, each.marker.attempt, each.comment.id))


def suites_shown(comments: Iterable[Comment]) -> frozenset[str]:
    """Suites of which an app's comment shows something to accept."""
    return frozenset(each.marker.suite for comment in comments if comment.bot for each in _told(comment))


def _told(comment: Comment) -> Iterator[Shown]:
    """What a comment shows of suites that have something to accept, whoever wrote it: of one, or a section of each."""
    sections = sections_of(comment.body)
    for text in [comment.body] if sections is None else [each.text for each in sections.values()]:
        marker, record = parse_marker(text), parse_record(text)
        if marker is not None and record is not None:
            yield Shown(comment, marker, record, joined=sections is not None)


def reason_of(comment: Comment) -> str:
    """Why a comment accepts what it accepts; empty where it accepts nothing."""
    given = [each.reason for each in read_commands(comment.body) if isinstance(each, Command) and each.reason]
    return "; ".join(dict.fromkeys(given))[:MOST_REASON]


def standing(
    github: GitHub, comments: Sequence[Comment], record: Record, pull: PullRequest, settings: Settings
) -> tuple[Standing, ...]:
    """The acceptances of a record that still hold: the comment stands unedited, and its author is permitted now.

    Raises:
        ApiError: GitHub does not say who is permitted.
    """
    there = {comment.id: comment for comment in comments}
    holds: dict[int, bool] = {}
    for number in dict.fromkeys(each.comment for each in record.accepted):
        comment = there.get(number)
        holds[number] = (
            comment is not None
            and not comment.edited
            and bool(reason_of(comment))
            and not why_not_accept(github, comment, pull, settings)
        )
    return tuple(stands(each, there[each.comment]) for each in record.accepted if holds[each.comment])


def stands(bound: Bound, comment: Comment) -> Standing:
    """An acceptance with whose it is."""
    return Standing(bound, comment.login, reason_of(comment), comment.url)


def acceptances(found: Sequence[Standing], findings: Sequence[Finding], head: str) -> tuple[Acceptance, ...]:
    """Acceptances of the findings of a verdict, each up to the amount that was accepted."""
    return tuple(
        Acceptance(
            rule=finding.rule.value,
            case_id=finding.case_id,
            amount=each.bound.amount,
            head=head,
            who=each.who,
            reason=each.reason,
            url=each.url,
        )
        for finding in findings
        for each in found
        if each.bound.about(finding)
    )


def stored_candidate(
    github: GitHub, suite: str, pull: PullRequest, *, run: int, limit: int
) -> tuple[bytes, bytes] | None:
    """Candidate and trials that a run of a pull request's head uploaded; None where it left none.

    Args:
        run: number of the run.
        limit: bytes of the candidate above which it is refused.

    Raises:
        DeliveryError: it has expired, is damaged or too large.
        ApiError: GitHub refuses, or can't be reached.
    """
    candidate = left_by_run(github, suite, pull, CANDIDATE, run=run, limit=limit)
    if candidate is None:
        return None
    return candidate, left_by_run(github, suite, pull, TRIALS, run=run, limit=MOST_BYTES) or b""


def left_by_run(github: GitHub, suite: str, pull: PullRequest, file: str, *, run: int, limit: int) -> bytes | None:
    """One file that a run of a pull request's head uploaded; None where it left none. Raises as `stored_candidate`."""
    for artifact in artifacts.list_artifacts(github, artifacts.name_for_pull_request(suite, pull.number)):
        if artifact.run == run and artifact.commit == pull.head_sha and artifacts.belongs_to(artifact, pull):
            data = artifacts.read_file(github, artifact, file, known=KNOWN, limit=limit)
            if data is not None:
                return data
    return None


def read_stored(
    github: GitHub, suite: str, number: int, settings: Settings, *, head: str, run: int, attempt: int
) -> Stored:
    """What a run finds of its own head. Only a further attempt of the same run judges what an earlier one measured.

    Raises:
        DeliveryError: it can't be read; then nothing is accepted, and the suite runs.
    """
    comments = github.list_comments(number)
    ours = shown(github, comments, suite)
    if ours is None or not ours.record.accepted or ours.marker.head != head:
        return NOTHING
    pull = github.pull_request(number)
    if pull.head_sha != head:
        return NOTHING
    holds = standing(github, comments, ours.record, pull, settings)
    lost = len(ours.record.accepted) - len(holds)
    why = "the comment is gone or was edited, or its author may no longer"
    notices = (f"{plural(lost, 'acceptance')} no longer {verb(lost, 'holds', 'hold')}: {why}",) if lost else ()
    if not holds or attempt < 2 or ours.marker.order != run:
        return Stored(holds, notices=notices)
    found = stored_candidate(github, suite, pull, run=run, limit=settings.max_report_bytes)
    if found is None:
        return Stored(holds, notices=notices)
    return Stored(holds, *found, findings=ours.record.findings, notices=notices)
