"""One place that holds a value: how it is read, replaced and restored."""

from __future__ import annotations

import contextlib
import dataclasses
import difflib
import enum
import inspect
import types
from collections.abc import Iterable, Iterator, Mapping, MutableMapping, MutableSequence
from dataclasses import dataclass
from typing import Any, Protocol

from gate.errors import UsageError

_MISSING = object()


class Place(Protocol):
    """Where a value stands."""

    def get(self) -> Any: ...

    def put(self, value: Any) -> contextlib.AbstractContextManager[None]:
        """The value in this place until the end of the block, then what was there before, whatever happens."""


def missing(what: str, name: object, known: Iterable[object], where: str) -> UsageError:
    """An error that names what comes nearest."""
    names = [str(one) for one in known]
    near = difflib.get_close_matches(str(name), names, n=1, cutoff=0.5)
    remedy = f"did you mean `{near[0]}`?" if near else "check the target's spelling"
    return UsageError(f"{what} has no {name!r}", where=where, remedy=remedy)


def read_only(
    what: str, where: str, remedy: str = "keep the prompt in a module attribute, a list or a dict"
) -> UsageError:
    return UsageError(f"{what} is read-only", where=where, remedy=remedy)


@dataclass(frozen=True)
class ItemPlace:
    """A value of a dict or a list."""

    owner: Any
    key: Any
    where: str

    def get(self) -> Any:
        if isinstance(self.owner, Mapping):
            if self.key not in self.owner:
                raise missing("the dict", self.key, self.owner, self.where)
        elif not isinstance(self.owner, list | tuple | MutableSequence):
            raise UsageError(
                f"{type(self.owner).__name__} has no items", where=self.where, remedy="use a dict or a list"
            )
        elif isinstance(self.key, bool) or not isinstance(self.key, int):
            raise UsageError(f"{self.key!r} is no place in a list", where=self.where, remedy="use a number")
        elif not -len(self.owner) <= self.key < len(self.owner):
            remedy = f"it has {len(self.owner)} items, counted from 0"
            raise UsageError(f"the list has no item {self.key}", where=self.where, remedy=remedy)
        return self.owner[self.key]

    @contextlib.contextmanager
    def put(self, value: Any) -> Iterator[None]:
        if not isinstance(self.owner, MutableMapping | MutableSequence):
            raise read_only(f"a {type(self.owner).__name__}", self.where, "keep the prompt in a list or a dict")
        was = self.get()
        self.owner[self.key] = value
        try:
            yield
        finally:
            self.owner[self.key] = was


@dataclass(frozen=True)
class AttributePlace:
    """An attribute of a module, a class or an object; fields of dataclasses, enums and models included."""

    owner: Any
    name: str
    where: str

    def get(self) -> Any:
        field = self._model_field()
        if field is not None:
            return field.default
        found = getattr(self.owner, self.name, _MISSING)
        if found is _MISSING:
            if isinstance(self.owner, Mapping) and self.name in self.owner:
                return self.owner[self.name]
            raise missing(_described(self.owner), self.name, _names(self.owner), self.where)
        return found

    @contextlib.contextmanager
    def put(self, value: Any) -> Iterator[None]:
        if isinstance(self.owner, Mapping) and not hasattr(self.owner, self.name):
            with ItemPlace(self.owner, self.name, self.where).put(value):
                yield
            return
        with contextlib.ExitStack() as stack:
            field = self._model_field()
            if field is not None:
                stack.enter_context(_model_default(self.owner, field, value))
            else:
                if isinstance(self.owner, type) and dataclasses.is_dataclass(self.owner):
                    stack.enter_context(_constructor_default(self.owner, self.get(), value))
                stack.enter_context(_attribute(self.owner, self.name, value, self.where))
            yield

    def _model_field(self) -> Any:
        """The field of a pydantic class, which keeps its defaults apart from its attributes."""
        if not isinstance(self.owner, type):
            return None
        fields = getattr(self.owner, "__pydantic_fields__", None)
        return fields.get(self.name) if isinstance(fields, dict) else None


