"""The eight dimensions, under the name by which the family imports them: reports and comparisons know them as well."""

from __future__ import annotations

from gate.schema.dimensions import ABOUT, About, Dimension

__all__ = ["ABOUT", "About", "Dimension"]
