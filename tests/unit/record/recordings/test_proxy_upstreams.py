"""Which addresses the proxy stands for, and which variables lead to it."""

from __future__ import annotations

import pytest

from gate.errors import SettingsError
from gate.record.recordings.upstreams import PLACEHOLDER, WELL_KNOWN, Upstream, placeholder_keys, routes


def test_a_well_known_api_is_reached_by_its_name() -> None:
    found = routes({})
    assert found.target("/openai/v1/chat/completions") == "https://api.openai.com/v1/chat/completions"
    assert found.target("/gemini/v1beta/models/m:generateContent?alt=sse") == (
        "https://generativelanguage.googleapis.com/v1beta/models/m:generateContent?alt=sse"
    )
    assert found.variables["OPENAI_BASE_URL"] == ("openai", "/v1")
    assert found.variables["ANTHROPIC_BASE_URL"] == ("anthropic", "")


@pytest.mark.parametrize("path", ["/unknown/v1", "", "/", "openai2/v1"])
def test_other_names_lead_nowhere(path: str) -> None:
    assert routes({}).target(path) is None


def test_the_bare_name_is_the_bare_address() -> None:
    found = routes({})
    assert found.target("/openai") == "https://api.openai.com"
    assert found.target("/openai?x=/y") == "https://api.openai.com?x=/y"
    assert found.target("/openai/") == "https://api.openai.com/"


def test_an_address_that_the_user_set_is_the_upstream() -> None:
    found = routes({"OPENAI_BASE_URL": "https://gateway.example.org/openai/v1/", "AZURE_OPENAI_ENDPOINT": "http://a"})
    segment, path = found.variables["OPENAI_BASE_URL"]
    assert found.target(f"/{segment}{path}/chat") == "https://gateway.example.org/openai/v1/chat"
    assert found.variables["OPENAI_API_BASE"] == ("openai", "/v1")
    segment, path = found.variables["AZURE_OPENAI_ENDPOINT"]
    assert found.target(f"/{segment}{path}/deployments") == "http://a/deployments"
    assert "AZURE_OPENAI_ENDPOINT" not in routes({}).variables


def test_the_well_known_address_under_another_path_keeps_its_name() -> None:
    found = routes({"OPENAI_BASE_URL": "https://api.openai.com/v2", "ANTHROPIC_BASE_URL": "https://api.anthropic.com"})
    assert found.variables["OPENAI_BASE_URL"] == ("openai", "/v2")
    assert found.variables["ANTHROPIC_BASE_URL"] == ("anthropic", "")


@pytest.mark.parametrize("value", ["", "  ", "localhost:8000", "ftp://x", "http://[", "http://x:99999"])
def test_a_variable_without_an_http_address_is_as_good_as_unset(value: str) -> None:
    assert routes({"OPENAI_BASE_URL": value}).variables["OPENAI_BASE_URL"] == ("openai", "/v1")


def test_upstreams_of_the_settings_are_added_and_replace() -> None:
    own = [
        Upstream("llm", "https://llm.example.org/api/", (("LLM_URL", "/v1"),)),
        Upstream("openai", "https://eu.api.openai.com", (("OPENAI_BASE_URL", "/v1"),)),
    ]
    found = routes({}, own)
    assert found.target("/llm/v1/x") == "https://llm.example.org/api/v1/x"
    assert found.variables["LLM_URL"] == ("llm", "/v1")
    assert found.target("/openai/v1") == "https://eu.api.openai.com/v1"


@pytest.mark.parametrize("own", [Upstream("a/b", "https://x"), Upstream("", "https://x"), Upstream("a", "x.org")])
def test_an_upstream_that_can_not_be_served_is_a_setting_to_mend(own: Upstream) -> None:
    with pytest.raises(SettingsError, match="upstream"):
        routes({}, [own])


def test_placeholders_stand_for_absent_and_empty_keys_alone() -> None:
    found = placeholder_keys({"OPENAI_API_KEY": "sk-1", "ANTHROPIC_API_KEY": " ", "GOOGLE_API_KEY": "g"})
    assert "OPENAI_API_KEY" not in found
    assert found["ANTHROPIC_API_KEY"] == PLACEHOLDER
    assert not found.keys() & {"GEMINI_API_KEY", "GOOGLE_API_KEY"}
    assert placeholder_keys({}, [Upstream("mine", "https://x", keys=("MY_KEY",))])["MY_KEY"] == PLACEHOLDER


def test_no_two_upstreams_share_a_name_or_a_variable() -> None:
    names = [upstream.name for upstream in WELL_KNOWN]
    variables = [variable for upstream in WELL_KNOWN for variable, _ in upstream.variables]
    assert len(set(names)) == len(names)
    assert len(set(variables)) == len(variables)
