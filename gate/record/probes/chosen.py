"""The agent that the settings name, and what it is asked with."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from gate.errors import UsageError
from gate.record.locally import limits_of, recordings_folder
from gate.record.probes.agents.agent import Agent, Identity
from gate.record.probes.agents.command import LIMITS, CommandAgent, Setup
from gate.record.probes.agents.home import NONE, Files, read_files, read_overlay
from gate.record.probes.agents.http import HttpAgent, check_address, instructions_of
from gate.record.probes.agents.presets import Preset, preset_of
from gate.record.probes.agents.program import find_program
from gate.record.probes.agents.template import Template, read_template
from gate.record.probes.calls import Providers, TaskMeter
from gate.record.probes.runner import Mode
from gate.record.recordings import redact
from gate.record.recordings.budget import Limits
from gate.record.recordings.forecast import History
from gate.record.recordings.ledger import Ledger
from gate.record.recordings.limits import Budget
from gate.record.recordings.prices import prices_of
from gate.record.recordings.session import RecordingSession
from gate.record.recordings.store import Store
from gate.record.recordings.summary import spent
from gate.record.recordings.upstreams import Upstream
from gate.record.recordings.volatile import read_volatile
from gate.sandbox.cell import Cell
from gate.settings import Settings

_OWN = "agent"
"""Name of the upstream that an agent's own address is."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """An agent before anything is opened.

    Attributes:
        template: of a command; None for an API.
        preset: whose output it has; None for none.
        overlay, tools: the user's own files in its cell.
    """

    identity: Identity
    template: Template | None = None
    preset: Preset | None = None
    overlay: Files = NONE
    tools: Files = NONE


def chosen_agent(settings: Settings, root: Path) -> Chosen | None:
    """The agent of the settings; None where they name none.

    Args:
        root: folder of the settings, in which their paths start.

    Raises:
        UsageError: they name two, or one that can't be.
    """
    command, name, url = settings.agent_cmd.strip(), settings.agent_preset.strip(), settings.agent_url.strip()
    if url and (command or name):
        raise UsageError(
            "an agent is either a command or an address", where="agent-url", remedy="leave one of them out"
        )
    model, version = settings.agent_model.strip(), settings.agent_version.strip()
    _refuse_secrets(command, url, model, version)
    overlay = read_overlay(root / settings.agent_home, "agent-home") if settings.agent_home else NONE
    if url:
        if not model:
            raise UsageError("an API needs a model", where="agent-model", remedy="name it with --model")
        identity = Identity(command=check_address(url), overlay=overlay.digest, model=model, version=version)
        return Chosen(identity, overlay=overlay)
    if not command and not name:
        return None
    preset = preset_of(name) if name else None
    text = command or (preset.template(model) if preset else "")
    template = _relative(read_template(text, "agent-cmd"), root)
    named = [root / word for word in template.words if _is_own(word, root)]
    named += [root / path for path in settings.agent_files]
    tools = read_files(dict.fromkeys(named), root, "agent-files") if named else NONE
    digest = "-".join(filter(None, (overlay.digest, tools.digest)))
    return Chosen(Identity(command, name, digest, model, version), template, preset, overlay, tools)


def _refuse_secrets(*texts: str) -> None:
    """Keep keys out of what names an agent, since that is recorded and shown."""
    for text in texts:
        if redact.find(text, random=False):
            raise UsageError(
                "what names the agent holds what looks like a secret, and would be recorded",
                where="agent",
                remedy="put the key into a variable such as OPENAI_API_KEY; the proxy sends it",
            )


def _relative(template: Template, root: Path) -> Template:
    """Words that name a file of the checkout, as they are called from its root."""
    words = []
    for word in template.words:
        path = Path(os.path.normpath(root / word))
        is_file = "/" in word and path.is_relative_to(root) and _is_own(path.relative_to(root).as_posix(), root)
        words.append(path.relative_to(root).as_posix() if is_file else word)
    return replace(template, words=tuple(words))


def _is_own(word: str, root: Path) -> bool:
    """Whether a word names a plain file of the checkout; what git and a virtual environment link to is none."""
    path = root / word
    inside = not word.startswith(("-", "{", "/", ".git/")) and ".." not in path.parts
    return inside and len(word) < 1000 and path.is_file() and path.resolve() == path


def providers_of(
    chosen: Chosen,
    settings: Settings,
    *,
    root: Path,
    environ: Mapping[str, str],
    mode: Mode,
    today: Callable[[], dt.date],
) -> Providers:
    """The way to the APIs of models, recorded as the mode says, within the limits of the settings.

    Raises:
        RecordingError: the folder of recordings can't be used.
        SettingsError: a price table can't be read.
    """
    store = Store(recordings_folder(settings, root))
    parts = chosen.preset.volatile if chosen.preset else ()
    run = limits_of(settings, "run")
    if settings.probe_max_cost:
        run = replace(run, money=min(settings.probe_max_cost, run.money or settings.probe_max_cost))
    month = limits_of(settings, "month")
    ledger = Ledger(store.folder) if mode in ("record", "auto") or month != Limits() else None
    meter = TaskMeter(
        prices_of(root / settings.prices if settings.prices else None),
        today=today,
        budget=Budget(run, month, lambda: ledger.spent(today())) if ledger else Budget(run),
        history=History(spent(store) if mode in ("record", "auto") else ()),
        ledger=ledger,
        run=environ.get("GITHUB_RUN_ID", ""),
    )
    session = RecordingSession(
        store, mode, volatile=read_volatile((*settings.volatile, *parts)), can_record=True, meter=meter, today=today
    )
    own = (Upstream(_OWN, chosen.identity.command),) if chosen.template is None else ()
    only = (_OWN,) if own else (chosen.preset.upstreams or None) if chosen.preset else None
    return Providers(session, meter, environ, only=only, own=own)


def setup_of(chosen: Chosen, settings: Settings, *, root: Path, environ: Mapping[str, str]) -> Setup | None:
    """What surrounds the agent's command; None for an API.

    Raises:
        UsageError: its program is not there.
    """
    if chosen.template is None:
        return None
    word = chosen.template.words[0]
    program = None
    if word not in chosen.tools.content:
        home = Path(environ.get("HOME") or "/")
        program = find_program(word, search=environ.get("PATH"), home=home, checkout=root)
    setup = Setup(
        program,
        overlay=chosen.overlay,
        tools=chosen.tools,
        readable=tuple((root / path).resolve() for path in settings.agent_readable),
        limits=replace(LIMITS, wall=settings.agent_timeout, cpu=max(settings.agent_timeout, LIMITS.cpu)),
    )
    preset = chosen.preset
    if preset is None:
        return setup
    return replace(
        setup,
        environment=preset.environment,
        files=preset.files,
        leading=preset.leading,
        variables=preset.variables,
        read=preset.read,
    )


def opened_agent(chosen: Chosen, setup: Setup | None, settings: Settings, *, cell: Cell, providers: Providers) -> Agent:
    """The agent, ready to be asked.

    Args:
        setup: what `setup_of` gave.
    """
    if chosen.template is None or setup is None:
        system = instructions_of(chosen.overlay)
        return HttpAgent(chosen.identity, providers, system=system, timeout=settings.agent_timeout)
    return CommandAgent(chosen.template, chosen.identity, cell, setup, providers)
