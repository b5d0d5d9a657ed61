"""The base's tree beside the head's checkout, in which the suspects of a pull request are run again."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from gate.cli.purse import Purse
from gate.errors import GateError

if TYPE_CHECKING:
    from gate.baselines.git import Git
    from gate.record.arms import Arm, Turn
    from gate.record.fresh import ArmTree
    from gate.record.run import Echo, World
    from gate.rounds import RunTurn
    from gate.settings import Settings
    from gate.trials.plan import Known

_SHOWN = 3
_NOTHING: Mapping[str, Known] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Place:
    """Where turns run.

    Attributes:
        world: of the suite.
        scratch: folder that the suite's user may write.
        give: hands a tree over to the suite's user.
        read: bytes of a report that foreign code left, at most so many.
    """

    world: World
    scratch: Path
    give: Callable[[Path], None]
    read: Callable[[Path, int], bytes]


@dataclass(frozen=True, slots=True)
class Beside:
    """How to run a base beside a head.

    Attributes:
        git: of the checkout; `git.root` is the head's project.
        base: commit.
        enter: makes a place for one turn.
        purse: what the command has spent before, and spends here.
    """

    git: Git
    base: str
    enter: Callable[[], AbstractContextManager[Place]]
    echo: Echo | None = None
    purse: Purse = field(default_factory=Purse)


@contextlib.contextmanager
def run_beside(beside: Beside, settings: Settings) -> Iterator[RunTurn]:
    """Give what makes turns of both arms; the base's files are removed at the end."""
    with tempfile.TemporaryDirectory(prefix="gate-base-", ignore_cleanup_errors=True) as folder:
        yield _Arms(beside, settings, Path(folder) / "tree")


class _Arms:
    def __init__(self, beside: Beside, settings: Settings, tree: Path) -> None:
        self._beside = beside
        self._settings = settings
        self._tree = tree
        self._trouble: str | None = None

    def write(self) -> None:
        """Write the base's files once; what keeps them from being used is told by the first turn."""
        if self._trouble is not None:
            return
        from gate.baselines.tree import export

        try:
            done = export(self._beside.git, self._beside.base, self._tree)
        except GateError as error:
            self._trouble = f"the base's files can't be written: {error.message}"
            return
        named = ", ".join(done.lacking[:_SHOWN])
        self._trouble = f"the base's files are not whole without {named}" if done.lacking else ""

    def __call__(self, arm: Arm, names: Sequence[str], count: int, /, *, known: Mapping[str, Known] = _NOTHING) -> Turn:
        from gate.record.arms import Turn
        from gate.record.fresh import FreshRuns
        from gate.record.locally import plugin_options, split_arguments

        self.write()
        if self._trouble:
            return Turn(reason=self._trouble)
        settings = self._settings.model_copy(update={"mode": "live"})  # fresh, and no recording is touched
        with self._beside.enter() as place, self._limits(settings, place) as limits:
            trees = self._trees()
            place.give(self._tree)
            runs = FreshRuns(
                trees=trees,
                world=place.world,
                scratch=place.scratch,
                read=place.read,
                arguments=split_arguments(settings),
                options=[*plugin_options(settings), *limits],
                timeout=settings.timeout,
                limit=settings.max_report_bytes,
                echo=self._beside.echo,
            )
            return runs(arm, names, count, known=known)

    @contextlib.contextmanager
    def _limits(self, settings: Settings, place: Place) -> Iterator[list[str]]:
        """What the plugin is told of limits; what was spent before counts in every turn, wherever it has its place."""
        from gate.record.locally import recording_options

        purse = self._beside.purse
        yield recording_options(settings, self._beside.git.root, place.scratch, spent=purse.book)
        purse.take(place.scratch, place.read)

    def _trees(self) -> Mapping[Arm, ArmTree]:
        from gate.record.fresh import ArmTree

        head, base = self._beside.git.root.resolve(), self._tree.resolve() / self._beside.git.prefix
        folder = self._settings.working_directory
        return {"head": ArmTree(head, head / folder), "base": ArmTree(base, base / folder)}
