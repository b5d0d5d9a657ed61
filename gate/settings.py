"""Settings: one frozen value, resolved from the base, the checkout, the environment and the action's inputs.

Every field says whether it *decides*. A deciding setting can change the verdict, so on a pull request only the base
commit may set it. The rest (paths, commands, delivery) may also come from the workflow: the environment, the action's
inputs, the command line. The settings file of a pull request's head sets nothing.
"""

from __future__ import annotations

import contextlib
import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator
from pydantic.config import JsonDict
from pydantic.fields import FieldInfo

from gate.errors import SettingsError
from gate.schema.frequency import parse_frequency
from gate.schema.verdict import Level, RuleName

ENVIRONMENT_PREFIX = "GATE_"
INPUT_PREFIX = "INPUT_"
MOST_ALPHA = 0.5
SUITE = r"[A-Za-z0-9_.-]{1,60}"
"""What a suite may be called, everywhere: the name is part of paths, of a comment's marker and of artifacts."""
_OF_SUITE = "it takes 1 to 60 letters from A to Z in either case, digits, `_`, `.` or `-`"


class RuleSetting(BaseModel):
    """Level and tolerance of one rule; None keeps the rule's own default.

    `tolerance` is in the rule's own unit, which its row in docs/rules.md names.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=False)

    level: Level | None = None
    tolerance: float | None = Field(default=None, ge=0, allow_inf_nan=False)


def _decides(default: Any, description: str, **constraints: Any) -> Any:
    return Field(default=default, description=description, json_schema_extra={"decides": True}, **constraints)


def _free(default: Any, description: str, *, action: bool = False, secret: bool = False, **constraints: Any) -> Any:
    extra: JsonDict = {"decides": False, "input": action, "secret": secret}
    return Field(default=default, description=description, json_schema_extra=extra, **constraints)


class Settings(BaseModel):
    """Everything that can be set. Keys are written in kebab-case in files and inputs."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", validate_by_name=True, alias_generator=lambda name: name.replace("_", "-")
    )

    alpha: float = _decides(0.05, "chance that noise fails an unchanged pull request, over all its cases", gt=0, lt=1)
    false_alarms: str = _decides("", "the same as a number of false alarms, such as `1 a month`; needs `runs`")
    runs: str = _decides("", "how many pull request runs there are, such as `120 a month`; with `false-alarms`")
    power: float = _decides(0.90, "chance to find a drop of `delta`, where the baseline allows it", gt=0, lt=1)
    delta: float = _decides(0.30, "drop of a pass rate that must be found", gt=0, lt=1)
    stochastic: tuple[str, ...] = _decides(
        (), "tests run once each and judged together: `suite`, a folder, a file or `mark:EXPRESSION`"
    )
    confirm: Literal["fresh", "pooled", "off"] = _decides(
        "fresh", "how a suspect is confirmed: fresh trials of the base and the head, pooled with the baseline, or not"
    )
    confirm_trials: int = _decides(50, "fresh trials of each side that confirm a suspect", ge=5, le=200)
    confirm_limit: int = _decides(10, "most suspects that are confirmed; beyond it, the trials so far decide", ge=0)
    baseline_trials: int = _decides(10, "trials of a stochastic test in one run for the baseline", ge=1, le=1000)
    baseline_sessions: int = _decides(10, "sessions of trials that the baseline keeps", ge=1, le=1000)
    trial_timeout: float = _decides(300.0, "seconds after which one trial counts as failed", gt=0, allow_inf_nan=False)
    price: float = _free(0.0, "price of one trial, for the cost in plans and comments", ge=0, allow_inf_nan=False)
    observe: bool = _decides(False, "report the same, but exit 0 whatever was found")
    rules: dict[RuleName, RuleSetting] = _decides({}, "level and tolerance by rule name")
    reports: tuple[str, ...] = _decides((), "further candidate reports that the verdict joins")
    baseline: str = _decides("", "path of the baseline; `baselines/<suite>.jsonl` when empty")
    show_messages: bool = _decides(True, "show the first line of failures in comments and pages")
    plain_ids: bool = _decides(False, "show ids of examples as the suite gave them, not keyed")
    suite: str = _free("default", "name of the suite: its baseline and its comment", action=True, pattern=f"^{SUITE}$")
    arguments: str = _free("", "arguments for pytest, split as a shell would", action=True)
    install: str = _free("", "command that installs the project for its suite (container only)", action=True)
    cache: str = _free("", "folder in the workspace that keeps downloaded packages between runs", action=True)
    working_directory: str = _free(".", "folder in the checkout in which the suite runs", action=True)
    mode: Literal["live", "record", "replay", "auto"] = _free(
        "live", "how calls of models are answered: by the model, and recorded, or from what was recorded", action=True
    )
    recordings: str = _free("recordings", "folder of what was recorded")
    loopback: Literal["own", "host"] = _free(
        "own", "servers that a replay may reach: those that the suite starts itself, or any of this machine"
    )
    report: str = _free("", "candidate report of a run made elsewhere: compare only", action=True)
    max_report_bytes: int = _free(1_000_000_000, "a larger report is refused", gt=0, action=True)
    timeout: float = _free(3600.0, "seconds after which the suite is stopped", gt=0, allow_inf_nan=False, action=True)
    comment: Literal["always", "findings", "never"] = _free(
        "always", "when to comment on the pull request", action=True
    )
    annotations: bool = _free(True, "annotate files and lines", action=True)
    token: str = _free("", "token for the comment", action=True, secret=True, repr=False)
    allow_pull_request_target: bool = _free(
        False, "run the suite of a head that pull_request_target checked out (docs/security.md)", action=True
    )

    @field_validator("reports", "stochastic", mode="before")
    @classmethod
    def _one_or_many(cls, value: Any) -> Any:
        return (value,) if isinstance(value, str) else value

    @field_validator("rules", mode="before")
    @classmethod
    def _level_alone(cls, value: Any) -> Any:
        """`negative-flip = "off"` is short for a table with that level."""
        if not isinstance(value, Mapping):
            return value
        return {name: {"level": chosen} if isinstance(chosen, str) else chosen for name, chosen in value.items()}

    @field_validator("false_alarms", "runs")
    @classmethod
    def _a_frequency(cls, value: str) -> str:
        if value:
            parse_frequency(value)
        return value

    @property
    def error_budget(self) -> float:
        """Chance that noise fails an unchanged pull request: from `false-alarms` and `runs`, else `alpha`."""
        if not self.false_alarms or not self.runs:
            return self.alpha
        return min(parse_frequency(self.false_alarms).a_day / parse_frequency(self.runs).a_day, MOST_ALPHA)

    def level_of(self, rule: RuleName, default: Level) -> Level:
        """Level of a rule under these settings."""
        chosen = self.rules.get(rule)
        return default if chosen is None or chosen.level is None else chosen.level

    def tolerance_of(self, rule: RuleName, default: float) -> float:
        """Tolerance of a rule under these settings, in the rule's own unit."""
        chosen = self.rules.get(rule)
        return default if chosen is None or chosen.tolerance is None else chosen.tolerance

    @property
    def baseline_path(self) -> str:
        """Path of the baseline relative to the root of the repository."""
        return self.baseline or f"baselines/{self.suite}.jsonl"


