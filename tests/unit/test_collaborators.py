"""What stands in the place of running the suite, where it ran before or elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest

from gate.collaborators import Measured, Request, Told, Tools, with_merged, with_stored
from gate.deliver.acceptances import Stored
from gate.errors import ReportError, UndecidedError
from gate.settings import Settings

REQUEST = Request(root=Path("/checkout"), environ={})


class Machine:
    """The two collaborators that matter, which keep what they were asked."""

    def __init__(self, files: dict[str, bytes]) -> None:
        self._files = files
        self.told: list[Told] = []

    def tools(self) -> Tools:
        unused = cast(Any, None)
        names = ("prepare", "read_event", "find_base", "read_trusted", "read_readable", "read_main", "read_history")
        rest = dict.fromkeys((*names, "read_stored", "arms", "keep", "delivery", "say"), unused)
        return Tools(**rest, measure=self.measure, read_file=self.read)

    def measure(self, request: Request, settings: Settings, told: Told) -> Measured:
        self.told.append(told)
        return Measured(b"again")

    def read(self, path: Path, limit: int) -> bytes:
        data = self._files.get(str(path))
        if data is None or len(data) > limit:
            raise ReportError("no such report", where=str(path), remedy="look for it")
        return data


def merged(machine: Machine) -> Tools:
    return with_merged(machine.tools(), Path("m/candidate.json"), Path("m/trials.jsonl"), 6)


def test_the_joined_report_is_the_first_look_and_only_suspects_run() -> None:
    machine = Machine({"/checkout/m/candidate.json": b"{}", "/checkout/m/trials.jsonl": b"lines\n"})
    tools = merged(machine)
    assert tools.measure(REQUEST, Settings(), Told("plan")) == Measured(b"{}", trials=b"lines\n")
    assert machine.told == []
    again = Told("strict", again=True)
    assert tools.measure(REQUEST, Settings(), again) == Measured(b"again")
    assert machine.told == [again]


def test_without_a_report_there_is_a_reason_and_without_trials_nothing_carries_over() -> None:
    nothing = merged(Machine({})).measure(REQUEST, Settings(), Told())
    assert (nothing.report, nothing.reason) == (None, "m/candidate.json: no such report; look for it")
    large = {"/checkout/m/candidate.json": b"{}", "/checkout/m/trials.jsonl": b"too large"}
    assert merged(Machine(large)).measure(REQUEST, Settings(), Told()) == Measured(b"{}")


def test_where_nothing_runs_it_is_said_what_would_have_to() -> None:
    machine = Machine({})
    tools = with_stored(machine.tools(), Stored(candidate=b"{}", trials=b"lines\n"))
    assert tools.measure(REQUEST, Settings(), Told("plan")) == Measured(b"{}", trials=b"lines\n")
    with pytest.raises(UndecidedError, match="an earlier attempt measured"):
        tools.measure(REQUEST, Settings(), Told("plan", again=True, rejudge="a" * 40))
    with pytest.raises(UndecidedError, match="suspects"):
        tools.measure(REQUEST, Settings(), Told("plan", again=True))
    assert machine.told == []
