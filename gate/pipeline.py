"""The product's one sentence as code: run, compare with the base's baseline, comment, decide.

Order is what makes it safe: the base, the settings that decide and the baseline are read before any code of the pull
request runs. Collaborators with effects (`Tools`) are arguments.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from gate import __version__
from gate.errors import ReportError, UndecidedError, UsageError
from gate.schema.changes import Changes
from gate.schema.report import Completeness, Report
from gate.schema.verdict import Provenance, Verdict
from gate.settings import Layer, Resolved, Settings, from_environment, from_inputs, resolve

if TYPE_CHECKING:
    from gate.baselines.base import Base
    from gate.baselines.trusted import TrustedBase
    from gate.deliver.event import Event
    from gate.record.run import RunResult


@dataclass(frozen=True, slots=True)
class Request:
    """What to gate.

    Attributes:
        root: the checkout of the pull request.
        environ: the environment of the gate, event and runner files included.
        options: settings of the command line, by kebab-case key.
        base: commit that the user named; None finds it.
        output: folder for candidate, verdict, comment and page.
        action: whether the settings come from the inputs of the action.
    """

    root: Path
    environ: Mapping[str, str]
    options: Mapping[str, Any] = field(default_factory=dict)
    base: str | None = None
    output: Path = Path(".gate")
    action: bool = False


@dataclass(frozen=True, slots=True)
class Measured:
    """What running the suite left: the bytes of its report, or the reason why there are none."""

    report: bytes | None
    reason: str = ""
    notices: tuple[str, ...] = ()


class Delivery(Protocol):
    """Where texts go; never raises, and returns what could not be delivered as sentences."""

    def publish(self, verdict: Verdict, event: Event | None, settings: Settings) -> tuple[str, ...]:
        """Comment, summary, annotations, outputs, files."""


@dataclass(frozen=True, slots=True)
class Tools:
    """Collaborators with effects.

    Attributes:
        read_event: the event of GitHub, or None in a shell.
        find_base: the base of this checkout.
        read_trusted: settings and baseline of the base, before anything of the head runs.
        measure: runs the suite.
        read_file: bytes of a report file, at most so many.
        delivery: where texts go.
        say: a step of long work.
    """

    read_event: Callable[[Request], Event | None]
    find_base: Callable[[Request, Event | None], Base | None]
    read_trusted: Callable[[Request, Base | None, Sequence[Layer]], TrustedBase]
    measure: Callable[[Request, Settings], Measured]
    read_file: Callable[[Path, int], bytes]
    delivery: Callable[[Request], Delivery]
    say: Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Outcome:
    """How it ended."""

    verdict: Verdict
    exit_code: int


@dataclass(frozen=True, slots=True)
class Judged:
    """Everything that decides, read before any code of the pull request runs."""

    settings: Settings
    trusted: TrustedBase
    baseline: Report | None
    changes: Changes
    provenance: Provenance
    notices: tuple[str, ...] = ()


def gate_pull_request(request: Request, tools: Tools) -> Outcome:
    """The whole sentence. Exit code as DESIGN orders it; delivery never changes it.

    Raises:
        GateError: what can't even be judged (settings, repository); the caller turns it into text and a code.
    """
    event = tools.read_event(request)
    _refuse_unsafe_target(request, event)
    tools.say("reading the base, its settings and its baseline")
    judged = _what_decides(request, tools, event)
    measured = _measure(request, tools, judged.settings)
    candidate = _candidate(request, tools, judged.settings, measured)
    verdict = _judge(judged, candidate, notices=(*judged.notices, *measured.notices))
    for sentence in tools.delivery(request).publish(verdict, event, judged.settings):
        tools.say(sentence)
    return Outcome(verdict, int(verdict.exit_code))


def _refuse_unsafe_target(request: Request, event: Event | None) -> None:
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


def _what_decides(request: Request, tools: Tools, event: Event | None) -> Judged:
    from gate.baselines.trusted import require_baseline, settings_layers

    base = tools.find_base(request, event)
    outer = _request_layers(request)
    trusted = tools.read_trusted(request, base, outer)
    resolved = resolve(settings_layers(trusted, outer))
    settings = resolved.settings
    require_baseline(trusted, settings.suite)
    if base is not None and not base.head_checked_out and not settings.report:
        raise UsageError(
            "the base branch is checked out, not the pull request: its suite would say nothing about it",
            where="workflow",
            remedy="use the pull_request event, or name a `report` of a run made elsewhere",
        )
    baseline = None
    if trusted.baseline is not None:
        from gate.ingest import read_report

        baseline = read_report(trusted.baseline, trusted.baseline_name, limit=settings.max_report_bytes)
    return Judged(
        settings=settings,
        trusted=trusted,
        baseline=baseline,
        changes=trusted.changes,
        provenance=_provenance(trusted, base, event, settings),
        notices=(*trusted.notices, *_ignored(resolved, trusted)),
    )


def _ignored(resolved: Resolved, trusted: TrustedBase) -> tuple[str, ...]:
    """Deciding settings that the environment or an input tried to set; the head's own file has its own rule."""
    told = {layer.name for layer in trusted.layers}
    return tuple(
        f"`{key}` from the {layer} was ignored: on a pull request only the base decides"
        for key, layer in resolved.ignored
        if layer not in told
    )


