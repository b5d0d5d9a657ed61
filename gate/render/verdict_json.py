"""A verdict as JSON and back: what `verdict.json` holds, and what other tools may read.

Keys of the object: `schema` (1), `exit` (`holds`, `regression`, `usage`, `undecided`, `internal`), `exit_code`,
`would_exit`, `would_exit_code`, `observe`, `welcome`, `first_baseline`, `alpha`, `findings`, `good_news`, `tally`,
`provenance`, `fingerprints_changed` (name to [main, here]), `notices`, `varying`, `measured`, where an agent was
probed `scores` (fields of `gate.schema.agent_scores.ScoreChange`), and only where nothing could be judged `problem`
(`message`, `where`, `remedy`). A finding has the fields of `gate.schema.verdict.Finding` by name; those that are empty
are left out; `judged` is `judge`, `both`, `answers` or `unknown`. Text is ASCII with escapes, keys are sorted, so the
same verdict has the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any

from gate.render.decisions_json import budget_to_json, decision_to_json, score_to_json
from gate.render.permissions_json import permission_to_json
from gate.render.verdict_reader import read_verdict
from gate.schema.codec import calls_to_json
from gate.schema.evidence import Block
from gate.schema.report import Location
from gate.schema.verdict import ExampleChange, ExitCode, Finding, Provenance, Tally, Verdict

SCHEMA = 1
Json = dict[str, Any]


def verdict_json(verdict: Verdict) -> str:
    """JSON text with sorted keys and no trailing newline.

    Raises:
        ValueError: a number in the verdict is not finite.
    """
    shown = json.dumps(verdict_to_json(verdict), indent=1, sort_keys=True, ensure_ascii=True, allow_nan=False)
    # A runner obeys `##[` anywhere in a printed line; in JSON it can only stand within a string.
    return shown.replace("##[", "##\\u005b")


def verdict_from_json(text: str) -> Verdict:
    """Inverse of `verdict_json`.

    Raises:
        UsageError: the text is not such a verdict, or of a newer version.
    """
    return read_verdict(text, SCHEMA)


def verdict_to_json(verdict: Verdict) -> Json:
    """The verdict as builtins."""
    return {
        "schema": SCHEMA,
        "exit": _exit(verdict.exit_code),
        "exit_code": int(verdict.exit_code),
        "would_exit": _exit(verdict.would_exit),
        "would_exit_code": int(verdict.would_exit),
        "observe": verdict.observe,
        "welcome": verdict.welcome,
        "first_baseline": verdict.first_baseline,
        "alpha": verdict.alpha,
        "findings": [_finding(finding) for finding in verdict.findings],
        "good_news": [_finding(finding) for finding in verdict.good_news],
        "tally": _tally(verdict.tally),
        "provenance": _provenance(verdict.provenance),
        "fingerprints_changed": {name: list(pair) for name, pair in verdict.fingerprints_changed.items()},
        "notices": list(verdict.notices),
        "calls": calls_to_json(verdict.calls),
        "budget": budget_to_json(verdict.budget),
        "decisions": [decision_to_json(each) for each in verdict.decisions],
        **({"scores": [score_to_json(each) for each in verdict.scores]} if verdict.scores else {}),
        "varying": list(verdict.varying),
        "measured": dict(verdict.measured),
        **({} if verdict.problem is None else {"problem": asdict(verdict.problem)}),
    }


def _exit(code: ExitCode) -> str:
    return code.name.lower()


def _finding(finding: Finding) -> Json:
    entry: Json = {"rule": finding.rule.value, "level": finding.level.value, "amount": finding.amount}
    for key in ("id", "case_id", "subject", "what", "before", "after", "why", "command", "total", "known_on_base"):
        value = getattr(finding, key)
        if value:
            entry[key] = value
    if finding.location is not None:
        entry["location"] = _location(finding.location)
    if finding.accepted is not None:
        entry["accepted"] = permission_to_json(finding.accepted)
    if finding.judged is not None:
        entry["judged"] = finding.judged.value
    if finding.examples:
        entry["examples"] = [_example(each) for each in finding.examples]
    if finding.evidence:
        entry["evidence"] = [_block(each) for each in finding.evidence]
    return entry


def _location(location: Location) -> Json:
    return {"path": location.path} | ({} if location.line is None else {"line": location.line})


def _example(change: ExampleChange) -> Json:
    entry: Json = {"id": change.id, "before": change.before, "after": change.after, "moved": change.moved}
    for key in ("score_before", "score_after"):
        value = getattr(change, key)
        if value is not None:
            entry[key] = value
    return entry


def _block(block: Block) -> Json:
    entry: Json = {"kind": block.kind.value, "title": block.title, "body": block.body}
    if block.header:
        entry["header"] = list(block.header)
    if block.rows:
        entry["rows"] = [list(row) for row in block.rows]
    return entry


def _tally(tally: Tally) -> Json:
    entry: Json = {each.name: getattr(tally, each.name) for each in fields(tally) if each.name != "transitions"}
    entry["transitions"] = [
        {"before": before, "after": after, "count": count}
        for (before, after), count in sorted(tally.transitions.items())
    ]
    return entry


def _provenance(origin: Provenance) -> Json:
    entry: Json = {each.name: getattr(origin, each.name) for each in fields(origin) if each.name != "changed"}
    changed: Mapping[str, tuple[str, ...]] = origin.changed
    entry["changed"] = {heading: list(paths) for heading, paths in changed.items()}
    return entry
