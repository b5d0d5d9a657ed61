"""The token shows in no text."""

from __future__ import annotations

import base64
import copy
import logging
import pickle
import traceback

import pytest

from gate.deliver.secret import Secret
from gate.errors import DeliveryError
from tests.support.github.faults import Fault
from tests.support.github.fixture import NUMBER, TOKEN, Time, client
from tests.support.github.server import GitHubServer

BASIC = base64.b64encode(f"x-access-token:{TOKEN}".encode()).decode()
CORE = base64.b64encode(TOKEN.encode()).decode().rstrip("=")[:-1]


@pytest.mark.parametrize(
    "show", [repr, str, format, lambda secret: f"{secret!r:>40} {secret}", lambda secret: [secret].__repr__()]
)
def test_no_text_of_it_holds_the_token(show: object) -> None:
    assert callable(show)
    assert TOKEN not in show(Secret(TOKEN))
    assert Secret(TOKEN).reveal() == TOKEN


@pytest.mark.parametrize("before", ["", "x-access-token:", "a", "ab", "abc"])
@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode])
def test_encodings_are_scrubbed(before: str, encode: object) -> None:
    assert callable(encode)
    text = encode((before + TOKEN).encode()).decode()
    assert CORE[8:-8] not in Secret(TOKEN).scrub(f"Authorization: Basic {text} was refused")
    assert "***" in Secret(TOKEN).scrub(text)


def test_scrubbing_leaves_the_rest() -> None:
    assert Secret(TOKEN).scrub(f"a {TOKEN} b") == "a *** b"
    assert Secret("").scrub("a b") == "a b"


@pytest.mark.parametrize("store", [pickle.dumps, copy.copy, copy.deepcopy])
def test_it_is_not_stored(store: object) -> None:
    assert callable(store)
    with pytest.raises(TypeError):
        store(Secret(TOKEN))


def _everything(error: BaseException) -> str:
    """What a traceback, with the values of all local names of the product, could show."""
    seen = ["".join(traceback.format_exception(error))]
    cause: BaseException | None = error
    while cause is not None:
        seen += [repr(cause), str(cause), repr(vars(cause))]
        frame = cause.__traceback__
        while frame is not None:
            if frame.tb_frame.f_globals["__name__"].startswith("gate."):
                seen += [f"{name}={value!r}" for name, value in frame.tb_frame.f_locals.items()]
            frame = frame.tb_next
        cause = cause.__cause__ or cause.__context__
    return "\n".join(seen)


@pytest.mark.parametrize(
    "fault",
    [
        Fault(status=403, message=f"your header was Bearer {TOKEN}"),
        Fault(status=401, message=f"your header was Basic {BASIC}"),
        Fault(status=500, times=-1),
        Fault(cut="before", times=-1),
        Fault(cut="midway", times=-1),
        Fault(status=302, headers={"location": "http://elsewhere.invalid/"}),
    ],
    ids=["echoed", "echoed-base64", "ill", "cut", "midway", "redirected"],
)
def test_no_failure_tells_the_token(
    github: GitHubServer, fault: Fault, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    github.faults.add(fault)
    api = client(github, moments=Time())
    with pytest.raises(DeliveryError) as caught:
        api.list_comments(NUMBER)
    assert set(github.seen_tokens) == {f"Bearer {TOKEN}"}
    outputs = capfd.readouterr()
    told = "\n".join((_everything(caught.value), repr(api), caplog.text, outputs.out, outputs.err))
    for form in (TOKEN, BASIC, CORE, CORE[8:-8]):
        assert form not in told


@pytest.mark.parametrize("odd", ["two\nlines", "with space", "nön-ascii", "nul\0"])
def test_a_token_that_is_none_is_refused_untold(github: GitHubServer, odd: str) -> None:
    with pytest.raises(DeliveryError) as caught:
        client(github, odd)
    assert odd not in _everything(caught.value)
    assert repr(odd)[1:-1] not in _everything(caught.value)
    assert not github.log


def test_white_space_around_a_token_is_dropped(github: GitHubServer) -> None:
    assert client(github, f" {TOKEN}\n").list_comments(NUMBER) == []
