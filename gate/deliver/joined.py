"""One comment for all suites of a pull request. GitHub has no way to write only if nobody else did, so: look again.

Each run reads the comment, puts its own section in, writes it, and looks again once others have had the time to write.
A run is done only when it has seen its section stand there and nothing to mend, so no section is lost.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from gate.deliver.client import Comment, GitHub
from gate.deliver.shorten import LIMITS, cut
from gate.deliver.sticky import MOVED_ON, NEWER_RUN, NO_MARKER, ROUNDS, UNSETTLED, CommentResult, Marker, Sticky, posted
from gate.render import parse_marker
from gate.render.joined import Section, compose, section, sections_of


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
