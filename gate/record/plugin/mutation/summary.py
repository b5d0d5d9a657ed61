"""The summary of a run's mutants on the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gate.record.plugin.mutation.alone import refusal
from gate.record.plugin.mutation.results import Results, TargetResult
from gate.schema.mutation import STATUSES

Json = dict[str, Any]
Line = tuple[str, str]
_WORDS = {
    "killed": "killed",
    "survived": "SURVIVED",
    "undecided": "undecided",
    "unread": "UNREAD",
    "vacuous": "vacuous",
    "error": "error",
    "skipped": "skipped",
    "suppressed": "suppressed",
}
_STYLES = {"killed": "green", "survived": "red", "undecided": "yellow", "unread": "yellow"}
_MOST = 200
_UNANSWERED = "no answer is stored for", "recording exhausted"
_RECORD = "`gate run --mode auto` with a key records them, or `gate record --requests .gate/missing.jsonl`"


def summary(results: Results, failures: tuple[str, ...] = (), *, verbose: bool = False) -> Iterator[Line]:
    """Lines with a style: `title`, a colour, or none. Text of the suite is escaped.

    Args:
        failures: what is below its threshold.
        verbose: also the trials.
    """
    if not results.targets:
        return
    yield "prompt mutation", "title"
    for target in results.targets:
        yield from _target(target, results, verbose=verbose)
    yield from _tests(results)
    differ = {pair["mutant"] for pair in results.pairs if not pair["same"]}
    yield from _equivalent(results, {pair["mutant"] for pair in results.pairs if pair["same"]} - differ)
    yield f"calls: {results.calls:,}, those for pass rates, empty prompts and trials that were none included", ""
    for reason in results.reasons:
        yield f"not whole: {_safe(reason, 300)}; the same run again goes on from here", "red"
    for failure in failures:
        yield failure, "red"


def _target(target: TargetResult, results: Results, *, verbose: bool) -> Iterator[Line]:
    yield _safe(target.spec, 120), "bold"
    for note in target.described["notes"]:
        yield f"  {_safe(note, 200)}", "yellow"
    for mutant in target.mutants[:_MOST]:
        by = f" by {_safe(mutant['killer'], 120)}" if mutant["killer"] and mutant["status"] == "killed" else ""
        carried = ", as on main" if mutant["carried"] else ""
        line = f"  [{mutant['mutant']}] {_WORDS[mutant['status']]}{by}{carried}: {_safe(mutant['description'], 160)}"
        yield line, _STYLES.get(mutant["status"], "")
        if why := _why(mutant, results):
            yield f"      {why}", ""
        if verbose:
            for pair in (each for each in results.pairs if each["mutant"] == mutant["case"]):
                yield f"      {_safe(pair['test'], 120)}: {pair['outcomes'] or 'no trial'}", ""
    if len(target.mutants) > _MOST:
        yield f"  and {len(target.mutants) - _MOST:,} more", ""
    counts = target.counts
    told = ", ".join(f"{counts[status]:,} {status}" for status in STATUSES if counts[status])
    yield f"  {len(target.mutants):,} of {target.described['available']:,} mutants: {told or 'none'}", ""
    if lacking := sum(map(_lacks, target.mutants)):
        yield f"  no recording answers {lacking:,} of them: {_RECORD}", "yellow"
    yield f"  {_score(target)}", "bold"
    yield f"  {_coverage(target)}", ""
    yield from _unguarded(target)


def _unguarded(target: TargetResult) -> Iterator[Line]:
    """Rules that nothing guards, in the words of the verdict where main knows them."""
    against = target.against_main
    if against is None:
        for rule in target.rules:
            if rule.state == "unguarded":
                yield f"  no test guards: {_safe(rule.text, 200)}", "red"
        return
    told = ((against.newly, "newly unguarded", "red"), (against.new, "a new rule that no test guards", "red"))
    for rules, words, style in (*told, (against.already, "unguarded on main already", "")):
        for rule in rules:
            yield f"  {words}: {_safe(rule.text, 200)}", style
    counted = f"{len(against.newly):,} newly unguarded, {len(against.already):,} unguarded on main already"
    mutants = f"{against.undecided:,} undecided mutant{'s' if against.undecided != 1 else ''}"
    yield f"  against main: {counted}, {mutants} that count{'s' if against.undecided == 1 else ''} as on main", ""


def _why(mutant: Json, results: Results) -> str:
    """Why it has its status; what lacks a recording is the same for all, and told once below."""
    if _lacks(mutant):
        return "no recording answers it"
    if mutant["status"] == "undecided" and not mutant["reason"]:
        return _asked(mutant, results)
    return _safe(mutant["reason"], 300)


def _lacks(mutant: Json) -> bool:
    """Whether its trials ended at a request that nothing stored answers."""
    return mutant["status"] == "error" and any(words in mutant["reason"] for words in _UNANSWERED)


def _asked(mutant: Json, results: Results) -> str:
    """Of a mutant that main killed, and whose few trials here show no fall: how often it was noticed."""
    found = [pair for pair in results.pairs if pair["mutant"] == mutant["case"] and pair["asked"]]
    if not found:
        return ""
    outcomes = found[-1]["outcomes"]
    trials = f"{len(outcomes):,} trial{'s' if len(outcomes) != 1 else ''}"
    told = f"noticed in {outcomes.count('1'):,} of {trials} here"
    return f"killed on main, and {told}, which are too few to show a fall: it counts as on main"


def _score(target: TargetResult) -> str:
    if target.score is None:
        return "mutation score: not scored, since no mutant has a verdict"
    interval = target.interval()
    bounds = "" if interval is None else f" ({interval[0]:.1%} to {interval[1]:.1%})"
    held = target.killed - target.count("killed")
    as_on_main = f", {held} of them undecided here and killed on main" if held else ""
    return f"mutation score: {target.score:.1%}{bounds}, {target.killed} of {target.decided} killed{as_on_main}"


def _coverage(target: TargetResult) -> str:
    rules = target.rules
    if not rules:
        return "rule coverage: no rule was found"
    measured = sum(rule.state != "not measured" for rule in rules)
    return f"rule coverage: {measured / len(rules):.1%}, {measured} of {len(rules)} rules measured"


def _tests(results: Results) -> Iterator[Line]:
    if results.owns:
        yield "without any mutant", "bold"
    for own in results.owns:
        source = {"committed": " in the baseline", "trials": "", "p0": "", "measured": ""}[own["source"]]
        told = f"p0 = {own['p0']:g}" if own["source"] == "p0" else f"{own['s0']} of {own['n0']} passed{source}"
        refused = refusal(own)
        yield (
            f"  {_safe(own['test'], 120)}: {told}{f'; not mutated: {_safe(refused, 200)}' if refused else ''}",
            ("yellow" if refused else ""),
        )
    for target in results.targets:
        for canary in target.canaries:
            if canary["state"] in ("vacuous", "unread"):
                words = f"{canary['state']}: {_safe(canary['test'], 120)} on {_safe(target.spec, 120)}"
                yield f"  {words}: {_safe(canary['reason'], 300)}", "yellow"


def _equivalent(results: Results, cases: set[str]) -> Iterator[Line]:
    """Survivors under which the answers were those without a mutant: they may change nothing."""
    found = [each for target in results.targets for each in target.mutants if each["case"] in cases]
    found = [each for each in found if each["status"] == "survived"]
    if found:
        yield "the answers under these were the same as without a mutant; where they change nothing, suppress them", ""
    for mutant in found:
        yield f'  [[suppressions]]  mutant = "{mutant["mutant"]}"  reason = "…"', ""


def _safe(text: Any, most: int) -> str:
    from gate.render.escape import terminal

    return terminal(str(text), most)
