"""Verdicts of every kind for the tests of the renderers, and for the picture in the README."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from gate.record.recordings.canonical import key
from gate.record.recordings.differences import between
from gate.record.recordings.exchange import Request
from gate.schema.acceptance import Acceptance, Waiver
from gate.schema.evidence import BOTH_SIDES, Block, BlockKind
from gate.schema.report import Calls, Location
from gate.schema.verdict import (
    ExampleChange,
    ExitCode,
    Finding,
    Level,
    Provenance,
    RuleName,
    Tally,
    Verdict,
)

ORIGIN = Provenance(
    base="3f9c1e2a7b0d4c5e6f708192a3b4c5d6e7f80912",
    head="b71d0aa94e3c2b1a09f8e7d6c5b4a39281706f5e",
    pull_request=412,
    baseline_age="2 days old",
    baseline_from="3f9c1e2a7b0d4c5e6f708192a3b4c5d6e7f80912",
    settings_from="base 3f9c1e2",
    changed={"code": ("train.py",), "data": ("data/loans.csv",), "tests": ("tests/test_schema.py",)},
    report_url="https://github.com/acme/loans/actions/runs/901",
    tool_version="0.1.0",
)


def failing(number: int, name: str, message: str, path: str = "tests/test_schema.py", **changes: object) -> Finding:
    """A deterministic test that newly fails."""
    case_id = f"{path}::{name}"
    finding = Finding(
        rule=RuleName.NEWLY_FAILING,
        level=Level.ERROR,
        case_id=case_id,
        subject=case_id,
        what="newly fails",
        before="passed",
        after="failed",
        why=f"deterministic: {message}" if message else "deterministic",
        id=f"F{number}",
        location=Location(path, 41),
        command=f"pytest '{case_id}'",
    )
    return replace(finding, **changes)  # type: ignore[arg-type]


def flips(number: int) -> Finding:
    """Seven negative flips."""
    examples = (
        ExampleChange("k7f2c09a", "repay", "default", "clean input", 0.61, 0.38),
        ExampleChange("a91c11d0", "repay", "default", "clean input", 0.58, 0.41),
        ExampleChange("0be4f7aa", "repay", "default", "clean input", 0.55, 0.47),
    )
    return Finding(
        rule=RuleName.NEGATIVE_FLIP,
        level=Level.ERROR,
        case_id="tests/test_model.py::test_predictions#loans",
        subject="loans",
        what="7 negative flips, 0 positive",
        before="–",
        after="NFR 0.70% of 1,000",
        why="same examples, deterministic predictions",
        id=f"F{number}",
        amount=7,
        total=1_000,
        location=Location("tests/test_model.py", 12),
        examples=examples,
        command="pytest tests/test_model.py::test_predictions",
    )


def attacked(number: int) -> Finding:
    """Three adversarial regressions."""
    examples = (
        ExampleChange("d20b77c1", "repay", "flipped", "income −0.04 sd", 0.55, 0.47),
        ExampleChange("91e0aa5b", "repay", "flipped", "gaussian ε=0.05", 0.53, None),
    )
    return Finding(
        rule=RuleName.ADVERSARIAL_REGRESSION,
        level=Level.ERROR,
        case_id="tests/test_model.py::test_noise#loans#gaussian ε=0.05",
        subject="loans",
        what="3 adversarial regressions, gaussian ε=0.05",
        before="robust 97.0% (941/970)",
        after="robust 96.7% (931/963)",
        why="same seeded attack on both sides",
        id=f"F{number}",
        amount=3,
        total=1_000,
        location=Location("tests/test_model.py", 30),
        examples=examples,
    )


WORST_CASE = Block(
    BlockKind.CURVE,
    "Robust accuracy in percent, worst case",
    header=BOTH_SIDES,
    rows=(("0", "74.0", "77.0"), ("0.01", "74.0", "75.0"), ("0.05", "74.0", "68.3"), ("0.1", "73.7", "64.3")),
)


def at_epsilon(number: int, epsilon: str, amount: int) -> Finding:
    """Adversarial regressions at one point of the curve of a worst case."""
    return replace(
        attacked(number),
        case_id=f"sweep.toml::credit#credit#worst case ε={epsilon}",
        subject="credit",
        what=f"{amount} adversarial regressions, worst case ε={epsilon}",
        amount=amount,
        total=300,
        location=Location("sweep.toml"),
        examples=(ExampleChange("gwt5pjkcew74i", "good", "flipped", "credit_amount +0.018 sd and 1 more", 0.83, None),),
        evidence=(WORST_CASE,),
        command="gate sweep --config sweep.toml",
    )


def metric(number: int) -> Finding:
    evidence = Block(
        BlockKind.TABLE, "Accuracy by slice", header=("slice", "main", "here"), rows=(("all", ".94", ".91"),)
    )
    return Finding(
        rule=RuleName.METRIC_REGRESSION,
        level=Level.ERROR,
        case_id="tests/test_model.py::test_accuracy#accuracy",
        subject="accuracy",
        what="is worse in tests/test_model.py::test_accuracy",
        before="0.942",
        after="0.913",
        why="fell by 3.1 %, tolerance 1 %",
        id=f"F{number}",
        evidence=(evidence, Block(BlockKind.DIFF, "Threshold", "-assert accuracy > .93\n+assert accuracy > .90")),
    )


def undecided(number: int) -> Finding:
    case_id = "tests/test_refund.py::test_escalates"
    return Finding(
        rule=RuleName.UNDECIDED,
        level=Level.WARNING,
        case_id=case_id,
        subject=case_id,
        what="is undecided: a drop of 0.30 is not excluded",
        before="5/5",
        after="3/5",
        why="level 0.22, limit 0.005",
        id=f"F{number}",
    )


def good(rule: RuleName, subject: str, what: str) -> Finding:
    return Finding(rule=rule, level=Level.NOTE, case_id=subject, subject=subject, what=what)


def worse() -> Verdict:
    """Everything that a pull request usually shows at once."""
    group = [
        failing(1 + n, f"test_iban[{code}]", "KeyError: 'iban'") for n, code in enumerate(("de", "fr", "nl", "at"))
    ]
    skipped = replace(
        failing(10, "test_gpu", "", "tests/test_gpu.py"),
        rule=RuleName.NEWLY_SKIPPED,
        level=Level.WARNING,
        what="is newly skipped",
        after="skipped",
    )
    churn = replace(
        flips(12), rule=RuleName.PREDICTION_CHURN, level=Level.NOTE, what="61 of 1,000 predictions changed", examples=()
    )
    return Verdict(
        findings=(
            *group,
            failing(5, "test_email", "AssertionError: assert 'a@b.example' == None"),
            flips(6),
            attacked(7),
            metric(8),
            undecided(9),
            skipped,
            replace(churn, id="F11", after="churn 6.10%", why="more than 5%"),
        ),
        good_news=(good(RuleName.FIXED, "tests/test_greeting.py::test_greeting[fr]", "is fixed"),),
        exit_code=ExitCode.REGRESSION,
        would_exit=ExitCode.REGRESSION,
        tally=Tally(
            cases=217, held=210, stochastic=10, trials=50, examples=1_000, negative_flips=7, attacks=2, metrics=3
        ),
        provenance=ORIGIN,
    )


def unchanged() -> Verdict:
    return Verdict(
        tally=Tally(cases=214, held=214, examples=1_000, attacks=2, metrics=3),
        provenance=replace(ORIGIN, changed={"other": ("README.md",)}),
        good_news=(good(RuleName.NEW_CASE, "tests/test_new.py::test_one", "is new"),),
    )


def swept() -> Verdict:
    """Two points of one curve, and between them a finding with evidence of its own."""
    return Verdict(
        findings=(at_epsilon(1, "0.1", 24), metric(2), at_epsilon(3, "0.05", 15)),
        exit_code=ExitCode.REGRESSION,
        would_exit=ExitCode.REGRESSION,
        tally=Tally(cases=1, held=0, examples=300),
        provenance=replace(ORIGIN, suite="credit", changed={"code": ("credit_model.py",)}),
    )


def only_undecided() -> Verdict:
    return Verdict(
        findings=(undecided(1),),
        tally=Tally(cases=214, held=213, stochastic=12, trials=131),
        provenance=ORIGIN,
    )


def incomplete() -> Verdict:
    reasons = "collection failed in tests/test_model.py\nthe run stopped after 1 failure (-x)"
    finding = Finding(
        rule=RuleName.INCOMPLETE_RUN,
        level=Level.ERROR,
        case_id="run",
        subject="run",
        what="is not whole: collection failed in tests/test_model.py; the run stopped after 1 failure (-x)",
        before="214 cases",
        after="31 compared",
        why="not measured, so not passed",
        id="F1",
        amount=183,
        evidence=(Block(BlockKind.TEXT, "Reasons", reasons),),
    )
    return Verdict(
        findings=(finding,),
        exit_code=ExitCode.UNDECIDED,
        would_exit=ExitCode.UNDECIDED,
        tally=Tally(cases=31, held=31),
        provenance=ORIGIN,
        notices=("`alpha` from the action input was ignored: on a pull request only the base decides",),
    )


PROMPT = (
    "You are a careful assistant of a bank. Answer in one sentence. Never give financial advice, "
    "and say so where a customer asks for it{end}\nThe customer says: May I pay back early?"
)


def stale() -> Verdict:
    """One changed character in the prompt of one test, on a replay: `it.` became `it!`."""
    case_id = "tests/test_tone.py::test_no_advice[early]"
    diff = between(_asked(PROMPT.format(end=".")), _asked(PROMPT.format(end="!")))
    finding = Finding(
        rule=RuleName.STALE_RECORDING,
        level=Level.ERROR,
        case_id=case_id,
        subject=case_id,
        what="needs recording: 1 request has no stored answer",
        before="recorded",
        after="not answered",
        why="1 request changed since the answer was recorded",
        id="F1",
        location=Location("tests/test_tone.py", 12),
        evidence=(Block(BlockKind.DIFF, "Request, as recorded and as asked", diff),),
        command=f"gate run --mode record -- '{case_id}'",
    )
    unused = Finding(
        rule=RuleName.UNUSED_RECORDING,
        level=Level.NOTE,
        case_id="recordings",
        subject="recordings",
        what="hold 2 answers of 1 test that nothing asked for",
        why="the whole suite ran without them",
        id="F2",
        amount=2,
        evidence=(
            Block(
                BlockKind.TABLE,
                "Recordings that nothing asked for",
                header=("test", "what is stored"),
                rows=(("tests/test_tone.py::test_gone", "2 answers that nothing asked for"),),
            ),
        ),
        command="gate recordings prune --unused .gate/candidate.json",
    )
    return Verdict(
        findings=(finding, unused),
        exit_code=ExitCode.UNDECIDED,
        would_exit=ExitCode.UNDECIDED,
        tally=Tally(cases=214, held=213),
        provenance=replace(ORIGIN, mode="replay", changed={"prompts": ("prompts/tone.md",)}),
        calls=Calls(replayed=312, saved=1.4, missing=1),
    )


def _asked(prompt: str) -> Mapping[str, Any]:
    body = {"model": "gpt-4o-mini", "messages": [{"role": "user", "content": prompt}], "temperature": 0}
    url = "https://api.openai.com/v1/chat/completions"
    headers = (("content-type", "application/json"),)
    return key(Request("POST", url, headers, json.dumps(body).encode())).shown


def welcome() -> Verdict:
    return Verdict(
        exit_code=ExitCode.UNDECIDED,
        would_exit=ExitCode.UNDECIDED,
        welcome=True,
        provenance=replace(ORIGIN, baseline_age="", baseline_from="", changed={}),
        varying=("tests/test_tone.py::test_no_advice",),
        measured={"tests": "214", "metrics": "3", "predictions": "1,000", "attacks": "1"},
    )


def accepted() -> Verdict:
    """A person permits one finding, a waiver of main another, and a third is main's own."""
    first, second, third = failing(1, "test_bic", "KeyError: 'bic'"), flips(2), attacked(3)
    address = "https://github.com/acme/loans/pull/412#issuecomment-1001"
    by_person = Acceptance(
        first.rule.value, first.case_id, first.amount, ORIGIN.head, "mona", "BIC is dropped with this change", address
    )
    by_waiver = Waiver(
        *(second.rule.value, second.case_id, second.amount, "the old model was trained on leaked rows"),
        who="ann",
        owner="risk-team",
        until="2027-03-31",
        line=3,
    )
    return Verdict(
        findings=(
            replace(first, accepted=by_person),
            replace(second, accepted=by_waiver),
            replace(third, known_on_base=True),
        ),
        tally=Tally(cases=217, held=214, examples=1_000, negative_flips=7, attacks=1),
        provenance=ORIGIN,
    )


