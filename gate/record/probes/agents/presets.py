"""Known command lines of coding agents: how each is asked without a person, and how it is led to the proxy.

Facts are from their documentation (Claude Code: headless mode, settings; Codex: `codex exec`, `model_providers`;
Gemini CLI: headless mode, trusted folders, settings; OpenCode: `run`, configuration; aider: scripting, options), and
from runs of the programs themselves, in the versions that docs/probes.md names. They approve their own actions, since
the cell is what holds them. The prompt goes to standard input, or to a file.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches

from gate.errors import UsageError
from gate.record.probes.agents import told, varying
from gate.record.probes.agents.output import Reader, plain

Reached = Mapping[str, str]
"""Variables that lead to the proxy, of one task."""


def _nothing(_: Reached) -> Sequence[str]:
    return ()


def _no_variables(_: Reached) -> Mapping[str, str]:
    return {}


@dataclass(frozen=True, slots=True)
class Preset:
    """One command line.

    Attributes:
        command: template, see `gate.record.probes.agents.template`.
        model: option that names the model.
        upstreams: names of the APIs that it may reach; empty for all of which a key is at hand.
        environment: variables of every task.
        files: further files below its working folder, by relative path.
        leading: words behind the program that depend on the proxy.
        variables: likewise variables.
        read: reads what it prints.
        volatile: parts of its requests that don't count, as the setting `volatile` names them.
    """

    command: str
    model: str
    upstreams: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    leading: Callable[[Reached], Sequence[str]] = _nothing
    variables: Callable[[Reached], Mapping[str, str]] = _no_variables
    read: Reader = plain
    volatile: tuple[str, ...] = ()

    def template(self, model: str) -> str:
        """The command with the model, where one is asked for."""
        return f"{self.command} {self.model} {json.dumps(model)}" if model else self.command


def _codex_provider(reached: Reached) -> Sequence[str]:
    """Codex takes another address of its built-in provider from no file, so it is given a provider of its own."""
    address = reached.get("OPENAI_BASE_URL", "")
    provider = f'{{name="api",base_url={json.dumps(address)},env_key="OPENAI_API_KEY",wire_api="responses"}}'
    return ("-c", 'model_provider="api"', "-c", f"model_providers.api={provider}")


def _opencode_providers(reached: Reached) -> Mapping[str, str]:
    bases = {"anthropic": "ANTHROPIC_BASE_URL", "openai": "OPENAI_BASE_URL", "google": "GOOGLE_GEMINI_BASE_URL"}
    paths = {"anthropic": "/v1", "openai": "", "google": "/v1beta"}
    providers = {
        name: {"options": {"baseURL": reached[variable] + paths[name]}}
        for name, variable in bases.items()
        if variable in reached
    }
    if "google" in providers:  # it looks for the key under a name of its own
        providers["google"]["options"]["apiKey"] = reached.get("GEMINI_API_KEY", "")
    config = {"provider": providers, "autoupdate": False, "share": "disabled", "permission": "allow"}
    return {"OPENCODE_CONFIG_CONTENT": json.dumps(config, sort_keys=True)}


def _aider_addresses(reached: Reached) -> Mapping[str, str]:
    """litellm looks for Gemini's address under a name of its own, with the version of the API in it."""
    address = reached.get("GOOGLE_GEMINI_BASE_URL", "")
    return {"GEMINI_API_BASE": f"{address}/v1beta"} if address else {}


_GEMINI_SETTINGS = {
    "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False, "maxAttempts": 4},
    "privacy": {"usageStatisticsEnabled": False},
    "skills": {"disabled": ["antigravity-support", "skill-creator"]},
    "security": {"auth": {"selectedType": "gemini-api-key"}},
}
"""Of the working folder, and so above the user's own in HOME. With an address in `GOOGLE_GEMINI_BASE_URL` and no choice
of how to sign in, Gemini CLI starts no session. It lists skills in the order in which their files happen to be read, so
its own two are left out, and one thread (`UV_THREADPOOL_SIZE`) reads the user's.
"""

PRESETS: Mapping[str, Preset] = {
    "claude": Preset(
        "claude -p --output-format json --permission-mode bypassPermissions",
        "--model",
        ("anthropic",),
        {
            "IS_SANDBOX": "1",
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_TELEMETRY": "1",
            "DISABLE_ERROR_REPORTING": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "CLAUDE_CODE_MAX_RETRIES": "4",
        },
        read=told.claude,
        volatile=varying.CLAUDE,
    ),
    "codex": Preset(
        "codex exec --json --skip-git-repo-check --dangerously-bypass-approvals-and-sandbox",
        "--model",
        ("openai",),
        leading=_codex_provider,
        read=told.codex,
        volatile=varying.CODEX,
    ),
    "gemini": Preset(
        "gemini --output-format json --approval-mode yolo",
        "--model",
        ("gemini",),
        {"GEMINI_CLI_TRUST_WORKSPACE": "true", "GEMINI_CLI_NO_RELAUNCH": "true", "UV_THREADPOOL_SIZE": "1"},
        files={".gemini/settings.json": json.dumps(_GEMINI_SETTINGS, sort_keys=True)},
        read=told.gemini,
        volatile=varying.GEMINI,
    ),
    "opencode": Preset(
        "opencode run --format json --title Task",
        "--model",
        environment={"OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_MODELS_FETCH": "1"},
        variables=_opencode_providers,
        read=told.opencode,
        volatile=varying.OPENCODE,
    ),
    "aider": Preset(  # it breaks lines, of code too, at the edge of what it takes for its terminal
        "aider --message-file {prompt_file} --yes-always --no-git --no-pretty --no-stream --no-check-update"
        " --no-show-release-notes --no-show-model-warnings --no-detect-urls --analytics-disable",
        "--model",
        environment={"COLUMNS": "100000", "LITELLM_LOCAL_MODEL_COST_MAP": "True"},
        variables=_aider_addresses,
        read=told.aider,
        volatile=varying.AIDER,
    ),
}


def preset_of(name: str) -> Preset:
    """A known command line.

    Raises:
        UsageError: there is none of this name.
    """
    if name not in PRESETS:
        close = get_close_matches(name, PRESETS, n=1)
        known = f"did you mean `{close[0]}`?" if close else f"known are {', '.join(PRESETS)}"
        raise UsageError(f"there is no preset `{name:.60}`", where="agent-preset", remedy=known)
    return PRESETS[name]
