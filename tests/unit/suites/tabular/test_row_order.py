"""The order in which rows draw their noise."""

from __future__ import annotations

import pytest

np = pytest.importorskip("numpy")

from gate.suites.perturbation.tabular.row_order import by_name, inverse, placed  # noqa: E402


@pytest.mark.parametrize(
    ("names", "order"),
    [
        ((0, 1, 2), None),
        ((2, 10, 1), [2, 0, 1]),
        (("2", "10", "-1"), [2, 0, 1]),
        (("p2", "p10", "p1"), [2, 1, 0]),
        (("b", "a", "b", "a"), [1, 3, 0, 2]),
        ((1, "a", None), [0, 2, 1]),
        ((10**30, 2), None),
        ((True, False), [1, 0]),
    ],
)
def test_whole_numbers_go_by_value_and_others_as_texts(names: tuple[object, ...], order: list[int] | None) -> None:
    found = by_name(names)
    assert (None if found is None else found.tolist()) == order


def test_what_is_told_comes_back_to_its_rows() -> None:
    order = by_name(("c", "a", "b"))
    assert np.array(["a", "b", "c"])[inverse(order)].tolist() == ["c", "a", "b"]
    assert placed({0: "a", 2: "c"}, order) == {0: "c", 1: "a"}
