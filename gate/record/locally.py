"""The suite run in the user's own Python, and what pytest and the plugin are told of the settings and the plan."""

from __future__ import annotations

import contextlib
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from gate.baselines.places import baseline_path
from gate.baselines.write import write_atomically
from gate.errors import UsageError
from gate.record.durations import durations_from_text, durations_to_text, with_known
from gate.record.recordings.budget import Limits
from gate.record.recordings.keys import has_key
from gate.record.recordings.options import Options
from gate.record.run import RunResult, User, World, run_suite
from gate.sandbox.environment import suite_environment
from gate.sandbox.network.guard import UNGUARDED, Guard, strongest
from gate.schema.reseed import RESEED
from gate.settings import Settings
from gate.trials.plan import Plan, plan_to_text

MISSING = "missing.jsonl"
BOOK = "spending.jsonl"
WITNESSES = "witnesses.jsonl"
"""What the plugin leaves beside its report."""
PRICES = "prices.json"
DURATIONS = ".durations"
"""Ending of what stands beside a baseline, and says how long tests took."""


def run_locally(  # noqa: PLR0913  where, with what, and what the plugin is told
    settings: Settings,
    *,
    root: Path,
    report: Path,
    environ: Mapping[str, str],
    python: str,
    local: Path | None = None,
    echo: Callable[[bytes], None] | None = None,
    commit: str = "",
    plan: str = "",
    trials: Path | None = None,
    guard: Guard | None = None,
    witnesses: bytes = b"",
    reseed: int = 0,
    spent: bytes = b"",
    again: bool = False,
    shard: str = "",
    rejudge: Path | None = None,
) -> RunResult:
    """Run the suite in the user's own Python, without the gate's token, inputs and runner files.

    Args:
        local: where the plugin says which key stands for which example; None leaves it out.
        commit: what the report says that it is of, see `gate.baselines.measured`.
        plan: text of the plan of its trials, which stands beside the report while the suite runs; empty for none.
        trials: where the plugin leaves its trials for later runs; what stood there is removed first.
        guard: what `guard_for` gave, where the caller has asked already.
        reseed: what the suite reads as `robustness.reseed`.
        witnesses: what sweeps try first, as a file that stands beside the report while the suite runs.
        spent: as `recording_options` takes it.
        again: whether it goes on from a run before, see `going_on`.
        shard: which part of the suite runs, such as `3/8`; empty for all.
        rejudge: folder of answers that judges judge again, see `rejudging`; None where the suite simply runs.
    """
    records = again and settings.mode == "record"
    settings = going_on(settings) if records else as_meant(settings, environ)
    settings = settings if rejudge is None else rejudging(settings)
    guard = guard or guard_for(settings)
    world = World(
        python,
        root / settings.working_directory,
        suite_environment(environ, {RESEED: str(reseed)} if reseed else {}),
        guard=guard,
    )
    arguments = split_arguments(settings)
    report = root / report
    try:
        if trials is not None:
            trials.unlink(missing_ok=True)  # it must never be taken for this run's
        arguments = to_the_end(arguments) if plan else arguments
        balance = shard_durations(settings, root, shard)
        with (
            _written(plan, report, ".plan") as path,
            _written(witnesses, report, ".witnesses") as tried,
            _written(balance, report, DURATIONS) as durations,
        ):
            options = plugin_options(settings, local, commit, plan=path, trials=trials, witnesses=tried)
            options += recording_options(settings, root, report.parent, environ, spent=spent, records=records)
            options += rejudge_options(rejudge)
            options += [f"--gate-shard={shard}", f"--gate-durations={durations}"] if durations else []
            return run_suite(
                arguments, world=world, report=report, timeout=settings.timeout, options=options, echo=echo
            )
    except OSError as error:
        return RunResult(None, None, f"{error.filename or report} can't be prepared: {error.strerror or error}")


