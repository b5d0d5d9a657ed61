"""What is wrong with probes beyond their schema: they measure nothing, or something else, or give themselves away."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gate.suites.probes.dimensions import Dimension

if TYPE_CHECKING:
    from gate.suites.probes.catalog import Entry
    from gate.suites.probes.probe import Probe

MOST_CASES = 200
TELLTALE = re.compile(
    r"\b(benchmark(?:s|ed|ing)?|evaluat(?:e|es|ed|ing|ion) (?:you|your|of you)"
    r"|you(?:'re| are) being (?:tested|evaluated|graded|assessed)"
    r"|(?:this|it) is (?:only )?a (?:test|probe|trial) (?:of|for) you|red.?team(?:ing)?|robustness (?:test|probe|score)"
    r"|adversarial (?:test|prompt|probe)s?|honeypot|jailbreak)\b",
    re.IGNORECASE,
)
"""Words that tell an agent that it is being looked at; ordinary work does not speak like this."""
_NESTED_REPEAT = re.compile(r"\([^()]*[+*][^()]*\)[+*]|\([^()]*\|[^()]*\)[+*]\)?[+*]")


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing to mend.

    Attributes:
        where: file of the probe.
        probe: its id.
        message: what is wrong, one sentence.
    """

    where: str
    probe: str
    message: str


def lint(
    entries: Sequence[Entry], *, oracles: Collection[str], static_rules: Collection[str], whole: bool = True
) -> tuple[Problem, ...]:
    """Problems of each probe, and of the groups that they form together.

    Args:
        oracles, static_rules: names that exist.
        whole: whether all probes could be read; else nothing is said of groups, which may lack a member.
    """
    found = [
        Problem(entry.shown, entry.probe.id, message)
        for entry in entries
        for check in _CHECKS
        for message in check(entry.probe)
    ]
    found += [
        Problem(entry.shown, entry.probe.id, message)
        for entry in entries
        for message in _unknown_names(entry.probe, oracles, static_rules)
    ]
    return (*found, *(_groups(entries) if whole else ()))


def copies(entries: Sequence[Entry], shipped: Sequence[Entry]) -> tuple[Problem, ...]:
    """Probes that ask what a shipped one does: a copy to start from that still is one."""
    known = {entry.probe.prompt: entry.probe.id for entry in shipped}
    return tuple(
        Problem(entry.shown, entry.probe.id, f"still asks what the shipped `{known[entry.probe.prompt]}` does")
        for entry in entries
        if entry.probe.prompt in known
    )


def _has_a_check(probe: Probe) -> Iterator[str]:
    if probe.checks.is_empty:
        yield "has no check, so nothing could ever fail it"
    if len(probe.checks.cases) > MOST_CASES:
        yield f"has more than {MOST_CASES} cases"


def _entry_is_there(probe: Probe) -> Iterator[str]:
    calls = [case for case in probe.checks.cases if case.stdin is None and not case.expression]
    if calls and not probe.entry:
        yield "has cases that call a function, and no `entry`"
    if probe.entry and probe.entry not in probe.prompt and probe.entry not in probe.broken_code:
        yield f"never names `{probe.entry}` in its prompt, so no agent can know what to call it"


def _is_python(text: str) -> bool:
    try:
        compile(text, "<holds>", "exec")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _cases(probe: Probe) -> Iterator[str]:
    names = Counter(case.name for case in probe.checks.cases if case.name)
    for name, count in names.items():
        if count > 1:
            yield f"has {count} cases named {name!r:.80}"
    for place, case in enumerate(probe.checks.cases, start=1):
        if case.expression and probe.language != "python":
            yield f"case {place}: an expression needs Python"
        if case.expression and case.args:
            yield f"case {place}: has an expression and arguments"
        if case.holds and (case.raises or case.expected is not None):
            yield f"case {place}: has `holds` beside what is expected"
        if case.holds and not _is_python(case.holds):
            yield f"case {place}: `holds` is no Python"
    for name in (*probe.must_keep_passing, *(name for each in probe.assumptions for name in each.sensible)):
        if name not in names:
            yield f"names the case {name!r:.80}, which it does not have"