@dataclass(frozen=True, slots=True)
class Layer:
    """One place that settings come from.

    Attributes:
        name: as shown to users (`base 3f9c1e2:pyproject.toml`, `environment`, `action input`, `command line`).
        values: by kebab-case key.
        trusted: whether it may set what decides.
    """

    name: str
    values: Mapping[str, Any]
    trusted: bool = True


@dataclass(frozen=True, slots=True)
class Resolved:
    """Settings with, for each field, the layer that set it, and what was ignored because it may not decide."""

    settings: Settings
    origins: Mapping[str, str]
    ignored: tuple[tuple[str, str], ...] = ()


def names() -> tuple[str, ...]:
    """All keys in kebab-case, in the order of the documentation."""
    return tuple(_kebab(name) for name in Settings.model_fields)


def decides(key: str) -> bool:
    """Whether a setting (kebab-case) can change the verdict."""
    return bool(_extra(_field(key)).get("decides"))


def secret(key: str) -> bool:
    """Whether a setting (kebab-case) is never shown and stands in no file."""
    return bool(_extra(_field(key)).get("secret"))


def inputs() -> tuple[str, ...]:
    """Keys that are also inputs of the action, in order."""
    return tuple(key for key in names() if _extra(_field(key)).get("input"))


def describe(key: str) -> str:
    """One line about a setting."""
    return _field(key).description or ""


