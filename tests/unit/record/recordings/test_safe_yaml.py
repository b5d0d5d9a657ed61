"""YAML from anywhere: plain values, or a refusal that says where; never an object, never a full memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gate.errors import GateError, RecordingError, UsageError
from gate.record.recordings import safe_yaml
from gate.record.recordings.cassettes import read_cassette

yaml = pytest.importorskip("yaml", reason="PyYAML is not installed; it comes with the extra `cassettes`")

BOMB = "a: &a0 [x, x]\n" + "".join(f"b{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 20))
HOSTILE = {
    "a command": ("interactions: !!python/object/apply:os.system ['touch owned']", "tag"),
    "a class": ("interactions: !!python/object:subprocess.Popen {}", "tag"),
    "a Ruby object": ("--- !ruby/object:Gem::Installer\ni: x\n", "tag"),
    "aliases that multiply": (BOMB, "multiply"),
    "an alias that holds itself": ("interactions: &a [*a]", "holds itself"),
    "too deep": ("interactions: " + "[" * 500 + "]" * 500, "deeper"),
    "a chain of aliases": (
        "a: &a0 [x]\n" + "".join(f"b{n}: &a{n} [*a{n - 1}]\n" for n in range(1, 20_000)),
        "multiply|can't be read",
    ),
    "no end": ("interactions: [", "can't be read"),
    "a list as a name": ("? [a, b]\n: c", "can't be read|no list"),
    "no cassette": ("a: 1", "no list"),
    "nothing": ("", "no list"),
    "a number": ("7", "no list"),
    "no YAML": ("\x00\x01", "can't be read"),
    "bytes that are none": ("interactions: !!binary 'a'", "can't be read"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_are_refused(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text, words = HOSTILE[name]
    with pytest.raises(RecordingError, match=words) as caught:
        read_cassette(text.encode(), "a.yaml")
    assert caught.value.where.startswith("a.yaml")
    assert not list(tmp_path.iterdir())


def test_without_the_library_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> Any:
        raise ImportError(name)

    monkeypatch.setattr(safe_yaml.importlib, "import_module", absent)
    with pytest.raises(UsageError, match="PyYAML") as caught:
        safe_yaml.load(b"a: 1", "a.yaml")
    assert "robustness-gate[cassettes]" in caught.value.remedy
    assert read_cassette(b'{"interactions": []}', "a.json") == (), "JSON needs none"


PIECES = st.sampled_from(
    [
        *(
            "interactions:",
            "- ",
            "request",
            "response",
            ": ",
            "{",
            "}",
            "[",
            "]",
            "<<",
            "\n",
            " ",
            "'",
            "1e999",
            "\x00",
        ),
        *("&a ", "*a", "!!binary ", "!!python/tuple ", "!!python/object/new:_io.BytesIO "),
        "!!python/object/apply:builtins.frozenset ",
    ]
)


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.binary(max_size=60), st.lists(PIECES, max_size=30).map(lambda parts: "".join(parts).encode())))
def test_whatever_it_holds_it_is_read_or_refused(data: bytes) -> None:
    try:
        read_cassette(data, "a.yaml")
    except GateError as error:
        assert error.where.startswith("a.yaml")


@pytest.mark.parametrize(
    "text", ["!!python/object/apply:builtins.frozenset []", "!!python/object/apply:builtins.frozenset [1]", "!!int x"]
)
def test_a_tag_that_does_not_fit_is_refused(text: str) -> None:
    with pytest.raises(RecordingError):
        safe_yaml.load(text.encode(), "a.yaml")
