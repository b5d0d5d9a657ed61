"""Which repository `gate show --pr` asks, by which API, and that the token goes to GitHub alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from gate.cli.remote import Remote, find_remote, find_token
from gate.errors import UsageError
from tests.support.repository import Repository

PUBLIC = "https://api.github.com"


def checkout(folder: Path, origin: str) -> Path:
    repository = Repository(folder / "checkout")
    repository.git("config", "remote.origin.url", origin)
    return repository.path


@pytest.mark.parametrize(
    "origin",
    [
        "https://github.com/octo/model",
        "https://github.com/octo/model.git",
        "https://github.com/octo/model/",
        "https://someone:secret@GitHub.com/octo/model.git",
        "git@github.com:octo/model.git",
        "github.com:octo/model",
        "ssh://git@github.com/octo/model.git",
        "ssh://git@ssh.github.com:443/octo/model.git",
        "git://github.com/octo/model.git",
    ],
)
def test_the_remote_of_the_checkout(tmp_path: Path, origin: str) -> None:
    assert find_remote({}, checkout(tmp_path, origin)) == Remote("octo/model", PUBLIC)


def test_an_enterprise_server(tmp_path: Path) -> None:
    folder = checkout(tmp_path, "git@ghe.example:octo/model.git")
    server = {"GITHUB_SERVER_URL": "https://ghe.example/"}
    assert find_remote(server, folder) == Remote("octo/model", "https://ghe.example/api/v3")
    given = {**server, "GITHUB_API_URL": "https://api.ghe.example/"}
    assert find_remote(given, folder).api_url == "https://api.ghe.example"


def test_what_is_named_counts_more_than_the_checkout(tmp_path: Path) -> None:
    folder = checkout(tmp_path, "git@github.com:octo/model.git")
    environ = {"GITHUB_REPOSITORY": "acme/loans"}
    assert find_remote(environ, folder).repository == "acme/loans"
    assert find_remote(environ, folder, "acme/other").repository == "acme/other"


@pytest.mark.parametrize(
    "origin",
    [
        "https://evil.example/octo/model",
        "git@evil.example:octo/model.git",
        "https://github.com.evil.example/octo/model",
        "https://github.com@evil.example/octo/model",
        "git@ghe.example:octo/model.git",
    ],
)
def test_a_token_for_github_goes_to_no_other_host(tmp_path: Path, origin: str) -> None:
    with pytest.raises(UsageError, match=r"the token is for github\.com") as caught:
        find_remote({}, checkout(tmp_path, origin))
    assert "GITHUB_SERVER_URL" in caught.value.remedy


@pytest.mark.parametrize(
    "origin",
    [
        "",
        "/srv/git/model.git",
        "../model",
        "https://github.com/octo",
        "https://github.com/octo/model/tree/main",
        "https://[broken/octo/model",
        "https://github.com/octo/mo del",
        "C:\\model",
    ],
)
def test_a_remote_that_names_no_repository_of_github(tmp_path: Path, origin: str) -> None:
    with pytest.raises(UsageError, match="origin") as caught:
        find_remote({}, checkout(tmp_path, origin))
    assert "--repository" in caught.value.remedy


def test_a_secret_in_the_address_is_not_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        find_remote({}, checkout(tmp_path, "https://someone:hunter2@evil.example/octo/model"))
    assert "hunter2" not in str(caught.value)


def test_no_checkout_at_all(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="origin"):
        find_remote({"PATH": "/nowhere"}, tmp_path)


@pytest.mark.parametrize("name", ["octo", "octo/model/x", "octo/mo del", "../..//", "octo/model\n"])
def test_a_name_that_is_none(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="can't be called"):
        find_remote({}, tmp_path, name)


def test_tokens_in_their_order() -> None:
    assert find_token({"GITHUB_TOKEN": " one ", "GH_TOKEN": "two"}) == "one"
    assert find_token({"GITHUB_TOKEN": " ", "GH_TOKEN": "two"}) == "two"
    with pytest.raises(UsageError, match="no token"):
        find_token({})
