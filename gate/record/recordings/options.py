"""What the plugin is told of matching, of failures and of limits, as the text of one option."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from gate.errors import UsageError
from gate.record.recordings.budget import NO_LIMITS, Limits


@dataclass(frozen=True, slots=True)
class Options:
    """How a run treats calls, beside its mode and its folders.

    Attributes:
        volatile: parts of requests that don't count, as the setting `volatile` names them.
        replay_failures: whether failures are recorded as answers, and given again.
        run, month: limits of live calls.
        prices: file with the user's own prices; empty for none.
        book: file that all processes of a run share to hold its limits; empty where there is one process only.
        key: whether a key is at hand that the suite does not see, so that `auto` records what is missing.
    """

    volatile: tuple[str, ...] = ()
    replay_failures: bool = False
    run: Limits = NO_LIMITS
    month: Limits = NO_LIMITS
    prices: str = ""
    book: str = ""
    key: bool = False

    @property
    def limited(self) -> bool:
        """Whether there is any limit."""
        return (self.run, self.month) != (NO_LIMITS, NO_LIMITS)

    @property
    def own_prices(self) -> Path | None:
        """The file with the user's own prices; None for none."""
        return Path(self.prices) if self.prices else None

    def to_text(self) -> str:
        """As JSON, without what is as by default; empty where all is."""
        fields = {name: value for name, value in asdict(self).items() if value != getattr(_DEFAULT, name, None)}
        for span in ("run", "month"):
            found = {name: value for name, value in fields.pop(span, {}).items() if value is not None}
            if found:
                fields[span] = found
        return json.dumps(fields, sort_keys=True, ensure_ascii=True) if fields else ""


_DEFAULT = Options()


def options_from_text(text: str) -> Options:
    """What `to_text` made text of.

    Raises:
        UsageError: it is another text.
    """
    try:
        fields: dict[str, Any] = json.loads(text) if text else {}
        for span in ("run", "month"):
            if span in fields:
                fields[span] = Limits(**fields[span])
        if "volatile" in fields:
            fields["volatile"] = tuple(fields["volatile"])
        return Options(**fields)
    except (ValueError, TypeError, AttributeError) as error:
        raise UsageError(f"can't be read: {error}", where="--gate-calls", remedy="leave it to `gate run`") from None
