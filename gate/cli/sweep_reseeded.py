"""`gate sweep` of a model that is trained anew, in a process of its own, since a module is imported once."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from gate.errors import EXIT_HOLDS, EXIT_REGRESSION, BaselineError
from gate.schema.reseed import RESEED

if TYPE_CHECKING:
    from gate.schema.report import Report


def reseeded_sweep(config: Path, output: Path, number: int, limit: int) -> Report:
    """The report of one sweep; what it finds joins no witnesses, since its model is none that is in use.

    Args:
        config: of the sweep, as `gate sweep --config` takes it.
        output: where its report goes.
        number: of the retrain, in the model's environment as `GATE_RESEED`.
        limit: bytes of the largest report.

    Raises:
        BaselineError: the sweep could not be made, or measured not everything.
    """
    from gate.cli.files import OUTPUT, read_report_file
    from gate.record.locally import WITNESSES

    command = [sys.executable, "-m", "gate", "sweep", "--config", str(config), "--output", str(output)]
    kept = OUTPUT / WITNESSES
    before = kept.read_bytes() if kept.is_file() and not kept.is_symlink() else None
    environ = {**os.environ, RESEED: str(number)}
    ended = subprocess.run(command, env=environ, capture_output=True, text=True, check=False)
    if before is not None:
        kept.write_bytes(before)
    else:
        kept.unlink(missing_ok=True)
    if ended.returncode not in (EXIT_HOLDS, EXIT_REGRESSION):
        raise BaselineError(
            f"the sweep of reseed {number} ended with {ended.returncode}",
            where=str(config),
            remedy=f"run `{RESEED}={number} gate sweep --config {config}` by hand",
        )
    return read_report_file(output, limit)