@contextlib.contextmanager
def _written(content: str | bytes, report: Path, ending: str) -> Iterator[Path | None]:
    """What the plugin reads, as a file beside the report; None without any."""
    if not content:
        yield None
        return
    path = report.with_name(report.name + ending)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
    try:
        yield path
    finally:
        with contextlib.suppress(OSError):
            path.unlink()


def fixed_plan(settings: Settings, session: str) -> str:
    """The plan of a sample for the baseline: so many trials of each stochastic test as the settings say.

    Args:
        session: name of the run, with which its trials are kept.
    """
    return plan_to_text(Plan(session=session, fixed=settings.baseline_trials))


END_OF_OPTIONS = "--"


def to_the_end(arguments: Sequence[str]) -> list[str]:
    """Arguments for pytest with which the first failure does not end the trials of the others."""
    at = arguments.index(END_OF_OPTIONS) if END_OF_OPTIONS in arguments else len(arguments)
    return [*arguments[:at], "--maxfail=0", *arguments[at:]]


def split_arguments(settings: Settings) -> list[str]:
    """The user's own arguments for pytest.

    Raises:
        UsageError: a quotation mark has no partner.
    """
    try:
        return shlex.split(settings.arguments)
    except ValueError as error:
        raise UsageError(
            f"can't be split: {str(error).lower()}", where="arguments", remedy="quote it as for a shell"
        ) from None


def guard_for(settings: Settings, user: User | None = None) -> Guard:
    """What keeps a replay from the network; the strongest that this machine allows.

    Args:
        user: whose rights the suite has; None for this process's.
    """
    if settings.mode != "replay":
        return UNGUARDED
    return strongest(loopback=settings.loopback, user=user)


def as_meant(settings: Settings, environ: Mapping[str, str]) -> Settings:
    """The settings with `auto` as what it means here: `replay` without a key, guarded and told as every replay is."""
    if settings.mode != "auto" or has_key(environ):
        return settings
    return settings.model_copy(update={"mode": "replay"})


def going_on(settings: Settings) -> Settings:
    """The settings of a run that goes on from one before: what that one recorded is given, and the rest recorded."""
    return settings.model_copy(update={"mode": "auto"}) if settings.mode == "record" else settings


def rejudging(settings: Settings) -> Settings:
    """The settings of a run in which stored answers are given, and judges ask what is not stored where that is allowed:
    mutants, and trials of anything else, have no part in it."""
    mode = "replay" if settings.mode == "replay" else "auto"
    return settings.model_copy(update={"mode": mode, "mutate": False})


def rejudge_options(answers: Path | None) -> list[str]:
    """What the plugin is told of answers that are judged again; nothing without any."""
    return [] if answers is None else [f"--gate-rejudge={answers.absolute()}"]


def recording_options(
    settings: Settings,
    root: Path,
    folder: Path,
    environ: Mapping[str, str] | None = None,
    *,
    spent: bytes = b"",
    records: bool = False,
) -> list[str]:
    """What the plugin is told of calls; nothing in the mode `live` unless something limits them.

    Args:
        root: folder of the settings, in which their paths start.
        folder: that of the report, for what a replay lacked and for what the processes of the run share.
        environ: of the gate; that a key of its own stands there is told, and the key is not. None for nothing.
        spent: the book that earlier runs left which share the limits of a run with this one.
        records: whether the mode `auto` records what is missing whatever key is present, since the run before did.
    """
    from gate.record.recordings.sending import OTHER_KEY

    book = folder / BOOK
    book.unlink(missing_ok=True)  # what any other run spent is no matter of this one's
    calls = Options(
        volatile=settings.volatile,
        replay_failures=settings.replay_failures,
        run=limits_of(settings, "run"),
        month=limits_of(settings, "month"),
        prices=_price_file(settings.prices, root, folder),
        key=settings.mode == "auto" and (records or bool((environ or {}).get(OTHER_KEY, "").strip())),
    )
    if settings.mode == "live" and not calls.limited:
        return []
    if calls.limited and settings.mode != "replay":
        calls = replace(calls, book=str(book.absolute()))
        if spent:
            book.parent.mkdir(parents=True, exist_ok=True)
            book.write_bytes(spent)
            book.chmod(0o666)  # the suite's user goes on in it
    options = [
        f"--gate-recordings={recordings_folder(settings, root)}",
        f"--gate-loopback={settings.loopback}",
        f"--gate-missing={(folder / MISSING).absolute()}",
    ]
    if settings.overlay:
        options.append(f"--gate-overlay={(root / settings.overlay).absolute()}")
    if settings.stale_days:
        options.append(f"--gate-stale-days={settings.stale_days}")
    text = calls.to_text()
    return [*options, f"--gate-calls={text}"] if text else options


