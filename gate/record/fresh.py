"""One turn of one arm: pytest over the suspects alone, in that arm's tree, with a fixed number of trials."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

from gate.errors import UndecidedError
from gate.ingest import read_report
from gate.record.arms import Arm, Turn
from gate.record.endings import as_ended
from gate.record.locally import to_the_end
from gate.record.run import Echo, World, run_suite
from gate.trials.plan import Known, Plan, plan_to_text

_CODE = "src", "lib"
_INIT = "__init__.py"


@dataclass(frozen=True, slots=True)
class ArmTree:
    """Where one arm's tests run.

    Attributes:
        root: top of the project's tree, as the head's checkout has it.
        folder: folder in it in which the suite runs.
    """

    root: Path
    folder: Path


@dataclass(frozen=True, slots=True)
class FreshRuns:
    """Runs turns; give it to `run_arms`.

    Attributes:
        trees: of both arms.
        world: in what the suite runs; its folder is replaced by the arm's.
        scratch: folder for plans and reports, writable for the suite's user.
        read: bytes of a report that foreign code left, at most so many.
        arguments: the user's own, for pytest.
        options: the gate's own options for the plugin.
        timeout: seconds for one turn.
        limit: most bytes of a report.
    """

    trees: Mapping[Arm, ArmTree]
    world: World
    scratch: Path
    read: Callable[[Path, int], bytes]
    arguments: Sequence[str]
    options: Sequence[str]
    timeout: float
    limit: int
    echo: Echo | None = None

    def __call__(
        self, arm: Arm, names: Sequence[str], count: int, /, *, known: Mapping[str, Known] = MappingProxyType({})
    ) -> Turn:
        tree, report, plan = self.trees[arm], self.scratch / f"{arm}.json", self.scratch / f"{arm}-plan.json"
        plan.write_text(plan_to_text(Plan(session=arm, fixed=count, only=tuple(names), known=known)), encoding="utf-8")
        plan.chmod(0o644)
        result = run_suite(
            to_the_end(self.arguments),
            world=replace(self.world, cwd=tree.folder, environ=own_code_first(self.world.environ, tree)),
            report=report,
            timeout=self.timeout,
            options=[*self.options, f"--gate-plan={plan}", f"--gate-arm={tree.root}"],
            echo=self.echo,
        )
        if result.report is None:
            return Turn(reason=result.reason)
        try:
            told = read_report(self.read(report, self.limit), f"{arm} arm", limit=self.limit)
        except UndecidedError as error:
            return Turn(reason=error.message)
        found = as_ended(told, result.exit_code)
        wanted = frozenset(names)
        outcomes = {
            case.id: case.trials.outcomes for case in found.cases if case.id in wanted and case.trials is not None
        }
        return Turn(outcomes, "; ".join(found.completeness.reasons[:2]))


def own_code_first(environ: Mapping[str, str], tree: ArmTree) -> dict[str, str]:
    """The environment in which a tree's own packages are found before those that were installed from the head."""
    folders = [place for top in dict.fromkeys((tree.folder, tree.root)) for place in _places(top)]
    rest = environ.get("PYTHONPATH", "")
    joined = os.pathsep.join([*map(str, folders), *([rest] if rest else [])])
    return {**environ, "PYTHONPATH": joined, "PYTHONDONTWRITEBYTECODE": "1"}


def _places(top: Path) -> list[Path]:
    """Where a project keeps its top-level modules."""
    return [top, *(top / name for name in _CODE if _is_place(top / name))]


def _is_place(folder: Path) -> bool:
    """Whether a folder can stand before the standard library: it is no package, and hides nothing of Python's own."""
    if not folder.is_dir() or (folder / _INIT).exists():
        return False
    return not any(entry.stem in sys.stdlib_module_names for entry in folder.glob("*.py"))
