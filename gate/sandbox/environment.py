"""The environment of the suite: the user's own, without what belongs to the gate and its runner."""

from __future__ import annotations

from collections.abc import Mapping

from gate.schema.example_key import VARIABLE

_PREFIXES = ("INPUT_", "ACTIONS_", "GATE_")
_SECRETS = frozenset({"GITHUB_TOKEN", "GH_TOKEN", "GITHUB_ENTERPRISE_TOKEN", "GH_ENTERPRISE_TOKEN"})
_RUNNER_FILES = frozenset(
    {"GITHUB_OUTPUT", "GITHUB_ENV", "GITHUB_PATH", "GITHUB_STATE", "GITHUB_STEP_SUMMARY", "GITHUB_EVENT_PATH"}
)


def suite_environment(environ: Mapping[str, str], extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """The variables that the suite may see.

    Args:
        environ: of the gate.
        extra: of the suite's world (HOME, PATH, caches); they win.

    Dropped are the token, the action's inputs, the gate's own settings and the runner's files, so that a suite can
    neither speak for the gate nor write its outputs. Keys of model services stay, and so does the key of example ids:
    the suite needs them.
    """
    kept = {
        name: value
        for name, value in environ.items()
        if name == VARIABLE
        or (not name.upper().startswith(_PREFIXES) and name not in _SECRETS and name not in _RUNNER_FILES)
    }
    return {**kept, **(extra or {})}