_NEEDS: tuple[tuple[Dimension, Callable[[Probe], bool], str], ...] = (
    (
        Dimension.ADVERSARIAL,
        lambda probe: not probe.checks.cases or any(case.kind == "adversarial" for case in probe.checks.cases),
        "has no adversarial case",
    ),
    (
        Dimension.SPEC,
        lambda probe: bool(probe.assumptions) or probe.checks.manual,
        "leaves nothing open: name `assumptions`, or let a person grade it (`manual`)",
    ),
    (
        Dimension.CONSISTENCY,
        lambda probe: probe.group is not None and probe.variant is not None,
        "needs a `group` and a `variant`",
    ),
    (
        Dimension.RECOVERY,
        lambda probe: bool(probe.broken_code and probe.error_output),
        "needs `broken_code` and `error_output`",
    ),
    (Dimension.SECURITY, lambda probe: bool(probe.cwe), "names no weakness (`cwe`)"),
    (
        Dimension.SECURITY,
        lambda probe: bool(probe.checks.oracle or probe.checks.static_rules),
        "needs an `oracle` or `static_rules`: a working answer says nothing about its security",
    ),
    (
        Dimension.HALLUCINATION,
        lambda probe: probe.checks.hallucination is not None,
        "needs the check `hallucination`",
    ),
    (
        Dimension.DEGRADATION,
        lambda probe: probe.tier is not None and probe.group is not None,
        "needs a `group` and a `tier`",
    ),
    (
        Dimension.REFUSAL,
        lambda probe: probe.checks.refusal is not None,
        "needs the check `refusal`, with what is expected",
    ),
    (
        Dimension.REFUSAL,
        lambda probe: (
            probe.checks.refusal is None
            or probe.checks.refusal.expected == "refuse"
            or bool(probe.checks.cases or probe.checks.pytest)
        ),
        "can be solved, so it needs cases that show whether it was",
    ),
)


def _dimension(probe: Probe) -> Iterator[str]:
    for dimension, holds, message in _NEEDS:
        if probe.dimension is dimension and not holds(probe):
            yield message


def _gives_itself_away(probe: Probe) -> Iterator[str]:
    found = TELLTALE.search(probe.prompt)
    if found:
        yield f"tells the agent that it is being looked at: {found[0]!r}"


def _patterns(probe: Probe) -> Iterator[str]:
    for each in probe.assumptions:
        try:
            re.compile(each.stated)
        except re.error as error:
            yield f"the pattern {each.stated!r:.80} is none: {error}"
            continue
        if _NESTED_REPEAT.search(each.stated):
            yield f"the pattern {each.stated!r:.80} may take for ever: it repeats what repeats"


def _samples(probe: Probe) -> Iterator[str]:
    for name, sample in (("reference", probe.reference), ("bad", probe.bad)):
        if not sample.text and not sample.files:
            yield f"its `{name}` says nothing, so it can't prove the probe"
    if not probe.bad.cause and probe.dimension is not Dimension.SPEC:
        yield "its `bad` names no `cause` that it must fail with"


_CHECKS: tuple[Callable[[Probe], Iterator[str]], ...] = (
    _has_a_check,
    _entry_is_there,
    _cases,
    _dimension,
    _gives_itself_away,
    _patterns,
    _samples,
)


def _unknown_names(probe: Probe, oracles: Collection[str], static_rules: Collection[str]) -> Iterator[str]:
    import difflib

    wanted = [("oracle", each.name, oracles) for each in probe.checks.oracle]
    wanted += [("static rule", name, static_rules) for name in probe.checks.static_rules]
    for what, name, known in wanted:
        if name not in known:
            near = difflib.get_close_matches(name, list(known), n=1, cutoff=0.4)
            yield f"there is no {what} `{name}`" + (f"; did you mean `{near[0]}`?" if near else "")


def _groups(entries: Sequence[Entry]) -> Iterator[Problem]:
    """A group of one wording has nothing to agree with; two of the same name can't be told apart."""
    groups: dict[tuple[str, str], list[Entry]] = {}
    for entry in entries:
        if entry.probe.group is not None:
            groups.setdefault((entry.probe.dimension, entry.probe.group), []).append(entry)
    for (dimension, name), members in groups.items():
        first = members[0]
        if dimension == Dimension.CONSISTENCY and len(members) < 2:
            yield Problem(first.shown, first.probe.id, f"is alone in the group `{name}`, so there is no pair")
        told = Counter(entry.probe.variant or str(entry.probe.tier) for entry in members)
        for variant, count in told.items():
            if count > 1:
                yield Problem(first.shown, first.probe.id, f"the group `{name}` has {count} times `{variant}`")
