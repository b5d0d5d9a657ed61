"""The same bytes over runs, orders of columns, lists of ε, threads and batches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from unittest import mock

from benchmarks.sweep.line import Line
from gate.suites.perturbation import worst_case
from gate.suites.perturbation.models import asking
from tests.support.swept import COLUMNS, of_epsilon, people, swept, told

ROWS = 3_000


def lines() -> Iterator[Line]:
    """One line a variation, each with the number of variants and of those that differ in any byte."""
    table = people(ROWS)
    whole = swept(table)
    usual = told(whole)

    def batches(rows: int, threads: int) -> bytes:
        with (
            mock.patch.object(asking, "LARGEST_BATCH", rows),
            mock.patch.object(worst_case, "ROWS_AT_ONCE", rows),
        ):
            return told(swept(table, threads=threads))

    alone = swept(table, epsilons=[0.1])
    variants: dict[str, list[Callable[[], bool]]] = {
        "a second run": [lambda: told(swept(people(ROWS))) == usual],
        "shuffled columns": [
            lambda order=order: told(swept(table[list(order)])) == usual  # type: ignore[misc]
            for order in (COLUMNS[::-1], COLUMNS[2:] + COLUMNS[:2])
        ],
        "ε as [.1], [.01, .05, .1] and reversed": [
            lambda: of_epsilon(alone, 0.1) == of_epsilon(whole, 0.1),
            lambda: told(swept(table, epsilons=[0.1, 0.05, 0.01])) == usual,
        ],
        "2 threads": [lambda: told(swept(table, threads=2)) == usual],
        "batches of 100, 777 and 2,048 rows": [
            lambda rows=rows: batches(rows, 2) == usual  # type: ignore[misc]
            for rows in (100, 777, 2_048)
        ],
    }
    for name, checks in variants.items():
        differing = [check() for check in checks].count(False)
        found = {"variants": len(checks), "differing": differing, "bytes": len(usual)}
        yield Line(1, f"same bytes of {ROWS:,} rows over {name}", found, 0, holds=not differing)
