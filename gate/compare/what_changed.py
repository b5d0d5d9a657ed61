"""What the results depend on, before and after; and whether it is the pull request that can have changed them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import blake2b

from gate.compare.comparison import Comparison, unanswered
from gate.schema.changes import Changes
from gate.schema.dependencies import ABSENT, AGENT_VERSION, DATA, INPUTS, JUDGE, MODEL, PACKAGE, PROMPT, is_outside
from gate.schema.mutation import SUMMARY
from gate.schema.report import Kind, Predictions, Report
from gate.schema.verdict import Finding, Provenance

_INERT = frozenset({"readme", "changelog", "license", "contributing"})
_NAMED = 6
Told = Mapping[str, str]
Changed = dict[str, tuple[str, str]]


def what_changed(comparison: Comparison) -> Changed:
    """Fingerprints that differ, by name as (main, here): those of the reports, of each set of examples and prompt, of
    packages and of the machine.

    A baseline is one for all machines. So what is known of main's packages and machine is its own latest run's, where
    there is one, and else the packages of the baseline.
    """
    main, before, after = comparison.main, comparison.baseline, comparison.candidate
    found = _differing(before.fingerprints, after.fingerprints)
    for name in [name for name in found if _was_not_looked_at(name, before, after)]:
        del found[name]
    if comparison.other_key:  # every id and digest differs, which the key's own fingerprint says
        found = {name: pair for name, pair in found.items() if not name.startswith(INPUTS)}
    else:
        for _, flips in comparison.flips:
            if not _same_data(flips.before, flips.after):
                found[f"{DATA}{flips.before.name}"] = data_digest(flips.before), data_digest(flips.after)
    found |= _prompts(comparison)
    packages = main.packages if main is not None and main.packages else before.packages
    machine = main.machine if main is not None and main.machine else before.machine
    found |= {f"{PACKAGE}{name}": pair for name, pair in _differing_in_both(packages, after.packages).items()}
    found |= _differing_in_both(machine, after.machine)
    return dict(sorted(found.items()))


def _differing(before: Told, after: Told) -> Changed:
    return {
        name: (before.get(name, ABSENT), after.get(name, ABSENT))
        for name in {*before, *after}
        if before.get(name) != after.get(name)
    }


def _differing_in_both(before: Told, after: Told) -> Changed:
    """Only what both sides know: a package that one side did not load was not there to change anything."""
    return {name: (before[name], after[name]) for name in before.keys() & after.keys() if before[name] != after[name]}


def _was_not_looked_at(name: str, before: Report, after: Report) -> bool:
    """Whether it is missing on a side that could not see it: models of calls that are asked live without a limit, the
    version of an agent whose answers are given again, rows of a table that is larger than memory, a judge that was not
    come to since no recording answers its test."""
    if name.startswith(JUDGE):
        return name not in after.fingerprints and any(map(unanswered, after.cases))
    sides = [before.fingerprints, after.fingerprints]
    if name.startswith(MODEL):
        return not all(any(each.startswith(MODEL) for each in side) for side in sides)
    return (name == AGENT_VERSION or name.startswith(INPUTS)) and not all(name in side for side in sides)


def _prompts(comparison: Comparison) -> Changed:
    """Prompts that were mutated on both sides, by what the summary of each says that it is."""
    pairs = [
        (pair.before, pair.after)
        for pair in comparison.alignment.pairs
        if pair.after.kind is Kind.MUTANT and pair.after.id.startswith(SUMMARY)
    ]
    return {
        f"{PROMPT}{after.id.removeprefix(SUMMARY)}": (before.fingerprint, after.fingerprint)
        for before, after in pairs
        if before.fingerprint and after.fingerprint and before.fingerprint != after.fingerprint
    }


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
    changes: Changes,
) -> tuple[str, ...]:
    """A sentence where something fails that the pull request can't have caused; none where it may have.

    Git must know what it changes: without a base, or on main itself, nothing is said. A text outside of `docs/` may be
    a prompt, so only what is certainly read by nobody but people counts as no change.
    """
    known = changes.asked and provenance.base and provenance.head and provenance.base != provenance.head
    files = any(provenance.changed.values()) or not all(map(_inert, changes.paths))
    ours = files or not all(is_outside(name, sides) for name, sides in fingerprints.items())
    if not known or ours or not any(finding.fails for finding in findings):
        return ()
    named = [f"{name} {before} → {after}" for name, (before, after) in sorted(fingerprints.items())]
    more = [f"and {len(named) - _NAMED:,} more"] if len(named) > _NAMED else []
    said = f"; {'; '.join([*named[:_NAMED], *more])}" if named else ""
    return (
        "upstream: nothing that this pull request changes is measured, so what got worse comes from outside: the model "
        f"that answers, a service, packages, the machine, or what main took in since its baseline{said}",
    )


def _inert(path: str) -> bool:
    top, _, below = path.partition("/")
    return top == "docs" if below else top.partition(".")[0].lower() in _INERT
