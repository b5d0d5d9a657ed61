"""What a run of probes writes: the candidate, the report, and exports for other tools."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from gate.baselines.write import write_atomically
from gate.schema.dimensions import Dimension
from gate.schema.probe_report import ProbeReport
from gate.schema.probes import SUMMARY

if TYPE_CHECKING:
    from gate.record.probes.agents.agent import Identity
    from gate.record.probes.candidate import Measured
    from gate.record.probes.measure import Main
    from gate.record.probes.runner import Mode
    from gate.sandbox.cell.values import Attestation
    from gate.settings import Settings


def write_all(  # noqa: PLR0913  what, of whom, how, and where to
    output: Path,
    found: Measured,
    *,
    identity: Identity,
    attestation: Attestation,
    settings: Settings,
    mode: Mode,
    date: str,
    commit: str,
    reasons: Sequence[str],
    main: Main,
    version: str = "",
) -> None:
    """Write `candidate.json`, `report.md`, `report.html`, `results.csv`, `results.json`, `junit.xml`, `security.sarif`.

    Args:
        date: that the report shows; nothing that is compared holds it.
        reasons: why the run is not whole.
        version: what the agent's program says of itself; empty where it was not asked.

    Raises:
        UsageError: the folder can't be written.
    """
    from gate.record.probes.candidate import candidate
    from gate.render import probes as render

    report = _report(found, identity, attestation, settings, date, reasons, main)
    data = candidate(
        found,
        suite=settings.suite,
        mode=mode,
        commit=commit,
        identity=identity,
        attestation=attestation,
        reasons=reasons,
        version=version,
    )
    texts = {
        "report.md": render.render_template(report),
        "report.html": render.render_page(report),
        "results.csv": render.render_csv(report),
        "results.json": render.render_json(report),
        "junit.xml": render.render_junit(report),
        "security.sarif": render.render_sarif(report),
    }
    write_atomically(output / "candidate.json", data)
    for name, text in texts.items():
        write_atomically(output / name, text.encode("utf-8"))


def _report(
    found: Measured,
    identity: Identity,
    attestation: Attestation,
    settings: Settings,
    date: str,
    reasons: Sequence[str],
    main: Main,
) -> ProbeReport:
    """What the template, the page and the exports show."""
    return ProbeReport(
        agent=identity.name,
        date=date,
        scope=", ".join(settings.probe_scopes) or "all",
        scores=found.scores,
        composite=found.composite,
        cases=found.cases,
        before=_before(main),
        attestation=attestation.describe().removeprefix("sandbox: "),
        notes=(*reasons, *((attestation.describe(),) if attestation.unsafe else ())),
    )


def _before(main: Main) -> dict[Dimension, float]:
    names = {dimension.value: dimension for dimension in Dimension}
    found = {name.removeprefix(SUMMARY): score for name, score in main.scores.items()}
    return {names[name]: score for name, score in found.items() if name in names}
