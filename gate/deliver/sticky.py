"""One comment a suite on a pull request: found again, updated in place, and one again after two runs have raced.

Whose comment it is: a person can paste our marker, but can't be a bot. So a bot's comment with the marker may be ours,
and GitHub refuses the update if it is not; a person's is ours only if the token says that it is that person. What the
token itself creates or may update tells its author, and from then on only that author counts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from gate.deliver.client import Comment, GitHub
from gate.deliver.problems import ApiError
from gate.deliver.shorten import LIMITS, cut
from gate.errors import DeliveryError

ROUNDS = 8
_CREATIONS = 2
_SETTLE_SECONDS = 1.0
NOT_OURS = frozenset({403, 404, 410})
NO_MARKER = "no comment: its text has no marker, so it could never be found again"
MOVED_ON = "no comment by this run: the pull request has a newer commit, whose run comments"
UNSETTLED = "the comment may not be the only one: something else keeps changing or removing it"
NEWER_RUN = "the comment was left as it is: a newer run or attempt wrote it"

Order = tuple[int, int]
"""(number of the run, attempt)."""


class Marker(Protocol):
    """What the hidden line of a comment says; see `gate.render.marker`."""

    @property
    def suite(self) -> str: ...
    @property
    def head(self) -> str: ...
    @property
    def attempt(self) -> int: ...
    @property
    def order(self) -> int: ...


@dataclass(frozen=True, slots=True)
class CommentResult:
    """Where the comment stands (empty: nowhere), and what a reader must be told about it (empty: nothing)."""

    url: str
    warning: str = ""


def post_comment(
    client: GitHub,
    pull_request: int,
    body: str,
    *,
    parse_marker: Callable[[str], Marker | None],
    shorten: Callable[[str, int], str] = cut,
    create: bool = True,
) -> CommentResult:
    """Make or update the comment of a suite. Never raises for what GitHub refuses; that becomes a warning.

    Args:
        body: the text; its first line, the marker, says for which suite, head, run and attempt it speaks.
        parse_marker: reads a marker at the start of a comment's text.
        shorten: makes a text that GitHub finds too long at most so many characters long, the marker kept.
        create: False only updates a comment that is there.
    """
    marker = parse_marker(body)
    if marker is None:
        return CommentResult("", NO_MARKER)
    return posted(Sticky(client, pull_request, body, marker, parse_marker, shorten), create=create)


def posted(work: Sticky, *, create: bool) -> CommentResult:
    """Where the comment stands in the end; what GitHub refuses becomes a warning."""
    try:
        return work.run(create=create)
    except DeliveryError as error:
        if work.posted:
            # It stands there; only the look whether another run has raced failed.
            return CommentResult(work.posted)
        advice = f"; {error.remedy}" if error.remedy else ""
        return CommentResult("", f"no comment: {error.message}{advice}")


@dataclass(slots=True)
class Sticky:
    """One attempt to have the comment right.

    Attributes:
        text: what this run says; shorter than the body once GitHub found that too long.
        posted: address of the comment once this run's text stands there.
        author: account behind the token, once known.
        refused: comments that turned out not to be ours, or gone.
    """

    client: GitHub
    number: int
    text: str
    marker: Marker
    parse_marker: Callable[[str], Marker | None]
    shorten: Callable[[str, int], str]
    posted: str = ""
    author: int | None = None
    head_is_known: bool = True
    refused: set[int] = field(default_factory=set)
    person: int | None = None
    person_asked: bool = False

    def run(self, *, create: bool) -> CommentResult:
        if self._moved_on():
            return CommentResult("", MOVED_ON)
        made = 0
        fresh: Comment | None = None
        for _ in range(ROUNDS):
            listed = self.client.list_comments(self.number)
            found = self._ours(listed, fresh)
            if found:
                fresh = None
                result = self._converge(found)
                if result is not None:
                    return result
            elif (create or self.posted) and made < _CREATIONS:
                made += 1
                fresh = self._create(frozenset(one.id for one in listed))
            else:
                break
        return CommentResult(self.posted, UNSETTLED if self.posted else "")

    def _ours(self, listed: list[Comment], fresh: Comment | None) -> list[Comment]:
        """Comments of this suite that the token's account wrote, as far as that is known, oldest first.

        The list may lag behind what this run created a moment ago, so that is among them in any case.
        """
        known = {one.id: one for one in [*([fresh] if fresh else []), *listed]}
        return [known[key] for key in sorted(known) if key not in self.refused and self._is_ours(known[key])]

    def _is_ours(self, comment: Comment) -> bool:
        marker = self.parse_marker(comment.body)
        return marker is not None and marker.suite == self.marker.suite and self._by_us(comment)

    def _by_us(self, comment: Comment) -> bool:
        if self.author is not None:
            return comment.author == self.author
        return comment.bot or (comment.author != 0 and comment.author == self._whoami())

    def _whoami(self) -> int | None:
        if not self.person_asked:
            self.person, self.person_asked = self.client.whoami(), True
        return self.person

    def _converge(self, found: list[Comment]) -> CommentResult | None:
        """One step towards one comment with the newest text; None asks for another look.

        Of runs that have both made one, the comment of the newer one stays, so none of them writes over another's.
        """
        order = (self.marker.order, self.marker.attempt)
        if any(self._order(one) > order and not self._same_head(one) for one in found) and self._moved_on():
            return self._give_way(found, max(found, key=self._order), MOVED_ON)
        keep = max(found, key=lambda one: (self._rank(one), -one.id))
        if self._rank(keep) > order:
            return self._give_way(found, keep, NEWER_RUN)
        if self._rank(keep) < order:
            keep = found[0]
        changed = False
        if self._rank(keep) < order or (not self.posted and keep.body != self.text):
            if not self._write(keep):
                return None
            changed = True
        self.posted, self.author = keep.url, keep.author
        changed |= self._remove(found, keep)
        if not changed:
            return CommentResult(keep.url)
        self._settle()
        return None

    def _settle(self) -> None:
        """A run that looked before this one wrote may write after it: give it the time before the next look."""
        self.client.sleep(_SETTLE_SECONDS)

    def _give_way(self, found: list[Comment], newer: Comment, why: str) -> CommentResult:
        """A newer run has spoken: its comment is the one that stays."""
        self._remove(found, newer)
        return CommentResult(newer.url, why)

    def _create(self, known: frozenset[int]) -> Comment:
        made: list[Comment] = []
        self._accepted(lambda text: made.append(self.client.create_comment(self.number, text, known=known)))
        self.posted, self.author = made[0].url, made[0].author
        return made[0]

    def _write(self, comment: Comment) -> bool:
        """False when the comment is another account's or gone, whatever its marker says."""
        try:
            self._accepted(lambda text: self.client.update_comment(comment.id, text))
        except ApiError as error:
            if error.status not in NOT_OURS:
                raise
            self.refused.add(comment.id)
            return False
        return True

    def _accepted(self, send: Callable[[str], object]) -> None:
        """Send the text, shorter when GitHub refuses its length."""
        for limit in (*LIMITS, 0):
            try:
                send(self.text)
                return
            except ApiError as error:
                if error.status != 422 or not 0 < limit < len(self.text):
                    raise
            self.text = self.shorten(self.text, limit)

    def _remove(self, found: list[Comment], keep: Comment) -> bool:
        extra = [one for one in found if one.id != keep.id and one.author == keep.author]
        for one in extra:
            try:
                self.client.delete_comment(one.id)
            except ApiError as error:
                if error.status not in NOT_OURS:
                    raise
                self.refused.add(one.id)
        return bool(extra)

    def _order(self, comment: Comment) -> Order:
        marker = self.parse_marker(comment.body)
        return (marker.order, marker.attempt) if marker else (-1, -1)

    def _same_head(self, comment: Comment) -> bool:
        marker = self.parse_marker(comment.body)
        return marker is not None and marker.head == self.marker.head

    def _rank(self, comment: Comment) -> Order:
        """How new a text is. While this run's head is the pull request's, a text about another head is old."""
        return self._order(comment) if self._same_head(comment) or not self.head_is_known else (-1, -1)

    def _moved_on(self) -> bool:
        """Whether the pull request has another head by now; False when the token may not see it."""
        try:
            now = self.client.pull_request(self.number).head_sha.lower()
        except ApiError as error:
            if error.status not in NOT_OURS:
                raise
            now = ""
        self.head_is_known = bool(now and self.marker.head)
        return self.head_is_known and now != self.marker.head
