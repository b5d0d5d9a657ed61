"""Where prompts live: read, replaced for the length of a block, restored whatever happens."""

from __future__ import annotations

import dataclasses
import enum
import sys
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
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


    @staticmethod
    def fixed():
        return "You must never sing."

    @classmethod
    def of_class(cls):
        return "You must never hum."

    def own(self, loud=False):
        return "You must never yell."


class Child(Agent):
    pass


agent = Agent()


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


class Mixed(str, enum.Enum):  # noqa: UP042  the older way is a target, too
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


CODE = compile(SOURCE, "prompts", "exec")


@pytest.fixture
def app() -> Iterator[Any]:
    """A module of its own for each test, with one that imported from it."""
    module, user = types.ModuleType("prompts_of_a_test"), types.ModuleType("user_of_a_test")
    exec(CODE, module.__dict__)
    sys.modules.update({module.__name__: module, user.__name__: user})
    exec(f"from {module.__name__} import SYSTEM as MINE, build", user.__dict__)
    for value in (Plain, Mixed, Modern, Open, Frozen, Model):
        setattr(module, value.__name__, value)
    vars(module).update(user=user, frozen=Frozen(), model=Model(), open=Open())
    yield module
    del sys.modules[module.__name__], sys.modules[user.__name__]


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
    ("Agent.fixed", lambda app: app.Agent.fixed()),
    ("Agent.fixed", lambda app: app.agent.fixed()),
    ("Agent.of_class", lambda app: app.Agent.of_class()),
    ("Agent.of_class", lambda app: app.agent.of_class()),
    ("agent.own", lambda app: app.agent.own(loud=True)),
    ("Plain.A", lambda app: app.Plain.A.value),
    ("Plain.A.value", lambda app: app.Plain.A.value),
    ("Mixed.A.value", lambda app: str.__str__(app.Mixed.A)),
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


@pytest.mark.parametrize(
    ("path", "owner"),
    [("Child.PROMPT", "Child"), ("Agent.fixed", "Agent"), ("Agent.of_class", "Agent"), ("agent.own", "agent")],
)
def test_an_owner_has_afterwards_what_it_had_before(app: Any, path: str, owner: str) -> None:
    before = dict(vars(getattr(app, owner)))
    with target(f"{app.__name__}:{path}").replaced(NEW):
        pass
    assert dict(vars(getattr(app, owner))) == before


def test_a_method_without_its_object_is_no_builder(app: Any) -> None:
    with pytest.raises(UsageError, match="missing a required argument: 'self'"):
        target(f"{app.__name__}:Agent.own")


def test_short_texts_that_python_shares_have_no_aliases(app: Any) -> None:
    vars(app.user)["MODE"] = "x"
    with target(f"{app.__name__}:SHORT").replaced(NEW):
        assert app.user.MODE == "x"


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


def test_an_error_inside_the_module_is_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "module_that_is_broken.py").write_text("import a_package_that_is_absent\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(ModuleNotFoundError, match="a_package_that_is_absent"):
        target("module_that_is_broken:X")


def test_a_tuple_is_read_only(app: Any) -> None:
    with pytest.raises(UsageError, match="read-only"):
        target(f"{app.__name__}:TUPLE[0]")


def test_a_property_is_read_only(app: Any) -> None:
    app.thing = type("Thing", (), {"prompt": property(lambda self: "Never do it at all.")})()
    with pytest.raises(UsageError, match="read-only"):
        target(f"{app.__name__}:thing.prompt")


def test_a_replacement_that_is_no_text_is_refused_and_leaves_the_place(app: Any) -> None:
    was = app.SYSTEM
    with pytest.raises(UsageError, match="not a text"), target(f"{app.__name__}:SYSTEM").replaced(lambda text: None):  # type: ignore[arg-type,return-value]
        pass
    assert app.SYSTEM is was
