"""`@pytest.mark.clastogen(...)`, read as `mutate_prompt` where the plugin of that name is not installed.

So a suite that was written for it runs unchanged. Its `max_steps` is a limit of trials a mutant, its `beta` the chance
to miss a mutant, and its `max_mutants` is 5 where the marker says nothing.
"""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any

from gate.errors import UsageError

if TYPE_CHECKING:
    import pytest

NAME = "clastogen"
SUPPRESSIONS = ".clastogen/suppressions.toml"
"""Relative to the root of pytest; read as a list of suppressions of the gate's own."""
_DEFAULTS = {"max_mutants": 5}
_SAME = ("target", "max_mutants", "delta", "p0", "alpha")
_KNOWN = (*_SAME, "max_steps", "beta")
_PROBE = "oracle_samples"


def applies(config: pytest.Config) -> bool:
    """Whether nobody else reads the marker."""
    return not config.pluginmanager.has_plugin(NAME)


def arguments(marker: pytest.Mark, nodeid: str) -> dict[str, Any]:
    """Those of `mutate_prompt` that mean the same; their values are for that marker to check.

    Args:
        nodeid: of the test, for errors.

    Raises:
        UsageError: a parameter that the marker does not have, or one that has no counterpart.
    """
    where = f"{nodeid}: the marker `{NAME}`"
    if len(marker.args) > 1:
        raise UsageError(
            f"it takes the target alone without a name, and there are {len(marker.args)} values",
            where=where,
            remedy='write `@pytest.mark.clastogen(target="module:PROMPT")`',
        )
    given = {**dict(zip(("target",), marker.args, strict=False)), **marker.kwargs}
    if given.get(_PROBE) is not None:
        raise UsageError(
            f"`{_PROBE}` makes a test a probe of behaviour, which has no counterpart",
            where=where,
            remedy="take the marker off this test; mutants with the same recorded answers are offered for suppression",
        )
    given.pop(_PROBE, None)
    for name in given:
        if name not in _KNOWN:
            near = difflib.get_close_matches(name, _KNOWN, n=1)
            hint = f"write `{near[0]}`" if near else f"choose among {', '.join(_KNOWN)}"
            raise UsageError(f"it has no parameter `{name:.40}`", where=where, remedy=hint)
    found = _DEFAULTS | {name: given[name] for name in _SAME if given.get(name) is not None}
    if given.get("max_steps") is not None:
        found["max_trials"] = given["max_steps"]
    if given.get("beta") is not None:
        found["power"] = _power(given["beta"], where)
    return found


def _power(beta: object, where: str) -> float:
    if isinstance(beta, bool) or not isinstance(beta, int | float) or not 0 < beta < 1:
        raise UsageError(
            f"expected `beta` strictly between 0 and 1, found {beta!r:.60}", where=where, remedy="change it in the test"
        )
    return 1 - beta
