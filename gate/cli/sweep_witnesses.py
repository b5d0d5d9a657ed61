"""Witnesses of `gate sweep`: those beside the baseline are tried first, and what is found joins the run's own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gate.cli.console import Console

if TYPE_CHECKING:
    from gate.suites.perturbation.keeping import Keeper
    from gate.suites.perturbation.witness_file import Groups


def keeper_of(console: Console, case: str, name: str, ids: Sequence[object]) -> Keeper:
    """What is known of the rows that are swept, under the keys that their report has.

    Args:
        case, name: of the sweep in its report.
        ids: names of the rows.
    """
    from gate.baselines.places import baseline_path
    from gate.baselines.stored_witnesses import stored, witnesses_path
    from gate.cli.files import local_settings
    from gate.cli.suite import own_witnesses
    from gate.cli.sweep_report import Options
    from gate.record.plugin import examples
    from gate.suites.perturbation.keeping import Keeper
    from gate.suites.perturbation.witness_file import loads

    settings = local_settings(Path.cwd())
    data, notes = stored(own_witnesses(settings) or None, witnesses_path(baseline_path(settings)))
    for note in notes:
        console.warn(note)
    options: Any = Options(settings.suite)
    key = examples.key_of(options)
    keyed = examples.written(examples.identifiers(list(ids), name), key, name, plain=False)
    return Keeper(loads(data).get((case, name), ()) if data else (), keyed, key)


def keep(console: Console, keeper: Keeper, case: str, name: str) -> None:
    """Put the sweep's witnesses with those of the last run, where `gate baseline refresh` finds them."""
    from gate.baselines.write import write_atomically
    from gate.cli.files import OUTPUT
    from gate.record.locally import WITNESSES
    from gate.record.plugin.kept_witnesses import said_of
    from gate.suites.perturbation.witness_file import dumps, said_in

    path = OUTPUT / WITNESSES
    left = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
    others = _groups(left)
    found = keeper.close()
    if keeper.stored:
        console.say(f"{len(keeper.stored):,} stored witnesses, of which {keeper.flipped:,} flip again")
    told = said_of(len(keeper.stored), keeper.stale)
    if told:
        console.warn(told)
    if found or (case, name) in others:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, dumps({**others, (case, name): found}, said_in(left)))
        console.say(f"written: {path}")


def _groups(left: bytes) -> Groups:
    """What the last run left; nothing where that is damaged, since a run writes it anew."""
    from gate.errors import ReportError
    from gate.suites.perturbation.witness_file import loads

    try:
        return loads(left) if left else {}
    except ReportError:
        return {}
