"""`baselines/waivers.toml`: findings that main permits, each with its reason, its owner and its last day.

Only the base's file counts: a pull request that writes a waiver changes nothing for itself.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import Any, NoReturn

from gate.baselines.base import Base, Fetch, read_at
from gate.baselines.git import Git, MissingObjectError
from gate.errors import BaselineError
from gate.schema.acceptance import MOST_REASON, Waiver
from gate.schema.verdict import RuleName

PATH = "baselines/waivers.toml"
_KEYS = ("rule", "case", "amount", "reason", "who", "owner", "until")
_NEEDED = ("rule", "case", "reason", "owner")
_LONGEST = 2_000
_TABLE = re.compile(r"^[ \t]*\[\[[ \t]*waiver[ \t]*\]\][ \t]*(?:#.*)?$")


def read_waivers(data: bytes, name: str = PATH) -> tuple[Waiver, ...]:
    """All waivers of a file, in its order.

    Raises:
        BaselineError: no TOML, an unknown key or rule (with the nearest one), a day that is none, a missing reason or
            owner, or a finding that stands twice; the file and the line are named.
    """
    try:
        text = data.decode("utf-8")
        found = tomllib.loads(text)
    except UnicodeDecodeError as error:
        raise BaselineError(f"no UTF-8 at byte {error.start}", where=name, remedy="save it as UTF-8") from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise BaselineError(f"no TOML: {error}"[:200], where=name, remedy="mend it on main") from None
    unknown = next((key for key in found if key != "waiver"), None)
    entries = found.get("waiver", [])
    if unknown is not None or not isinstance(entries, list):
        _refuse(f"{name}", f"tables `[[waiver]]` alone are expected, not {unknown or 'waiver = …'!r:.60}")
    lines = [number for number, line in enumerate(text.splitlines(), 1) if _TABLE.match(line)]
    waivers = tuple(
        _waiver(entry, name, lines[place] if len(lines) == len(entries) else 0) for place, entry in enumerate(entries)
    )
    _refuse_repeated(waivers, name)
    return waivers


def of_file(data: bytes | None, name: str = PATH) -> tuple[Waiver, ...]:
    """As `read_waivers`; without a file there are none."""
    return () if data is None else read_waivers(data, name)


def at_base(git: Git, base: Base, fetch: Fetch | None) -> tuple[Waiver, ...]:
    """Of a proposal what the base branch has now, so that one that was withdrawn permits nothing; else the checkout's.

    Raises:
        BaselineError: they can't be used.
        RepositoryError: the file is a link or too large, or the objects of the base are missing.
    """
    if not base.proposed:
        path = git.root / PATH
        if path.is_symlink():
            raise BaselineError("is a symbolic link, not a file", where=PATH, remedy="put a plain file there")
        return of_file(path.read_bytes() if path.is_file() else None)
    name = git.prefix + PATH
    try:
        return of_file(read_at(git, base, name, commit=base.deciding, fetch=fetch), name)
    except MissingObjectError:
        return of_file(read_at(git, base, name, fetch=fetch), name)


def day_of(now: float | None) -> str:
    """The day of a time in Unix seconds, of UTC, as waivers write it; empty for none."""
    return "" if now is None else datetime.fromtimestamp(now, tz=UTC).date().isoformat()


def write_waivers(waivers: Sequence[Waiver]) -> bytes:
    """The file, sorted by rule and case, so that two branches merge and the difference reads well."""
    parts = [
        "# Findings that main permits (docs/accept.md). A pull request is judged by the file of its base.\n",
        *(_written(each) for each in sorted(waivers, key=lambda each: (each.rule, each.case_id))),
    ]
    return "\n".join(parts).encode("utf-8")


def _written(waiver: Waiver) -> str:
    values: dict[str, object] = {
        "rule": waiver.rule,
        "case": waiver.case_id,
        "amount": waiver.amount,
        "reason": waiver.reason,
        "who": waiver.who,
        "owner": waiver.owner,
        "until": waiver.until,
    }
    kept = {key: value for key, value in values.items() if value != ""}
    return "[[waiver]]\n" + "".join(f"{key} = {_toml(value)}\n" for key, value in kept.items())


def _toml(value: object) -> str:
    """A basic string of TOML in which everything that is not seen is escaped; or a number."""
    if isinstance(value, str):
        return '"' + "".join(map(_sign, value)) + '"'
    return f"{value:g}" if isinstance(value, float) and value == int(value) else repr(value)


def _sign(sign: str) -> str:
    if sign in '"\\':
        return f"\\{sign}"
    if sign == " " or sign.isprintable():
        return sign
    return f"\\u{ord(sign):04x}" if ord(sign) < 0x10000 else f"\\U{ord(sign):08x}"


def _waiver(entry: Any, name: str, line: int) -> Waiver:
    where = f"{name}:{line}" if line else name
    if not isinstance(entry, dict):
        _refuse(where, "a waiver is a table")
    for key in entry:
        if key not in _KEYS:
            near = difflib.get_close_matches(key, _KEYS, n=1)
            _refuse(where, f"unknown key {key!r:.60}", f"did you mean `{near[0]}`?" if near else "")
    for key in _NEEDED:
        if not isinstance(entry.get(key), str) or not entry[key].strip():
            _refuse(where, f"a waiver needs a `{key}`")
    texts = {key: entry.get(key, "") for key in ("rule", "case", "reason", "who", "owner")}
    for key, value in texts.items():
        if not isinstance(value, str) or len(value) > _LONGEST:
            _refuse(where, f"`{key}` is a text of at most {_LONGEST:,} characters")
    return Waiver(
        rule=_rule(texts["rule"], where),
        case_id=texts["case"],
        amount=_amount(entry.get("amount", 1), where),
        reason=texts["reason"][:MOST_REASON],
        who=texts["who"],
        owner=texts["owner"],
        until=_day(entry.get("until", ""), where),
        line=line,
    )


def _rule(value: str, where: str) -> str:
    names = [rule.value for rule in RuleName]
    if value not in names:
        near = difflib.get_close_matches(value, names, n=1)
        _refuse(where, f"there is no rule {value!r:.60}", f"did you mean `{near[0]}`?" if near else "")
    return value


def _amount(value: object, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e15:
        _refuse(where, f"`amount` is a number that is not negative, not {value!r:.60}")
    return float(value)


def _day(value: object, where: str) -> str:
    if isinstance(value, date):  # TOML has days of its own
        return value.isoformat()[:10]
    if value == "":
        return ""
    try:
        return (
            date.fromisoformat(value).isoformat()
            if isinstance(value, str) and len(value) == 10
            else _no_day(value, where)
        )
    except ValueError:
        _no_day(value, where)


def _no_day(value: object, where: str) -> NoReturn:
    _refuse(where, f"`until` is a day such as 2027-01-31, not {value!r:.60}")


def _refuse_repeated(waivers: Sequence[Waiver], name: str) -> None:
    seen: dict[tuple[str, str], int] = {}
    for each in waivers:
        key = each.rule, each.case_id
        if key in seen:
            where = f"{name}:{each.line}" if each.line else name
            _refuse(where, f"`{each.rule}` for {each.case_id:.120} is waived twice, first in line {seen[key]}")
        seen[key] = each.line


def _refuse(where: str, message: str, remedy: str = "") -> NoReturn:
    raise BaselineError(message, where=where, remedy=remedy or "mend the waiver on main (docs/accept.md)")
