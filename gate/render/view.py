"""What every renderer lays out: headline, rows, what held, where it came from, computed once from a verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from gate.render.changed import outside_line
from gate.render.grouping import Row, rows
from gate.render.provenance import changed_line, foot_lines
from gate.render.spans import Line, Span, bold, code, command, own, separated, text
from gate.render.statistics import stochastic_line, tests_of
from gate.render.words import plural, verb
from gate.schema.verdict import ExitCode, Finding, Level, Problem, Provenance, RuleName, Verdict

NAMED = 5
TITLE = "Robustness Gate"
_REFRESH = "gate baseline refresh"
_UNJUDGED = {ExitCode.USAGE: "wrong usage or configuration", ExitCode.INTERNAL: "the gate itself failed"}
_MEASURED = {
    "tests": "test",
    "metrics": "metric",
    "predictions": "prediction",
    "attacks": "attack",
    "mutants": "mutant",
    "rules": "rule",
    "probes": "probe",
    "dimensions": "dimension",
}


class Status(Enum):
    """How it ended, with its symbols for a page and for a terminal."""

    WORSE = ("❌", "✗")
    SAME = ("✅", "✓")
    UNDECIDED = ("❔", "?")
    WELCOME = ("👋", "•")
    UNJUDGED = ("⛔", "!")

    @property
    def symbol(self) -> str:
        return self.value[0]

    @property
    def plain(self) -> str:
        return self.value[1]


@dataclass(frozen=True, slots=True)
class View:
    """A verdict, ready to be laid out.

    Attributes:
        title: the headline without its symbol.
        lead: what changed here and what to do next, one line each, with their bold labels.
        table: rows of errors and warnings, worst first.
        notes: rows of notes.
        undecided: stochastic findings that do not fail.
        notices: foreign sentences that a reviewer must see.
        outcome: what held, what is fixed, what is new.
        foot: provenance, one piece each.
    """

    verdict: Verdict
    status: Status
    title: Line
    lead: tuple[Line, ...]
    table: tuple[Row, ...]
    notes: tuple[Row, ...]
    undecided: tuple[Finding, ...]
    notices: tuple[str, ...]
    outcome: tuple[Line, ...]
    foot: tuple[Line, ...]

    @property
    def headings(self) -> tuple[str, str]:
        """Headers of the columns that say what and why: only a failing table is about what got worse."""
        worse = self.status is Status.WORSE
        return ("What got worse", "Why it isn't noise") if worse else ("What was found", "Why")

    @property
    def with_examples(self) -> tuple[Finding, ...]:
        """Churn lists the negative flips over again, so where these are listed it leaves its own to `gate show`."""
        flips = {finding.case_id for finding in self.verdict.findings if finding.rule is RuleName.NEGATIVE_FLIP}
        return tuple(
            each
            for each in self.verdict.findings
            if each.examples and not (each.rule is RuleName.PREDICTION_CHURN and each.case_id in flips)
        )

    @property
    def with_evidence(self) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.verdict.findings if finding.evidence)


def build_view(verdict: Verdict) -> View:
    """The one view of a verdict."""
    undecided = tuple(
        each for each in verdict.findings if each.rule is RuleName.UNDECIDED and each.level is not Level.ERROR
    )
    hidden = {id(each) for each in undecided}
    shown = [each for each in verdict.findings if id(each) not in hidden and each.level is not Level.OFF]
    status = _status(verdict)
    return View(
        verdict=verdict,
        status=status,
        title=_title(verdict, status, undecided),
        lead=tuple(line for line in (changed_line(verdict), outside_line(verdict), *_next(verdict, status)) if line),
        table=rows([each for each in shown if each.level in (Level.ERROR, Level.WARNING)]),
        notes=rows([each for each in shown if each.level is Level.NOTE]),
        undecided=undecided,
        notices=verdict.notices,
        outcome=_outcome(verdict, status, undecided),
        foot=foot_lines(verdict),
    )


def _status(verdict: Verdict) -> Status:
    if verdict.problem is not None:
        return Status.UNJUDGED
    if verdict.welcome:
        return Status.WELCOME
    return {ExitCode.HOLDS: Status.SAME, ExitCode.REGRESSION: Status.WORSE}.get(verdict.would_exit, Status.UNDECIDED)


def _title(verdict: Verdict, status: Status, undecided: Sequence[Finding]) -> Line:
    failing = len(verdict.failing)
    would = "would fail this check (observe mode)" if verdict.observe else None
    parts: list[str] = []
    if status is Status.UNJUDGED:
        words = f"Not judged: {_UNJUDGED.get(verdict.would_exit, 'could not decide')}"
    elif status is Status.WELCOME:
        words = "Welcome: nothing to compare with yet"
    elif status is Status.SAME:
        words = "As robust as main"
        known = sum(1 for each in verdict.findings if each.known_on_base and each.level is Level.ERROR)
        given = len(verdict.accepted)
        parts += [f"{plural(known, 'finding')} {verb(known, 'is', 'are')} main's own"] if known else []
        parts += [f"{plural(given, 'finding')} {verb(given, 'is', 'are')} accepted"] if given else []
    else:
        words = "Less robust than main" if status is Status.WORSE else "Could not decide"
        fails = would or f"{verb(failing, 'fails', 'fail')} this check"
        parts += [f"{plural(failing, 'finding')} {fails}"] if failing else []
    warnings = sum(1 for each in verdict.at(Level.WARNING) if each.rule is not RuleName.UNDECIDED)
    parts += [plural(warnings, "warning")] if warnings and not failing else []
    parts += [f"{len(undecided):,} undecided"] if undecided else []
    title: list[Span] = [own(words + (": " + ", ".join(parts) if parts else ""))]
    suite = verdict.provenance.suite
    return (*title, own(" · suite "), code(suite)) if suite not in ("", "default") else tuple(title)


def _next(verdict: Verdict, status: Status) -> list[Line]:
    label = (bold("Next:"), own(" "))
    if verdict.problem is not None:
        return _problem(verdict.problem, label)
    first = verdict.failing[0].id if verdict.failing else ""
    shown = command(f"gate show {first}{options(verdict.provenance)}")
    look: Line = (own(" Look closer: "), shown, own(".")) if first else ()
    if status is Status.WELCOME and not first:
        until = " and commit it. Until main has it, this check decides nothing."
        told: Line = (own("adopt what was measured as the baseline with "), command("gate baseline adopt"), own(until))
        return [(*label, *told, *look)]
    if status is Status.WORSE:
        how: Line = (own("merge it and then adopt main's own report with "), command("gate baseline adopt REPORT"))
        if verdict.provenance.pull_request is not None and verdict.observe is False:
            how = (own("a second person comments "), command(f"/gate accept {first} REASON"))
        meant = own("fix it; or, where it is meant, ")
        return [(*label, meant, *how, own(" (README, Accepting an intended change)."), *look)]
    if verdict.failing and all(each.rule is RuleName.STALE_RECORDING for each in verdict.failing):
        return [(*label, *_record(verdict.failing), *look)]
    if verdict.failing and all(each.command.startswith(_REFRESH) for each in verdict.failing):
        again = " on main with this version of the gate, and commit the baseline."
        return [(*label, own("run "), command(verdict.failing[0].command), own(again), *look)]
    if status is not Status.SAME:
        return [(*label, own("mend what kept the suite from being measured, and run it again."), *look)]
    return _review(verdict, label)


def _record(stale: Sequence[Finding]) -> Line:
    """What to do where only recordings are lacking."""
    whole = next((each.command for each in stale if " -- " not in each.command), "")  # of a mutant: no test has its id
    one = code(stale[0].command) if len(stale) == 1 else command("gate run --mode record -- TESTS")
    run = command(whole) if whole else one
    return (own("record what changed, where a key is: "), run, own(", and commit the recordings."))


def _review(verdict: Verdict, label: Line) -> list[Line]:
    """What is to be read although nothing fails; empty where there is nothing, or only what somebody accepted."""
    warnings = [each.id for each in verdict.at(Level.WARNING) if each.rule is not RuleName.UNDECIDED]
    known = [each.id for each in verdict.at(Level.ERROR) if each.known_on_base]
    found = warnings or known
    if not found:
        return []
    shown = command(f"gate show {' '.join(found[:NAMED])}{options(verdict.provenance)}")
    if warnings:
        said = f"read the {verb(len(warnings), 'warning', 'warnings')} before you merge; nothing fails this check: "
    else:
        said = f"mend {verb(len(known), 'it', 'them')} on main, whose own {verb(len(known), 'it is', 'they are')}: "
    return [(*label, own(said), shown, own("."))]


def _problem(problem: Problem, label: Line) -> list[Line]:
    where: Line = (code(problem.where), own(": ")) if problem.where else ()
    lines: list[Line] = [(*where, *_sentence(problem.message))]
    return [*lines, (*label, *_sentence(problem.remedy))] if problem.remedy else lines


def _sentence(words: str) -> Line:
    return (text(words),) if words.endswith((".", "?", "!")) else (text(words), own("."))


def options(origin: Provenance) -> str:
    """The options of `gate show` that find this verdict again from anybody's machine."""
    suite = f" --suite {origin.suite}" if origin.suite not in ("", "default") else ""
    return f" --pr {origin.pull_request}{suite}" if origin.pull_request is not None else ""


