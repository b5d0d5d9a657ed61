"""A local provider that speaks as real agents' command lines expect it, and says what a test tells it to.

Anthropic's Messages, OpenAI's Responses and chat completions, and Gemini's generateContent: whole or as events, with a
call of a tool where the scene has one. What it says depends on the conversation alone.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal, Self
from urllib.parse import urlsplit

SENT, RECEIVED = 1_000, 50
"""Tokens that every answer says it took."""
FILE = "from_tool.txt"
FILE_TEXT = "made by a tool\n"


@dataclass(frozen=True)
class Seen:
    """One request as it came."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


@dataclass
class Scene:
    """What the provider says.

    Attributes:
        answer: makes the text from all that a request says.
        by: how it first asks for `FILE` to be written by a tool that it is offered: `file`, `shell`, or empty for not.
        line: what a shell is asked to run before it writes the file.
        status: of every answer of a model; others than 200 carry an error.
    """

    answer: Callable[[str], str]
    by: Literal["", "file", "shell"] = ""
    line: str = "true"
    status: int = 200
    requests: list[Seen] = field(default_factory=list)


class Provider:
    """Serves a scene on the loopback interface; a context manager."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self._server.daemon_threads = True
        self._server.scene = scene  # type: ignore[attr-defined]
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def address(self) -> str:
        """Without a slash at its end."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: Any) -> None:
        """Nothing."""

    def do_GET(self) -> None:
        self._note(b"")
        models = [{"id": name, "object": "model"} for name in ("gpt-5", "claude-sonnet-4-5")]
        known = urlsplit(self.path).path.endswith("/models")
        self._whole({"object": "list", "data": models} if known else {"error": {"message": "no such place"}}, not known)

    def do_POST(self) -> None:
        body = self._body()
        self._note(body)
        scene: Scene = self.server.scene  # type: ignore[attr-defined]
        path = urlsplit(self.path).path
        if scene.status != 200:
            error = {"type": _KINDS.get(scene.status, "api_error"), "message": f"the scene answers {scene.status}"}
            code = {"code": scene.status, "status": "UNAVAILABLE"} if ":" in path.rpartition("/")[2] else {}
            self._whole({"type": "error", "error": {**error, **code}}, scene.status)
            return
        asked = json.loads(body or b"{}")
        if path.endswith("/count_tokens") or path.endswith(":countTokens"):
            self._whole({"input_tokens": SENT, "totalTokens": SENT})
            return
        speak = next((api for end, api in _APIS.items() if path.endswith(end)), None)
        if speak is None:
            self._whole({"error": {"message": "no such place"}}, 404)
            return
        whole, events = speak(asked, _said(scene, asked))
        if asked.get("stream") or "streamGenerate" in path:
            self._stream(events)
        else:
            self._whole(whole)

    def _body(self) -> bytes:
        if self.headers.get("transfer-encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("content-length") or 0))
        parts = []
        while size := int(self.rfile.readline().split(b";")[0], 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(parts)

    def _note(self, body: bytes) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.scene.requests.append(Seen(self.command, self.path, headers, body))  # type: ignore[attr-defined]

    def _whole(self, value: Any, status: int | bool = 200) -> None:
        data = json.dumps(value).encode()
        self.send_response(404 if status is True else status or 200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _stream(self, events: Sequence[Mapping[str, Any] | str]) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for event in (*events, ""):
            if event == "":
                self.wfile.write(b"0\r\n\r\n")
                break
            name = f"event: {event['type']}\n" if isinstance(event, dict) and isinstance(event.get("type"), str) else ""
            data = f"{name}data: {event if isinstance(event, str) else json.dumps(event)}\n\n".encode()
            self.wfile.write(b"%x\r\n%b\r\n" % (len(data), data))


_KINDS = {401: "authentication_error", 429: "rate_limit_error", 500: "api_error"}


@dataclass(frozen=True)
class _Call:
    """A call of one of the tools that a request offers."""

    name: str
    arguments: Mapping[str, Any] | str


def _said(scene: Scene, asked: Mapping[str, Any]) -> str | _Call:
    """The text of the answer, or the call that comes before it."""
    offered = list(_offered(asked))
    if scene.by and offered and not _has_result(asked):
        return _writing(offered, scene)
    return scene.answer("\n".join(_texts({key: asked[key] for key in asked if key != "tools"})))


def _texts(value: Any) -> Iterator[str]:
    """All text of a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _texts(each)


def _offered(asked: Mapping[str, Any]) -> Iterator[str]:
    """Names of tools, in any of the APIs."""
    added = [each for each in asked.get("input") or () if each.get("type") == "additional_tools"]
    tools = [tool for each in (asked, *added) for tool in each.get("tools") or ()]
    for tool in tools:
        inner = tool.get("functionDeclarations") or tool.get("tools") or [tool.get("function", tool)]
        yield from (each["name"] for each in inner if "name" in each)


def _has_result(asked: Mapping[str, Any]) -> bool:
    """Whether a tool has answered already."""
    text = json.dumps({key: asked[key] for key in asked if key in ("messages", "input", "contents")})
    marks = (
        '"tool_result"',
        '"function_call_output"',
        '"custom_tool_call_output"',
        '"role": "tool"',
        "functionResponse",
    )
    return any(mark in text for mark in marks)


def _writing(offered: Sequence[str], scene: Scene) -> _Call:
    """The call by which an agent's own tool writes the file."""
    line = f'{scene.line}; printf "{FILE_TEXT.strip()}\\n" > {FILE}'
    shells: Mapping[str, Mapping[str, Any] | str] = {
        "Bash": {"command": line, "description": "Write a file"},
        "exec": f"text(await tools.exec_command({json.dumps({'cmd': line})}))",
        "exec_command": {"cmd": line},
        "shell_command": {"command": line},
        "run_shell_command": {"command": line},
        "bash": {"command": line, "description": "Write a file"},
    }
    editors: Mapping[str, Mapping[str, Any] | str] = {
        "Write": {"file_path": FILE, "content": FILE_TEXT},
        "write_file": {"file_path": FILE, "content": FILE_TEXT},
        "write": {"filePath": FILE, "content": FILE_TEXT},
    }
    ways = {**editors, **shells} if scene.by == "file" else shells
    name = next(name for name in ways if name in offered)
    return _Call(name, ways[name])


def _messages(asked: Mapping[str, Any], said: str | _Call) -> tuple[Any, list[Any]]:
    usage = {"input_tokens": SENT, "output_tokens": RECEIVED}
    usage |= {"cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
    head = {"id": "msg_1", "type": "message", "role": "assistant", "model": asked["model"], "stop_sequence": None}
    if isinstance(said, str):
        block, stop = {"type": "text", "text": said}, "end_turn"
        empty, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": said}
    else:
        tool = {"type": "tool_use", "id": "toolu_1", "name": said.name}
        block, stop = {**tool, "input": said.arguments}, "tool_use"
        empty = {**tool, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(said.arguments)}
    whole = {**head, "content": [block], "stop_reason": stop, "usage": usage}
    return whole, [
        {"type": "message_start", "message": {**head, "content": [], "stop_reason": None, "usage": usage}},
        {"type": "content_block_start", "index": 0, "content_block": empty},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": None}, "usage": usage},
        {"type": "message_stop"},
    ]


def _responses(asked: Mapping[str, Any], said: str | _Call) -> tuple[Any, list[Any]]:
    head = {"id": "resp_1", "object": "response", "created_at": 1_700_000_000, "model": asked["model"]}
    events: list[Any] = [{"type": "response.created", "response": {**head, "status": "in_progress", "output": []}}]
    if isinstance(said, str):
        part = {"type": "output_text", "text": said, "annotations": []}
        item = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [part]}
        where = {"item_id": "msg_1", "output_index": 0, "content_index": 0}
        events += [
            {"type": "response.output_item.added", "output_index": 0, "item": {**item, "content": []}},
            {"type": "response.content_part.added", **where, "part": {**part, "text": ""}},
            {"type": "response.output_text.delta", **where, "delta": said},
            {"type": "response.output_text.done", **where, "text": said},
            {"type": "response.content_part.done", **where, "part": part},
        ]
    else:
        own = isinstance(said.arguments, str)  # a tool with a format of its own
        kind, place = ("custom_tool_call", "input") if own else ("function_call", "arguments")
        text = said.arguments if own else json.dumps(said.arguments)
        item = {"type": kind, "id": "fc_1", "call_id": "call_1", "name": said.name, "status": "completed", place: text}
        events.append({"type": "response.output_item.added", "output_index": 0, "item": {**item, place: ""}})
    usage = {"input_tokens": SENT, "output_tokens": RECEIVED, "total_tokens": SENT + RECEIVED}
    usage |= {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    whole = {**head, "status": "completed", "output": [item], "usage": usage}
    events += [
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": whole},
    ]
    return whole, [{**event, "sequence_number": number} for number, event in enumerate(events)]


def _chat(asked: Mapping[str, Any], said: str | _Call) -> tuple[Any, list[Any]]:
    head = {"id": "chatcmpl-1", "created": 1_700_000_000, "model": asked["model"]}
    usage = {"prompt_tokens": SENT, "completion_tokens": RECEIVED, "total_tokens": SENT + RECEIVED}
    message: dict[str, Any] = {"role": "assistant", "content": said if isinstance(said, str) else None}
    if isinstance(said, _Call):
        function = {"name": said.name, "arguments": json.dumps(said.arguments)}
        message["tool_calls"] = [{"index": 0, "id": "call_1", "type": "function", "function": function}]
    finish = "stop" if isinstance(said, str) else "tool_calls"
    choice = {"index": 0, "message": message, "finish_reason": finish}
    piece = {**head, "object": "chat.completion.chunk"}
    return {**head, "object": "chat.completion", "choices": [choice], "usage": usage}, [
        {**piece, "choices": [{"index": 0, "delta": message, "finish_reason": None}]},
        {**piece, "choices": [{"index": 0, "delta": {}, "finish_reason": finish}]},
        {**piece, "choices": [], "usage": usage},
        "[DONE]",
    ]


def _gemini(asked: Mapping[str, Any], said: str | _Call) -> tuple[Any, list[Any]]:
    part: Any = {"text": said}
    if isinstance(said, _Call):
        part = {"functionCall": {"name": said.name, "args": said.arguments}}
    elif (asked.get("generationConfig") or {}).get("responseMimeType") == "application/json":
        part = {"text": json.dumps({"complexity_reasoning": "one function", "complexity_score": 10})}
    usage = {"promptTokenCount": SENT, "candidatesTokenCount": RECEIVED, "totalTokenCount": SENT + RECEIVED}
    candidate = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
    whole = {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "gemini-2.5-pro", "responseId": "r1"}
    return whole, [whole]


_APIS: Mapping[str, Callable[[Mapping[str, Any], str | _Call], tuple[Any, list[Any]]]] = {
    "/messages": _messages,
    "/responses": _responses,
    "/chat/completions": _chat,
    ":generateContent": _gemini,
    ":streamGenerateContent": _gemini,
}