def resolve(layers: Iterable[Layer]) -> Resolved:
    """Join layers, the last one that may set a key wins.

    Raises:
        SettingsError: an unknown key (with the nearest known one), an unknown rule, a value that can't be.
    """
    merged: dict[str, Any] = {}
    origins: dict[str, str] = {}
    ignored: list[tuple[str, str]] = []
    for layer in layers:
        for key, value in layer.values.items():
            _known(key, layer.name)
            if decides(key) and not layer.trusted:
                ignored.append((key, layer.name))
                continue
            merged[key] = _checked(key, value, layer.name)
            origins[key] = layer.name
    settings = Settings.model_validate(merged)
    if bool(settings.false_alarms) != bool(settings.runs):
        raise SettingsError(
            "`false-alarms` and `runs` say something only together",
            where=origins["false-alarms" if settings.false_alarms else "runs"],
            remedy='set both, such as false-alarms = "1 a month" and runs = "120 a month", or set `alpha`',
        )
    return Resolved(settings, {key: origins.get(key, "default") for key in names()}, tuple(ignored))


def usable(layers: Iterable[Layer]) -> Settings:
    """As `resolve`, without any value that it would refuse: for telling somebody that one was refused."""
    kept: dict[str, Any] = {}
    for layer in layers:
        for key, value in layer.values.items():
            if key in names() and (layer.trusted or not decides(key)):
                with contextlib.suppress(SettingsError):
                    kept[key] = _checked(key, value, layer.name)
    return Settings.model_validate(kept)


def from_environment(environ: Mapping[str, str]) -> dict[str, Any]:
    """`GATE_SHOW_MESSAGES=false` and the like; names outside the settings are another program's business."""
    found = {}
    for key in names():
        name = ENVIRONMENT_PREFIX + key.upper().replace("-", "_")
        if environ.get(name, "") != "":
            found[key] = environ[name]
    return found


def from_inputs(environ: Mapping[str, str], *, known_only: bool = False) -> dict[str, Any]:
    """The action's inputs. GitHub keeps hyphens in their names and sets those without a default to an empty text.

    Args:
        known_only: pass over an input that the action doesn't have.

    Raises:
        SettingsError: an input that the action doesn't have.
    """
    known = set(inputs())
    found = {}
    for name, value in sorted(environ.items()):
        if not name.startswith(INPUT_PREFIX):
            continue
        key = name.removeprefix(INPUT_PREFIX).lower()
        if key not in known and known_only:
            continue
        if key not in known:
            raise SettingsError(f"unknown input `{key}`", where="action", remedy=_nearest(key, known))
        if value.strip():
            found[key] = value
    return found


def _checked(key: str, value: Any, layer: str) -> Any:
    if key == "rules":
        _check_rules(value, layer)
    try:
        validated = Settings.model_validate({key: value})
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        reason = _OF_SUITE if first["type"] == "string_pattern_mismatch" else first["msg"].lower()
        raise SettingsError(
            f"`{place}` can't be {str(first['input'])!r:.60}: {reason}",
            where=layer,
            remedy=f"`gate config` lists what `{key}` may be",
        ) from None
    return getattr(validated, key.replace("-", "_"))


def _check_rules(value: Any, layer: str) -> None:
    if not isinstance(value, Mapping):
        raise SettingsError("`rules` is a table of rule names", where=layer, remedy="see docs/rules.md")
    known = [rule.value for rule in RuleName]
    for name, chosen in value.items():
        if str(name) not in known:
            raise SettingsError(f"no rule is called `{name}`", where=layer, remedy=_nearest(str(name), known))
        if not isinstance(chosen, Mapping | RuleSetting | str):
            raise SettingsError(
                f"`rules.{name}` can't be {str(chosen)!r:.60}",
                where=layer,
                remedy=f'write {name} = "off" or another level, or a table with `level` and `tolerance`',
            )
        for field in chosen if isinstance(chosen, Mapping) else ():
            if field not in RuleSetting.model_fields:
                raise SettingsError(
                    f"a rule has no `{field}`: `rules.{name}.{field}`",
                    where=layer,
                    remedy=_nearest(str(field), RuleSetting.model_fields),
                )


def _known(key: str, layer: str) -> None:
    if key not in names():
        raise SettingsError(f"unknown setting `{key}`", where=layer, remedy=_nearest(key, names()))


def _nearest(word: str, known: Iterable[str]) -> str:
    options = sorted(known)
    close = difflib.get_close_matches(word, options, n=1, cutoff=0.5)
    return f"did you mean `{close[0]}`?" if close else f"known are: {', '.join(options)}"


def _kebab(name: str) -> str:
    return name.replace("_", "-")


def _field(key: str) -> FieldInfo:
    return Settings.model_fields[key.replace("-", "_")]


def _extra(field: FieldInfo) -> Mapping[str, Any]:
    return field.json_schema_extra if isinstance(field.json_schema_extra, dict) else {}
