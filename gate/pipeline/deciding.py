"""Everything that decides about a pull request, read before any of its code runs."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gate import __version__
from gate.collaborators import Request, Tools
from gate.errors import UsageError
from gate.schema.changes import Changes
from gate.schema.report import Report
from gate.schema.verdict import Provenance
from gate.settings import Layer, Resolved, Settings, from_environment, from_inputs, resolve, usable

if TYPE_CHECKING:
    from gate.baselines.base import Base
    from gate.baselines.trusted import TrustedBase
    from gate.deliver.event import Event
    from gate.deliver.main_report import MainReport


@dataclass(frozen=True, slots=True)
class Judged:
    """Everything that decides, read before any code of the pull request runs."""

    settings: Settings
    trusted: TrustedBase
    baseline: Report | None
    anchor: Report | None
    main: MainReport
    changes: Changes
    provenance: Provenance
    notices: tuple[str, ...] = ()


@dataclass(slots=True)
class Known:
    """What is known so far; should it end here, that is where and how to tell why."""

    event: Event | None = None
    base: Base | None = None
    settings: Settings | None = None


def what_decides(request: Request, tools: Tools, known: Known) -> Judged:
    from gate.baselines.required import require_baseline
    from gate.baselines.trusted import settings_layers

    base, event = known.base, known.event
    outer = _request_layers(request)
    trusted = tools.read_trusted(request, base, outer)
    resolved = resolve(settings_layers(trusted, outer))
    settings = _of_fork(resolved.settings, event)
    if trusted.prices is not None:
        settings = settings.model_copy(update={"prices": trusted.prices})
    known.settings = settings
    require_baseline(trusted, settings.suite)
    if base is not None and not base.head_checked_out and not settings.report:
        raise UsageError(
            "the base branch is checked out, not the pull request: its suite would say nothing about it",
            where="workflow",
            remedy="use the pull_request event, or name a `report` of a run made elsewhere",
        )
    return Judged(
        settings=settings,
        trusted=trusted,
        baseline=_stored(trusted.baseline, trusted.baseline_name, settings),
        anchor=_stored(trusted.anchor.data, trusted.anchor.name, settings),
        main=tools.read_main(request, event, base, settings),
        changes=trusted.changes,
        provenance=provenance_of(trusted, base, event, settings),
        notices=(*trusted.notices, *_ignored(resolved)),
    )


def _stored(data: bytes | None, name: str, settings: Settings) -> Report | None:
    if data is None:
        return None
    from gate.ingest import read_report

    return read_report(data, name, limit=settings.max_report_bytes)


def _of_fork(settings: Settings, event: Event | None) -> Settings:
    """On a fork `auto` means `replay`, whatever key is at hand: its code asks nobody."""
    if event is None or not event.from_fork or settings.mode != "auto":
        return settings
    return settings.model_copy(update={"mode": "replay"})


def _ignored(resolved: Resolved) -> tuple[str, ...]:
    """Deciding settings that the environment or an input tried to set; the head's own file has its own rule."""
    return tuple(
        f"`{key}` from the {layer} was ignored: on a pull request only the base decides"
        for key, layer in resolved.ignored
    )


def refuse_unsafe_target(request: Request, event: Event | None) -> None:
    """`pull_request_target` runs with secrets: the head's code may not run there unless somebody said so."""
    if event is None or event.name != "pull_request_target" or not event.checkout_is_head:
        return
    if _unjudged_settings(request).allow_pull_request_target:
        return
    raise UsageError(
        "pull_request_target has checked out the head of the pull request, and its suite would run beside secrets",
        where="workflow",
        remedy="use the pull_request event; docs/security.md says when `allow-pull-request-target` is right",
    )


def _unjudged_settings(request: Request) -> Settings:
    return resolve(Layer(layer.name, layer.values, trusted=False) for layer in _request_layers(request)).settings


def _request_layers(request: Request) -> list[Layer]:
    inputs = from_inputs(request.environ) if request.action else {}
    return [
        Layer("environment", from_environment(request.environ)),
        Layer("action input", inputs),
        Layer("command line", request.options),
    ]


def usable_settings(request: Request, tools: Tools, base: Base | None) -> Settings:
    """Under which name and in what manner to tell; what of it can't be used may be what is told."""
    layers: list[Layer] = []
    with contextlib.suppress(Exception):
        layers += tools.read_readable(request, base)
    inputs = from_inputs(request.environ, known_only=True) if request.action else {}
    for values in (from_environment(request.environ), inputs, request.options):
        layers.append(Layer("", values, trusted=False))
    return usable(layers)


def provenance_of(
    trusted: TrustedBase | None, base: Base | None, event: Event | None, settings: Settings
) -> Provenance:
    found = Provenance(
        suite=settings.suite,
        base=base.commit if base else "",
        head=(event.head_sha if event and event.head_sha else base.head if base else ""),
        attempt=event.attempt if event else 1,
        pull_request=event.pull_request if event else None,
        mode=settings.mode,
        report_url=event.run_url if event else "",
        tool_version=__version__,
    )
    if trusted is None:
        return found
    return replace(
        found,
        baseline_age=trusted.baseline_age,
        anchor=trusted.anchor.told,
        baseline_from=trusted.baseline_commit,
        settings_from=trusted.settings_from,
        changed=trusted.changed_groups,
    )
