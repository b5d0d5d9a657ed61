"""What `gate probes` is told by its options and the settings of this folder: which probes, which agent, what counts."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gate.cli.files import OUTPUT, local_settings, read_report_file, require_own_settings
from gate.errors import UsageError

if TYPE_CHECKING:
    from gate.record.probes.agents.agent import Identity
    from gate.record.probes.chosen import Chosen
    from gate.record.probes.journal import Journal
    from gate.record.probes.measure import Main
    from gate.record.probes.runner import Mode
    from gate.settings import Settings
    from gate.suites.probes.catalog import Entry

REPOSITORIES = OUTPUT / "repositories"
"""Where probes of other repositories are kept."""
_OPTIONS = {
    "agent_cmd": "agent-cmd",
    "preset": "agent-preset",
    "agent_url": "agent-url",
    "home": "agent-home",
    "model": "agent-model",
    "agent_version": "agent-version",
    "mode": "mode",
    "rate": "probe-rate",
    "max_cost": "probe-max-cost",
    "jobs": "probe-jobs",
    "samples": "probe-samples",
    "weights": "probe-weights",
    "max_unscored": "probe-max-unscored",
}
_LISTS = {"folders": "probes", "dimensions": "probe-dimensions", "scopes": "probe-scopes"}


@dataclass(frozen=True, slots=True)
class Asked:
    """What the command line and the settings say together."""

    settings: Settings
    root: Path
    entries: tuple[Entry, ...]
    mode: Mode
    output: Path
    date: str
    unsafe: bool
    strict: bool
    answers: Path
    named: str
    forget: bool


def settings_of(options: Mapping[str, Any]) -> Settings:
    """The settings of this folder under the options of the command line."""
    chosen: dict[str, Any] = {key: options.get(name) for name, key in _OPTIONS.items()}
    chosen |= {key: tuple(map(str, options[name])) for name, key in _LISTS.items() if options.get(name)}
    if options.get("no_shipped"):
        chosen["probe-shipped"] = False
    return local_settings(Path.cwd(), chosen)


def entries_of(settings: Settings, options: Mapping[str, Any]) -> tuple[Entry, ...]:
    """The probes that are meant, of this folder.

    Raises:
        UsageError: none is, or a name is unknown.
    """
    from gate.suites.probes.catalog import load_probes, select

    found = select(
        load_probes(folders_of(settings), shipped=settings.probe_shipped),
        dimensions=settings.probe_dimensions,
        scopes=settings.probe_scopes,
        only=options.get("only") or (),
        tags=options.get("tags") or (),
    )
    if not found:
        raise UsageError("no probe is left", where="gate probes", remedy="`gate probes list` shows which there are")
    return found


def folders_of(settings: Settings) -> list[Path]:
    """Folders of the probes that the settings name; what is in another repository is fetched.

    Raises:
        UsageError: it can't be.
    """
    from gate.record.probes.repository import folder_of

    return [folder_of(named, REPOSITORIES, os.environ) for named in settings.probes]


def asked_by(options: Mapping[str, Any]) -> Asked:
    root = Path.cwd()
    require_own_settings(root, "gate probes run")
    settings = settings_of(options)
    from gate.suites.probes.composite import parse_weights

    parse_weights(settings.probe_weights)
    mode: Mode = settings.mode
    output = Path(options["output"])
    answers = answers_path(settings, options, root)
    if mode == "live" and not (options.get("answers") or settings.probe_answers):
        answers = root / output / "answers.ndjson"
    return Asked(
        settings,
        root,
        entries_of(settings, options),
        mode,
        output,
        _date(options.get("date")),
        bool(options.get("unsafe_no_sandbox")),
        bool(options.get("strict")),
        answers,
        options.get("named") or "",
        bool(options.get("forget_others")),
    )


def answers_path(settings: Settings, options: Mapping[str, Any], root: Path) -> Path:
    """Where answers are recorded."""
    from gate.record.locally import recordings_folder

    kept = options.get("answers") or settings.probe_answers
    return root / kept if kept else recordings_folder(settings, root) / "probes" / "answers.ndjson"


def _date(given: str | None) -> str:
    if given is None:
        return dt.datetime.now(dt.UTC).date().isoformat()
    try:
        return dt.date.fromisoformat(given).isoformat()
    except ValueError:
        raise UsageError(f"{given!r:.40} is no date", where="--date", remedy="write it as 2026-11-30") from None


def identity_in(chosen: Chosen | None, journal: Journal, asked: Asked) -> Identity:
    """Whose answers count: of the agent that is named, or in a replay of the only one that is recorded.

    Raises:
        UsageError: no agent is named, or several are recorded.
    """
    if chosen is not None and not asked.named:
        return chosen.identity
    if asked.mode != "replay":
        raise UsageError(
            "no agent is named", where="gate probes run", remedy="give --agent-cmd, --preset or --agent-url"
        )
    found = {
        digest: identity
        for digest, identity in journal.agents().items()
        if not asked.named or asked.named in identity.name or digest.startswith(asked.named)
    }
    exact = [identity for identity in found.values() if asked.named in (identity.name, identity.version)]
    if len(found) == 1 or len(exact) == 1:
        return exact[0] if len(exact) == 1 else next(iter(found.values()))
    if not found:
        raise UsageError(
            "no agent's answers are recorded" if not asked.named else f"no answers of `{asked.named:.60}` are recorded",
            where=str(asked.answers),
            remedy="record some with `gate probes run --mode record`, or name the file with --answers",
        )
    names = ", ".join(f"{digest[:8]} ({identity.name})" for digest, identity in found.items())
    raise UsageError(
        f"answers of {len(found)} agents are recorded: {names[:400]}",
        where=str(asked.answers),
        remedy="name the agent as it was named for the recording, or `gate probes score --agent DIGEST`",
    )


def main_here(asked: Asked) -> Main:
    """What the baseline in the working tree says of main."""
    from gate.record.probes.measure import Main

    path = asked.root / asked.settings.baseline_path
    return Main(read_report_file(path, asked.settings.max_report_bytes) if path.is_file() else None)
