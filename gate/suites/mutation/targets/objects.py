"""Targets in Python modules: texts, fields, messages, tool lists and functions that build a prompt."""

from __future__ import annotations

import ast
import contextlib
import functools
import importlib
import importlib.util
import inspect
import json
import pkgutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from gate.errors import UsageError
from gate.suites.mutation.targets.aliases import aliases
from gate.suites.mutation.targets.places import ItemPlace, MemberPlace, Place, missing, place_of
from gate.suites.mutation.targets.replacement import Replacement, changed_text
from gate.suites.mutation.targets.swap import Swap, is_plain

_ROLES = ("system", "developer")


def object_target(spec: str, module: str, path: str) -> TextTarget | BuilderTarget:
    """The target that a path of attributes, keys and places in a module is.

    Raises:
        UsageError: the module or something on the path does not exist, or what is there is no text.
    """
    try:
        parsed = ast.parse(_quoted_steps(path), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise UsageError(
            f"{path!r} is no path", where=spec, remedy='write names, dots and brackets: PROMPTS["agent"][0].text'
        ) from error
    arguments: tuple[tuple[Any, ...], dict[str, Any]] | None = None
    if isinstance(parsed, ast.Call):
        arguments = _literals(parsed, spec)
        parsed = parsed.func
    place = _walk(_module(module, spec), parsed, spec)
    value = place.get()
    found: TextTarget | BuilderTarget
    if inspect.isroutine(value) or arguments is not None:
        found = _builder(spec, place, value, arguments)
    else:
        found = _text_target(spec, place, value)
    with found.place.put(found.place.get()):
        pass  # a place that is read-only is told before any trial
    return found


def _quoted_steps(path: str) -> str:
    """`CONFIG.agents.0.prompt` with brackets around its number."""
    steps = path.split(".")
    return "".join(f"[{step}]" if step.isdigit() else f".{step}" for step in steps).removeprefix(".")


def _module(name: str, spec: str) -> Any:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not (name == error.name or name.startswith(f"{error.name}.")):
            raise
        parent, _, last = name.rpartition(".")
        raise missing(f"the package {parent}" if parent else "Python", last, _beside(parent), spec) from error
    except (ValueError, TypeError) as error:
        raise UsageError(f"{name!r} is no module", where=spec, remedy="write `package.module:NAME`") from error


def _beside(parent: str) -> list[str]:
    """Names of the modules that could have been meant."""
    if not parent:
        return sorted({one.name for one in pkgutil.iter_modules()} | set(sys.modules))
    found = sys.modules.get(parent)
    return [one.name for one in pkgutil.iter_modules(getattr(found, "__path__", []))] if found else []


def _walk(owner: Any, path: ast.expr, spec: str) -> Place:
    """The place at the end of a path of attributes and keys."""
    steps: list[tuple[str, Any]] = []
    while not isinstance(path, ast.Name):
        if isinstance(path, ast.Attribute):
            steps.append(("name", path.attr))
            path = path.value
        elif isinstance(path, ast.Subscript):
            steps.append(("key", _literal(path.slice, spec)))
            path = path.value
        else:
            raise UsageError("only names, dots and brackets lead to a prompt", where=spec, remedy="shorten the path")
    steps.append(("name", path.id))
    place: Place | None = None
    for kind, step in reversed(steps):
        if isinstance(place, MemberPlace) and (kind, step) == ("name", "value"):
            continue  # a member stands for its value
        owner = place.get() if place is not None else owner
        place = place_of(owner, step, spec) if kind == "name" else ItemPlace(owner, step, spec)
    assert place is not None  # noqa: S101  a path has a name at least
    return place


def _literal(node: ast.expr, spec: str) -> Any:
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError) as error:
        raise UsageError(
            "keys and arguments must be plain values", where=spec, remedy='write ["agent"] or [0]'
        ) from error


def _literals(call: ast.Call, spec: str) -> tuple[tuple[Any, ...], dict[str, Any]]:
    if any(keyword.arg is None for keyword in call.keywords):
        raise UsageError("`**` can't stand in a target", where=spec, remedy="name each argument")
    named = {str(keyword.arg): _literal(keyword.value, spec) for keyword in call.keywords}
    return tuple(_literal(one, spec) for one in call.args), named


def _text_target(spec: str, place: Place, value: Any) -> TextTarget:
    if isinstance(value, list) and value and all(isinstance(one, dict) for one in value):
        if all("role" in one for one in value):
            place = _message(value, spec)
            value = place.get()
        elif any(_is_tool(one) for one in value):
            return TextTarget(spec, place, as_json=True)
    if not isinstance(value, str):
        raise UsageError(
            f"it is {type(value).__name__}, not a text",
            where=spec,
            remedy="name a text, a list of messages or tools, or a function that builds the prompt",
        )
    return TextTarget(spec, place)


def _is_tool(value: dict[str, Any]) -> bool:
    inner = value.get("function", value)
    return (
        isinstance(inner, dict)
        and "name" in inner
        and bool({"parameters", "input_schema", "inputSchema", "description"} & set(inner))
    )


