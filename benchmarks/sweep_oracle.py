"""Every flip of a few small trees inside a box, found by going through all leaves that the box reaches."""

from __future__ import annotations

from typing import Any

import numpy as np


def leaves_of(estimator: Any) -> list[list[tuple[Any, Any, Any]]]:
    """By tree its leaves: (low, high, shares of the classes), a point being in (low, high]."""
    grown = getattr(estimator, "estimators_", [estimator])
    found = []
    for tree in (each.tree_ for each in grown):
        leaves: list[tuple[Any, Any, Any]] = []
        width = tree.n_features
        stack = [(0, np.full(width, -np.inf), np.full(width, np.inf))]
        while stack:
            node, low, high = stack.pop()
            if tree.children_left[node] < 0:
                shares = tree.value[node][0]
                leaves.append((low, high, shares / shares.sum()))
                continue
            column, threshold = tree.feature[node], tree.threshold[node]
            left, right = high.copy(), low.copy()
            left[column], right[column] = min(high[column], threshold), max(low[column], threshold)
            stack += [(tree.children_left[node], low, left), (tree.children_right[node], right, high)]
        found.append(leaves)
    return found


def first_point(trees: Any, low: Any, high: Any, clean: Any, own: int) -> list[Any]:
    """The first point of a joint leaf in which the trees' mean gives another class than `own`; empty without one."""
    reach = [[leaf for leaf in leaves if _common(leaf[0], leaf[1], low, high)] for leaves in trees]
    best = np.cumsum([0.0, *(max(1 - leaf[2][own] for leaf in leaves) for leaves in reversed(reach))])[::-1]
    stack = [(0, low, high, 0.0)]
    while stack:
        depth, least, most, against = stack.pop()
        if against + best[depth] <= len(trees) / 2:
            continue
        if depth == len(trees):
            # a leaf's lower side is open, and the trees compare in single precision
            point = np.clip(clean, least + (most - least) * 1e-3, most - (most - least) * 1e-3)
            return [point]
        for leaf in reach[depth]:
            if _common(leaf[0], leaf[1], least, most):
                inside = np.maximum(least, leaf[0]), np.minimum(most, leaf[1])
                stack.append((depth + 1, *inside, against + 1 - leaf[2][own]))
    return []


def _common(first_low: Any, first_high: Any, second_low: Any, second_high: Any) -> bool:
    low, high = np.maximum(first_low, second_low), np.minimum(first_high, second_high)
    fixed = (second_low == second_high) & (first_low < second_low) & (second_high <= first_high)
    return bool(((low < high) | fixed).all())
