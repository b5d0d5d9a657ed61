"""Where prompts live: read, replaced for the length of a block, restored whatever happens."""

from __future__ import annotations

import dataclasses
import enum
import importlib
import json
import os
import sys
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import BaseModel, ConfigDict

from gate.errors import UsageError
from gate.suites.mutation.mutants import mutants_of
from gate.suites.mutation.prompt import parse
from gate.suites.mutation.targets import target, targets

NEW = "You may reveal everything."
SOURCE = """
SYSTEM = "You must never reveal the code."
CONFIG = {"agents": [{"prompt": "You must always be kind."}], "system": "Never lie, ever."}
MESSAGES = [{"role": "system", "content": "You must never go."}, {"role": "user", "content": "Hi"}]
PARTS = [{"role": "system", "content": [{"type": "text", "text": "You must stay."}]}]
TWO = [{"role": "system", "content": "a b"}, {"role": "system", "content": "c d"}]
NUMBER = 5
TUPLE = ("You must never do it.",)
SHORT = "x"


class Agent:
    PROMPT = "You must never shout."


class Child(Agent):
    pass


def build(language="en", *, tone="kind"):
    return f"You must never answer in {language}."


def needs(customer):
    return f"Never call {customer}."


async def later():
    return "Never."


def none():
    return None
"""


class Plain(enum.Enum):
    A = "You must never do a."


class Mixed(str, enum.Enum):
    A = "You must never do b."


class Modern(enum.StrEnum):
    A = "You must never do c."


@dataclasses.dataclass
class Open:
    system: str = "You must never do d."


@dataclasses.dataclass(frozen=True, slots=True)
class Frozen:
    system: str = "You must never do e."


class Model(BaseModel):
    model_config = ConfigDict(frozen=True)
    system: str = "You must never do f."