def _outcome(verdict: Verdict, status: Status, undecided: Sequence[Finding]) -> tuple[Line, ...]:
    if status is Status.UNJUDGED:
        return ()
    if status is Status.WELCOME:
        return tuple(line for line in (_measured(verdict.measured), _varying(verdict.varying)) if line)
    news: list[Line] = []
    held = _held(verdict)
    news += [(bold("Held:"), own(f" {held}."))] if held else []
    if status is Status.SAME and not undecided and verdict.tally.stochastic:
        news.append((bold("Undecided:"), own(" none.")))
    for label, rule in (("Fixed", RuleName.FIXED), ("New", RuleName.NEW_CASE)):
        found = [each for each in verdict.good_news if each.rule is rule]
        if found:
            news.append((bold(f"{label}:"), own(" "), *named([each.subject for each in found]), own(".")))
    flips = [each for each in verdict.good_news if each.rule is RuleName.POSITIVE_FLIP]
    for each in flips[:NAMED]:
        news.append(
            (bold("Better:"), own(" "), text(f"{each.what} {each.after}"), own(" in "), code(each.subject), own("."))
        )
    lines = [separated(news, " ")] if news else []
    promise = stochastic_line(verdict)
    return (*lines, *([promise] if promise else []))


def named(names: Sequence[str], most: int = NAMED) -> Line:
    """A few names as code and how many more there are."""
    line = separated([(code(name),) for name in names[:most]], ", ")
    more = len(names) - most
    return (*line, own(f" and {more:,} more")) if more > 0 else line