def huge() -> Verdict:
    """Twelve thousand findings with long, distinct names and messages, and evidence that no comment can hold."""
    log = "\n".join(f"line {n} of a long log" for n in range(400))
    findings = [
        failing(
            n,
            f"test_{'long_' * 60}{n}",
            f"ValueError: number {n}",
            f"tests/part_{n}/test_it.py",
            evidence=(Block(BlockKind.TEXT, "Output", f"test {n}\n{log}"),),
        )
        for n in range(1, 3_001)
    ]
    findings += [
        failing(n, f"test_{n}", "KeyError: 'iban'", f"tests/wide/test_{n % 7}.py") for n in range(3_001, 12_001)
    ]
    findings.append(failing(12_001, "x" * 12_000, "m" * 300))
    return Verdict(
        findings=tuple(findings),
        exit_code=ExitCode.REGRESSION,
        would_exit=ExitCode.REGRESSION,
        tally=Tally(cases=100_000, held=88_000),
        provenance=ORIGIN,
    )


HOSTILE_TEXTS = (
    "a|b||c \\| d",
    "`one` ``two`` ```three",
    "<script>alert(1)</script><img src=x onerror=alert(1)>",
    "--> <!-- </details></sub></table>",
    "@octocat @acme/reviewers a@b.example",
    "#12 GH-12 acme/loans#12 b71d0aa94e3c2b1a09f8e7d6c5b4a39281706f5e fixes #3",
    "[click](https://evil.example) ![x](http://evil.example/p.png) https://evil.example www.evil.example",
    "one\n::error::owned\r\n##[error]owned\n- [ ] task\n# heading\n> [!WARNING]\n| a | b |",
    "\u202egpj.exe\u2066 zero\u200bwidth \u061c\ufeff",
    "lone \ud800 surrogate NUL \x00 bell \x07 \x85 \x9b31m \x1b[31mred\x1b[0m \x1b]8;;http://evil.example\x07link",
    ":rocket: $\\frac{1}{2}$ $`x`$ ~~struck~~ **bold** _em_ [^1] [x]: http://evil.example",
    "```mermaid\ngraph TD; A-->B\n```\n$$\nx\n$$",
    "&lt;b&gt; &#64;octocat &commat;octocat",
)


