"""What delivery holds for any text, payload and order of runs."""

from __future__ import annotations

import base64
import io
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from gate.deliver.event import Event, read_event
from gate.deliver.runner import RunnerFiles
from gate.deliver.secret import Secret
from gate.deliver.shorten import NOTE, cut
from gate.deliver.sticky import post_comment
from gate.errors import UsageError
from gate.render.marker import marker, parse_marker
from tests.support.github.fixture import HEAD, NUMBER, client, serve
from tests.support.github.runner import commands, outputs

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=200)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
PATHS = (
    "action",
    "number",
    "pull_request",
    "pull_request.number",
    "pull_request.base",
    "pull_request.base.sha",
    "pull_request.base.repo",
    "pull_request.head",
    "pull_request.head.sha",
    "pull_request.head.repo",
    "pull_request.head.repo.full_name",
    "merge_group",
    "merge_group.base_sha",
    "repository",
    "before",
    "after",
    "sender",
)


def _payload(changes: dict[str, Any]) -> dict[str, Any]:
    payload: dict[str, Any] = {
        "number": 7,
        "pull_request": {
            "number": 7,
            "base": {"ref": "main", "sha": HEAD, "repo": {"full_name": "o/r"}},
            "head": {"sha": HEAD, "repo": {"full_name": "o/r"}},
        },
        "merge_group": {"base_ref": "refs/heads/main", "base_sha": HEAD, "head_sha": HEAD},
    }
    for path, value in changes.items():
        *parents, last = path.split(".")
        place: Any = payload
        for key in parents:
            place = place.get(key) if isinstance(place, dict) else None
        if isinstance(place, dict):
            place[last] = value
    return payload


@given(
    name=st.sampled_from(["pull_request", "pull_request_target", "merge_group", "push", "schedule", "other"]),
    changes=st.dictionaries(st.sampled_from(PATHS), JSON, max_size=4),
)
def test_any_payload_is_read_or_refused_clearly(name: str, changes: dict[str, Any]) -> None:
    try:
        event = read_event({"GITHUB_EVENT_NAME": name, "GITHUB_REPOSITORY": "o/r"}, _payload(changes))
    except UsageError as error:
        assert error.remedy
        assert error.where
    else:
        assert isinstance(event, Event)
        assert event.pull_request is None or event.pull_request > 0
        assert name not in ("pull_request", "pull_request_target") or (event.base_sha and event.head_sha)


@given(values=st.dictionaries(st.from_regex(r"[a-z][a-z-]{0,9}", fullmatch=True), TEXT, max_size=3))
def test_any_output_is_read_back(values: dict[str, str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "output"
        files = RunnerFiles({"GITHUB_OUTPUT": str(path)}, io.StringIO())
        for name, value in values.items():
            files.set_output(name, value)
        assert outputs(path.read_bytes() if values else b"") == values


@given(text=TEXT | st.text("::\n\r -errostpcmandw%", max_size=80))
def test_no_text_of_a_suite_is_a_command(text: str) -> None:
    log = io.StringIO(newline="")
    files = RunnerFiles({"GITHUB_ACTIONS": "true"}, log)
    with files.stopped_commands():
        log.write(text)
    files.annotate(["::error::ours"])
    assert commands(log.getvalue()) == [("error", "ours")]


@given(
    token=st.text("abcXYZ0189_-", min_size=16, max_size=60),
    before=st.binary(max_size=9),
    after=st.binary(max_size=9),
    urlsafe=st.booleans(),
)
def test_no_encoding_of_a_token_is_left(token: str, before: bytes, after: bytes, urlsafe: bool) -> None:
    encode = base64.urlsafe_b64encode if urlsafe else base64.b64encode
    text = encode(before + token.encode() + after).decode()
    left = Secret(token).scrub(f"{token} {text}")
    assert token not in left
    core = encode(b"\0" * len(before) + token.encode()).decode().rstrip("=")
    inner = core[-(-len(before) * 8 // 6) + 1 : -2]
    assert inner not in left


@given(
    lines=st.lists(st.sampled_from(["text", "```", "```diff", "~~~", "<details>", "</details>", "x" * 90]), max_size=60)
)
def test_a_cut_text_is_short_and_closed(lines: list[str]) -> None:
    text = "\n".join(["marker", *lines])
    made = cut(text, 500)
    assert made.startswith("marker")
    assert len(made) <= 500
    assert made == text or made.endswith(NOTE)


RUN = st.tuples(st.integers(1, 5), st.integers(1, 3), st.sampled_from([HEAD, "b" * 40]))


@settings(max_examples=25, deadline=None)
@given(runs=st.lists(RUN, min_size=1, max_size=5), dead=st.lists(RUN, max_size=3))
def test_whatever_the_order_of_runs_one_comment_says_the_newest(
    runs: list[tuple[int, int, str]], dead: list[tuple[int, int, str]]
) -> None:
    def body(run: int, attempt: int, head: str) -> str:
        return f"{marker('default', head, attempt, run)}\nrun {run}.{attempt} of {head}"

    with serve() as github:
        for one in dead:
            github.add_comment(NUMBER, body(*one))
        for one in runs:
            post_comment(client(github), NUMBER, body(*one), parse_marker=parse_marker)
        spoke = any(head == HEAD for _, _, head in runs)
        if spoke:
            newest = max((run, attempt) for run, attempt, head in [*runs, *dead] if head == HEAD)
            assert [one.body for one in github.comments(NUMBER)] == [body(*newest, HEAD)]
        else:
            assert len(github.comments(NUMBER)) == len(dead)