def _provenance(trusted: TrustedBase, base: Base | None, event: Event | None, settings: Settings) -> Provenance:
    return Provenance(
        suite=settings.suite,
        base=base.commit if base else "",
        head=(event.head_sha if event and event.head_sha else base.head if base else ""),
        attempt=event.attempt if event else 1,
        pull_request=event.pull_request if event else None,
        mode=settings.mode,
        baseline_age=trusted.baseline_age,
        baseline_from=trusted.baseline_commit,
        settings_from=trusted.settings_from,
        changed=trusted.changed_groups,
        report_url=event.run_url if event else "",
        tool_version=__version__,
    )


def _measure(request: Request, tools: Tools, settings: Settings) -> Measured:
    if not settings.report:
        tools.say("running the suite")
        return tools.measure(request, settings)
    try:
        return Measured(tools.read_file(request.root / settings.report, settings.max_report_bytes))
    except ReportError as error:
        return Measured(None, reason=f"{error.where}: {error.message}")


def _candidate(request: Request, tools: Tools, settings: Settings, measured: Measured) -> Report:
    """The joined candidate; what can't be read becomes a reason why the run is not whole, never a pass."""
    from gate.ingest import read_report

    limit = settings.max_report_bytes
    reports: list[Report] = []
    reasons: list[str] = [] if measured.report is not None else [measured.reason]
    try:
        if measured.report is not None:
            reports.append(read_report(measured.report, "candidate", limit=limit))
        for name in settings.reports:
            reports.append(read_report(tools.read_file(request.root / name, limit), name, limit=limit))
    except UndecidedError as error:
        reasons.append(f"{error.where}: {error.message}" if error.where else error.message)
    return join(reports, settings.suite, tuple(reasons))


def join(reports: Sequence[Report], suite: str, reasons: tuple[str, ...] = ()) -> Report:
    """One candidate from those of several producers; it is whole only if each of them is."""
    if not reports:
        return Report(cases=(), suite=suite, completeness=Completeness(reasons=reasons))
    first = reports[0]
    completeness = first.completeness
    others = [report.completeness for report in reports[1:]]
    return replace(
        first,
        suite=suite,
        cases=tuple(case for report in reports for case in report.cases),
        completeness=replace(
            completeness,
            collection_errors=sum((part.collection_errors for part in others), completeness.collection_errors),
            reasons=(*sum((part.reasons for part in others), completeness.reasons), *reasons),
        ),
        fingerprints={key: value for report in reports for key, value in sorted(report.fingerprints.items())},
    )


def _judge(judged: Judged, candidate: Report, *, notices: tuple[str, ...]) -> Verdict:
    from gate.compare import compare

    verdict = compare(judged.baseline, candidate, judged.settings, changes=judged.changes, provenance=judged.provenance)
    return replace(verdict, notices=(*verdict.notices, *notices))


def run_locally(
    settings: Settings,
    arguments: Sequence[str],
    *,
    root: Path,
    report: Path,
    environ: Mapping[str, str],
    python: str,
    local: Path | None = None,
    echo: Callable[[bytes], None] | None = None,
) -> RunResult:
    """Run the suite in the user's own Python, without the gate's token, inputs and runner files.

    Args:
        local: where the plugin says which key stands for which example; None leaves it out.
    """
    from gate.record.run import World, run_suite
    from gate.sandbox.environment import suite_environment

    world = World(python, root / settings.working_directory, suite_environment(environ))
    own = shlex.split(settings.arguments)
    options = plugin_options(settings, local)
    return run_suite(
        [*own, *arguments], world=world, report=root / report, timeout=settings.timeout, options=options, echo=echo
    )


def plugin_options(settings: Settings, local: Path | None = None, commit: str = "") -> list[str]:
    """What the plugin is told of the settings."""
    options = [f"--gate-suite={settings.suite}", f"--gate-mode={settings.mode}"]
    if settings.plain_ids:
        options.append("--gate-plain-ids")
    if local is not None:
        options.append(f"--gate-local={local.absolute()}")
    if commit:
        options.append(f"--gate-commit={commit}")
    return options