def _price_file(named: str, root: Path, folder: Path) -> str:
    """The file with the user's own prices; a table that was read at the base is written beside the report."""
    if not named.startswith("{"):
        return str((root / named).absolute()) if named else ""
    path = folder / PRICES
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, named.encode("utf-8"))
    path.chmod(0o644)  # the suite's user reads it
    return str(path.absolute())


def recordings_folder(settings: Settings, root: Path) -> Path:
    """Where the recordings of a suite are, whatever pytest takes for its root."""
    return (root / settings.working_directory / settings.recordings).absolute()


def limits_of(settings: Settings, span: Literal["run", "month"]) -> Limits:
    """The limits of live calls of a run or a month; 0 in the settings is none."""
    calls, tokens, money = (getattr(settings, f"{span}_{unit}") for unit in ("calls", "tokens", "money"))
    return Limits(calls or None, tokens or None, money or None)


def plugin_options(
    settings: Settings,
    local: Path | None = None,
    commit: str = "",
    *,
    plan: Path | None = None,
    trials: Path | None = None,
    witnesses: Path | None = None,
) -> list[str]:
    """What the plugin is told of the settings.

    Args:
        local, commit, trials: as `run_locally` takes them.
        plan: file with the plan of its trials.
        witnesses: file with what sweeps try first.
    """
    options = [
        f"--gate-suite={settings.suite}",
        f"--gate-mode={settings.mode}",
        f"--gate-trial-timeout={settings.trial_timeout:g}",
    ]
    if settings.plain_ids:
        options.append("--gate-plain-ids")
    options += mutation_options(settings)
    if local is not None:
        options.append(f"--gate-local={local.absolute()}")
    if commit:
        options.append(f"--gate-commit={commit}")
    if plan is not None:
        options.append(f"--gate-plan={plan.absolute()}")
    if trials is not None:
        options.append(f"--gate-trials={trials.absolute()}")
    if witnesses is not None:
        options.append(f"--gate-witnesses={witnesses.absolute()}")
    return options


def shard_durations(settings: Settings, root: Path, shard: str) -> str:
    """What balances the shards: a file of durations of every test that main knows; empty where the suite runs whole.

    Args:
        root: folder of the settings, in which their paths start.
        shard: as `run_locally` takes it.

    Raises:
        BaselineError: the file of durations is damaged.
    """
    if not shard:
        return ""
    path = root / baseline_path(settings)
    texts = [_text(path.with_suffix(DURATIONS)), _text(path)]
    seconds = durations_from_text(texts[0], path.with_suffix(DURATIONS).name) if texts[0] else {}
    return durations_to_text(with_known(seconds, texts[1]), settings.suite)


def _text(path: Path) -> str:
    """Content of a plain file of the checkout; empty where there is none that can be read."""
    try:
        return path.read_text(encoding="utf-8") if path.is_file() and not path.is_symlink() else ""
    except (OSError, UnicodeDecodeError):
        return ""


def mutation_options(settings: Settings) -> list[str]:
    """What the plugin is told of mutants; nothing unless they are to be tried."""
    if not settings.mutate:
        return []
    thresholds = {"fail-under": settings.mutate_fail_under, "min-coverage": settings.mutate_min_coverage}
    return ["--gate-mutate", *(f"--gate-mutate-{name}={value:g}" for name, value in thresholds.items() if value)]
