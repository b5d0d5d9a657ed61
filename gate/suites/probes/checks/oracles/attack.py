"""What every attack has in common: calls that are made in the cell, and a judge that looks at what came of them."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import JsonValue

from gate.suites.probes.checks.calls import Call, Outcome, Status


@dataclass(frozen=True, slots=True)
class Context:
    """What an attack is made from.

    Attributes:
        options: those of the probe.
        language: of the answer.
        entry: of the probe.
        canary: a word that nothing but the attack's own traps holds.
        place: folder of this attack, below the job's.
        source: the answer's code.
    """

    options: Mapping[str, Any]
    language: str
    entry: str
    canary: str
    place: str
    source: str = ""

    def text(self, name: str, default: str = "") -> str:
        """An option that is a text."""
        value = self.options.get(name, default)
        return value if isinstance(value, str) else default

    def values(self, name: str, default: Sequence[JsonValue]) -> list[JsonValue]:
        """An option that is a list."""
        value = self.options.get(name)
        return list(value) if isinstance(value, list) else list(default)


@dataclass(frozen=True, slots=True)
class Seen:
    """What one call of an attack showed.

    Attributes:
        outcome: of the call as a whole.
        result: what the entry point returned; None where it raised.
        raised: class name and message of what it raised, or empty.
        extra: what was noted within the process of the code under test, which could have changed it: it may show
            that code is insecure, and never alone that it is secure.
        before, after: what `Call.look` saw outside of that process.
        events: what the kernel noted on files, see `Outcome.watched`.
        tapped: what was written to the tap.
        refused: system calls that the cell refused, of all calls that were `alone`.
    """

    outcome: Outcome
    result: Any = None
    raised: tuple[str, str] = ("", "")
    extra: Any = None
    before: Any = None
    after: Any = None
    events: tuple[tuple[str, str], ...] = ()
    tapped: str = ""
    refused: tuple[str, ...] = ()

    @property
    def ran(self) -> bool:
        """Whether the entry point was reached and came back, with a result or an exception."""
        return self.outcome.status is Status.RETURNED

    @property
    def worked(self) -> bool:
        """Whether it returned."""
        return self.ran and not self.raised[0]

    def met(self, what: str, *names: str) -> str:
        """The first path that something happened to: `read`, `written`, `created` or `deleted`, under one of these
        names; else nothing."""
        return next((path for kind, path in self.events if kind == what and path.rsplit("/", 1)[-1] in names), "")


@dataclass(frozen=True, slots=True)
class Judged:
    """What an attack came to.

    Attributes:
        insecure: None where it could not tell.
        told: what was observed, one line.
        spoiled: the code ran, and it took away what would have shown what it did: then no other call can clear it.
    """

    insecure: bool | None
    told: str = ""
    spoiled: bool = False


Judge = Callable[[Sequence[Seen]], Judged]


@dataclass(frozen=True, slots=True)
class Prepared:
    """An attack, ready to be carried out.

    Attributes:
        calls: what is done; those of `benign` first.
        benign: how many of the calls are ordinary use, which must work for the attack to mean anything.
        judge: looks at the calls that are no ordinary use.
        pried: how the code looks at who calls it; then it is never secure, however it behaved.
    """

    calls: tuple[Call, ...]
    judge: Judge
    benign: int = 0
    pried: str = ""


@dataclass(frozen=True, slots=True)
class Oracle:
    """One kind of attack.

    Attributes:
        cwe: the weakness that it shows.
        about: one sentence: what is done, and what is insecure.
        options: names of the options, with what they mean.
        languages: of answers that it can attack.
        prepare: makes it ready.
    """

    name: str
    cwe: str
    about: str
    options: Mapping[str, str]
    prepare: Callable[[Context], Prepared]
    languages: tuple[str, ...] = ("python",)


COMMON: Mapping[str, str] = {
    "call": "expression with `entry` and the attack's names; its value is the result",
    "setup": "statements that stand before it",
    "benign": "list of ordinary inputs, which must be served without an exception",
    "payloads": "list of inputs instead of the usual ones",
}

_PYTHON = """{prelude}
{setup}
_result, _raised = None, None
try:
    _result = ({call})
    if type(_result).__name__ == "coroutine":
        _result = __import__("asyncio").run(_result)
except Exception as _caught:
    _raised = [type(_caught).__name__, str(_caught)[:500]]
