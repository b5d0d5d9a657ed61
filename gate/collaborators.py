"""What one gating works with: the request, the collaborators with effects, and what they hand over."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from gate.errors import ReportError, UndecidedError

if TYPE_CHECKING:
    from gate.baselines.base import Base
    from gate.baselines.trusted import TrustedBase
    from gate.deliver.acceptances import Stored
    from gate.deliver.earlier import History
    from gate.deliver.event import Event
    from gate.deliver.main_report import MainReport
    from gate.record.arms import Arm, Turn
    from gate.rounds import RunTurn
    from gate.schema.verdict import Verdict
    from gate.settings import Layer, Settings
    from gate.trials.plan import Known


@dataclass(frozen=True, slots=True)
class Request:
    """What to gate.

    Attributes:
        root: the checkout of the pull request.
        environ: the environment of the gate, event and runner files included.
        options: settings of the command line, by kebab-case key.
        base: commit that the user named; None finds it.
        output: folder for candidate, verdict, comment and page.
        action: whether the settings come from the inputs of the action.
        main_report: report of main's own run that the user named in a shell; nothing else can name one.
        shard: which part of the suite is measured, and nothing judged, such as `3/8`; empty for all. It is no setting,
            since a pull request's own file must not keep its gate from judging.
        merged: what `gate merge` wrote of the shards of this suite, in place of its first look; likewise no setting.
    """

    root: Path
    environ: Mapping[str, str]
    options: Mapping[str, Any] = field(default_factory=dict)
    base: str | None = None
    output: Path = Path(".gate")
    action: bool = False
    main_report: Path | None = None
    shard: str = ""
    merged: Path | None = None


@dataclass(frozen=True, slots=True)
class Measured:
    """What running the suite left: the bytes of its report, or the reason why there are none.

    Attributes:
        trials: of its stochastic tests, for later runs.
        exit_code: of the process of the suite; None where it is not known, or where a signal ended it.
    """

    report: bytes | None
    reason: str = ""
    trials: bytes = b""
    notices: tuple[str, ...] = ()
    exit_code: int | None = None


@dataclass(frozen=True, slots=True)
class Told:
    """What the suite is told of its trials and sweeps.

    Attributes:
        plan: text of the plan; empty where nothing is stochastic.
        again: whether it ran before in this process, and only some of its tests run once more.
        witnesses: inputs that flipped an answer before, which its sweeps try first; empty for none.
        shard: which part of the suite runs, such as `3/8`; empty for all.
        rejudge: commit whose recorded answers changed judges judge again; empty where the suite simply runs.
    """

    plan: str = ""
    again: bool = False
    witnesses: bytes = b""
    shard: str = ""
    rejudge: str = ""


class Delivery(Protocol):
    """Where texts go; never raises, and returns what could not be delivered as sentences."""

    def publish(self, verdict: Verdict, event: Event | None, settings: Settings) -> tuple[str, ...]:
        """Comment, summary, annotations, outputs, files."""

    def hand_over(self, complete: bool) -> tuple[str, ...]:
        """Say in summary and outputs that a trusted workflow decides about what was measured here."""


@dataclass(frozen=True, slots=True)
class Tools:
    """Collaborators with effects.

    Attributes:
        prepare: what must be done before any code of the head runs.
        read_event: the event of GitHub, or None in a shell.
        find_base: the base of this checkout.
        read_trusted: settings and baseline of the base, before anything of the head runs.
        read_readable: the settings that count as far as they can be read, for telling that they can't be used.
        read_main: what main's own latest run shows, likewise.
        read_history: trials of earlier runs of this pull request.
        read_stored: what persons accepted of this head, and what an earlier attempt measured of it.
        arms: what makes fresh trials of base and head; gives None where that can't be done.
        measure: runs the suite.
        keep: trials for later runs.
        read_file: bytes of a report file, at most so many.
        delivery: where texts go.
        say: a step of long work.
    """

    prepare: Callable[[Request], None]
    read_event: Callable[[Request], Event | None]
    find_base: Callable[[Request, Event | None], Base | None]
    read_trusted: Callable[[Request, Base | None, Sequence[Layer]], TrustedBase]
    read_readable: Callable[[Request, Base | None], Sequence[Layer]]
    read_main: Callable[[Request, Event | None, Base | None, Settings], MainReport]
    read_history: Callable[[Request, Event | None, Settings], History]
    read_stored: Callable[[Request, Event | None, Settings], Stored]
    arms: Callable[[Request, Base | None, Settings], AbstractContextManager[RunTurn | None]]
    measure: Callable[[Request, Settings, Told], Measured]
    keep: Callable[[Request, bytes], None]
    read_file: Callable[[Path, int], bytes]
    delivery: Callable[[Request], Delivery]
    say: Callable[[str], None]


def with_stored(tools: Tools, stored: Stored) -> Tools:
    """The same, for judging what was measured before: no suite runs and no trial is made.

    What that would need is an `UndecidedError`.
    """

    def measure(request: Request, settings: Settings, told: Told) -> Measured:
        if told.rejudge:
            raise UndecidedError("this verdict is made again of what an earlier attempt measured, which did that")
        if told.again:
            raise UndecidedError("suspects of this run can be decided only by running the suite")
        return Measured(stored.candidate, trials=stored.trials)

    @contextmanager
    def arms(request: Request, base: Base | None, settings: Settings) -> Iterator[RunTurn | None]:
        with tools.arms(request, base, settings) as run:
            yield None if run is None else no_turn

    return replace(tools, measure=measure, arms=arms)


def with_merged(tools: Tools, merged: Path, trials: Path, limit: int) -> Tools:
    """The same, where the shards of the suite made the first look; only suspects run here, and fresh trials.

    Args:
        merged: the report that `gate merge` wrote.
        trials: what it left beside it for later runs; it may be absent.
        limit: most bytes of that.
    """

    def measure(request: Request, settings: Settings, told: Told) -> Measured:
        if told.again:
            return tools.measure(request, settings, told)
        try:
            report = tools.read_file(request.root / merged, settings.max_report_bytes)
        except ReportError as error:
            return Measured(None, reason=f"{merged}: {error.message}; {error.remedy}")
        left = b""
        with suppress(ReportError):
            left = tools.read_file(request.root / trials, limit)
        return Measured(report, trials=left)

    return replace(tools, measure=measure)


def no_turn(arm: Arm, names: Sequence[str], count: int, /, *, known: Mapping[str, Known] | None = None) -> Turn:
    """In the place of what makes fresh trials, where none may be made."""
    from gate.record.arms import Turn

    return Turn(reason="what was measured before is judged again, without a trial")
