"""Which mutants a list of suppressions names, and that a damaged one names none."""

from __future__ import annotations

import pytest

from gate.baselines.suppressed import suppressed_at
from gate.errors import RepositoryError

ENTRY = b"[[suppressions]]\nmutant = 'a1'\nreason = 'equal'\n"


def test_every_place_counts_in_the_folder_of_the_suite() -> None:
    files = {
        "app/gate.toml": b"alpha = 0.01\n" + ENTRY,
        "app/.gate/suppressions.toml": ENTRY.replace(b"a1", b"b2"),
        "app/.clastogen/suppressions.toml": ENTRY.replace(b"mutant", b"mutant_id").replace(b"a1", b"c3"),
        "gate.toml": ENTRY.replace(b"a1", b"d4"),
    }
    assert suppressed_at(files.get, "app/") == {"a1", "b2", "c3"}
    assert suppressed_at(files.get, ".") == {"d4"}


@pytest.mark.parametrize(
    "data", [b"", b"[[", b"\xff", b"suppressions = 3", b"suppressions = [1]", b"[[suppressions]]\nmutant = 3\n"]
)
def test_what_can_not_be_read_suppresses_nothing(data: bytes) -> None:
    assert suppressed_at({"gate.toml": data}.get) == frozenset()


def test_a_link_in_its_place_suppresses_nothing() -> None:
    def read(path: str) -> bytes | None:
        raise RepositoryError(f"{path} is a link")

    assert suppressed_at(read) == frozenset()
