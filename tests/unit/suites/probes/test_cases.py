"""Graded answers as cases of a candidate, and back from its bytes."""

from __future__ import annotations

from gate.schema.dimensions import Dimension
from tests.support import probes


def test_thin_path_is_read_back_as_it_was_written() -> None:
    graded = [each for dimension in Dimension for each in probes.several(dimension, "1101.1")]
    cases = probes.cases(graded)
    assert probes.read_back(cases).cases == cases
    print([(c.id, c.outcome, c.metrics and c.metrics[0]) for c in cases if c.id.startswith("probes")])
