"""`gate record`: what a replay lacked, asked by somebody who has the key, without any code of the pull request."""

from __future__ import annotations

import datetime as dt
import os
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gate.cli.console import Console
from gate.cli.files import OUTPUT, local_settings, require_own_settings
from gate.errors import EXIT_HOLDS, EXIT_UNDECIDED, UsageError

if TYPE_CHECKING:
    from gate.record.recordings.costs import Meter
    from gate.record.recordings.missing import MissingEntry
    from gate.record.recordings.record_missing import Allowed, Recorded, Unsent
    from gate.record.recordings.store import Store
    from gate.settings import Settings

OVERLAY = OUTPUT / "overlay"
MISSING = OUTPUT / "missing.jsonl"
_SHOWN = 20
_LONGEST = 160


@click.command(epilog="Example: gate record --requests missing.jsonl")
@click.option(
    "--requests",
    type=click.Path(path_type=Path),
    default=MISSING,
    show_default=True,
    help="What a replay lacked, as it left it.",
)
@click.option(
    "--overlay",
    type=click.Path(path_type=Path),
    default=None,
    help="Folder for the answers; by default that of the settings, else .gate/overlay.",
)
@click.pass_obj
def record(console: Console, requests: Path, overlay: Path | None) -> int:
    """Send the requests that a replay lacked, and keep their answers in an overlay, which replays look up first.

    Only hosts of `record-hosts` and models of `record-models` are asked, within the limits of a run and of a month,
    at most `record-rounds` times an overlay, for at most `timeout` seconds and `trial-timeout` seconds an answer. Run
    it on the main branch, where the key is: the file may come from anybody, and nothing in it is run or believed. What
    is stored already is not asked again.

    Exit codes: 0 every request has its answer; 2 wrong usage, no key, or no limits; 3 some are still missing.
    """
    from gate.cli.recordings import read_named
    from gate.record.locally import recordings_folder
    from gate.record.recordings.missing import read_missing
    from gate.record.recordings.record_missing import hosts_to_ask, record_missing
    from gate.record.recordings.sending import send
    from gate.record.recordings.store import Store
    from gate.record.recordings.volatile import read_volatile

    require_own_settings(Path.cwd(), "gate record")
    settings = local_settings(Path.cwd())
    missing = read_missing(read_named(requests), str(requests))
    volatile = read_volatile(settings.volatile)
    allowed = _allowed(settings)
    store, layer = Store(recordings_folder(settings, Path.cwd())), Store(overlay or Path(settings.overlay or OVERLAY))
    hosts = hosts_to_ask(missing, allowed, (layer, store), volatile)
    _require_keys(hosts)
    meter = _meter(settings, store, layer)
    if hosts:
        console.say(f"asking {', '.join(hosts)}")
    left = _clock(settings.timeout)
    done = record_missing(
        missing,
        lambda request: send(
            request, os.environ, timeout=settings.trial_timeout, total=max(min(settings.trial_timeout, left()), 0)
        ),
        allowed,
        meter,
        layer,
        store=store,
        volatile=volatile,
        today=_today(),
        left=left,
    )
    console.result("\n".join(_told(done, meter, layer, settings.record_rounds)))
    if done.unsent:
        _tell_unsent(console, done.unsent)
        return EXIT_UNDECIDED
    return EXIT_HOLDS


def _clock(seconds: float) -> Callable[[], float]:
    """What is left of some seconds from now."""
    end = time.monotonic() + seconds
    return lambda: end - time.monotonic()


def _allowed(settings: Settings) -> Allowed:
    """Where requests may go.

    Raises:
        UsageError: the settings allow no host or no model, or set no limit.
    """
    from gate.record.recordings.record_missing import Allowed

    for key, example in (("record-hosts", "api.openai.com"), ("record-models", "gpt-4o-mini*")):
        if not getattr(settings, key.replace("-", "_")):
            raise UsageError(
                f"`{key}` is empty, so nothing may be asked", where="settings", remedy=f'set {key} = ["{example}"]'
            )
    limits = (settings.run_tokens, settings.run_money, settings.month_tokens, settings.month_money)
    if not any(limits):
        raise UsageError(
            "there is no limit to what requests of others may spend",
            where="settings",
            remedy="set run-money or run-tokens, such as run-money = 1.0",
        )
    hosts = frozenset(host.lower() for host in settings.record_hosts)
    return Allowed(hosts, settings.record_models, rounds=settings.record_rounds)


