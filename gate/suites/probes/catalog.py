"""Probes from files: those that are shipped, and folders of the user's own."""

from __future__ import annotations

import difflib
import hashlib
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gate.errors import UsageError
from gate.suites.probes.dimensions import Dimension
from gate.suites.probes.yaml_file import LARGEST, read_plain

if TYPE_CHECKING:
    from pydantic import ValidationError
    from pydantic_core import ErrorDetails

    from gate.suites.probes.probe import Probe

SHIPPED = Path(__file__).with_name("shipped")
ENDINGS = (".yaml", ".yml", ".json")
MOST_PROBES = 10_000
_SCHEMA = "docs/probe.schema.json has every field"


@dataclass(frozen=True, slots=True)
class Entry:
    """A probe and where it stands.

    Attributes:
        where: path of its file relative to the folder that was named, with its place in a list.
        digest: of everything in the probe, so that a record of another text is never taken for this one's.
        file: `where` with that folder, as people open it.
    """

    probe: Probe
    where: str
    digest: str
    file: str = ""

    @property
    def shown(self) -> str:
        """What a message names."""
        return self.file or self.where


def _raised(fault: UsageError) -> None:
    raise fault


def load_probes(
    folders: Sequence[Path] = (), *, shipped: bool = True, refuse: Callable[[UsageError], None] = _raised
) -> tuple[Entry, ...]:
    """All probes, by dimension and id.

    Args:
        folders: of the user's own, searched through; a single file will do.
        shipped: whether those of this package are among them.
        refuse: what is done with each fault; one that does not raise gets all, and the probes without any are left.

    Raises:
        UsageError: a folder that is not there or holds none, a file that is no probe, or an id that stands twice.
    """
    found: list[Entry] = []
    for folder in (*((SHIPPED,) if shipped else ()), *folders):
        found += _in_folder(folder, refuse)
    _refuse_duplicates(found, refuse)
    order = {dimension: place for place, dimension in enumerate(Dimension)}
    return tuple(sorted(found, key=lambda entry: (order[entry.probe.dimension], entry.probe.id)))


def select(
    entries: Iterable[Entry],
    *,
    dimensions: Collection[str] = (),
    scopes: Collection[str] = (),
    only: Collection[str] = (),
    tags: Collection[str] = (),
) -> tuple[Entry, ...]:
    """Those that are asked for; an empty filter lets everything through.

    Args:
        scopes: what the agent claims to do; a probe that names no scope belongs to every one.
        only: ids, or ids of groups.

    Raises:
        UsageError: a dimension, a scope, a tag or an id that no probe has, with the nearest one.
    """
    known = tuple(entries)
    _require("dimension", dimensions, [dimension.value for dimension in Dimension])
    _require("scope", scopes, sorted({scope for each in known for scope in each.probe.scope}))
    _require("tag", tags, sorted({tag for each in known for tag in each.probe.tags}))
    names = {each.probe.id for each in known} | {each.probe.group for each in known if each.probe.group}
    _require("probe", only, sorted(names))
    return tuple(
        each
        for each in known
        if (not dimensions or each.probe.dimension in dimensions)
        and (not scopes or not each.probe.scope or set(scopes) & set(each.probe.scope))
        and (not tags or set(tags) & set(each.probe.tags))
        and (not only or each.probe.id in only or each.probe.group in only)
    )


