"""Which layer may set what, and what a wrong setting is answered with."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.errors import EXIT_USAGE, SettingsError
from gate.schema.verdict import Level, RuleName
from gate.settings import Layer, Settings, decides, describe, from_environment, from_inputs, inputs, names, resolve

CHANCES = {"alpha", "power", "delta"}
DECIDING = CHANCES | {
    "accept-self",
    "accept-team",
    "anchor",
    "anchor-limits",
    "baseline",
    "baseline-sessions",
    "baseline-trials",
    "confirm",
    "confirm-limit",
    "confirm-trials",
    "false-alarms",
    "fork-step",
    "month-calls",
    "month-money",
    "month-tokens",
    "mutate",
    "mutate-fail-under",
    "mutate-min-coverage",
    "agent-deterministic",
    "nightly-confirm",
    "observe",
    "plain-ids",
    "probe-confirm",
    "probe-dimensions",
    "probe-max-unscored",
    "probe-samples",
    "probe-scopes",
    "probe-shipped",
    "probe-weights",
    "probes",
    "record-hosts",
    "record-models",
    "record-rounds",
    "replay-failures",
    "reports",
    "rules",
    "run-calls",
    "run-money",
    "run-tokens",
    "runs",
    "show-messages",
    "stale-days",
    "stochastic",
    "trial-timeout",
    "volatile",
}


def test_defaults_are_those_of_the_documentation() -> None:
    settings = Settings()
    assert (settings.alpha, settings.power, settings.delta) == (0.05, 0.90, 0.30)
    assert settings.baseline_path == "baselines/default.jsonl"
    assert settings.level_of(RuleName.FLAKY, Level.WARNING) is Level.WARNING


def test_what_decides_is_named() -> None:
    assert {key for key in names() if decides(key)} == DECIDING


def test_every_setting_is_described() -> None:
    assert all(describe(key) for key in names())


def test_no_input_of_the_action_decides() -> None:
    assert not [key for key in inputs() if decides(key)]


@given(st.sampled_from(sorted(CHANCES)))
def test_an_untrusted_layer_can_not_decide(key: str) -> None:
    base = Layer("base", {key: 0.01})
    head = Layer("head", {key: 0.99}, trusted=False)
    resolved = resolve([base, head])
    assert getattr(resolved.settings, key) == 0.01
    assert resolved.origins[key] == "base"
    assert resolved.ignored == ((key, "head"),)


@pytest.mark.parametrize(
    ("values", "budget"),
    [
        ({}, 0.05),
        ({"alpha": 0.2}, 0.2),
        ({"false-alarms": "1 a month", "runs": "50 a month"}, 0.02),
        ({"false-alarms": "2 a week", "runs": "1 a month"}, 0.5),
    ],
)
def test_the_error_budget_is_a_chance_or_a_number_of_false_alarms(values: dict[str, object], budget: float) -> None:
    assert resolve([Layer("base", values)]).settings.error_budget == pytest.approx(budget)


@pytest.mark.parametrize("key", ["false-alarms", "runs"])
def test_false_alarms_and_runs_are_set_together(key: str) -> None:
    with pytest.raises(SettingsError, match="only together"):
        resolve([Layer("gate.toml", {key: "1 a month"})])


@pytest.mark.parametrize("value", ["often", "0 a day", 3])
def test_another_frequency_is_refused(value: object) -> None:
    with pytest.raises(SettingsError, match="runs"):
        resolve([Layer("gate.toml", {"runs": value})])


def test_one_selector_may_be_written_without_a_list() -> None:
    assert resolve([Layer("gate.toml", {"stochastic": "suite"})]).settings.stochastic == ("suite",)


def test_a_level_alone_is_short_for_a_table() -> None:
    settings = resolve([Layer("gate.toml", {"rules": {"negative-flip": "off"}})]).settings
    assert settings.level_of(RuleName.NEGATIVE_FLIP, Level.ERROR) is Level.OFF


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        ({"flaky": {"tolerence": 0.1}}, "did you mean `tolerance`"),
        ({"flaky": 3}, "or another level"),
        ({"flaky": "loud"}, "flaky"),
        ({"flakey": "off"}, "did you mean `flaky`"),
    ],
)
def test_a_rule_that_is_set_wrongly_says_how_it_is_written(rules: dict[str, object], said: str) -> None:
    with pytest.raises(SettingsError) as refused:
        resolve([Layer("gate.toml", {"rules": rules})])
    assert said in str(refused.value)


def test_an_untrusted_layer_may_set_the_rest() -> None:
    resolved = resolve([Layer("base", {"suite": "a"}), Layer("action input", {"suite": "b"}, trusted=False)])
    assert resolved.settings.suite == "b"
    assert resolved.origins["suite"] == "action input"


def test_untrusted_levels_are_ignored_whole() -> None:
    head = Layer("head", {"rules": {"negative-flip": {"level": "off"}}}, trusted=False)
    assert resolve([head]).settings.level_of(RuleName.NEGATIVE_FLIP, Level.ERROR) is Level.ERROR


@pytest.mark.parametrize(
    ("values", "said", "advised"),
    [
        ({"alpa": 0.1}, "unknown setting `alpa`", "did you mean `alpha`?"),
        ({"show_messages": True}, "unknown setting `show_messages`", "`show-messages`"),
        ({"rules": {"negative-flips": {}}}, "no rule is called `negative-flips`", "`negative-flip`"),
        ({"rules": {"flaky": {"level": "fatal"}}}, "rules.flaky.level", "gate config"),
        ({"rules": {"flaky": {"tolerance": -1}}}, "rules.flaky.tolerance", "gate config"),
        ({"rules": {"flaky": {"tolerance": float("nan")}}}, "rules.flaky.tolerance", "gate config"),
        ({"rules": "off"}, "table of rule names", "docs/rules.md"),
        ({"alpha": 0}, "`alpha`", "gate config"),
        ({"alpha": 1}, "`alpha`", "gate config"),
        ({"alpha": "a lot"}, "`alpha`", "gate config"),
        ({"mode": "dream"}, "`mode`", "gate config"),
        ({"suite": "../up"}, "`suite`", "gate config"),
        ({"timeout": 0}, "`timeout`", "gate config"),
    ],
)
def test_a_wrong_setting_names_the_place_and_the_remedy(values: dict[str, object], said: str, advised: str) -> None:
    with pytest.raises(SettingsError) as caught:
        resolve([Layer("pyproject.toml", values)])
    assert said in caught.value.message
    assert advised in caught.value.remedy
    assert caught.value.where == "pyproject.toml"
    assert caught.value.exit_code == EXIT_USAGE


def test_the_environment_speaks_kebab_in_capitals() -> None:
    found = from_environment({"GATE_SHOW_MESSAGES": "false", "GATE_SUITE": "x", "GATE_UNRELATED": "1", "ALPHA": "2"})
    assert found == {"show-messages": "false", "suite": "x"}
    assert resolve([Layer("environment", found)]).settings.show_messages is False


def test_inputs_keep_their_hyphens_and_empty_ones_are_absent() -> None:
    environ = {"INPUT_WORKING-DIRECTORY": "model", "INPUT_SUITE": "", "PATH": "/bin"}
    assert from_inputs(environ) == {"working-directory": "model"}


def test_an_unknown_input_is_refused_with_the_nearest() -> None:
    with pytest.raises(SettingsError, match="unknown input `suit`") as caught:
        from_inputs({"INPUT_SUIT": "x"})
    assert "did you mean `suite`?" in caught.value.remedy


def test_a_deciding_key_is_no_input() -> None:
    with pytest.raises(SettingsError, match="unknown input `alpha`"):
        from_inputs({"INPUT_ALPHA": "0.5"})


def test_the_token_stays_out_of_representations() -> None:
    assert "secret" not in repr(resolve([Layer("action input", {"token": "secret"})]).settings)


@pytest.mark.parametrize("part", ["header:x-request-id", "query:t", "json:metadata.trace.id", r"pattern:id-\d+ => id"])
def test_a_part_that_does_not_count_says_what_it_is(part: str) -> None:
    assert resolve([Layer("gate.toml", {"volatile": part})]).settings.volatile == (part,)


@pytest.mark.parametrize("part", ["x-request-id", "cookie:a", "header:", "json: ", ""])
def test_any_other_part_is_refused(part: str) -> None:
    with pytest.raises(SettingsError, match="write header:name, query:name, json:field or pattern:regex"):
        resolve([Layer("gate.toml", {"volatile": [part]})])


@pytest.mark.parametrize(
    ("key", "value"), [("run-calls", -1), ("run-money", -0.1), ("month-money", "inf"), ("record-rounds", 0)]
)
def test_a_limit_is_a_number_from_0(key: str, value: object) -> None:
    with pytest.raises(SettingsError, match=key):
        resolve([Layer("gate.toml", {key: value})])
