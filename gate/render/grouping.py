"""Groups before single examples: many findings of one rule with one message, or in one file, become one row."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from gate.render.spans import Line, Span, code, own, strong, text
from gate.render.words import plural
from gate.schema.acceptance import Acceptance
from gate.schema.probes import PROBE
from gate.schema.rejudged import TOLD
from gate.schema.verdict import Finding, Level, RuleName

SMALLEST_GROUP = 4
DETERMINISTIC = "deterministic"
_VERBS = {
    RuleName.NEWLY_FAILING: ("newly fails", "newly fail"),
    RuleName.NEWLY_ERRORING: ("newly errors", "newly error"),
    RuleName.MISSING_CASE: ("is gone", "are gone"),
    RuleName.NEWLY_SKIPPED: ("is newly skipped", "are newly skipped"),
    RuleName.INSECURE_OUTPUT: ("is newly insecure", "are newly insecure"),
    RuleName.FLAKY: ("passed only when it was run again", "passed only when they were run again"),
    RuleName.FIXED: ("is fixed", "are fixed"),
    RuleName.NEW_CASE: ("is new", "are new"),
}


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the table.

    Attributes:
        findings: one, or those of a group, in the verdict's order.
        what, before, after, why: the cells.
    """

    findings: tuple[Finding, ...]
    what: Line
    before: Line
    after: Line
    why: Line

    @property
    def level(self) -> Level:
        return self.findings[0].level

    @property
    def known_on_base(self) -> bool:
        return self.findings[0].known_on_base

    @property
    def accepted(self) -> bool:
        return self.findings[0].accepted is not None

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(finding.id for finding in self.findings)

    @property
    def fails(self) -> bool:
        return self.findings[0].fails


def rows(findings: Sequence[Finding]) -> tuple[Row, ...]:
    """Rows over findings, worst first; a group stands before the single findings of its weight."""
    places = {id(finding): place for place, finding in enumerate(findings)}
    made: list[Row] = []
    singles: list[Finding] = []
    for same_rule in _by(findings, _standing):
        groups, rest = _groups(same_rule)
        made += [_group_row(group) for group in groups]
        singles += rest
    made += [_single_row(finding) for finding in singles]

    def order(row: Row) -> tuple[int, bool, bool, bool, int]:
        weight = {Level.ERROR: 0, Level.WARNING: 1}.get(row.level, 2)
        return (weight, row.accepted, row.known_on_base, len(row.findings) == 1, places[id(row.findings[0])])

    return tuple(sorted(made, key=order))


def _standing(finding: Finding) -> object:
    """What all findings of one row have in common."""
    return finding.rule, finding.level, finding.known_on_base, finding.accepted, finding.judged


def _groups(findings: Sequence[Finding]) -> tuple[list[Sequence[Finding]], list[Finding]]:
    groups: list[Sequence[Finding]] = []
    plain = [finding for finding in findings if not finding.examples]
    rest = [finding for finding in findings if finding.examples]
    said = [finding for finding in plain if finding.why.startswith(f"{DETERMINISTIC}: ")]
    unsaid = [finding for finding in plain if not finding.why.startswith(f"{DETERMINISTIC}: ")]
    for group in _by(said, lambda each: (each.what, each.why)):
        (groups.append(group) if len(group) >= SMALLEST_GROUP else unsaid.extend(group))
    for group in _by(unsaid, lambda each: (each.what, _path(each))):
        if len(group) >= SMALLEST_GROUP and _path(group[0]):
            groups.append(group)
        else:
            rest += group
    return groups, rest


def _by(findings: Iterable[Finding], key: Callable[[Finding], object]) -> list[list[Finding]]:
    found: dict[object, list[Finding]] = defaultdict(list)
    for finding in findings:
        found[key(finding)].append(finding)
    return list(found.values())


def _path(finding: Finding) -> str:
    if finding.location is not None:
        return finding.location.path
    path, separator, _ = finding.case_id.partition("::")
    return path if separator else ""