def hostile() -> Verdict:
    """Hostile text in every field that a suite, a report or a repository fills."""
    findings = []
    for number, words in enumerate(HOSTILE_TEXTS, start=1):
        block = Block(BlockKind.TABLE, words, header=(words, "b"), rows=((words,), (words, words, words)))
        curve = Block(BlockKind.CURVE, words, header=BOTH_SIDES, rows=(("0", "80", words), (words, "1", "2")))
        findings.append(
            Finding(
                rule=RuleName.NEGATIVE_FLIP if number % 2 else RuleName.NEWLY_FAILING,
                level=Level.ERROR,
                case_id=words,
                subject=words,
                what=words,
                before=words,
                after=words,
                why=f"deterministic: {words}" if number % 3 else words,
                id=f"F{number}",
                total=10 if number % 2 else 0,
                location=Location(words, number),
                examples=(ExampleChange(words, words, words, words, 0.5, 0.4),) if number % 2 else (),
                evidence=(block, Block(BlockKind.TEXT, words, words), Block(BlockKind.DIFF, words, f"+{words}"), curve),
                command=words,
            )
        )
    everything = " ".join(HOSTILE_TEXTS)
    return Verdict(
        findings=tuple(findings),
        good_news=tuple(good(RuleName.FIXED, words, words) for words in HOSTILE_TEXTS[:4]),
        exit_code=ExitCode.REGRESSION,
        would_exit=ExitCode.REGRESSION,
        provenance=replace(
            ORIGIN,
            base=HOSTILE_TEXTS[4],
            head=HOSTILE_TEXTS[6],
            baseline_age=HOSTILE_TEXTS[2],
            changed={words: (words,) for words in HOSTILE_TEXTS},
            report_url="javascript:alert(1)",
            settings_from=HOSTILE_TEXTS[5],
        ),
        fingerprints_changed={words: (words, words) for words in HOSTILE_TEXTS[:5]},
        notices=HOSTILE_TEXTS,
        measured={"tests": everything},
    )


ALL = {
    "worse": worse,
    "swept": swept,
    "unchanged": unchanged,
    "undecided": only_undecided,
    "incomplete": incomplete,
    "stale": stale,
    "welcome": welcome,
    "accepted": accepted,
    "truncated": huge,
    "hostile": hostile,
}
