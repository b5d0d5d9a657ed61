"""What a run leaves beside the report: JSON, a page, properties for JUnit, and trials for later runs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from gate import __version__
from gate.record.plugin.mutation.alone import refusal
from gate.record.plugin.mutation.results import Results, TargetResult

if TYPE_CHECKING:
    from gate.record.plugin.mutation.session import MutationSession

Json = dict[str, Any]
_TOLD = ("mutant", "operator", "rule", "rule_text", "before", "after", "text", "description", "status", "killer")


def write(config: pytest.Config, session: MutationSession) -> None:
    """The files that the options name.

    Raises:
        pytest.UsageError: one can't be written.
    """
    for option, content in (("--gate-mutate-json", _json), ("--gate-mutate-html", _html)):
        name = config.getoption(option, None)
        if name is None:
            continue
        path = Path(config.invocation_params.dir, name)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content(session), encoding="utf-8")
        except OSError as error:
            raise pytest.UsageError(f"{option} can't be written: {path}: {error.strerror or error}") from None


def _json(session: MutationSession) -> str:
    if session.previews:
        return json.dumps(session.preview(), ensure_ascii=True, allow_nan=False, indent=1) + "\n"
    data = as_json(session.results, fail_under=session.fail_under, min_coverage=session.min_coverage)
    return json.dumps(data, ensure_ascii=True, allow_nan=False, indent=1) + "\n"


def as_json(results: Results, *, fail_under: float | None, min_coverage: float | None) -> Json:
    """Everything that was found, in the order of the run. Rates and shares are fractions."""
    return {
        "gate_mutants": 1,
        "tool": f"robustness-gate {__version__}",
        "score": results.score,
        "least_score": results.least_score,
        "coverage": results.coverage,
        "thresholds": {"score": fail_under, "coverage": min_coverage},
        "calls": results.calls,
        "not_whole": list(results.reasons),
        "targets": [_target(target) for target in results.targets],
        "tests": [
            {
                "test": own["test"],
                "trials": own["n0"],
                "passed": own["s0"],
                "p0": own.get("p0"),
                "from": own["source"],
                "calls": own.get("calls", 0),
                "errors": own.get("errors", 0),
                "refused": refusal(own),
            }
            for own in results.owns
        ],
        "vacuous": list(results.vacuous),
        "matrix": [_pair(pair) for pair in results.pairs],
    }


def _target(target: TargetResult) -> Json:
    interval = target.interval()
    return {
        "target": target.spec,
        "prompt_digest": target.described["digest"],
        "parameters": target.described["parameters"],
        "score": target.score,
        "interval": None if interval is None else list(interval),
        "coverage": target.coverage,
        "counts": target.counts,
        "available": target.described["available"],
        "notes": target.described["notes"],
        "rules": [{"rule": each.rule, "text": each.text, "state": each.state} for each in target.rules],
        "against_main": _against_main(target),
        "canaries": [
            {"test": each["test"], "state": each["state"], "reason": each["reason"], "calls": each.get("calls", 0)}
            for each in target.canaries
        ],
        "mutants": [
            {
                **{name: mutant[name] for name in _TOLD},
                "tests": mutant["tests"],
                "reason": mutant["reason"],
                "calls": mutant["calls"],
                "carried": mutant["carried"],
                "main": mutant.get("main", ""),
            }
            for mutant in target.mutants
        ],
    }


def _against_main(target: TargetResult) -> Json | None:
    """Ids of rules, and how many mutants count as on main; null without a baseline."""
    found = target.against_main
    if found is None:
        return None
    return {
        "newly_unguarded": [each.rule for each in found.newly],
        "new_unguarded": [each.rule for each in found.new],
        "unguarded_already": [each.rule for each in found.already],
        "undecided": found.undecided,
    }


def _pair(pair: Mapping[str, Any]) -> Json:
    return {
        "mutant": pair["mutant"],
        "test": pair["test"],
        "status": pair["status"],
        "reason": pair["reason"],
        "outcomes": pair["outcomes"],
        "means": "1 = the test noticed the mutant" if pair["asked"] else "1 = the test passed",
        "errors": pair["errors"],
        "timed_out": pair["timed_out"],
        "carried": pair["carried"],
        "excerpt": pair["excerpt"],
        "reading": pair["reading"],
        "calls": pair.get("calls", 0),
        "same_answers": pair["same"],
    }


def _html(session: MutationSession) -> str:
    from gate.record.plugin.mutation.cases import cases_of
    from gate.render.mutation_page import ShownPrompt, mutation_page

    results = session.results
    cases = cases_of(results, session=session.name, fail_under=session.fail_under, min_coverage=session.min_coverage)
    prompts = [
        ShownPrompt(
            target.spec,
            target.described["prompt"],
            tuple((each["rule"], each["start"], each["end"]) for each in target.described["rules"]),
            {
                each["case"]: each["whole_text"]
                for each in target.mutants
                if each["status"] == "survived" and each["whole_text"]
            },
        )
        for target in results.targets
    ]
    return mutation_page(cases, prompts, about=about(results))


def about(results: Results) -> dict[str, str]:
    """Parameters, hash of the prompts, seed and version, by name."""
    told = {"tool": f"robustness-gate {__version__}", "calls": f"{results.calls:,}"}
    for target in results.targets:
        told[f"{target.spec}: prompt"] = str(target.described["digest"])
        for number, parameters in enumerate(target.described["parameters"]):
            name = f"{target.spec}: marker" + (f" {number + 1}" if number else "")
            told[name] = ", ".join(f"{key} = {value}" for key, value in parameters.items())
    return told


def junit(config: pytest.Config, results: Results) -> None:
    """Properties of the suite in the file of `--junitxml`, where there is one."""
    try:
        from _pytest.junitxml import xml_key
    except ImportError:
        return
    xml = config.stash.get(xml_key, None)
    if xml is None:
        return
    for target in results.targets:
        score = "not scored" if target.score is None else f"{target.score:.4f}"
        xml.add_global_property(f"mutation score {target.spec}", score)
        coverage = "no rule" if target.coverage is None else f"{target.coverage:.4f}"
        xml.add_global_property(f"rule coverage {target.spec}", coverage)
        for mutant in target.mutants:
            by = f" by {mutant['killer']}" if mutant["killer"] else ""
            xml.add_global_property(mutant["case"], f"{mutant['status']}{by}")


def tell_trials(config: pytest.Config, results: Results, session: str) -> None:
    """Trials of the same content, for a later attempt: they are not made again."""
    history = config.pluginmanager.get_plugin("gate-history")
    if history is None:
        return
    from gate.record.plugin.mutation.pairing import pair_scope
    from gate.trials.carry import Carried, Entry, Inputs, entry_line, inputs_line, inputs_name

    name = inputs_name(Inputs())
    for pair in results.pairs:
        if pair["outcomes"] and not pair["sample"]:
            case = pair_scope(pair["mutant"], pair["test"], asked=pair["asked"])
            kept = Carried(pair["content"], pair["outcomes"], pair["answer"], Inputs(), pair["excerpt"])
            line = entry_line(Entry(case, kept, session, pair["errors"]), name)
            history.take([name, inputs_line(name, Inputs()), line])
