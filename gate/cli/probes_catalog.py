"""`gate probes list`, `lint` and `new`: the probes themselves."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gate.cli.console import Console
from gate.errors import EXIT_HOLDS, EXIT_REGRESSION, GateError, UsageError

if TYPE_CHECKING:
    from gate.suites.probes.catalog import Entry

_NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,70}[a-z0-9])?")


def list_probes(console: Console, options: Mapping[str, Any]) -> int:
    """Print the probes that are meant, one a line, or as JSON."""
    from gate.cli.probes_options import entries_of, settings_of
    from gate.cli.probes_text import listing
    from gate.render.words import plural

    settings = settings_of(options)
    entries = entries_of(settings, options)
    if options["as_json"]:
        console.result(json.dumps([_as_json(entry) for entry in entries], ensure_ascii=True, indent=1))
        return EXIT_HOLDS
    for line in listing(entries):
        console.result(line)
    counts: dict[str, int] = {}
    for entry in entries:
        counts[entry.probe.dimension.value] = counts.get(entry.probe.dimension.value, 0) + 1
    told = ", ".join(f"{count} {name}" for name, count in counts.items())
    console.say(f"{plural(len(entries), 'probe')}: {told}")
    return EXIT_HOLDS


def _as_json(entry: Entry) -> dict[str, Any]:
    probe = entry.probe
    return {
        "id": probe.id,
        "dimension": probe.dimension.value,
        "title": probe.title,
        "language": probe.language,
        "scope": list(probe.scope),
        "tags": list(probe.tags),
        "cwe": list(probe.cwe),
        "samples": probe.samples,
        "digest": entry.digest,
        "where": entry.where,
    }


def lint_probes(console: Console, folders: Sequence[Path], *, self_test: bool, unsafe: bool) -> int:
    """Check probes beyond their schema; 1 where something is to be mended."""
    from gate.cli.files import local_settings
    from gate.cli.probes_options import folders_of
    from gate.render.escape import terminal
    from gate.render.words import plural
    from gate.suites.probes.catalog import load_probes
    from gate.suites.probes.checks.oracles import ORACLES
    from gate.suites.probes.checks.static_rules import RULES
    from gate.suites.probes.lint import copies, lint

    named = list(folders) or folders_of(local_settings(Path.cwd()))
    faults: list[GateError] = []
    entries = load_probes(named, shipped=not named, refuse=faults.append)
    found = [f"{each.where}: {each.message}; {each.remedy}" for each in faults]
    found += [
        f"{each.where}: {each.probe}: {each.message}"
        for each in lint(entries, oracles=tuple(ORACLES), static_rules=tuple(RULES), whole=not faults)
    ]
    for copy in copies(entries, load_probes()) if named else ():
        console.warn(f"{copy.where}: {copy.probe} {copy.message}; change its task")
    if self_test:
        found += _self_tested(console, entries, unsafe=unsafe)
    for line in found:
        console.result(terminal(line))
    console.say(f"{plural(len(entries), 'probe')}, {len(found):,} to be mended")
    return EXIT_REGRESSION if found else EXIT_HOLDS


def _self_tested(console: Console, entries: Sequence[Entry], *, unsafe: bool) -> list[str]:
    """What the reference and the bad answer of each probe show, from several threads."""
    import time
    from concurrent.futures import ThreadPoolExecutor

    from gate.cli.files import local_settings
    from gate.record.probes.pace import Progress
    from gate.sandbox.cell import open_cell
    from gate.suites.probes.selftest import self_test

    jobs = local_settings(Path.cwd()).probe_jobs
    progress = Progress(len(entries), say=console.say, clock=time.monotonic)
    found: list[str] = []
    with open_cell(unsafe=unsafe) as cell, ThreadPoolExecutor(jobs) as pool:
        for entry, tested in zip(entries, pool.map(lambda entry: self_test(entry.probe, cell), entries), strict=True):
            progress.step(asked=True)
            found += [f"{entry.shown}: {entry.probe.id}: {message}" for message in tested.problems]
            if tested.unproved:
                console.warn(f"{entry.shown}: {entry.probe.id} could not be proved here: {tested.unproved}")
    return found


def new_probe(console: Console, name: str, dimension: str, folder: Path) -> int:
    """Write a probe to start from: a shipped one of the dimension under a new id, with all members of its group.

    Raises:
        UsageError: the id can't be one, or a file is there already.
    """
    from gate.baselines.write import write_atomically
    from gate.suites.probes.catalog import SHIPPED, load_probes

    if not _NAME.fullmatch(name):
        raise UsageError(
            f"`{name:.60}` can't be the id of a probe", where="gate probes new", remedy="use a-z, 0-9 and hyphens"
        )
    known = [entry for entry in load_probes() if entry.probe.dimension.value == dimension]
    first = known[0]
    group = first.probe.group
    members = [entry for entry in known if entry.probe.group == group] if group else [first]
    written = []
    for number, entry in enumerate(members):
        own = name if len(members) == 1 else f"{name}-{number + 1}"
        text = (SHIPPED / entry.where).read_text(encoding="utf-8")
        text = re.sub(r"(?m)^id: .*$", f"id: {own}", text, count=1)
        text = re.sub(r"(?m)^group: .*$", f"group: {name}", text, count=1)
        path = folder / f"{own}.yaml"
        if path.exists():
            raise UsageError("is there already", where=str(path), remedy="choose another id")
        written.append((path, text))
    for (path, text), entry in zip(written, members, strict=True):
        about = (
            f"# A copy of the shipped probe `{entry.probe.id}`, to start from: put your own title, task, checks and\n"
        )
        about += f"# answers in its place. `gate probes lint --self-test {folder}` proves that they fit together.\n"
        write_atomically(path, (about + text).encode())
        console.result(f"written: {path}, a copy of the shipped `{entry.probe.id}`; change its task")
    return EXIT_HOLDS