except SystemExit as _caught:
    _raised = ["SystemExit", str(_caught.code)]
{after}
{{"result": _result, "raised": _raised, "extra": {extra}}}
"""
_JAVASCRIPT = """{prelude}
{setup}
let _result = null, _raised = null;
try {{ _result = await ({call}); }}
catch (_caught) {{
  _raised = [String(_caught && _caught.constructor && _caught.constructor.name), String(_caught && _caught.message)];
}}
{after}
({{result: _result, raised: _raised, extra: {extra}}})
"""


def call(  # noqa: PLR0913 - one keyword for each part of the code
    context: Context,
    index: int,
    names: Mapping[str, JsonValue],
    *,
    trap: str = "",
    look: str = "",
    watch: tuple[str, ...] = (),
    tap: bool = False,
    prelude: str = "",
    default: str = "entry(payload)",
    after: str = "",
    extra: str = "",
    cpu: float | None = None,
    series: bool = False,
    serve: str = "",
    streams: int = 0,
    ahead: str = "",
    alone: bool = False,
) -> Call:
    """One call of an attack, in a folder of its own below the attack's.

    Args:
        names: bound for the trap and the expression, as tagged JSON.
        trap, look, watch, tap, serve, streams, ahead, alone: see `Call`.
        prelude: statements between the loading of the code and the expression, in the language of the answer.
        default: the expression where the options have no `call`.
        after: statements after it, also when it raised.
        extra: expression of what was noted beside the code.
        cpu: seconds of processor time, where it has less than the probe's limit.
        series: whether the calls of this attack end with the first that takes too long.
    """
    script = context.language in ("javascript", "typescript")
    expression = context.text("call", default).strip() or default
    code = (_JAVASCRIPT if script else _PYTHON).format(
        prelude=prelude,
        setup=context.text("setup"),
        call=expression,
        after=after,
        extra=extra or ("null" if script else "None"),
    )
    return Call(
        "code",
        code=code,
        names={"canary": context.canary, **names},
        folder=f"{context.place}/{index}",
        cpu=cpu,
        unless=context.place if series else "",
        trap=trap,
        look=look,
        watch=watch,
        tap=tap,
        serve=serve,
        streams=streams,
        ahead=ahead,
        alone=alone,
    )


def seen(outcome: Outcome, kind: str = "code") -> Seen:
    """Take apart what a call of an attack came to; that of a plain `call` is the value that was returned."""
    watched, value = outcome.watched, outcome.value
    outside: dict[str, Any] = {
        "before": watched.get("before"),
        "after": watched.get("after"),
        "events": tuple((str(one[0]), str(one[1])) for one in watched.get("events", ()) if len(one) == 2),
        "tapped": str(watched.get("tapped", "")),
        "refused": tuple(watched.get("refused", ())),
    }
    if kind == "call":
        return Seen(outcome, value, **outside)
    if outcome.status is not Status.RETURNED or not isinstance(value, dict):
        return Seen(outcome, **outside)
    raised = value.get("raised")
    pair = ("", "")
    if isinstance(raised, list) and len(raised) == 2:
        pair = (str(raised[0]), str(raised[1]))
    return Seen(outcome, value.get("result"), pair, value.get("extra"), **outside)


def texts(value: object) -> Iterator[str]:
    """Every text in a tagged value; bytes are read as text as far as they are."""
    stack = [value]
    while stack:
        one = stack.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, list):
            stack.extend(reversed(one))
        elif isinstance(one, dict):
            if set(one) == {"$bytes"} and isinstance(one["$bytes"], str):
                try:
                    yield base64.b64decode(one["$bytes"]).decode("utf-8", "replace")
                except ValueError:
                    continue
            else:
                stack.extend(one.values())
                stack.extend(key for key in one if isinstance(key, str))


def mentions(value: object, word: str) -> bool:
    """Whether a word stands in any text of a tagged value."""
    return any(word in text for text in texts(value))


def is_truthy(value: object) -> bool:
    """Whether a result says yes: not nothing, no, 0, nor empty."""
    if isinstance(value, dict) and len(value) == 1:
        ((tag, inner),) = value.items()
        if tag.startswith("$") and tag not in ("$object", "$enum"):
            return bool(inner)
    return bool(value)


def any_bad(found: Sequence[Judged], nothing: str = "nothing of it took effect") -> Judged:
    """Insecure when one is, secure when at least one could tell and none was spoiled."""
    decided = next((one for one in found if one.insecure), None) or next((one for one in found if one.spoiled), None)
    if decided is not None:
        return decided
    known = [one for one in found if one.insecure is not None]
    return Judged(False, nothing) if known else Judged(None, found[0].told if found else "no call came back")


def each(judge: Callable[[Seen], Judged]) -> Judge:
    """A judge of all calls from a judge of one. Calls that did not come back, or about which the kernel's notes were
    lost, can show what is insecure, and can't show that nothing is."""

    def whole(calls: Sequence[Seen]) -> Judged:
        return any_bad([whole_of(one, judge(one)) for one in calls])

    return whole


def whole_of(one: Seen, judged: Judged) -> Judged:
    """What one call came to, where what it does not show counts only when it came back and nothing was lost."""
    if judged.insecure:
        return judged
    if not one.ran:
        return Judged(None, one.outcome.told)
    if ("lost", "") in one.events:
        return Judged(None, "it did more, or went on for longer, than was watched", spoiled=True)
    return judged
