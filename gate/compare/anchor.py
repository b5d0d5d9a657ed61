"""What was lost since the anchor: small drops that passed one by one, added up.

The rolling baseline moves with each refresh, so a drop below every tolerance is forgotten at the next one. The anchor
stays where somebody put it, and the whole loss since then has a limit of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

from gate.compare.align import Alignment, Pair, align
from gate.compare.comparison import Comparison
from gate.compare.flips import Flips, robust
from gate.compare.ledger import declares
from gate.compare.wording import counted
from gate.schema.changes import Changes
from gate.schema.outcome import Outcome
from gate.schema.report import Case, Kind, Metric, Report
from gate.settings import Settings
from gate.settings.anchored import limits_of

LEVEL = 0.001
"""Chance that the noise of sampled tests alone, or of a sampled agent, passes for a loss beyond the limit."""
_ROUNDING = 1e-9
_SAME = 1e-6
_Sides = tuple[float, float]
"""One measure at the anchor and here."""


@dataclass(frozen=True, slots=True)
class Loss:
    """One measure that lost more than its limit since the anchor.

    Attributes:
        case_id: what an acceptance is bound to.
        subject, what: the words of the finding; untrusted text.
        before, after: at the anchor and here, as they are shown.
        lost: how much, in the unit of `limit`.
        limit: the most that may be lost; a share, of a metric outside [-1, 1] a share of the anchor's value.
        total: over how many cases or examples; 0 where that makes no sense.
    """

    case_id: str
    subject: str
    what: str
    before: str
    after: str
    lost: float
    limit: float
    total: int = 0


def losses(
    anchor: Report, candidate: Report, settings: Settings, renames: Mapping[str, str], default: float
) -> list[Loss]:
    """Every measure that stands on both sides and lost more than its limit, in a fixed order.

    Cases that were removed since are not counted; `missing-case` told of each when it went.

    Args:
        renames: old path of a test file to its new one.
        default: limit of a measure that `anchor-limits` does not name.
    """
    limits = limits_of(settings, default)
    against = Comparison(anchor, candidate, align(anchor, candidate, renames), settings, Changes())
    pairs = against.alignment.pairs
    tests = [pair for pair in pairs if pair.before.kind is Kind.TEST]
    found = [
        *_certain(against.alignment, limits["pass-rate"]),
        *_sampled(tests, limits["pass-rate"]),
    ]
    of_examples = [(pair, loss) for pair, flips in against.flips for loss in _accuracy(pair, flips, limits)]
    told: dict[str, list[_Sides]] = {}
    for pair, (_, sides) in of_examples:
        told.setdefault(pair.after.id, []).extend(sides)
    for pair in tests:
        found += _metrics(pair, limits["metric"], told.get(pair.after.id, ()))
    return [*found, *(loss for _, (loss, _) in of_examples), *_scores(against, limits["score"])]


def _certain(alignment: Alignment, limit: float) -> Iterator[Loss]:
    """Share of the deterministic tests that hold."""
    kept = dict(alignment.outcomes)
    for pair in alignment.pairs:
        if pair.before.kind is not Kind.TEST or declares(pair.before) or declares(pair.after):
            kept[pair.before.outcome, pair.after.outcome] -= 1
    drawn = [(then, now, count) for (then, now), count in kept.items() if _judged(then) and _judged(now)]
    before = sum(count for then, _, count in drawn if then is not None and then.holds)
    after = sum(count for _, now, count in drawn if now is not None and now.holds)
    count = sum(count for _, _, count in drawn)
    if count and (before - after) / count > limit + _ROUNDING:
        yield Loss(
            "anchor#pass-rate",
            "all tests",
            "hold less often",
            f"{before:,}/{count:,}",
            f"{after:,}/{count:,}",
            (before - after) / count,
            limit,
            count,
        )


def _judged(outcome: Outcome | None) -> bool:
    return outcome is not None and (outcome.holds or outcome.fails)


def _sampled(pairs: Sequence[Pair], limit: float) -> Iterator[Loss]:
    """Mean pass rate of the stochastic tests, beyond what noise does.

    The loss must exceed the limit by the normal quantile of `LEVEL` standard errors of the difference, each rate with
    one success and one failure added (Agresti and Caffo 2000, section 2). Trials that their own results stopped are no
    fair sample and are left out, so on a pull request often only a refresh can tell.
    """
    from gate.stats.special import normal_quantile

    rates: list[tuple[float, float]] = []
    variance = 0.0
    for pair in pairs:
        (before, trials), (now, made) = _fair(pair.before), _fair(pair.after)
        if not (declares(pair.before) and trials and made):
            continue
        rates.append((before / trials, now / made))
        for passes, count in ((before, trials), (now, made)):
            rate = (passes + 1) / (count + 2)
            variance += rate * (1 - rate) / (count + 2)
    if not rates:
        return
    count = len(rates)
    mean_before, mean_after = (sum(rate[side] for rate in rates) / count for side in (0, 1))
    if mean_before - mean_after > limit + normal_quantile(LEVEL) * sqrt(variance) / count:
        yield Loss(
            "anchor#sampled-pass-rate",
            "all stochastic tests",
            "pass less often",
            _percent(mean_before),
            _percent(mean_after),
            mean_before - mean_after,
            limit,
            count,
        )


def _fair(case: Case) -> tuple[int, int]:
    """Passes and trials of the sessions whose number of trials was fixed before."""
    outcomes = "" if case.trials is None else "".join(each.outcomes for each in case.trials.sessions if each.fixed)
    return outcomes.count("1"), len(outcomes)


def _metrics(pair: Pair, limit: float, told: Sequence[_Sides]) -> Iterator[Loss]:
    """Metrics of a test, but for those whose values are an accuracy of its examples that is told already."""
    now = {metric.name: metric for metric in pair.after.metrics}
    for before in pair.before.metrics:
        after = now.get(before.name)
        if after is None or before.value is None or after.value is None:
            continue
        lost, allowed = _lost(before, before.value, after.value, limit)
        same = any(abs(before.value - was) <= _SAME >= abs(after.value - here) for was, here in told)
        if lost > allowed + _ROUNDING and not same:
            yield Loss(
                f"{pair.after.id}#anchor:{before.name}",
                before.name,
                "is worse",
                f"{before.value:.6g}",
                f"{after.value:.6g}",
                lost,
                allowed,
            )


def _lost(metric: Metric, before: float, after: float, limit: float) -> tuple[float, float]:
    """How much a metric lost and may lose: absolute within [-1, 1], else as a share of what it was.

    What the test declares harmless at once is no loss over time either.
    """
    lost = before - after if metric.better == "higher" else after - before
    scale = 1.0 if max(abs(before), abs(after)) <= 1 else max(abs(before), _ROUNDING)
    return lost / scale, max(limit, (metric.tolerance or 0.0) / scale)


def _accuracy(pair: Pair, flips: Flips, limits: Mapping[str, float]) -> Iterator[tuple[Loss, list[_Sides]]]:
    """Negative flips less positive ones, and the robust accuracy that lost most of all attacks, over the examples of
    both sides; each with the values of all that it tells of."""
    name, total, limit = flips.before.name, flips.total, limits["accuracy"]
    net = len(flips.negative) - len(flips.positive)
    if total and net / total > limit + _ROUNDING:
        sides = sum(flips.right_before) / total, sum(flips.right_here) / total
        what = f"answers {net:,} more examples wrong"
        case_id = f"{pair.after.id}#{name}#anchor:accuracy"
        yield Loss(case_id, name, what, _percent(sides[0]), _percent(sides[1]), net / total, limit, total), [sides]
    limit = limits["robust-accuracy"]
    here = {attack.name for attack in flips.after.attacks}
    found: list[tuple[float, str, _Sides, int]] = []
    for attack in (each.name for each in flips.before.attacks if each.name in here):
        (stable, measured), (now, made) = robust(flips, attack, here=False), robust(flips, attack, here=True)
        if measured and made and (lost := stable / measured - now / made) > limit + _ROUNDING:
            found.append((lost, attack, (stable / measured, now / made), made))
    if found:
        lost, attack, sides, made = max(found, key=lambda each: each[0])
        more = f" and {counted(len(found) - 1, 'other attack')}" if len(found) > 1 else ""
        what, case_id = f"is less robust, {attack}{more}", f"{pair.after.id}#{name}#anchor:robust-accuracy"
        yield (
            Loss(case_id, name, what, _percent(sides[0]), _percent(sides[1]), lost, limit, made),
            [each[2] for each in found],
        )


def _scores(against: Comparison, limit: float) -> Iterator[Loss]:
    """Scores of a coding agent; of a sampled one the intervals of both sides must lie further apart than the limit."""
    for score in against.probes.scores:
        if score.before is None or score.after is None:
            continue
        gap = score.before - score.after
        if score.level is not None and score.before_interval and score.after_interval:
            gap = score.before_interval[0] - score.after_interval[1]
        if gap / 100 > limit + _ROUNDING:
            name = score.name or "composite score"
            yield Loss(
                f"anchor#score:{name}",
                name,
                "of the coding agent is worse",
                f"{score.before:.1f}",
                f"{score.after:.1f}",
                (score.before - score.after) / 100,
                limit,
                score.probes,
            )


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"
