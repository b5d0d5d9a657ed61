"""Pass rates of k tries at one task: at least one of them (pass@k) or every one (pass^k).

Both are chances, fractions from 0 to 1, estimated without bias from n ≥ k independent tries of a task, c of which pass.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import fsum, prod

from gate.stats.intervals import check_counts
from gate.stats.refusal import TooLittle


def pass_at_k(tries: int, passes: int, k: int) -> float | TooLittle:
    """Chance that at least one of k tries passes (Chen et al. 2021, section 2.1).

    1 − C(n − c, k)/C(n, k), as the product over i from n − c + 1 to n of (1 − k/i), which never overflows.

    Raises:
        ValueError: k below 1, or passes outside 0 to tries.
    """
    refused = _refuse(tries, passes, k)
    if refused is not None:
        return refused
    if tries - passes < k:
        return 1.0
    return 1 - prod(1 - k / i for i in range(tries - passes + 1, tries + 1))


def pass_hat_k(tries: int, passes: int, k: int) -> float | TooLittle:
    """Chance that all of k tries pass, pass^k (Yao et al. 2024).

    C(c, k)/C(n, k), as the product over i below k of (c − i)/(n − i).

    Raises:
        ValueError: k below 1, or passes outside 0 to tries.
    """
    refused = _refuse(tries, passes, k)
    if refused is not None:
        return refused
    if passes < k:
        return 0.0
    return prod((passes - i) / (tries - i) for i in range(k))


def mean_pass_at_k(tasks: Sequence[tuple[int, int]], k: int) -> float | TooLittle:
    """Mean of `pass_at_k` over tasks, each (tries, passes). Refused when any task has fewer than k tries."""
    return _mean(pass_at_k, tasks, k)


def mean_pass_hat_k(tasks: Sequence[tuple[int, int]], k: int) -> float | TooLittle:
    """Mean of `pass_hat_k` over tasks, each (tries, passes). Refused when any task has fewer than k tries."""
    return _mean(pass_hat_k, tasks, k)


def _mean(
    estimate: Callable[[int, int, int], float | TooLittle], tasks: Sequence[tuple[int, int]], k: int
) -> float | TooLittle:
    if not tasks:
        return TooLittle("there are no tasks")
    found = []
    for tries, passes in tasks:
        value = estimate(tries, passes, k)
        if isinstance(value, TooLittle):
            return value
        found.append(value)
    return fsum(found) / len(found)


def _refuse(tries: int, passes: int, k: int) -> TooLittle | None:
    if k < 1:
        raise ValueError("k is at least 1")
    check_counts(passes, tries)
    return None if tries >= k else TooLittle(f"{k} tries of a task are asked for and {tries} were made")