def _require_keys(hosts: Iterable[str]) -> None:
    """Find out before the first call whether every host can be asked.

    Raises:
        UsageError: a host has no key, or an empty one, or wants requests that are signed.
    """
    from gate.record.recordings.sending import LOCAL, key_header, upstream_of

    for host in hosts:
        if host.partition(":")[0] not in LOCAL and key_header(host, os.environ) is None:
            names = upstream_of(host, os.environ).keys
            found = f"there is no key for {host}"
            remedy = f"set {' or '.join(names)} to a key that is not empty, in this job alone"
            if host.endswith(".amazonaws.com"):
                found += ", and `gate record` can't sign requests as Amazon's clients do (SigV4)"
                remedy += "; or record the test yourself, with `gate run --mode auto` and your credentials"
            raise UsageError(found, where="environment", remedy=remedy)


def _meter(settings: Settings, store: Store, overlay: Store) -> Meter:
    """What counts and limits the calls. The ledger of an overlay joins that of the recordings when it is merged."""
    from gate.record.locally import limits_of
    from gate.record.recordings.costs import Meter
    from gate.record.recordings.forecast import History
    from gate.record.recordings.ledger import Ledger
    from gate.record.recordings.limits import Budget
    from gate.record.recordings.prices import prices_of
    from gate.record.recordings.summary import spent

    before, mine = Ledger(store.folder), Ledger(overlay.folder)
    budget = Budget(
        limits_of(settings, "run"),
        limits_of(settings, "month"),
        lambda: before.spent(_today()) + mine.spent(_today()),
    )
    return Meter(
        prices_of(Path(settings.prices) if settings.prices else None),
        today=_today,
        budget=budget,
        history=History(spent(store), of_others=True),
        ledger=mine,
        run=os.environ.get("GITHUB_RUN_ID", ""),
    )


def _told(done: Recorded, meter: Meter, overlay: Store, most: int) -> list[str]:
    """What came of it: answers, calls, tokens and money, and what is still missing."""
    from gate.record.recordings.budget import in_words
    from gate.record.recordings.record_missing import rounds
    from gate.render.words import plural

    lines = []
    if done.entries:
        lines.append(f"recorded {plural(len(done.entries), 'answer')} in {overlay.folder.as_posix()}")
    if done.known:
        lines.append(f"{plural(done.known, 'call')} had an answer already")
    live = meter.total.live
    if live.calls:
        lines.append(f"spent: {in_words(live)}, in round {rounds(overlay)} of {most}")
    else:
        lines.append("spent: nothing")
    if done.unsent:
        lines.append(f"still missing: answers to {plural(len(done.unsent), 'request')}")
    return lines


def _tell_unsent(console: Console, unsent: tuple[Unsent, ...]) -> None:
    for each in unsent[:_SHOWN]:
        console.error(each.reason, where=f"{_case(each.entry)}: {_place(each.entry)}", remedy=_remedy(each.reason))
    if len(unsent) > _SHOWN:
        console.error(f"{len(unsent) - _SHOWN:,} more requests are still missing")


def _case(entry: MissingEntry) -> str:
    return entry.asked[0].case[:_LONGEST] or "no test"


def _place(entry: MissingEntry) -> str:
    from gate.record.recordings import redact

    return redact.url(entry.request.url)[:_LONGEST]


def _remedy(reason: str) -> str:
    """What to do next about a reason of `record_missing`."""
    if "host is not allowed" in reason:
        return "add it to `record-hosts` on the main branch, if you trust it with the key"
    if "the model" in reason and "is not allowed" in reason:
        return "add it to `record-models` on the main branch, if its price is right"
    if "beyond the limit" in reason or "isn't known" in reason:
        return "what was recorded stays; raise the limit, or wait for the next month"
    if any(words in reason for words in ("the provider", "answers at once", "another price")):
        return "a stranger's request may not; record this test yourself, with `gate run --mode auto` and a key"
    if "no time is left" in reason:
        return "what was recorded stays; run it again, or raise `timeout`"
    if reason.startswith("it was answered with"):
        return "run it again later; what was recorded stays"
    return "run the suite again in the mode `replay` on the pull request, which writes the file anew"


def _today() -> dt.date:
    return dt.datetime.now(dt.UTC).date()
