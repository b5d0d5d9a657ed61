"""Secrets of this machine and keys of anybody stay out; code stays as it is."""

from __future__ import annotations

import pytest

from gate.record.probes.discreet import secrets_of, without_secrets
from gate.suites.probes.answer import Answer
from gate.suites.probes.checks.rules.secrets import secret_literals


def clean(text: str, *secrets: str) -> str:
    return without_secrets(Answer(text), secrets).text


def test_values_of_variables_that_are_named_like_secrets_count() -> None:
    environ = {
        "OPENAI_API_KEY": "abcdefghijkl",
        "DB_PASSWORD": "correct horse",
        "GITHUB_TOKEN": "short",
        "HOME": "/home/somebody",
        "GATE_MODEL_KEY": "",
    }
    assert secrets_of(environ) == ("correct horse", "abcdefghijkl")


def test_a_longer_secret_is_replaced_before_one_within_it() -> None:
    secrets = secrets_of({"A_TOKEN": "12345678", "B_TOKEN": "12345678abcd"})
    assert clean("x 12345678abcd y 12345678", *secrets) == "x ~secret-secret~ y ~secret-secret~"


def test_a_key_is_known_by_its_shape() -> None:
    assert "ghp_" not in clean("token = 'ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'")


@pytest.mark.parametrize(
    "code",
    [
        'password = "hunter2"',
        "def login(token: str, api_key: str = '') -> None: ...",
        'conn = connect(password=os.environ["DB_PASSWORD"])',
        "digest = 'd41d8cd98f00b204e9800998ecf8427e'",
        "Bearer {token}",
        "ü \ud83d \0",
    ],
)
def test_code_about_secrets_stays_as_it_is(code: str) -> None:
    assert clean(code).encode("utf-8", "replace") == code.encode("utf-8", "replace")


def test_files_and_messages_are_cleaned_too() -> None:
    found = without_secrets(Answer(files={"a": "k 12345678"}, message="k 12345678"), ["12345678"])
    assert (found.files, found.message) == ({"a": "k ~secret-secret~"}, "k ~secret-secret~")


def test_a_key_that_an_answer_writes_into_code_is_still_a_key_to_the_checks() -> None:
    code = clean('API_KEY = "sk-proj-' + "a1B2c3D4e5F6g7H8i9J0k1L2" + '"')
    assert "a1B2" not in code
    assert secret_literals(code)


def test_the_working_folder_is_no_secret() -> None:
    assert secrets_of({"PWD": "/workspace/checkout", "DB_PWD": "correct horse"}) == ("correct horse",)
