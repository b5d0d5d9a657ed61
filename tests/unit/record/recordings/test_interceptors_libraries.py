"""The libraries of model providers, over the clients below them. Each is skipped where it is not installed."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from gate.errors import MissingRecordingError
from gate.record.recordings import interceptors
from tests.support.model_server import ModelServer
from tests.support.remembering_session import RememberingSession

ASKED: list[Any] = [{"role": "user", "content": "which colour?"}]
Ask = Callable[[ModelServer], Any]


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


def _openai(server: ModelServer) -> Any:
    openai = pytest.importorskip("openai", reason="the OpenAI library is not installed")
    with openai.OpenAI(api_key="test", base_url=server.base_url) as client:
        return client.chat.completions.create(model="m", messages=ASKED).choices[0].message.content


def _openai_stream(server: ModelServer) -> Any:
    openai = pytest.importorskip("openai", reason="the OpenAI library is not installed")
    with openai.OpenAI(api_key="test", base_url=server.base_url) as client:
        parts = client.chat.completions.create(model="m", messages=ASKED, stream=True)
        return [part.choices[0].delta.content for part in parts]


def _openai_async_stream(server: ModelServer) -> Any:
    openai = pytest.importorskip("openai", reason="the OpenAI library is not installed")

    async def call() -> Any:
        async with openai.AsyncOpenAI(api_key="test", base_url=server.base_url) as client:
            parts = await client.chat.completions.create(model="m", messages=ASKED, stream=True)
            return [part.choices[0].delta.content async for part in parts]

    return asyncio.run(call())


def _openai_embedding(server: ModelServer) -> Any:
    openai = pytest.importorskip("openai", reason="the OpenAI library is not installed")
    with openai.OpenAI(api_key="test", base_url=server.base_url) as client:
        return client.embeddings.create(model="m", input=["a", "b"], encoding_format="float").data[1].embedding


def _anthropic(server: ModelServer) -> Any:
    anthropic = pytest.importorskip("anthropic", reason="the Anthropic library is not installed")
    with anthropic.Anthropic(api_key="test", base_url=server.url) as client:
        return client.messages.create(model="m", max_tokens=9, messages=ASKED).content[0].text


def _anthropic_stream(server: ModelServer) -> Any:
    anthropic = pytest.importorskip("anthropic", reason="the Anthropic library is not installed")
    client = anthropic.Anthropic(api_key="test", base_url=server.url)
    with client, client.messages.stream(model="m", max_tokens=9, messages=ASKED) as stream:
        return list(stream.text_stream)


def _litellm(server: ModelServer) -> Any:
    litellm = pytest.importorskip("litellm", reason="LiteLLM is not installed", exc_type=ImportError)
    answer = litellm.completion(model="openai/m", messages=ASKED, api_key="test", api_base=server.base_url)
    return answer.choices[0].message.content


ASKS: dict[str, Ask] = {
    "openai": _openai,
    "openai-stream": _openai_stream,
    "openai-async-stream": _openai_async_stream,
    "openai-embedding": _openai_embedding,
    "anthropic": _anthropic,
    "anthropic-stream": _anthropic_stream,
    "litellm": _litellm,
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", list(ASKS))
def test_a_library_is_recorded_once_a_call_and_replayed(
    server: ModelServer, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    session, ask = RememberingSession(), ASKS[name]
    with interceptors.installed(session):
        recorded = [ask(server) for _ in range(2)]
        assert len(session.answers) == len(server.requests) == 2
        assert [answer.failure for answer in session.answers] == ["", ""]
        sent = server.connections
        session.replaying = True
        assert [ask(server) for _ in range(2)] == recorded
        assert server.connections == sent
    assert recorded[0] != recorded[1] or name == "openai-embedding"


@pytest.mark.filterwarnings("ignore")
def test_a_missing_recording_comes_through_a_library_as_itself_or_as_a_cause(server: ModelServer) -> None:
    openai = pytest.importorskip("openai", reason="the OpenAI library is not installed")
    session = RememberingSession()
    session.replaying = True
    client = openai.OpenAI(api_key="test", base_url=server.base_url, max_retries=0)
    with interceptors.installed(session), client, pytest.raises(Exception) as caught:
        client.chat.completions.create(model="m", messages=ASKED)
    assert isinstance(caught.value, MissingRecordingError) or isinstance(caught.value.__cause__, MissingRecordingError)
    assert server.connections == 0


def test_a_client_that_was_built_before_is_covered(server: ModelServer) -> None:
    openai = pytest.importorskip("openai", reason="the OpenAI library is not installed")
    client = openai.OpenAI(api_key="test", base_url=server.base_url)
    session = RememberingSession()
    with client, interceptors.installed(session):
        client.chat.completions.create(model="m", messages=ASKED)
    assert len(session.answers) == 1
    assert "openai" in sys.modules
