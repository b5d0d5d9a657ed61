"""`gate evidence`: one archive of a verdict and all that it rests on, and its verification offline."""

from __future__ import annotations

import json
import os
import platform
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gate.cli.console import Console
from gate.cli.files import CANDIDATE, VERDICT
from gate.errors import UsageError

if TYPE_CHECKING:
    from gate.schema.verdict import Verdict

OUTPUT = Path(".gate/evidence.zip")
_LIMIT = 2_000_000_000
_SEAL = re.compile(r"[0-9a-f]{64}")


@click.group(epilog="Example: gate evidence verify .gate/evidence.zip")
def evidence() -> None:
    """An archive for auditors: verdict, report, baseline, settings, acceptances and versions, sealed."""


@evidence.command("create", epilog="Example: gate evidence create --output release-1.2.zip")
@click.option(
    "--verdict", "path", type=click.Path(path_type=Path), default=VERDICT, show_default=True, help="Which one."
)
@click.option(
    "--candidate", type=click.Path(path_type=Path), default=CANDIDATE, show_default=True, help="Report it is about."
)
@click.option("--output", type=click.Path(path_type=Path), default=OUTPUT, show_default=True, help="The archive.")
@click.pass_obj
def create(console: Console, path: Path, candidate: Path, output: Path) -> None:
    """Write the archive of the last verdict, and print its seal.

    The seal is a digest of all that is in it: kept elsewhere (in a ticket, in a log), it shows later that nothing was
    changed. The same verdict gives the same archive.
    """
    from gate.baselines.evidence import write_evidence
    from gate.baselines.write import write_atomically
    from gate.cli.files import read_bytes, read_verdict_file
    from gate.schema.evidence_archive import ACCEPTANCES, SETTINGS, VERSIONS
    from gate.schema.evidence_archive import CANDIDATE as REPORT
    from gate.schema.evidence_archive import VERDICT as NAME

    verdict = read_verdict_file(path)
    files = {
        NAME: read_bytes(path, _LIMIT),
        SETTINGS: _json(_settings()),
        ACCEPTANCES: _json(_acceptances(verdict)),
        VERSIONS: _json(_versions(verdict)),
        **_baseline(verdict),
    }
    if candidate.is_file():
        files[REPORT] = read_bytes(candidate, _LIMIT)
    else:
        console.warn(f"there is no report at {candidate}: the archive holds the verdict without it")
    data, seal = write_evidence(files)
    write_atomically(output, data)
    console.say(f"written: {output}, {len(files)} files")
    console.result(seal)


@evidence.command("verify", epilog="Example: gate evidence verify .gate/evidence.zip --seal 5f1c…")
@click.argument("archive", type=click.Path(path_type=Path))
@click.option(
    "--seal", default="", help="The seal that was kept elsewhere; without it only the archive itself is held."
)
@click.pass_obj
def verify(console: Console, archive: Path, seal: str) -> None:
    """Say whether ARCHIVE is as it was sealed, without a network; 1 where one byte differs, with the file named."""
    from gate.baselines.evidence import EvidenceError, read_evidence
    from gate.cli.files import read_bytes
    from gate.render import verdict_from_json
    from gate.schema.evidence_archive import VERDICT as NAME

    if seal and _SEAL.fullmatch(seal.strip().lower()) is None:
        raise UsageError(
            "a seal is 64 hexadecimal digits",
            where="--seal",
            remedy="give it whole, as `gate evidence create` printed it",
        )
    found = read_evidence(read_bytes(archive, _LIMIT, "archive", "`gate evidence create`"), str(archive), limit=_LIMIT)
    if seal and seal.strip().lower() != found.seal:
        raise EvidenceError(
            "the archive holds together, and is another than the one whose seal was kept",
            where=str(archive),
            remedy=f"its own seal is {found.seal}",
        )
    verdict = verdict_from_json(found.files[NAME].decode("utf-8", "replace"))
    accepted = len(verdict.accepted)
    console.say(f"{len(found.files)} files hold; verdict: {verdict.exit_code.name.lower()}, accepted: {accepted}")
    console.result(found.seal)


def _json(value: Any) -> bytes:
    return (json.dumps(value, indent=1, sort_keys=True, ensure_ascii=True) + "\n").encode("ascii")


def _settings() -> dict[str, Any]:
    """Every setting but secrets, as the working folder has it."""
    from gate.cli.files import local_settings

    settings = local_settings(Path.cwd())
    secret = {
        name
        for name, field in type(settings).model_fields.items()
        if isinstance(field.json_schema_extra, dict) and field.json_schema_extra.get("secret")
    }
    found: dict[str, Any] = settings.model_dump(mode="json", exclude=secret)
    return found


def _acceptances(verdict: Verdict) -> list[dict[str, Any]]:
    """Who permitted which finding, up to what, and why."""
    from gate.render.permissions_json import permission_to_json

    return [
        {"finding": each.id, "amount": each.amount, **permission_to_json(each.accepted)}
        for each in verdict.findings
        if each.accepted is not None
    ]


def _baseline(verdict: Verdict) -> dict[str, bytes]:
    """The baseline that decided, from the base; that of the working folder where git does not have it."""
    from gate.baselines.git import Git
    from gate.cli.files import local_settings
    from gate.errors import GateError
    from gate.schema.evidence_archive import BASELINE

    settings = local_settings(Path.cwd(), {"suite": verdict.provenance.suite})
    path = settings.baseline_path
    try:
        data = Git(Path.cwd()).read(verdict.provenance.base, path) if verdict.provenance.base else None
    except GateError:
        data = None
    here = Path(path)
    if data is None and here.is_file():
        data = here.read_bytes()
    return {} if data is None else {BASELINE: data}


def _versions(verdict: Verdict) -> dict[str, Any]:
    """What ran: tool, Python, and every installed distribution."""
    from importlib.metadata import distributions

    installed = {str(each.metadata["Name"]): each.version for each in distributions() if each.metadata["Name"]}
    return {
        "tool": verdict.provenance.tool_version,
        "python": platform.python_version(),
        "implementation": sys.implementation.name,
        "system": platform.system(),
        "packages": dict(sorted(installed.items())),
        "run": os.environ.get("GITHUB_RUN_ID", ""),
    }
