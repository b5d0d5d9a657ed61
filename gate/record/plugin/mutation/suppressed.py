"""The project's suppressions: of `gate.toml` and of `.gate/suppressions.toml`."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import TYPE_CHECKING

from gate.errors import SettingsError
from gate.record.plugin.mutation import clastogen

if TYPE_CHECKING:
    import pytest

    from gate.suites.mutation.suppressions import Suppression

PLACES = ("gate.toml", ".gate/suppressions.toml")


def suppressions_of(root: Path, config: pytest.Config | None = None) -> list[Suppression]:
    """All entries.

    Args:
        root: folder of pytest.
        config: None where pytest does not run.

    Raises:
        SettingsError: a file is malformed, or an entry is repeated or has expired; with its line.
    """
    from gate.suites.mutation.suppressions import parse_suppressions

    places = list(PLACES)
    if config is None or clastogen.applies(config):
        places.append(clastogen.SUPPRESSIONS)
    today = dt.datetime.now(dt.UTC).date()
    found: list[Suppression] = []
    for place in places:
        path = root / place
        try:
            text = path.read_text(encoding="utf-8")
        except FileNotFoundError:
            continue
        except (OSError, UnicodeDecodeError) as error:
            raise SettingsError(f"can't be read: {error}", where=place, remedy="save it as UTF-8") from None
        for one in parse_suppressions(text, where=place, today=today):
            first = next((earlier for earlier in found if earlier.mutant == one.mutant), None)
            if first is not None:
                raise SettingsError(
                    f"mutant {one.mutant} is suppressed twice, first at {first.where}",
                    where=one.where,
                    remedy="keep one entry",
                )
            found.append(one)
    return found
