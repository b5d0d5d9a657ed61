"""Who permits a finding: a person on this pull request, or a waiver on main. Both are bound to how much got worse."""

from __future__ import annotations

from dataclasses import dataclass

MOST_REASON = 500
"""Characters of a reason that are kept."""


@dataclass(frozen=True, slots=True)
class Acceptance:
    """A permitted person accepted one finding of one head of a pull request. All texts are untrusted.

    Attributes:
        rule, case_id: which finding; a finding's number may differ from run to run.
        amount: how much was accepted; what is worse than that is not.
        head: the commit for which it was said; it means nothing for any other.
        who: login of the person.
        reason: theirs.
        url: of the comment, which is the record of it.
    """

    rule: str
    case_id: str
    amount: float
    head: str
    who: str
    reason: str
    url: str = ""


@dataclass(frozen=True, slots=True)
class Waiver:
    """A finding that main permits until a day. All texts are untrusted.

    Attributes:
        rule, case_id, amount: as of an acceptance.
        who: gave it; empty where unknown.
        owner: will see to it.
        until: last day on which it holds, `YYYY-MM-DD`; empty for one without an end.
        line: of the file, from 1.
    """

    rule: str
    case_id: str
    amount: float
    reason: str
    who: str = ""
    owner: str = ""
    until: str = ""
    line: int = 0


Permission = Acceptance | Waiver
"""Why a finding does not fail."""


@dataclass(frozen=True, slots=True)
class Permissions:
    """All that may permit a finding of one comparison.

    Attributes:
        acceptances: of this head, by persons who may.
        waivers: of the base.
        today: day on which waivers are looked at, `YYYY-MM-DD`; empty keeps every waiver.
        file: in which the waivers stand, as a reader knows it.
        shared: whether waivers of what was not compared stand there too, of which nothing is to be said.
    """

    acceptances: tuple[Acceptance, ...] = ()
    waivers: tuple[Waiver, ...] = ()
    today: str = ""
    file: str = "baselines/waivers.toml"
    shared: bool = False
