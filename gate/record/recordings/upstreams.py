"""Where the APIs of models are, and by which variables of the environment clients can be led to another address."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from gate.errors import SettingsError

PLACEHOLDER = "replay-needs-no-key"


@dataclass(frozen=True, slots=True)
class Upstream:
    """One API.

    Attributes:
        name: a path segment.
        base: its address without what `variables` add; empty where only a variable can say.
        variables: names of variables that hold its address for some client, each with the path that is part of it.
        keys: names of variables that hold its key; a client looks at one of them.
        header: in which a key is sent; `authorization` takes it as a bearer's.
        hosts: patterns of further hosts.
    """

    name: str
    base: str
    variables: tuple[tuple[str, str], ...] = ()
    keys: tuple[str, ...] = ()
    header: str = "authorization"
    hosts: tuple[str, ...] = ()


WELL_KNOWN = (
    Upstream(
        "openai",
        "https://api.openai.com",
        (("OPENAI_BASE_URL", "/v1"), ("OPENAI_API_BASE", "/v1")),
        ("OPENAI_API_KEY",),
    ),
    Upstream(
        "anthropic",
        "https://api.anthropic.com",
        (("ANTHROPIC_BASE_URL", ""), ("ANTHROPIC_API_BASE", "")),
        ("ANTHROPIC_API_KEY",),
        "x-api-key",
    ),
    Upstream(
        "gemini",
        "https://generativelanguage.googleapis.com",
        (("GOOGLE_GEMINI_BASE_URL", ""),),
        ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
        "x-goog-api-key",
    ),
    Upstream("mistral", "https://api.mistral.ai", (("MISTRAL_API_BASE", "/v1"),), ("MISTRAL_API_KEY",)),
    Upstream("groq", "https://api.groq.com", (("GROQ_BASE_URL", ""),), ("GROQ_API_KEY",)),
    Upstream("cohere", "https://api.cohere.com", (("CO_API_URL", ""),), ("CO_API_KEY", "COHERE_API_KEY")),
    Upstream("together", "https://api.together.xyz", (("TOGETHER_BASE_URL", "/v1"),), ("TOGETHER_API_KEY",)),
    Upstream("openrouter", "https://openrouter.ai", (("OPENROUTER_API_BASE", "/api/v1"),), ("OPENROUTER_API_KEY",)),
    Upstream("xai", "https://api.x.ai", (("XAI_API_BASE", "/v1"),), ("XAI_API_KEY",)),
    Upstream(
        "azure",
        "",
        (("AZURE_OPENAI_ENDPOINT", ""), ("AZURE_API_BASE", "")),
        ("AZURE_OPENAI_API_KEY",),
        "api-key",
        ("*.openai.azure.com", "*.cognitiveservices.azure.com"),
    ),
    Upstream(
        "bedrock",
        "",
        keys=("AWS_BEARER_TOKEN_BEDROCK",),
        hosts=("bedrock-runtime.*.amazonaws.com", "bedrock-runtime-fips.*.amazonaws.com"),
    ),
    Upstream("vertex", "", (("GOOGLE_VERTEX_BASE_URL", ""),)),
    Upstream("other", "", (("GEMINI_API_BASE", ""), ("MISTRAL_BASE_URL", ""), ("DEEPSEEK_API_BASE", ""))),
)
"""Clients read these variables; an entry without a base has no address that all its clients agree on."""


@dataclass(frozen=True, slots=True)
class Routes:
    """What a proxy serves.

    Attributes:
        bases: address of each upstream, without a slash at its end, by the path segment that names it.
        variables: for each variable the segment and the path that follow the proxy's own address.
    """

    bases: Mapping[str, str]
    variables: Mapping[str, tuple[str, str]]

    def target(self, path: str) -> str | None:
        """The address behind `/name/rest?query`; None where no upstream has the name."""
        place, mark, query = path.removeprefix("/").partition("?")
        name, slash, rest = place.partition("/")
        base = self.bases.get(name)
        return None if base is None else base + slash + rest + mark + query


def routes(environ: Mapping[str, str], own: Iterable[Upstream] = ()) -> Routes:
    """The routes of a run.

    Args:
        environ: a variable that is set already, to a gateway or a server of the user's, names the upstream itself.
        own: upstreams of the settings; one of a well-known name takes its place.

    Raises:
        SettingsError: an upstream has a name that is no path segment, or an address that is no http address.
    """
    table = {upstream.name: upstream for upstream in (*WELL_KNOWN, *own)}
    bases: dict[str, str] = {}
    variables: dict[str, tuple[str, str]] = {}
    for upstream in table.values():
        _check(upstream)
        base = upstream.base.rstrip("/")
        if base:
            bases[upstream.name] = base
        for variable, path in upstream.variables:
            given = environ.get(variable, "").strip().rstrip("/")
            if given and _is_address(given) and not _within(given, base):
                segment = variable.lower().replace("_", "-")
                bases[segment] = given
                variables[variable] = (segment, "")
            elif given and _is_address(given):
                variables[variable] = (upstream.name, given[len(base) :])
            elif base:
                variables[variable] = (upstream.name, path)
    return Routes(bases, variables)


def placeholder_keys(environ: Mapping[str, str], own: Iterable[Upstream] = ()) -> dict[str, str]:
    """For replay: a value for the key of each API whose key is absent or empty, since without one no client starts."""
    table = {upstream.name: upstream for upstream in (*WELL_KNOWN, *own)}
    return {
        upstream.keys[0]: PLACEHOLDER
        for upstream in table.values()
        if upstream.keys and not any(environ.get(key, "").strip() for key in upstream.keys)
    }


def _within(address: str, base: str) -> bool:
    return bool(base) and (address == base or address.startswith(base + "/"))


def _is_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        return False


def _check(upstream: Upstream) -> None:
    name = upstream.name
    if not name or not name.isascii() or not name.replace("-", "").replace("_", "").isalnum():
        raise SettingsError(
            f"the upstream `{name}` has a name that is no part of a path", remedy="use letters, digits and hyphens"
        )
    if upstream.base and not _is_address(upstream.base):
        raise SettingsError(
            f"the upstream `{name}` has no http address", remedy="give it one such as https://llm.example.org"
        )
