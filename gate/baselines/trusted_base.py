"""Everything of the base that decides about a pull request, as one value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from gate.baselines.anchor import NO_ANCHOR, Anchor
from gate.baselines.base import Base
from gate.baselines.paths import changed_groups
from gate.schema.acceptance import Waiver
from gate.schema.changes import Changes
from gate.settings import Layer


@dataclass(frozen=True, slots=True)
class TrustedBase:
    """Everything of the base, and how the head differs from it.

    Attributes:
        layers: the settings file that counts, at most one: of a proposal the base's, else the checkout's; give these
            to `settings_layers` with the environment's, the inputs' and the command line's.
        proposed_layer: the head's own settings file where it sets nothing.
        settings_from: where the deciding settings stand (`base 3f9c1e2:gate.toml`, `defaults`).
        baseline: content, or None when neither base nor head has one.
        baseline_name: path with its origin, for errors.
        baseline_from: `base 3f9c1e2`, `this pull request`, `the checkout`, or empty.
        baseline_commit: commit that last changed it; empty when unknown.
        baseline_time: when that was, in Unix seconds; None when unknown (a shallow clone).
        baseline_age: the same in words (`2 days old`); empty when unknown.
        other_suites: suites that the base has baselines of, when it has none of this one.
        named: whether the setting `baseline` names its path.
        witnesses: content of the file beside the baseline, from where that was read; empty without one.
        near: baselines that are there, when that path is not.
        notices: sentences that a reviewer must see.
        recorded: folders of recordings and of an overlay, as the settings name them.
        waivers: findings that main permits; on a proposal those of the base.
        anchor: the baseline as it stood at the anchor; nothing on the way to a first baseline.
        today: day on which they are looked at, `YYYY-MM-DD`; empty keeps every one.
        prices: text of the table that `prices` names, as the base has it; None where the checkout's counts.
    """

    base: Base | None
    layers: tuple[Layer, ...] = ()
    proposed_layer: Layer | None = None
    settings_from: str = "defaults"
    baseline: bytes | None = None
    baseline_path: str = ""
    baseline_name: str = ""
    baseline_from: str = ""
    baseline_commit: str = ""
    baseline_time: int | None = None
    baseline_age: str = ""
    other_suites: tuple[str, ...] = ()
    named: bool = False
    witnesses: bytes = b""
    near: tuple[str, ...] = ()
    changes: Changes = field(default_factory=Changes)
    notices: tuple[str, ...] = ()
    recorded: tuple[str, ...] = ()
    prices: str | None = None
    waivers: tuple[Waiver, ...] = ()
    today: str = ""
    anchor: Anchor = NO_ANCHOR

    @property
    def proposed(self) -> bool:
        """Whether only the base may decide."""
        return self.base is not None and self.base.proposed

    @property
    def changed_groups(self) -> Mapping[str, tuple[str, ...]]:
        """Changed paths that can change what is measured, by heading."""
        return changed_groups(self.changes.paths, self.recorded)


def settings_layers(trusted: TrustedBase, others: Sequence[Layer] = ()) -> list[Layer]:
    """All layers for `resolve`: on a proposal nothing but the base's may decide, in a shell all may."""
    if not trusted.proposed:
        return [*trusted.layers, *others]
    return [*trusted.layers, *(replace(layer, trusted=False) for layer in others)]
