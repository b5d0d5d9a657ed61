"""What the results depend on, before and after; and whether it is the pull request that can have changed them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import blake2b

from gate.compare.comparison import Comparison
from gate.schema.report import Predictions
from gate.schema.verdict import Finding, Provenance

OUTSIDE = frozenset({"agent-models"})
"""Fingerprints that no pull request sets: what answered, as it calls itself."""
_INERT = frozenset({"readme", "changelog", "license", "contributing"})
_UNKNOWN = "–"


def what_changed(comparison: Comparison) -> dict[str, tuple[str, str]]:
    """Fingerprints that differ, by name as (main, here): those of the reports, and of each set of examples."""
    before, after = comparison.baseline.fingerprints, comparison.candidate.fingerprints
    found = {
        name: (before.get(name, _UNKNOWN), after.get(name, _UNKNOWN))
        for name in {*before, *after}
        if before.get(name) != after.get(name)
    }
    if not comparison.other_key:  # else every id differs, which the key's own fingerprint says
        for _, flips in comparison.flips:
            if not _same_data(flips.before, flips.after):
                found[f"data {flips.before.name}"] = data_digest(flips.before), data_digest(flips.after)
    return dict(sorted(found.items()))


def data_digest(predictions: Predictions) -> str:
    """Digest of a data set: the ids of its examples with their truth by name, whatever their order is."""
    truth = _truth(predictions)
    lines = sorted(
        f"{name}\0{truth.get(mark, mark)}" for name, mark in zip(predictions.ids, predictions.expected, strict=True)
    )
    return blake2b("\n".join(lines).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _truth(predictions: Predictions) -> dict[str, str]:
    from gate.schema.symbols import symbol

    return {symbol(place): label for place, label in enumerate(predictions.labels)}


def _same_data(before: Predictions, after: Predictions) -> bool:
    same = (before.ids, before.expected, before.labels) == (after.ids, after.expected, after.labels)
    return same or data_digest(before) == data_digest(after)


def upstream(
    findings: Iterable[Finding],
    fingerprints: Mapping[str, tuple[str, str]],
    provenance: Provenance,
    paths: Iterable[str] = (),
) -> tuple[str, ...]:
    """A sentence where something fails that the pull request can't have caused; none where it may have.

    Git must know what it changes: without a base, or on main itself, nothing is said. A text outside of `docs/` may be
    a prompt, so only what is certainly read by nobody but people counts as no change.

    Args:
        paths: all that the pull request changes.
    """
    known = provenance.base and provenance.head and provenance.base != provenance.head
    ours = (
        any(provenance.changed.values())
        or not all(map(_inert, paths))
        or any(name not in OUTSIDE for name in fingerprints)
    )
    if not known or ours or not any(finding.fails for finding in findings):
        return ()
    named = [f"{name} {before} → {after}" for name, (before, after) in sorted(fingerprints.items())]
    said = f" ({'; '.join(named)})" if named else ""
    return (
        f"upstream: nothing that this pull request changes is measured, so what got worse comes from outside{said}: "
        "the model that answers, a service, packages, the machine, or what main took in since its baseline",
    )


def _inert(path: str) -> bool:
    top, _, below = path.partition("/")
    return top == "docs" if below else top.partition(".")[0].lower() in _INERT
