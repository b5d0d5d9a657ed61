"""Sentences about how two reports were paired, which a reviewer must see although nothing got worse by them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gate.compare.align import Pair
from gate.compare.comparison import Comparison
from gate.compare.wording import counted, points
from gate.schema.outcome import Outcome
from gate.schema.verdict import RuleName

if TYPE_CHECKING:
    from gate.compare.whole_suite import Together

SHOWN = 5
LONG_LIST = 5


def notices(comparison: Comparison) -> tuple[str, ...]:
    """In a fixed order; they may hold untrusted text."""
    return (
        *_prefix(comparison),
        *_moves(comparison),
        *_baseline(comparison),
        *_noise(comparison),
        *_drift(comparison),
        *_false_discoveries(comparison),
        *_probes(comparison),
    )


def _noise(comparison: Comparison) -> Iterator[str]:
    """Unmarked tests that flip both ways as noise would; the verdict stays strict until somebody chooses otherwise."""
    broke = sum(_drawn(pair) for pair in comparison.speaking.get(RuleName.NEWLY_FAILING, ()))
    fixed = sum(_drawn(pair) for pair in comparison.speaking.get(RuleName.FIXED, ()))
    if not broke or not fixed:
        return
    from gate.stats.groups import explained_by_noise

    if explained_by_noise(broke, fixed):
        yield (
            f"{counted(broke, 'test')} newly fail and {fixed:,} newly pass, as noise alone would have it; if their "
            'outcomes vary from run to run, judge them together: stochastic = "suite" (or a folder, or a mark)'
        )


def _drift(comparison: Comparison) -> Iterator[str]:
    """A fall of the whole suite against main's baseline that does not show beside main's code: no finding."""
    before, now = comparison.whole_suite, comparison.whole_session
    if before is not None and now is not None and not now.falls:
        yield (
            f"all stochastic tests together pass less often than in main's baseline ({_size(before)}), but not clearly "
            f"less than main's code does in the same session ({_size(now)}): the service drifted, or the baseline was "
            "lucky"
        )


def _size(said: Together) -> str:
    from gate.stats.refusal import TooLittle

    found = said.found
    return "no change" if isinstance(found, TooLittle) else f"{points(found.effect.estimate)}, level {found.level:.2g}"


def _false_discoveries(comparison: Comparison) -> Iterator[str]:
    """A long list of regressions is read as a list: how many of it are expected to be false."""
    mutants = {each.before.id for each in comparison.mutants.standings}
    decisions = [each for name, each in comparison.decisions.items() if name not in mutants]
    known = [each for each in decisions if each.level is not None]
    fell = [each.answer == "regression" for each in known]
    if sum(fell) < LONG_LIST:
        return
    from gate.stats.multiplicity import benjamini_hochberg

    adjusted = benjamini_hochberg([each.level or 0.0 for each in known])
    rate = max(level for level, listed in zip(adjusted, fell, strict=True) if listed)
    yield f"of the {sum(fell):,} stochastic tests that newly fail, about {100 * rate:.2g} % are expected to be noise"


def _probes(comparison: Comparison) -> Iterator[str]:
    """Probes that are others than on main, and answers that were not scored."""
    changed = comparison.probes.changed
    if changed:
        named = ", ".join(pair.after.id for pair in changed[:SHOWN])
        more = f" and {len(changed) - SHOWN:,} more" if len(changed) > SHOWN else ""
        yield (
            f"{counted(len(changed), 'probe is', 'probes are')} another version than on main and compared as new: "
            f"{named}{more}"
        )
    design = next((case.probes for case in comparison.candidate.cases if case.probes is not None), None)
    if design is not None and design.unscored:
        yield (
            f"{design.unscored:,} of {counted(design.answers, 'probe answer')} unscored, which counts neither as 0 nor "
            "as 100"
        )


def _drawn(pair: Pair) -> bool:
    drawn = (Outcome.PASSED, Outcome.FAILED)
    return pair.before.probe is None and pair.before.outcome in drawn and pair.after.outcome in drawn


def _prefix(comparison: Comparison) -> Iterator[str]:
    before, after = comparison.alignment.prefix
    if before:
        yield f"ids in the baseline start with {before}, those here {f'with {after}' if after else 'without it'}"
    elif after:
        yield f"ids here start with {after}, those in the baseline without it"


def _moves(comparison: Comparison) -> Iterator[str]:
    tests: dict[tuple[str, str], int] = {}
    for pair in comparison.alignment.pairs:
        if pair.moved_from:
            paths = pair.moved_from.partition("::")[0], pair.after.id.partition("::")[0]
            tests[paths] = tests.get(paths, 0) + 1
    known = {path for path, move in comparison.alignment.moves.items() if move.known}
    for old, new in sorted(tests)[:SHOWN]:
        how = "" if old in known else ", as the names of its tests suggest"
        yield f"{old} was renamed to {new} with {counted(tests[old, new], 'test')} kept{how}"
    if len(tests) > SHOWN:
        yield f"{counted(len(tests) - SHOWN, 'more test file was', 'more test files were')} renamed with tests kept"


def _baseline(comparison: Comparison) -> Iterator[str]:
    if comparison.baseline.forced:
        yield f"the baseline was made with --force-incomplete, since: {comparison.baseline.forced}"
    elif comparison.baseline.completeness.reasons:
        yield f"the baseline's run was not whole: {comparison.baseline.completeness.reasons[0]}"
