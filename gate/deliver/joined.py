"""One comment for all suites of a pull request. GitHub has no way to write only if nobody else did, so: look again.

Each run reads the comment, puts its own section in, writes it, and looks again once others have had the time to write.
A run is done only when it has seen its section stand there and nothing to mend, so no section is lost.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from gate.deliver.client import Comment, GitHub
from gate.deliver.problems import ApiError
from gate.deliver.shorten import LIMITS, cut
from gate.deliver.sticky import (
    MOVED_ON,
    NEWER_RUN,
    NO_MARKER,
    NOT_OURS,
    ROUNDS,
    UNSETTLED,
    CommentResult,
    Marker,
    Sticky,
    posted,
)
from gate.render.joined import Section, compose, section, sections_of
from gate.render.marker import parse_marker


def post_joined(client: GitHub, pull_request: int, body: str, *, create: bool = True) -> CommentResult:
    """Put a suite's comment into the one that all suites share. Never raises for what GitHub refuses: a warning.

    A comment that the suite had by itself before is removed.

    Args:
        body: the text; its first line, the marker, says for which suite, head, run and attempt it speaks.
        create: False only updates a section that is there.
    """
    mine = section(body)
    if mine is None:
        return CommentResult("", NO_MARKER)
    work = _Joined(client, pull_request, "", mine.marker, parse_marker, _shorter, mine=mine)
    return posted(work, create=create)


def post_alone(client: GitHub, pull_request: int, body: str, *, create: bool = True) -> CommentResult:
    """Make or update the comment that a suite has by itself, as `post_comment` does.

    A section that it had before in the comment of all suites is removed, and that comment with its last section.
    """
    marker = parse_marker(body)
    if marker is None:
        return CommentResult("", NO_MARKER)
    return posted(_Alone(client, pull_request, body, marker, parse_marker, cut), create=create)


def _shorter(text: str, limit: int) -> str:
    return compose((sections_of(text) or {}).values(), limit, cut)


@dataclass(slots=True)
class _Joined(Sticky):
    """One attempt to have the section right.

    Attributes:
        mine: the section of this run.
        single: comments that this suite had by itself.
    """

    mine: Section = field(kw_only=True)
    single: list[Comment] = field(default_factory=list)

    def run(self, *, create: bool) -> CommentResult:
        if self._moved_on():
            return CommentResult("", MOVED_ON)
        fresh: Comment | None = None
        for _ in range(ROUNDS):
            listed = self.client.list_comments(self.number)
            found = self._ours(listed, fresh)
            self.single = [one for one in listed if one.id not in self.refused and self._was_single(one)]
            sections = _sections(found)
            there = sections.get(self.marker.suite)
            newer = there is not None and self._newer(there.marker)
            if not (create or self.posted or there):
                return CommentResult("")
            if not newer:
                sections = _still_told(sections, there, self.marker)
                sections[self.marker.suite] = self.mine
            self.text = compose(sections.values(), LIMITS[0], cut)
            fresh = None
            if not found:
                fresh = self._create(frozenset(one.id for one in listed))
            elif self._agreed(found):
                return CommentResult(found[0].url, NEWER_RUN if newer else "")
            self._settle()
        return CommentResult(self.posted, UNSETTLED)

    def _agreed(self, found: list[Comment]) -> bool:
        """Whether nothing had to be written or removed."""
        keep = found[0]
        changed = keep.body != self.text
        if changed and not self._write(keep):
            return False
        self.posted, self.author = keep.url, keep.author
        changed |= self._remove([*found, *self.single], keep)
        return not changed

    def _newer(self, there: Marker) -> bool:
        """Whether a section of this suite is of a newer run. One of another head is old while ours is the newest."""
        if _order(there) <= _order(self.marker):
            return False
        return there.head == self.marker.head or not self.head_is_known or self._moved_on()

    def _is_ours(self, comment: Comment) -> bool:
        return sections_of(comment.body) is not None and self._by_us(comment)

    def _was_single(self, comment: Comment) -> bool:
        marker = parse_marker(comment.body)
        return marker is not None and marker.suite == self.marker.suite and self._by_us(comment)


@dataclass(slots=True)
class _Alone(Sticky):
    """One attempt to have the comment of one suite right, and no section of it elsewhere.

    Attributes:
        left: a comment of all suites in which a section of this one still stands; None where there is none.
    """

    left: Comment | None = None

    def run(self, *, create: bool) -> CommentResult:
        for _ in range(ROUNDS):
            result = Sticky.run(self, create=create or self.left is not None)
            if self.left is None or result.warning:
                return result
            self._leave(self.left)
            self._settle()
        return CommentResult(self.posted, UNSETTLED)

    def _ours(self, listed: list[Comment], fresh: Comment | None) -> list[Comment]:
        self.left = next((one for one in listed if one.id not in self.refused and self._joined(one)), None)
        return Sticky._ours(self, listed, fresh)

    def _joined(self, comment: Comment) -> bool:
        there = (sections_of(comment.body) or {}).get(self.marker.suite)
        if there is None or (there.marker.head == self.marker.head and _order(there.marker) > _order(self.marker)):
            return False  # a newer run of this head, which joins by its own settings
        return self._by_us(comment)

    def _leave(self, comment: Comment) -> None:
        """Take the section out. Who writes at the same moment may put it back: the next look sees that."""
        sections = sections_of(comment.body) or {}
        del sections[self.marker.suite]
        try:
            if sections:
                self.client.update_comment(comment.id, compose(sections.values(), LIMITS[0], cut))
            else:
                self.client.delete_comment(comment.id)
        except ApiError as error:
            if error.status not in NOT_OURS:
                raise
            self.refused.add(comment.id)


def _still_told(sections: Mapping[str, Section], before: Section | None, now: Marker) -> dict[str, Section]:
    """The sections without those of suites that have been silent since before this suite spoke of an earlier head.

    Such a suite has missed a whole head of the pull request: it was removed, or has another name by now.

    Args:
        before: what this suite said last.
    """
    if before is None or before.marker.head == now.head:
        return dict(sections)
    heads = {before.marker.head, now.head}
    return {
        suite: each
        for suite, each in sections.items()
        if each.marker.head in heads or _order(each.marker) > _order(before.marker)
    }


def _sections(comments: list[Comment]) -> dict[str, Section]:
    """Sections by suite; where two runs have each made a comment, the newer one of a suite."""
    joined: dict[str, Section] = {}
    for comment in comments:
        for suite, each in (sections_of(comment.body) or {}).items():
            if suite not in joined or _order(each.marker) > _order(joined[suite].marker):
                joined[suite] = each
    return joined


def _order(marker: Marker) -> tuple[int, int]:
    return marker.order, marker.attempt
