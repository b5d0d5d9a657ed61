"""What can be set: every key with its default, what it means, what it may be, and whether it decides."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator
from pydantic.config import JsonDict

from gate.schema.frequency import parse_frequency
from gate.schema.verdict import Level, RuleName
from gate.settings.anchored import KINDS, is_limit

MOST_ALPHA = 0.5
SUITE = r"[A-Za-z0-9_.-]{1,60}"
"""What a suite may be called, everywhere: the name is part of paths, of a comment's marker and of artifacts."""
VOLATILE = r"(header|query|json|pattern):\S.*"
"""One part of a request that does not count: which kind of part, and its name."""


_LISTS = (
    *("reports", "anchor_limits", "stochastic", "volatile", "record_hosts", "record_models"),
    *("probes", "probe_dimensions", "probe_scopes", "agent_files", "agent_readable"),
)
"""Keys of several texts, of which one may be written without brackets."""


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
    mutate: bool = _decides(False, "try mutants of the prompts that tests marked `mutate_prompt` name")
    mutate_fail_under: float = _decides(0.0, "least mutation score of a target in percent; 0 for none", ge=0, le=100)
    mutate_min_coverage: float = _decides(
        0.0, "least share of a prompt's rules of which a mutant is measured, in percent; 0 for none", ge=0, le=100
    )
    price: float = _free(0.0, "price of one trial, for the cost in plans and comments", ge=0, allow_inf_nan=False)
    accept_self: bool = _decides(False, "let whoever opened a pull request accept its findings too")
    accept_team: str = _decides(
        "",
        "team whose members alone may accept findings, such as `owner/ml-leads`; anybody who may write when empty",
        pattern=r"^([A-Za-z0-9-]{1,39}/)?[A-Za-z0-9_.-]{0,100}$",
    )
    fork_step: Literal["judge", "measure"] = _decides(
        "judge", "what the own job of a fork's pull request does: judge, or only measure for `gate fork-verdict`"
    )
    observe: bool = _decides(False, "report the same, but exit 0 whatever was found")
    rules: dict[RuleName, RuleSetting] = _decides({}, "level and tolerance by rule name")
    reports: tuple[str, ...] = _decides((), "further candidate reports that the verdict joins")
    baseline: str = _decides("", "path of the baseline; `baselines/<suite>.jsonl` when empty")
    anchor: str = _decides(
        "", "tag whose baseline the total loss is measured from; none when empty", pattern=r"^([A-Za-z0-9_.-]{1,100})?$"
    )
    nightly_confirm: Literal["rerun", "two-nights", "off"] = _decides(
        "rerun", "what confirms a worse main before an issue tells of it: a second run, the run before, or nothing"
    )
    anchor_limits: tuple[str, ...] = _decides(
        (), "most that one kind may lose since the anchor, such as `accuracy=0.01`; else the rule's tolerance"
    )
    show_messages: bool = _decides(True, "show the first line of failures in comments and pages")
    plain_ids: bool = _decides(False, "show ids of examples as the suite gave them, not keyed")
    suite: str = _free("default", "name of the suite: its baseline and its comment", action=True, pattern=f"^{SUITE}$")
    arguments: str = _free("", "arguments for pytest, split as a shell would", action=True)
    install: str = _free("", "command that installs the project for its suite (action only)", action=True)
    cache: str = _free("", "folder in the workspace that keeps downloaded packages between runs", action=True)
    working_directory: str = _free(".", "folder in the checkout in which the suite runs", action=True)
    mode: Literal["live", "record", "replay", "auto"] = _free(
        "live", "how calls of models are answered: by the model, and recorded, or from what was recorded", action=True
    )
    recordings: str = _free("recordings", "folder of what was recorded")
    overlay: str = _free("", "folder of recordings that are looked up first, as `gate record` makes one")
    prices: str = _free("", "JSON file with your own prices of models, which count before the list prices")
    volatile: tuple[str, ...] = _decides(
        (), "parts of requests that don't count: `header:NAME`, `query:NAME`, `json:FIELD` or `pattern:REGEX`"
    )
    replay_failures: bool = _decides(False, "record what failed (401, 429, 5xx, time-outs) as an answer, and replay it")
    stale_days: int = _decides(0, "days after which a recording is stale; 0 for no limit", ge=0)
    run_calls: int = _decides(0, "most live calls of one run; 0 for no limit", ge=0)
    run_tokens: int = _decides(0, "most tokens of live calls of one run, in and out; 0 for no limit", ge=0)
    run_money: float = _decides(0.0, "most USD of live calls of one run; 0 for no limit", ge=0, allow_inf_nan=False)
    month_calls: int = _decides(0, "most live calls of a month, over all runs; 0 for no limit", ge=0)
    month_tokens: int = _decides(0, "most tokens of live calls of a month; 0 for no limit", ge=0)
    month_money: float = _decides(0.0, "most USD of live calls of a month; 0 for no limit", ge=0, allow_inf_nan=False)
    record_hosts: tuple[str, ...] = _decides((), "hosts that `gate record` may ask, such as `api.openai.com`")
    record_models: tuple[str, ...] = _decides((), "models that `gate record` may ask, such as `gpt-4o-mini*`")
    record_rounds: int = _decides(5, "how often `gate record` may add to one overlay", ge=1, le=1000)
    loopback: Literal["own", "host"] = _free(
        "own", "servers that a replay may reach: those that the suite starts itself, or any of this machine"
    )
    probes: tuple[str, ...] = _decides((), "folders, files or `git+` addresses of your own probes, beside the shipped")
    probe_shipped: bool = _decides(True, "ask the shipped probes too")
    probe_dimensions: tuple[str, ...] = _decides((), "dimensions that are probed, such as `security`; all when empty")
    probe_scopes: tuple[str, ...] = _decides((), "what the agent claims to do, such as `python`; all when empty")
    probe_samples: int = _decides(0, "how often each probe is asked; 0 for what each probe says", ge=0, le=100)
    probe_weights: str = _decides("", "weights of dimensions in the composite score, such as `security=2`")
    probe_max_unscored: float = _decides(0.10, "share of answers that may be unscored", ge=0, le=1)
    probe_confirm: int = _decides(5, "fresh answers that confirm an insecure one of a sampled agent", ge=0, le=20)
    agent_deterministic: bool = _decides(False, "the agent answers alike each time, so that one answer decides")
    probe_answers: str = _free("", "file of recorded answers; `probes/answers.ndjson` in `recordings` when empty")
    probe_jobs: int = _free(2, "probes that are asked at the same time", ge=1, le=64)
    probe_rate: float = _free(0.0, "most calls of the agent a minute; 0 for no limit", ge=0, allow_inf_nan=False)
    probe_max_cost: float = _free(0.0, "most USD of one run; 0 for no limit", ge=0, allow_inf_nan=False)
    agent_cmd: str = _free("", "command that asks the agent, see docs/probes.md")
    agent_preset: str = _free("", "a known command line: `claude`, `codex`, `gemini`, `opencode` or `aider`")
    agent_url: str = _free("", "address of an API like OpenAI's chat completions, such as `https://api.openai.com/v1`")
    agent_model: str = _free("", "model that the agent is to use")
    agent_version: str = _free("", "version of the agent as you name it; another one is another agent")
    agent_home: str = _free("", "folder that is laid over the agent's HOME: instructions, skills, pins")
    agent_files: tuple[str, ...] = _free((), "files and folders of yours that the agent's command needs")
    agent_readable: tuple[str, ...] = _free((), "further installed folders that the agent may read")
    agent_timeout: float = _free(600.0, "seconds after which one call of the agent is ended", gt=0, allow_inf_nan=False)
    report: str = _free("", "candidate report of a run made elsewhere: compare only", action=True)
    max_report_bytes: int = _free(1_000_000_000, "a larger report is refused", gt=0, action=True)
    timeout: float = _free(3600.0, "seconds after which the suite is stopped", gt=0, allow_inf_nan=False, action=True)
    comment: Literal["always", "findings", "never"] = _free(
        "always", "when to comment on the pull request", action=True
    )
    comment_join: bool = _free(False, "one comment for all suites of a pull request, a section each", action=True)
    annotations: bool = _free(True, "annotate files and lines", action=True)
    token: str = _free("", "token for the comment", action=True, secret=True, repr=False)
    allow_pull_request_target: bool = _free(
        False, "run the suite of a head that pull_request_target checked out (docs/security.md)", action=True
    )

    @field_validator(*_LISTS, mode="before")
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

    @field_validator("volatile")
    @classmethod
    def _kinds_of_parts(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for part in value:
            if re.fullmatch(VOLATILE, part, re.DOTALL) is None:
                raise ValueError(f"{part!r:.60} is no part: write header:name, query:name, json:field or pattern:regex")
        return value

    @field_validator("anchor_limits")
    @classmethod
    def _kinds_of_limits(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for part in value:
            if not is_limit(part):
                raise ValueError(f"{part!r:.60} is no limit, as `accuracy=0.01` is; kinds: {', '.join(KINDS)}")
        return value

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
