"""Probes from files: those that are shipped, and folders of the user's own."""

from __future__ import annotations

import difflib
import hashlib
import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gate.errors import UsageError
from gate.suites.probes.dimensions import Dimension
from gate.suites.probes.yaml_file import LARGEST, read_plain

if TYPE_CHECKING:
    from pydantic import ValidationError

    from gate.suites.probes.probe import Probe

SHIPPED = Path(__file__).with_name("shipped")
ENDINGS = (".yaml", ".yml", ".json")
MOST_PROBES = 10_000


@dataclass(frozen=True, slots=True)
class Entry:
    """A probe and where it stands.

    Attributes:
        where: path of its file relative to the folder that was named, with its place in a list.
        digest: of everything in the probe, so that a record of another text is never taken for this one's.
    """

    probe: Probe
    where: str
    digest: str


def load_probes(folders: Sequence[Path] = (), *, shipped: bool = True) -> tuple[Entry, ...]:
    """All probes, by dimension and id.

    Args:
        folders: of the user's own, searched through; a single file will do.
        shipped: whether those of this package are among them.

    Raises:
        UsageError: a folder that is not there or holds none, a file that is no probe, or an id that stands twice.
    """
    found: list[Entry] = []
    for folder in (*((SHIPPED,) if shipped else ()), *folders):
        found += _in_folder(folder)
    _refuse_duplicates(found)
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


def parse_probes(data: bytes, where: str) -> tuple[Entry, ...]:
    """The probe of one file, or the list of them.

    Raises:
        UsageError: damage, an unknown field (with the nearest one), a value that can't be, a newer schema.
    """
    value = read_plain(data, where)
    if value is None:
        raise UsageError("is empty", where=where, remedy="write a probe: `gate probes new` shows one")
    if not isinstance(value, list):
        return (_entry(value, where),)
    return tuple(_entry(each, f"{where}#{place}") for place, each in enumerate(value))


def _in_folder(folder: Path) -> list[Entry]:
    if folder.is_file():
        return list(parse_probes(_bytes(folder, folder.name), folder.name))
    if not folder.is_dir():
        raise UsageError("no such folder of probes", where=str(folder), remedy="name a folder with YAML or JSON files")
    files = sorted(path for path in folder.rglob("*") if path.suffix in ENDINGS and path.is_file())
    if not files:
        raise UsageError("holds no probe", where=str(folder), remedy=f"files of probes end in {', '.join(ENDINGS)}")
    found: list[Entry] = []
    for path in files:
        name = path.relative_to(folder).as_posix()
        found += parse_probes(_bytes(path, name), name)
        if len(found) > MOST_PROBES:
            raise UsageError(f"more than {MOST_PROBES:,} probes", where=str(folder), remedy="name a smaller folder")
    return found


def _bytes(path: Path, name: str) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(LARGEST + 1)
    except OSError as error:
        raise UsageError(f"can't be read: {error.strerror}", where=name, remedy="mend its permissions") from None


def _entry(value: Any, where: str) -> Entry:
    from pydantic import ValidationError

    from gate.suites.probes.probe import PROBE_SCHEMA, Probe

    if not isinstance(value, dict):
        raise UsageError("is no probe: a mapping of fields is expected", where=where, remedy="see docs/probes.md")
    version = value.get("schema")
    if isinstance(version, int) and version > PROBE_SCHEMA:
        raise UsageError(
            f"schema {version} is newer than {PROBE_SCHEMA}, which this version reads",
            where=where,
            remedy="update robustness-gate",
        )
    try:
        probe = Probe.model_validate(value)
    except ValidationError as error:
        raise _refused(error, where) from None
    return Entry(probe, where, digest_of(probe))


def _refused(error: ValidationError, where: str) -> UsageError:
    """The first fault, with the nearest field where an unknown one was written."""
    first = error.errors(include_url=False, include_context=False)[0]
    path = ".".join(str(part) for part in first["loc"])
    if first["type"] == "extra_forbidden":
        name = str(first["loc"][-1])
        near = difflib.get_close_matches(name, _fields(), n=1, cutoff=0.5)
        return UsageError(
            f"unknown field {path!r:.80}", where=where, remedy=f"did you mean `{near[0]}`?" if near else "take it out"
        )
    return UsageError(f"{path or 'the probe'}: {first['msg']}"[:300], where=where, remedy="see docs/probes.md")


def _fields() -> list[str]:
    from gate.suites.probes import probe

    models = (probe.Probe, probe.Checks, probe.TestCase, probe.LimitsPart, probe.Assumption, probe.Sample)
    return sorted({field.alias or name for model in models for name, field in model.model_fields.items()})


def _refuse_duplicates(entries: Sequence[Entry]) -> None:
    seen: dict[str, str] = {}
    for each in entries:
        if each.probe.id in seen:
            raise UsageError(
                f"the id `{each.probe.id}` is also that of {seen[each.probe.id]}",
                where=each.where,
                remedy="give one of them another id",
            )
        seen[each.probe.id] = each.where


def _require(what: str, wanted: Collection[str], known: Sequence[str]) -> None:
    for name in wanted:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1, cutoff=0.4)
            advice = f"did you mean `{near[0]}`?" if near else f"there are {', '.join(known[:12]) or 'none'}"
            raise UsageError(f"no probe has the {what} `{name:.80}`", where="probes", remedy=advice)
