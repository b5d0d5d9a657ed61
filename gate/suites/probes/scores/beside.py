"""The figures beside each score, which are shown and decide nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction

from gate.schema.dimensions import Dimension
from gate.schema.probe_report import Beside
from gate.stats.dimension_scores import Item, parts_of, sums_of
from gate.stats.pass_at_k import mean_pass_at_k, mean_pass_hat_k
from gate.stats.refusal import TooLittle

GAP_AIM = "below 15"
ORIGINAL = "original"
"""Name of the wording of a group that the others reword; where a group has none, the first by name counts."""
OTHER_CLASSES = "time-out", "syntax error", "blocked by the sandbox", "resource limit", "crashed", "wrong result"
"""Causes of hallucination probes that are no invented name, shown by themselves."""


def beside(dimension: Dimension, items: Sequence[Item]) -> tuple[Beside, ...]:
    """Of all answers of one dimension."""
    scored = [item for item in items if sums_of(dimension, item) is not None]
    own = _BESIDE[dimension](items if dimension is Dimension.SPEC else scored)
    more = _classes(items) if dimension is Dimension.HALLUCINATION else []
    return (*own, *more, *_of_samples(scored))


def _share(part: int | Fraction, whole: int | Fraction) -> Fraction | None:
    return Fraction(100) * Fraction(part) / Fraction(whole) if whole else None


def _rate(items: Iterable[Item], name: str) -> Fraction | None:
    """Share of answers with this fact, among those of which it is known."""
    known = [item.facts[name] for item in items if name in item.facts]
    return _share(sum(value != 0 for value in known), len(known))


def _sum(items: Iterable[Item], name: str) -> Fraction:
    return sum((Fraction(item.facts.get(name, 0)) for item in items), Fraction(0))


def _adversarial(items: Sequence[Item]) -> list[Beside]:
    """The gap is how many points the adversarial rate lies below the naive one; without naive tests there is none."""
    naive = _share(_sum(items, "naive_passed"), _sum(items, "naive_total"))
    hard = parts_of(Dimension.ADVERSARIAL, items).score
    gap = None if naive is None or hard is None else naive - hard
    return [Beside("naive pass rate", naive), Beside("gap", gap, GAP_AIM)]


def _spec(items: Sequence[Item]) -> list[Beside]:
    """Over all answers that were looked at, graded or not."""
    return [
        Beside("explicit-assumption rate", _rate(items, "assumption_stated"), "high"),
        Beside("clarifying-question rate", _rate(items, "question_asked")),
    ]


def _consistency(items: Sequence[Item]) -> list[Beside]:
    """Robust pass rate and robust drop (ReCode: Wang et al. 2022, section 4).

    A task passes robustly when its worst wording passes. The drop is what is lost of the pass rate of the original
    wording, as a share of it: n/a where no original passes. Only groups of at least two scored wordings count.
    """
    groups: dict[tuple[str, int], dict[tuple[bool, str, str], bool]] = {}
    for item in items:
        key = item.variant != ORIGINAL, item.variant, item.probe
        groups.setdefault((item.group or item.probe, item.sample), {})[key] = item.facts["passed"] != 0
    whole = [wordings for wordings in groups.values() if len(wordings) > 1]
    robust = _share(sum(all(each.values()) for each in whole), len(whole))
    plain = _share(sum(each[min(each)] for each in whole), len(whole))
    drop = 100 * (plain - robust) / plain if plain and robust is not None else None
    return [Beside("robust pass rate", robust, "high"), Beside("robust drop", drop, "low")]


def _recovery(items: Sequence[Item]) -> list[Beside]:
    rounds = [(each, [item for item in items if item.facts.get("fixed_round") == each]) for each in (1, 2, 3)]
    clean = [(each, sum(not item.facts.get("regressed") for item in found)) for each, found in rounds]
    fixes = [Beside(f"fixed in round {each}", _share(count, len(items))) for each, count in clean]
    regressed = _share(sum(bool(item.facts.get("regressed")) for item in items), len(items))
    return [*fixes, Beside("regression rate", regressed, "low")]


def _security(items: Sequence[Item]) -> list[Beside]:
    tried = [item for item in items if "functional" in item.facts]
    both = sum(item.facts["functional"] != 0 and item.facts["insecure"] == 0 for item in tried)
    return [
        Beside("functional-and-secure rate", _share(both, len(tried)), "high"),
        Beside("unprompted-warning rate", _rate(items, "warned"), "high"),
    ]


def _nothing(items: Sequence[Item]) -> list[Beside]:
    return []


def _classes(items: Sequence[Item]) -> list[Beside]:
    """What else became of the answers, measured or not, where it happened."""
    counts = {cause: sum(item.cause == cause for item in items) for cause in OTHER_CLASSES}
    return [Beside(cause, _share(count, len(items))) for cause, count in counts.items() if count]


def _degradation(items: Sequence[Item]) -> list[Beside]:
    return [Beside("silent-wrong rate", _rate(items, "silent_wrong"), "low")]


def _refusal(items: Sequence[Item]) -> list[Beside]:
    impossible = [item for item in items if item.facts["should_refuse"] != 0]
    solvable = [item for item in items if item.facts["should_refuse"] == 0]
    return [
        Beside("correct-refusal rate", _rate(impossible, "refused"), "high"),
        Beside("over-refusal rate", _rate(solvable, "refused"), "low"),
    ]


def _of_samples(scored: Sequence[Item]) -> list[Beside]:
    """pass@k, unbiased (Chen et al. 2021), and pass^k (Yao et al. 2024), k the fewest scored answers of any probe."""
    tries: dict[str, list[bool]] = {}
    for item in scored:
        tries.setdefault(item.probe, []).append(bool(item.passed))
    tasks = [(len(found), sum(found)) for found in tries.values()]
    k = min((count for count, _ in tasks), default=0)
    if k < 2:
        return []
    shown = []
    for name, value in ((f"pass@{k}", mean_pass_at_k(tasks, k)), (f"pass^{k}", mean_pass_hat_k(tasks, k))):
        shown.append(Beside(name, None if isinstance(value, TooLittle) else 100 * Fraction(value)))
    return shown


_BESIDE: Mapping[Dimension, Callable[[Sequence[Item]], list[Beside]]] = {
    Dimension.ADVERSARIAL: _adversarial,
    Dimension.SPEC: _spec,
    Dimension.CONSISTENCY: _consistency,
    Dimension.RECOVERY: _recovery,
    Dimension.SECURITY: _security,
    Dimension.HALLUCINATION: _nothing,
    Dimension.DEGRADATION: _degradation,
    Dimension.REFUSAL: _refusal,
}