@dataclass(frozen=True)
class MemberPlace:
    """A member of an enum: its value, and where members are texts themselves, the member."""

    owner: Any
    name: str
    where: str

    def get(self) -> Any:
        return self.owner[self.name].value

    @contextlib.contextmanager
    def put(self, value: Any) -> Iterator[None]:
        member = self.owner[self.name]
        if not isinstance(member, str):
            was = member._value_
            member._value_ = value
            try:
                yield
            finally:
                member._value_ = was
            return
        new = str.__new__(self.owner, value)
        new.__dict__.update(member.__dict__)
        new._value_ = value
        stored = self.owner.__dict__.get(self.name, _MISSING)
        self.owner._member_map_[self.name] = new
        if stored is member:
            type.__setattr__(self.owner, self.name, new)
        try:
            yield
        finally:
            self.owner._member_map_[self.name] = member
            if stored is member:
                type.__setattr__(self.owner, self.name, member)


@contextlib.contextmanager
def _attribute(owner: Any, name: str, value: Any, where: str) -> Iterator[None]:
    """An attribute, set by force where a dataclass or a model is frozen; one that was inherited is so again."""
    was = getattr(owner, name)
    stored = getattr(owner, "__dict__", {}).get(name, _MISSING)
    if isinstance(owner, type) and isinstance(inspect.getattr_static(owner, name), staticmethod | classmethod):
        value = staticmethod(value)  # a function that takes the place of a bound one
    through = not isinstance(owner, type) and hasattr(inspect.getattr_static(type(owner), name, None), "__set__")
    _set(owner, name, value, where)
    try:
        yield
    finally:
        if stored is not _MISSING:
            _set(owner, name, stored, where)
        elif through:  # a slot or a property
            _set(owner, name, was, where)
        else:
            delattr(owner, name)


def _set(owner: Any, name: str, value: Any, where: str) -> None:
    try:
        setattr(owner, name, value)
    except (AttributeError, TypeError, ValueError) as error:  # frozen
        if isinstance(owner, type | types.ModuleType):
            raise read_only(f"`{name}`", where) from error
        try:
            object.__setattr__(owner, name, value)
        except (AttributeError, TypeError):
            raise read_only(f"`{name}` of {_described(owner)}", where) from error


@contextlib.contextmanager
def _constructor_default(owner: Any, was: Any, value: Any) -> Iterator[None]:
    """The default that the constructor of a dataclass keeps for itself."""
    function = getattr(owner.__init__, "__wrapped__", owner.__init__)
    positional, named = function.__defaults__, function.__kwdefaults__
    function.__defaults__ = None if positional is None else tuple(value if one is was else one for one in positional)
    function.__kwdefaults__ = named and {key: value if one is was else one for key, one in named.items()}
    try:
        yield
    finally:
        function.__defaults__, function.__kwdefaults__ = positional, named


@contextlib.contextmanager
def _model_default(owner: Any, field: Any, value: Any) -> Iterator[None]:
    """The default of a pydantic field, which its class compiles into its validator."""
    was = field.default
    field.default = value
    owner.model_rebuild(force=True)
    try:
        yield
    finally:
        field.default = was
        owner.model_rebuild(force=True)


def place_of(owner: Any, name: str, where: str) -> Place:
    """The place that `owner.name` is."""
    if isinstance(owner, enum.EnumMeta) and name in owner.__members__:
        return MemberPlace(owner, name, where)
    if isinstance(owner, enum.Enum) and name == "value":
        return MemberPlace(type(owner), owner.name, where)
    return AttributePlace(owner, name, where)


def _described(owner: Any) -> str:
    if isinstance(owner, types.ModuleType):
        return f"the module {owner.__name__}"
    return f"{owner.__name__}" if isinstance(owner, type) else f"this {type(owner).__name__}"


def _names(owner: Any) -> list[str]:
    if isinstance(owner, Mapping):
        return [str(key) for key in owner]
    fields = getattr(owner, "__pydantic_fields__", {})
    return sorted({*dir(owner), *(fields if isinstance(fields, dict) else ())})