def digest_of(probe: Probe) -> str:
    """SHA-256 of the canonical JSON of a probe, 16 characters; what proves the probe to itself does not count."""
    content = probe.model_dump(mode="json", by_alias=True, exclude={"reference", "bad"})
    for case in content["checks"]["cases"]:
        if not case["holds"]:  # younger than the format: probes without it keep the digest that they had
            del case["holds"]
    text = json.dumps(content, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()[:16]


def parse_probes(data: bytes, where: str, refuse: Callable[[UsageError], None] = _raised) -> tuple[Entry, ...]:
    """The probe of one file, or the list of them.

    Args:
        refuse: as `load_probes` takes it.

    Raises:
        UsageError: damage, an unknown field (with the nearest one), a value that can't be, a newer schema.
    """
    try:
        value = read_plain(data, where)
        if value is None:
            raise UsageError("is empty", where=where, remedy="write a probe: `gate probes new` shows one")
    except UsageError as fault:
        refuse(fault)
        return ()
    if not isinstance(value, list):
        return tuple(_entries(value, where, refuse))
    return tuple(entry for place, each in enumerate(value) for entry in _entries(each, f"{where}#{place}", refuse))


def _in_folder(folder: Path, refuse: Callable[[UsageError], None]) -> list[Entry]:
    if folder.is_file():
        return _in_file(folder, folder.parent, refuse)
    if not folder.is_dir():
        raise UsageError("no such folder of probes", where=str(folder), remedy="name a folder with YAML or JSON files")
    files = sorted(path for path in folder.rglob("*") if path.suffix in ENDINGS and path.is_file())
    if not files:
        raise UsageError("holds no probe", where=str(folder), remedy=f"files of probes end in {', '.join(ENDINGS)}")
    found: list[Entry] = []
    for path in files:
        found += _in_file(path, folder, refuse)
        if len(found) > MOST_PROBES:
            raise UsageError(f"more than {MOST_PROBES:,} probes", where=str(folder), remedy="name a smaller folder")
    return found


def _in_file(path: Path, folder: Path, refuse: Callable[[UsageError], None]) -> list[Entry]:
    """Probes of one file, which faults name as it was reached."""
    name = path.relative_to(folder).as_posix()
    file = f"{SHIPPED.name}/{name}" if folder == SHIPPED else path.as_posix()
    found = parse_probes(_bytes(path, file), file, refuse)
    return [replace(entry, where=name + entry.where.removeprefix(file), file=entry.where) for entry in found]


def _bytes(path: Path, name: str) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(LARGEST + 1)
    except OSError as error:
        raise UsageError(f"can't be read: {error.strerror}", where=name, remedy="mend its permissions") from None


def _entries(value: Any, where: str, refuse: Callable[[UsageError], None]) -> Iterator[Entry]:
    """The probe of a mapping; none where it has a fault."""
    from pydantic import ValidationError

    from gate.suites.probes.probe import PROBE_SCHEMA, Probe

    if not isinstance(value, dict):
        refuse(UsageError("is no probe: a mapping of fields is expected", where=where, remedy=_SCHEMA))
        return
    version = value.get("schema")
    if isinstance(version, int) and version > PROBE_SCHEMA:
        told = f"schema {version} is newer than {PROBE_SCHEMA}, which this version reads"
        refuse(UsageError(told, where=where, remedy="update robustness-gate"))
        return
    try:
        probe = Probe.model_validate(value)
    except ValidationError as error:
        for fault in _faults(error, where):
            refuse(fault)
        return
    if probe.checks.is_empty:
        told = "has no check, so nothing could ever fail it"
        refuse(UsageError(told, where=where, remedy="give it `cases`, `pytest`, an `oracle`, or another of `checks`"))
        return
    yield Entry(probe, where, digest_of(probe))


def _faults(error: ValidationError, where: str) -> list[UsageError]:
    """Each fault in plain words, with the nearest field where an unknown one was written."""
    found = []
    for each in error.errors(include_url=False):
        parts = [str(part) for part in each["loc"] if part != "[key]"]
        if any(part.startswith("tuple[") for part in parts):
            continue  # the other half of what is a text or a list of texts
        path = ".".join(parts[:-1] if parts[-2:] == ["text", "str"] else parts)
        if each["type"] == "extra_forbidden":
            near = difflib.get_close_matches(str(each["loc"][-1]), _fields(), n=1, cutoff=0.5)
            remedy = f"did you mean `{near[0]}`?" if near else "take it out"
            found.append(UsageError(f"unknown field {path!r:.80}", where=where, remedy=remedy))
        else:
            told = f"{path or 'the probe'}: {_in_words(each)}"[:300]
            found.append(UsageError(told, where=where, remedy=_SCHEMA))
    return found


def _in_words(fault: ErrorDetails) -> str:
    """What a value must be, as people say it."""
    from gate.suites.probes.probe import IN_WORDS

    if fault["type"] == "missing":
        return "is missing"
    if fault["loc"][-2:] == ("text", "str"):
        return "must be a text, or a list of texts"
    asked = IN_WORDS.get(str(fault.get("ctx", {}).get("pattern")))
    told = fault["msg"].replace("Value error, ", "must be ").replace("Input should be", "must be")
    return asked or told.replace("String should", "must")


def _fields() -> list[str]:
    from gate.suites.probes import probe

    models = (probe.Probe, probe.Checks, probe.TestCase, probe.LimitsPart, probe.Assumption, probe.Sample)
    return sorted({field.alias or name for model in models for name, field in model.model_fields.items()})


def _refuse_duplicates(entries: Sequence[Entry], refuse: Callable[[UsageError], None]) -> None:
    seen: dict[str, str] = {}
    for each in entries:
        if each.probe.id in seen:
            told = f"the id `{each.probe.id}` is also that of {seen[each.probe.id]}"
            refuse(UsageError(told, where=each.shown, remedy="give one of them another id"))
        seen[each.probe.id] = each.shown


def _require(what: str, wanted: Collection[str], known: Sequence[str]) -> None:
    for name in wanted:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1, cutoff=0.4)
            advice = f"did you mean `{near[0]}`?" if near else f"there are {', '.join(known[:12]) or 'none'}"
            raise UsageError(f"no probe has the {what} `{name:.80}`", where="probes", remedy=advice)
