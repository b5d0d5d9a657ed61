"""The line of what a pull request changes, and the foot of the comment."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gate.render.spans import Line, Span, bold, code, own, separated, text
from gate.render.words import CENT, chance, plural
from gate.schema.dependencies import PACKAGE, is_outside
from gate.schema.report import Calls
from gate.schema.verdict import Provenance, Verdict

PATHS = 4
HEADINGS = 8
SHORT = 7
_COMMIT = re.compile(r"[0-9a-fA-F]{8,64}")
_URL = re.compile(r"https?://[A-Za-z0-9.:-]+(?:/[A-Za-z0-9._~/%?=&#+@:,;-]*)?")


def changed_line(verdict: Verdict) -> Line:
    """`Changed here: prompts a.md; tests b.py, c.py and 3 more`; empty when git and fingerprints say nothing."""
    parts: list[Line] = []
    for heading, paths in sorted(verdict.provenance.changed.items()):
        if paths:
            parts.append((text(heading), own(" "), *_few(paths)))
    found = headings(verdict.provenance)
    # packages come last, since there may be many
    for name, (before, after) in sorted(
        verdict.fingerprints_changed.items(), key=lambda each: (each[0].startswith(PACKAGE), each[0])
    ):
        if is_outside(name, (before, after), found):
            continue
        sides: Line = (code(short(before)), own(" → "), code(short(after)))
        parts.append((text(name), own(" "), *sides))
    if not parts:
        return ()
    more: Line = (own(f"; and {len(parts) - HEADINGS:,} more"),) if len(parts) > HEADINGS else ()
    return (bold("Changed here:"), own(" "), *separated(parts[:HEADINGS], "; "), *more, own("."))


def headings(provenance: Provenance) -> frozenset[str]:
    """Kinds of files that a pull request changes."""
    return frozenset(heading for heading, paths in provenance.changed.items() if paths)


def _few(paths: Sequence[str]) -> Line:
    line: list[Span] = list(separated([(code(path),) for path in paths[:PATHS]], ", "))
    more = len(paths) - PATHS
    return (*line, own(f" and {more:,} more")) if more > 0 else tuple(line)


def short(commit: str) -> str:
    """The first seven characters of a commit or digest; anything else as it is."""
    return commit[:SHORT] if _COMMIT.fullmatch(commit) else commit


def foot_lines(verdict: Verdict) -> tuple[Line, ...]:
    """Where both sides came from and what noise can do, one piece each."""
    origin: Provenance = verdict.provenance
    age = (own(" (baseline "), text(origin.baseline_age), own(")")) if origin.baseline_age else ()
    pieces: list[Line] = []
    if origin.base:
        pieces.append((own("base "), code(short(origin.base)), *age))
    if origin.anchor:
        pieces.append((own("anchor "), text(origin.anchor)))
    if origin.head:
        pieces.append((own("head "), code(short(origin.head)), own(f", attempt {origin.attempt:,}")))
    if origin.mode:
        pieces.append((own("mode "), text(origin.mode)))
    told = calls_sentence(verdict.calls)
    if told:
        pieces.append((own(told),))
    if origin.settings_from not in ("", "defaults"):
        pieces.append((own("settings of "), text(origin.settings_from)))
    if not verdict.welcome and verdict.problem is None:
        pieces.append((own(budget_sentence(verdict)),))
    if origin.tool_version:
        pieces.append((text(f"robustness-gate {origin.tool_version}"),))
    return tuple(pieces)


def calls_sentence(calls: Calls) -> str:
    """`312 calls replayed, 0 live, about 1.40 USD saved`; empty where nothing was called. `$` would begin a formula."""
    if not calls.live and not calls.replayed:
        return ""
    parts = [f"{plural(calls.replayed, 'call')} replayed", f"{calls.live:,} live"]
    parts += [f"about {calls.money:,.2f} USD spent"] if calls.money >= CENT else []
    parts += [f"about {calls.saved:,.2f} USD saved"] if calls.saved >= CENT else []
    return ", ".join(parts)


def budget_sentence(verdict: Verdict) -> str:
    """What the error budget promises; short where nothing is stochastic."""
    if not verdict.tally.stochastic and not verdict.decisions:
        return "deterministic: no statistics needed"
    return f"noise fails an unchanged pull request at most {chance(verdict.alpha)}"


def links(verdict: Verdict) -> tuple[tuple[str, str], ...]:
    """(label, address) of the report, where the address is one that may be linked."""
    url = verdict.provenance.report_url
    return (("report", url),) if _URL.fullmatch(url) else ()
