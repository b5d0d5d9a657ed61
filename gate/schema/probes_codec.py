"""Facets of probes to and from builtins. The writer cuts texts at what the reader allows."""

from __future__ import annotations

from typing import Any, NoReturn

from gate.schema.dimensions import Dimension
from gate.schema.probes import (
    LONGEST_NAME,
    MOST_FACTS,
    MOST_NAMES,
    MOST_SAMPLES,
    Probed,
    ProbeDesign,
    Sample,
)
from gate.schema.untrusted import count, each, listed, mapping, number, refuse, string

Json = dict[str, Any]
_NAMES = "group", "variant", "answers", "manual"
_KEYS = frozenset({"dimension", "samples", *_NAMES, "cwe", "signatures", "fresh"})
_DESIGN = frozenset({"weights", "unscored", "answers"})
_WORDS = {True: "passed", False: "failed", None: "unscored"}
_PASSED = {word: passed for passed, word in _WORDS.items()}


def probes_to_json(probe: Probed | None, design: ProbeDesign | None) -> Json:
    """Both facets, where a case has them."""
    facets: Json = {} if probe is None else {"probe": probed_to_json(probe)}
    return facets | ({} if design is None else {"probes": design_to_json(design)})


def probes_from_json(source: Json, where: str) -> Json:
    """Keyword arguments for `Case` from what `probes_to_json` wrote, among others.

    Raises:
        ReportError: another shape, or beyond a bound.
    """
    facets: Json = {}
    if "probe" in source:
        facets["probe"] = probed_from_json(source["probe"], f"{where}/probe")
    if "probes" in source:
        facets["probes"] = design_from_json(source["probes"], f"{where}/probes")
    return facets


def probed_to_json(probe: Probed) -> Json:
    """What is not empty."""
    entry: Json = {"dimension": probe.dimension.value}
    if probe.samples:
        entry["samples"] = [_sample_to_json(sample) for sample in probe.samples[:MOST_SAMPLES]]
    for key in _NAMES:
        if getattr(probe, key):
            entry[key] = getattr(probe, key)[:LONGEST_NAME]
    for key in ("cwe", "signatures"):
        if getattr(probe, key):
            entry[key] = [name[:LONGEST_NAME] for name in getattr(probe, key)[:MOST_NAMES]]
    if probe.fresh:
        entry["fresh"] = probe.fresh[:MOST_SAMPLES]
    return entry


def _sample_to_json(sample: Sample) -> Json:
    entry: Json = {"graded": _WORDS[sample.passed]}
    if sample.cause:
        entry["cause"] = sample.cause[:LONGEST_NAME]
    if sample.facts:
        entry["facts"] = {name: sample.facts[name] for name in sorted(sample.facts)}
    return entry


def probed_from_json(data: object, where: str) -> Probed:
    """What `probed_to_json` wrote.

    Raises:
        ReportError: another shape, or a text beyond its bound.
    """
    entry = mapping(data, where)
    _known(entry, _KEYS, where)
    samples = listed(entry.get("samples", []), f"{where}/samples")
    _at_most(len(samples), MOST_SAMPLES, f"{where}/samples", "samples")
    fresh = _text(entry.get("fresh", ""), f"{where}/fresh", MOST_SAMPLES)
    if set(fresh) - {"0", "1"}:
        refuse(f"{where}/fresh", "a string of 0 and 1", fresh[:20])
    return Probed(
        dimension=_dimension(entry.get("dimension"), f"{where}/dimension"),
        samples=tuple(each(samples, f"{where}/samples", _sample)),
        **{key: _text(entry.get(key, ""), f"{where}/{key}") for key in _NAMES},
        cwe=_texts(entry.get("cwe", []), f"{where}/cwe"),
        signatures=_texts(entry.get("signatures", []), f"{where}/signatures"),
        fresh=fresh,
    )


def _sample(data: object, where: str) -> Sample:
    entry = mapping(data, where)
    _known(entry, frozenset({"graded", "cause", "facts"}), where)
    word = entry.get("graded")
    if not isinstance(word, str) or word not in _PASSED:
        refuse(f"{where}/graded", ", ".join(_PASSED), word)
    facts = mapping(entry.get("facts", {}), f"{where}/facts")
    _at_most(len(facts), MOST_FACTS, f"{where}/facts", "facts")
    return Sample(
        passed=_PASSED[word],
        cause=_text(entry.get("cause", ""), f"{where}/cause"),
        facts={
            _text(name, f"{where}/facts"): _number(value, f"{where}/facts/{name:.60}") for name, value in facts.items()
        },
    )


def design_to_json(design: ProbeDesign) -> Json:
    entry: Json = {"weights": dict(sorted(design.weights.items()))} if design.weights else {}
    return entry | {"unscored": design.unscored, "answers": design.answers}


def design_from_json(data: object, where: str) -> ProbeDesign:
    """What `design_to_json` wrote.

    Raises:
        ReportError: another shape, or a weight that is not above 0.
    """
    entry = mapping(data, where)
    _known(entry, _DESIGN, where)
    weights = {
        _dimension(name, f"{where}/weights").value: _number(value, f"{where}/weights/{name:.60}")
        for name, value in mapping(entry.get("weights", {}), f"{where}/weights").items()
    }
    if not all(weight > 0 for weight in weights.values()):
        refuse(f"{where}/weights", "weights above 0", weights)
    return ProbeDesign(
        weights=weights,
        unscored=count(entry.get("unscored", 0), f"{where}/unscored"),
        answers=count(entry.get("answers", 0), f"{where}/answers"),
    )


def _known(entry: Json, keys: frozenset[str], where: str) -> None:
    unknown = sorted(set(entry) - keys)
    if unknown:
        refuse(where, ", ".join(sorted(keys)), unknown[0])


def _dimension(data: object, where: str) -> Dimension:
    if not isinstance(data, str) or data not in set(Dimension):
        refuse(where, ", ".join(Dimension), data)
    return Dimension(data)


def _number(data: object, where: str) -> float:
    found = number(data, where)
    return found if found is not None else _none(where)


def _none(where: str) -> NoReturn:
    refuse(where, "a finite number", None)


def _text(data: object, where: str, longest: int = LONGEST_NAME) -> str:
    found = string(data, where)
    _at_most(len(found), longest, where, "characters")
    return found


def _texts(data: object, where: str) -> tuple[str, ...]:
    found = listed(data, where)
    _at_most(len(found), MOST_NAMES, where, "names")
    return tuple(_text(name, where) for name in found)


def _at_most(found: int, most: int, where: str, what: str) -> None:
    if found > most:
        refuse(where, f"at most {most:,} {what}", f"{found:,} {what}")