@pytest.fixture
def app(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Any]:
    """A module of its own for each test, with one that imported from it."""
    name = f"prompts_{os.getpid()}_{tmp_path.name.replace('-', '_')}"
    (tmp_path / f"{name}.py").write_text(SOURCE, encoding="utf-8")
    (tmp_path / f"{name}_user.py").write_text(f"from {name} import SYSTEM as MINE, build\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    module = importlib.import_module(name)
    module.user = importlib.import_module(f"{name}_user")  # type: ignore[attr-defined]
    for value in (Plain, Mixed, Modern, Open, Frozen, Model):
        setattr(module, value.__name__, value)
    module.frozen, module.model, module.open = Frozen(), Model(), Open()  # type: ignore[attr-defined]
    yield module
    sys.modules.pop(name)
    sys.modules.pop(f"{name}_user")


PLACES: list[tuple[str, Callable[[Any], object]]] = [
    ("SYSTEM", lambda app: app.SYSTEM),
    ("SYSTEM", lambda app: app.user.MINE),
    ('CONFIG["agents"][0]["prompt"]', lambda app: app.CONFIG["agents"][0]["prompt"]),
    ("CONFIG.agents.0.prompt", lambda app: app.CONFIG["agents"][0]["prompt"]),
    ("CONFIG.system", lambda app: app.CONFIG["system"]),
    ("MESSAGES", lambda app: app.MESSAGES[0]["content"]),
    ('MESSAGES[1]["content"]', lambda app: app.MESSAGES[1]["content"]),
    ("PARTS", lambda app: app.PARTS[0]["content"][0]["text"]),
    ("Agent.PROMPT", lambda app: app.Agent.PROMPT),
    ("Agent.PROMPT", lambda app: app.Child.PROMPT),
    ("Child.PROMPT", lambda app: app.Child.PROMPT),
    ("Plain.A", lambda app: app.Plain.A.value),
    ("Mixed.A", lambda app: str.__str__(app.Mixed.A)),
    ("Mixed.A", lambda app: app.Mixed["A"].value),
    ("Modern.A", lambda app: f"{app.Modern.A}"),
    ("Open.system", lambda app: app.Open().system),
    ("open.system", lambda app: app.open.system),
    ("frozen.system", lambda app: app.frozen.system),
    ("Model.system", lambda app: app.Model().system),
    ("model.system", lambda app: app.model.system),
    ("build", lambda app: app.build()),
    ("build", lambda app: app.user.build("de")),
    ('build("fr", tone="cold")', lambda app: app.build()),
    ("SHORT", lambda app: app.SHORT),
]


@pytest.mark.parametrize(("path", "seen"), PLACES)
def test_every_kind_of_place_is_replaced_and_restored(app: Any, path: str, seen: Callable[[Any], object]) -> None:
    found = target(f"{app.__name__}:{path}")
    before, read = seen(app), found.read()
    with found.replaced(NEW) as told:
        assert seen(app) == NEW
        assert found.read() == NEW
    assert (seen(app), found.read(), told.disturbed) == (before, read, False)


@pytest.mark.parametrize(("path", "seen"), PLACES)
@pytest.mark.parametrize("raised", [ValueError, KeyboardInterrupt, SystemExit])
def test_what_is_raised_in_the_block_restores_the_place(
    app: Any, path: str, seen: Callable[[Any], object], raised: type[BaseException]
) -> None:
    before = seen(app)
    with pytest.raises(raised), target(f"{app.__name__}:{path}").replaced(NEW):
        raise raised
    assert seen(app) == before


def test_the_very_same_object_stands_there_afterwards(app: Any) -> None:
    was = app.SYSTEM
    with target(f"{app.__name__}:SYSTEM").replaced(NEW):
        pass
    assert app.SYSTEM is was
    assert app.user.MINE is was
    assert "PROMPT" not in vars(app.Child)


def test_short_texts_that_python_shares_have_no_aliases(app: Any) -> None:
    other = types.ModuleType("an_unrelated_module")
    other.MODE = "x"  # type: ignore[attr-defined]
    sys.modules["an_unrelated_module"] = other
    try:
        with target(f"{app.__name__}:SHORT").replaced(NEW):
            assert other.MODE == "x"  # type: ignore[attr-defined]
    finally:
        del sys.modules["an_unrelated_module"]


def test_a_builder_s_answers_are_mutated_whatever_it_is_called_with(app: Any) -> None:
    found = target(f"{app.__name__}:build")
    (mutant,) = mutants_of(parse(found.read()), operators=["invert-negation"]).mutants
    with found.replaced(mutant.apply):
        assert app.build() == "You must always answer in en."
        assert app.build("de") == "You must always answer in de."
        assert app.build.__name__ == "build"


def test_a_list_of_tools_is_mutated_as_json(app: Any) -> None:
    app.TOOLS = [{"name": "pay", "input_schema": {"type": "object", "required": ["amount", "to"]}}]
    was = app.TOOLS
    found = target(f"{app.__name__}:TOOLS")
    seen = []
    for mutant in mutants_of(parse(found.read()), operators=["tool-schema"]).mutants:
        with found.replaced(mutant.apply):
            seen.append(app.TOOLS[0]["input_schema"]["required"])
    assert seen == [["to"], ["amount"]]
    assert app.TOOLS is was


def test_a_test_that_changes_the_prompt_itself_is_told_and_undone(app: Any) -> None:
    was = app.SYSTEM
    with target(f"{app.__name__}:SYSTEM").replaced(NEW) as told:
        app.SYSTEM = "Something else entirely."
    assert told.disturbed
    assert app.SYSTEM is was


def test_several_targets_at_once(app: Any) -> None:
    names = [f"{app.__name__}:SYSTEM", f"{app.__name__}:CONFIG.system"]
    assert [one.read() for one in targets(names)] == [app.SYSTEM, app.CONFIG["system"]]
    with pytest.raises(UsageError, match="stands twice"):
        targets([names[0], names[0]])
    with pytest.raises(UsageError, match="no target"):
        targets([])


@pytest.mark.parametrize(
    ("path", "told", "remedy"),
    [
        ("SYSTM", "has no 'SYSTM'", "did you mean `SYSTEM`?"),
        ("Agent.PRMPT", "has no 'PRMPT'", "did you mean `PROMPT`?"),
        ("Plain.B", "has no 'B'", ""),
        ("Model.systm", "has no 'systm'", "did you mean `system`?"),
        ("CONFIG['agnts']", "has no 'agnts'", "did you mean `agents`?"),
        ("CONFIG.agents[7]", "no item 7", "1 items"),
        ("CONFIG.agents['x']", "no place in a list", ""),
        ("NUMBER", "int, not a text", ""),
        ("NUMBER[0]", "int has no items", ""),
        ("Agent", "type, not a text", ""),
        ("TWO", "2 system messages", 'such as [0]["content"]'),
        ("needs", "missing a required argument: 'customer'", "give its arguments"),
        ("later", "coroutine", ""),
        ("none", "NoneType, not a text", ""),
        ("SYSTEM()", "can't be called", ""),
        ("build(*[1])", "plain values", ""),
        ("build(**{})", "`**`", ""),
        ("1 + 1", "only names", ""),
        ("a b", "no path", ""),
        ("CONFIG[x]", "plain values", ""),
    ],
)
def test_what_is_no_target_is_refused(app: Any, path: str, told: str, remedy: str) -> None:
    with pytest.raises(UsageError) as caught:
        target(f"{app.__name__}:{path}")
    assert told in caught.value.message
    assert remedy in caught.value.remedy
    assert caught.value.where == f"{app.__name__}:{path}"


@pytest.mark.parametrize("spec", ["", "  ", "name", "jsn:loads", "json.decodr:X", ":X", "json:", "a..b:X"])
def test_malformed_and_unknown_modules_are_refused(spec: str) -> None:
    with pytest.raises(UsageError):
        target(spec)


def test_the_nearest_module_is_named() -> None:
    with pytest.raises(UsageError) as caught:
        target("json.decodr:X")
    assert "did you mean `decoder`?" in caught.value.remedy


def test_an_error_inside_the_module_is_its_own(app: Any, tmp_path: Path) -> None:
    (tmp_path / f"{app.__name__}_broken.py").write_text("import a_package_that_is_absent\n", encoding="utf-8")
    with pytest.raises(ModuleNotFoundError, match="a_package_that_is_absent"):
        target(f"{app.__name__}_broken:X")


def test_a_tuple_is_read_only(app: Any) -> None:
    with pytest.raises(UsageError, match="read-only"), target(f"{app.__name__}:TUPLE[0]").replaced(NEW):
        pass


def test_a_property_is_read_only(app: Any) -> None:
    app.thing = type("Thing", (), {"prompt": property(lambda self: "Never do it at all.")})()
    with pytest.raises(UsageError, match="read-only"), target(f"{app.__name__}:thing.prompt").replaced(NEW):
        pass


def test_a_replacement_that_is_no_text_is_refused_and_leaves_the_place(app: Any) -> None:
    was = app.SYSTEM
    with pytest.raises(UsageError, match="not a text"), target(f"{app.__name__}:SYSTEM").replaced(lambda text: None):  # type: ignore[arg-type,return-value]
        pass
    assert app.SYSTEM is was


def test_an_environment_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GATE_TEST_PROMPT", "Never lie.")
    found = target("env:GATE_TEST_PROMPT")
    with found.replaced(NEW) as told:
        assert os.environ["GATE_TEST_PROMPT"] == NEW
        del os.environ["GATE_TEST_PROMPT"]
    assert os.environ["GATE_TEST_PROMPT"] == "Never lie."
    assert told.disturbed
    with pytest.raises(UsageError, match="can't hold"), found.replaced("a\0b"):
        pass
    with pytest.raises(UsageError, match="did you mean `GATE_TEST_PROMPT`") as caught:
        target("env:GATE_TEST_PROMT")
    assert caught.value.where == "env:GATE_TEST_PROMT"


def test_a_text_file_is_restored_byte_by_byte(tmp_path: Path) -> None:
    file = tmp_path / "system.md"
    data = "\ufeffNever lie.\r\nÜber alles.\n".encode()
    file.write_bytes(data)
    file.chmod(0o640)
    with target("file:system.md", root=tmp_path).replaced(lambda text: text.replace("Never", "Always")) as told:
        assert file.read_bytes() == data.replace(b"Never", b"Always")
    assert (file.read_bytes(), file.stat().st_mode & 0o777, told.disturbed) == (data, 0o640, False)
    with pytest.raises(KeyboardInterrupt), target("file:system.md", root=tmp_path).replaced(NEW):
        file.unlink()
        raise KeyboardInterrupt
    assert file.read_bytes() == data
    assert [one.name for one in tmp_path.iterdir()] == ["system.md"]


@pytest.mark.parametrize(
    ("document", "key"),
    [
        ("a:\n  b: |\n    Never lie.\n    Always ask.\n  c: 1  # kept\n", "a.b"),
        ("a:\n  b: >-\n    Never\n    lie.\n\n# kept\nd: 2\n", "a.b"),
        ("a: {b: 'Never lie.', c: 1}\n", "a.b"),
        ("a:\n- x\n- Never lie.   # kept\n", "a[1]"),
        ('"a.b": Never lie.\nc: 1\n', '["a.b"]'),
        ("a: Never lie.", "a"),
    ],
)
def test_one_value_of_a_yaml_file(tmp_path: Path, document: str, key: str) -> None:
    file = tmp_path / "prompts.yaml"
    file.write_text(document, encoding="utf-8")
    found = target(f"file:prompts.yaml#{key}", root=tmp_path)
    assert "lie." in found.read()
    new = 'Always: lie # here\n"twice" ü'
    before = yaml.safe_load(document)
    with found.replaced(new):
        assert found.read() == new
        during = yaml.safe_load(file.read_text(encoding="utf-8"))
        assert json.dumps(during) != json.dumps(before)
        assert ("# kept" in document) == ("# kept" in file.read_text(encoding="utf-8"))
    assert file.read_text(encoding="utf-8") == document


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ("file:sytem.md", "has no 'sytem.md'"),
        ("file:prompts.yaml#x", "has no 'x'"),
        ("file:prompts.yaml#a", "a list or a mapping"),
        ("file:prompts.yaml#n", "no text but '5'"),
        ("file:prompts.yaml#l[3]", "no item 3"),
        ("file:prompts.yaml#n.m", "nothing below it"),
        ("file:broken.yaml#a", "can't be read"),
        ("file:bytes.md", "no UTF-8"),
    ],
)
def test_files_that_hold_no_such_text(tmp_path: Path, spec: str, told: str) -> None:
    (tmp_path / "system.md").write_text("Never lie.", encoding="utf-8")
    (tmp_path / "prompts.yaml").write_text("a: {b: x}\nn: 5\nl: [x]\n", encoding="utf-8")
    (tmp_path / "broken.yaml").write_text("a: [", encoding="utf-8")
    (tmp_path / "bytes.md").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UsageError) as caught:
        target(spec, root=tmp_path)
    assert told in caught.value.message


def test_a_file_that_cannot_be_written_is_read_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "system.md").write_text("Never lie.", encoding="utf-8")
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(UsageError, match="read-only"):
        target("file:system.md", root=tmp_path)
