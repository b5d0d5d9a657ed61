"""What frames share whose rows have no names of their own: they are named by their places in the user's frame."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from gate.suites.perturbation.tabular.frame import Frame


class PlacedFrame(Frame):
    """A frame without an index; what is taken of it remembers where its rows stood."""

    _positions: Any = None

    @property
    def row_names(self) -> tuple[object, ...]:
        return tuple(range(self.rows) if self._positions is None else self._positions.tolist())

    @property
    def name_order(self) -> Any:
        return None if self._positions is None else super().name_order

    def take(self, rows: Any) -> Frame:
        import numpy as np

        places = np.asarray(rows)
        taken = self._taken(places)
        taken._positions = places if self._positions is None else self._positions[places]
        return taken

    @abstractmethod
    def _taken(self, places: Any) -> PlacedFrame:
        """The rows at these places."""