def _single_row(finding: Finding) -> Row:
    if finding.total and finding.examples:
        what: Line = (strong(finding.what), own(" in "), code(finding.subject))
    else:
        what = (code(finding.subject), own(" "), text(finding.what))
    return Row((finding,), what, cell(finding.before), cell(finding.after), _why(finding))


def _group_row(findings: Sequence[Finding]) -> Row:
    first = findings[0]
    paths = sorted({_path(finding) for finding in findings})
    place: tuple[Span, ...] = (code(paths[0]),) if len(paths) == 1 else (own(plural(len(paths), "file")),)
    where: Line = (own(" in "), *place) if any(paths) else ()
    count = plural(len(findings), _noun(first))
    what: Line = (strong(count), *where, own(" "), *_many(first))
    return Row(
        tuple(findings),
        what,
        _common(finding.before for finding in findings),
        _common(finding.after for finding in findings),
        _whys(findings),
    )


def _noun(finding: Finding) -> str:
    if finding.rule is RuleName.METRIC_REGRESSION:
        return "metric"
    return "probe" if finding.case_id.startswith(PROBE) else "test"


def _many(finding: Finding) -> tuple[Span, ...]:
    singular, many = _VERBS.get(finding.rule, ("", ""))
    if singular and finding.what.startswith(singular):
        return (text(many + finding.what[len(singular) :]),)
    return (own("each "), text(finding.what))


def cell(words: str) -> Line:
    return (text(words),) if words else (own("–"),)


def _common(values: Iterable[str]) -> Line:
    counted = Counter(values)
    if len(counted) == 1:
        return cell(next(iter(counted)))
    parts = [
        f"{count:,} {value or '–'}" for value, count in sorted(counted.items(), key=lambda item: (-item[1], item[0]))
    ]
    return (text(", ".join(parts[:3]) + (", …" if len(parts) > 3 else "")),)


def message_of(finding: Finding) -> str:
    """The message of a failure that needs no statistics; empty where there is none."""
    head, _, message = finding.why.partition(f"{DETERMINISTIC}: ")
    return "" if head else message.strip().rstrip(":")


def _why(finding: Finding) -> Line:
    prefix = (own("main shows it too; "),) if finding.known_on_base else _permitted(finding)
    prefix = (*prefix, *_judged(finding))
    if said := message_of(finding):
        return (*prefix, own(f"{DETERMINISTIC}: "), code(said))
    return (*prefix, *cell(finding.why))


def _judged(finding: Finding) -> Line:
    """Whose doing it is; nothing where no judge changed."""
    return () if finding.judged is None else (own(f"{TOLD[finding.judged]}; "),)


def _permitted(finding: Finding) -> Line:
    """Who permits it, until when and why; nothing where nobody does."""
    given = finding.accepted
    if given is None:
        return ()
    if isinstance(given, Acceptance):
        return (own("accepted by "), code(given.who), own(": "), *cell(given.reason), own("; "))
    until = f" until {given.until}" if given.until else ""
    owner: Line = (own(", owner "), code(given.owner)) if given.owner else ()
    return (own(f"waived on main{until}"), *owner, own(": "), *cell(given.reason), own("; "))


def _whys(findings: Sequence[Finding]) -> Line:
    if len({finding.why for finding in findings}) == 1:
        return _why(findings[0])
    kinds = Counter(_kind(finding.why) for finding in findings)
    shown = sorted(kinds.items(), key=lambda item: (-item[1], item[0]))
    known = findings[0].known_on_base
    line: list[Span] = [own("main shows them too; ")] if known else [*_permitted(findings[0])]
    line += _judged(findings[0])
    for place, (kind, count) in enumerate(shown[:3]):
        line += [own(", " if place else ""), code(kind), own(f" ×{count:,}" if count > 1 else "")]
    more = len(shown) - 3
    return (*line, *((own(f", {more:,} more"),) if more > 0 else ()))


def _kind(why: str) -> str:
    """The type of an error where the message starts with one, else the message."""
    message = why.removeprefix(f"{DETERMINISTIC}: ")
    head, separator, _ = message.partition(":")
    return head if separator and head.replace(".", "").isidentifier() else message