def _message(messages: list[dict[str, Any]], spec: str) -> Place:
    """The text of the one system message, or of the one message there is."""
    chosen = [place for place, one in enumerate(messages) if one.get("role") in _ROLES]
    if not chosen and len(messages) == 1:
        chosen = [0]
    if len(chosen) != 1:
        raise UsageError(
            f"the list has {len(chosen)} system messages", where=spec, remedy='name one message, such as [0]["content"]'
        )
    message = messages[chosen[0]]
    content = message.get("content")
    if isinstance(content, list):
        texts = [part for part in content if isinstance(part, dict) and isinstance(part.get("text"), str)]
        if len(texts) != 1:
            remedy = f'name one part, such as [{chosen[0]}]["content"][0]["text"]'
            raise UsageError(f"the message has {len(texts)} parts of text", where=spec, remedy=remedy)
        return ItemPlace(texts[0], "text", spec)
    return ItemPlace(message, "content", spec)


@dataclass(frozen=True)
class TextTarget:
    """A text (or a list of tools, as JSON) in one place and in all module attributes that hold the same object."""

    spec: str
    place: Place
    as_json: bool = False

    def read(self) -> str:
        value = self.place.get()
        if self.as_json:
            try:
                return json.dumps(value, ensure_ascii=False, indent=2)
            except (TypeError, ValueError, RecursionError) as error:
                remedy = "keep texts, numbers, lists and dicts in it"
                raise UsageError(
                    f"the list can't be written as JSON: {error}", where=self.spec, remedy=remedy
                ) from error
        if not isinstance(value, str):
            raise UsageError(f"it is {type(value).__name__} now, not a text", where=self.spec, remedy="name a text")
        return str(value)

    @contextlib.contextmanager
    def replaced(self, change: str | Callable[[str], str]) -> Iterator[Replacement]:
        was = self.place.get()
        new = changed_text(change, self.read(), self.spec)
        value = self._value(new)
        placed = Replacement()
        with contextlib.ExitStack() as stack:
            stack.enter_context(self.place.put(value))
            for place in aliases(was, self.spec):
                stack.enter_context(place.put(value))
            try:
                yield placed
            finally:
                placed.disturbed = self._differs(value)

    def swap(self, change: str | Callable[[str], str]) -> Swap | None:
        """What does as `replaced` does, for many trials in a row; None where that takes more than setting attributes.

        Raises:
            UsageError: the replacement is no text.
        """
        if self.as_json or not is_plain(self.place):
            return None
        was = self.place.get()
        others = [each for each in aliases(was, self.spec) if each != self.place]
        places = [self.place, *filter(is_plain, others)]
        if len(places) <= len(others):
            return None
        return Swap(places, was, changed_text(change, self.read(), self.spec))

    def _value(self, text: str) -> Any:
        if not self.as_json:
            return text
        try:
            return json.loads(text)
        except (ValueError, RecursionError) as error:
            raise UsageError(
                f"the replacement is no JSON: {error}", where=self.spec, remedy="give a list of tools"
            ) from error

    def _differs(self, value: Any) -> bool:
        try:
            return bool(self.place.get() != value)
        except UsageError:
            return True


def _builder(
    spec: str, place: Place, function: Any, arguments: tuple[tuple[Any, ...], dict[str, Any]] | None
) -> BuilderTarget:
    if not callable(function):
        raise UsageError(f"{type(function).__name__} can't be called", where=spec, remedy="leave the brackets out")
    given, named = arguments or ((), {})
    try:
        inspect.signature(function).bind(*given, **named)
    except TypeError as error:
        raise UsageError(
            f"the function can't be called like this: {error}",
            where=spec,
            remedy='give its arguments, such as module:build_prompt("de", tone="kind")',
        ) from error
    except ValueError:  # a function of C has no signature; calling it will tell
        pass
    if inspect.iscoroutinefunction(function):
        raise UsageError("the function is a coroutine", where=spec, remedy="name the function or text that it awaits")
    return BuilderTarget(spec, place, given, named)


@dataclass(frozen=True)
class BuilderTarget:
    """A function that builds the prompt: each of its answers is mutated, with whatever arguments it is called."""

    spec: str
    place: Place
    given: tuple[Any, ...]
    named: dict[str, Any]

    def read(self) -> str:
        answer = self.place.get()(*self.given, **self.named)
        if not isinstance(answer, str):
            remedy = "name a function that returns the prompt as a text"
            raise UsageError(
                f"the function returns {type(answer).__name__}, not a text", where=self.spec, remedy=remedy
            )
        return answer

    @contextlib.contextmanager
    def replaced(self, change: str | Callable[[str], str]) -> Iterator[Replacement]:
        function = self.place.get()
        placed = Replacement()

        @functools.wraps(function)
        def build(*given: Any, **named: Any) -> Any:
            answer = function(*given, **named)
            return changed_text(change, answer, self.spec) if isinstance(answer, str) else answer

        with contextlib.ExitStack() as stack:
            stack.enter_context(self.place.put(build))
            for place in aliases(function, self.spec):
                stack.enter_context(place.put(build))
            try:
                yield placed
            finally:
                placed.disturbed = self.place.get() is not build