def _held(verdict: Verdict) -> str:
    """Only what held: the rest stands in the table."""
    tally, parts = verdict.tally, []
    if tally.held or tally.cases:
        holding = [each for each in tests_of(verdict.decisions) if each.answer == "holds" and each.measured]
        trials = plural(sum(each.candidate[1] for each in holding), "trial")
        parts.append(plural(tally.held, "test") + (f" ({len(holding):,} stochastic, {trials})" if holding else ""))
    if tally.negative_flips:
        right = max(tally.examples - tally.negative_flips, 0)
        parts.append(f"{right:,} of {plural(tally.examples, 'prediction')}")
    elif tally.examples:
        parts.append(f"{plural(tally.examples, 'prediction')} (0 negative flips)")
    if tally.attacks:
        parts.append(plural(tally.attacks, "attack"))
    if tally.metrics:
        parts.append(plural(tally.metrics, "metric"))
    if tally.probes:
        parts.append(f"{tally.probes_held:,} of {plural(tally.probes, 'probe')}")
    if tally.dimensions:
        parts.append(f"{tally.dimensions_held:,} of {plural(tally.dimensions, 'dimension')}")
    if tally.rules:
        parts.append(f"{tally.guarded:,} of {plural(tally.rules, 'rule')} guarded")
    return ", ".join(parts)


def _measured(measured: Mapping[str, str]) -> Line:
    if not measured:
        return (bold("Measured:"), own(" nothing."))
    parts: list[Line] = []
    for key in [*_MEASURED, *sorted(set(measured) - set(_MEASURED))]:
        if key not in measured:
            continue
        noun = _MEASURED.get(key)
        count = measured[key].replace(",", "")
        if noun and count.isdecimal():
            parts.append((own(plural(int(count), noun)),))
        else:
            parts.append((text(f"{key} {measured[key]}"),))
    return (bold("Measured:"), own(" "), *separated(parts, ", "), own("."))


def _varying(varying: Sequence[str]) -> Line:
    if not varying:
        return ()
    return (
        bold("Varies from run to run:"),
        own(" "),
        *named(list(varying)),
        own(f". Mark {verb(len(varying), 'it', 'them')} with "),
        command("@pytest.mark.stochastic"),
        own("."),
    )


def undecided_line(found: Sequence[Finding], most: int = NAMED) -> Line:
    """The undecided cases with both sides."""
    parts: list[Line] = []
    for each in found[:most]:
        sides: Line = (own(" "), text(each.before or "–"), own(" → "), text(each.after or "–"))
        sides += (own(" ("), text(each.why), own(")")) if each.why else ()
        parts.append((own(f"{each.id} "), code(each.subject), *sides))
    more = len(found) - most
    tail: Line = (own(f" and {more:,} more"),) if more > 0 else ()
    return (bold("Undecided, does not fail:"), own(" "), *separated(parts, ", "), *tail, own("."))
