"""Which suspects fresh trials of both arms can confirm, and why the others go on at their own share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from gate.compare.align import Pair
from gate.compare.decisions import ArmsPlan
from gate.record.arms import Arm, BothArms, Turn, Void, both_arms, run_arms
from gate.record.memory import Earlier, Key
from gate.render.words import plural, verb
from gate.schema.fresh import Fresh, Suspect
from gate.stats.fisher import fisher_one_sided
from gate.trials.plan import Ask

_BROKEN = 0.01
"""Level at which a base that passes no trial at all is no longer the main that was measured."""


def confirmed_suspects(
    suspects: Sequence[Suspect],
    run: Callable[[Arm, Sequence[str], int], Turn],
    plan: ArmsPlan,
    asks: Mapping[str, Ask],
    keys: Mapping[str, Key],
    earlier: Earlier,
) -> BothArms:
    """Make fresh trials of those suspects of which an earlier run has not found that none can be made.

    Args:
        run: makes trials of one arm.
        asks, keys: by the head's id.
        earlier: what earlier runs of this pull request left.
    """
    known = {name: earlier.void[key] for name, key in keys.items() if key in earlier.void}
    voids = {name: Void(f"{why} (so it was in an earlier run of the same content)") for name, why in known.items()}
    before = {name: earlier.confirmed[key] for name, key in keys.items() if key in earlier.confirmed}
    able = [each for each in suspects if each.head not in voids]
    done = run_arms(able, run, plan.is_open, fresh=plan.fresh, ratio=plan.ratio, turn=plan.turn, earlier=before)
    voids |= done.voids
    voids |= {each.head: why for each in able if (why := _broken_base(each, asks[each.head], done)) is not None}
    return both_arms({name: each for name, each in done.trials.items() if name not in voids}, voids, done.calls)


def of_others(pairs: Sequence[Pair], fingerprints: Mapping[str, str]) -> frozenset[str]:
    """Cases of another producer's report, of which this suite can make no trials: fixed samples without fingerprint."""
    return frozenset(
        pair.after.id
        for pair in pairs
        if pair.after.id not in fingerprints
        and pair.after.trials is not None
        and all(session.fixed for session in pair.after.trials.sessions)
    )


def sentences(suspects: int, both: BothArms) -> tuple[str, ...]:
    """What a reviewer is told: how many were checked, how many could not be and why, and what it took."""
    cost = f"; that took {both.calls:,} fresh trials" if both.calls else ""
    void = len(both.voids)
    checked, told = suspects - void, []
    if checked:
        were = f"{verb(checked, 'was', 'were')} checked against main in the same session"
        told.append(f"{plural(checked, 'suspect')} of the first look {were}{cost}")
    if void:
        told.append(f"{plural(void, 'suspect')} could not be confirmed: {both.void}{'' if checked else cost}")
    return tuple(told)


def _broken_base(suspect: Suspect, ask: Ask, fresh: Fresh) -> Void | None:
    """Why the base's trials say nothing of main: none passes, which main's baseline does not explain.

    Files that git does not track, or a service that is away, fail both arms alike: that must not look like no drop.
    Where the head passes some trials of the same session, no service was away: then it follows from the content.
    """
    base, head = fresh.trials.get(suspect.head, ("", ""))
    if not base or "1" in base or fisher_one_sided(ask.s0, ask.n0, 0, len(base)) > _BROKEN:
        return None
    return Void(
        f"none of main's own {len(base):,} fresh trials of {suspect.base} passes, against {ask.s0:,} of "
        f"{ask.n0:,} in its baseline: its files may lack what git does not track, or a service is away",
        lasting="1" in head,
    )
