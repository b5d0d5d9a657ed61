"""Projects whose tests ask a seeded fake model, which counts its calls, and whose prompts are mutated.

The model reads the prompt of each call. A rule that is not in it as it stood is a mutant of that rule, and the model
then fails the test with the chance that is set for the rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from benchmarks.pull_requests import draw
from gate.baselines.distill import dump_baseline
from gate.schema.mutation import Mutation, case_id
from gate.schema.outcome import Outcome
from gate.schema.report import Case, Kind, Report, Session, Trials
from gate.suites.mutation.mutants import Mutants, mutants_of
from gate.suites.mutation.prompt import parse

SESSIONS, TRIALS = 5, 10
ASKED = {"delta": "0.3", "max_trials": "60", "power": "0.9"}
MODEL = """
import hashlib, os, time
STAMPS = []

def draw():
    with open(os.environ["MODEL_CALLS"], "ab") as stream:
        number = stream.tell()
        stream.write(b".")
    text = "%s:%d" % (os.environ["MODEL_SEED"], number)
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big") / 2**64

def passes(prompt, rules, rate, noticed):
    chance = draw()
    if not prompt:
        return False
    for rule, share in zip(rules, noticed):
        if rule not in prompt.splitlines():
            return chance >= share if share is not None else chance < rate
    return chance < rate
"""


def rules_of(count: int) -> list[str]:
    return [f"You must never tell the secret of drawer {number:02}." for number in range(count)]


def write(folder: Path, name: str, text: str) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def outcomes(seed: str, rate: float) -> Trials:
    """What a committed baseline has of a case that holds at this rate."""
    drawn = "".join("1" if draw(f"{seed}:{number}") < rate else "0" for number in range(SESSIONS * TRIALS))
    sessions = [Session(f"s{at // TRIALS}", drawn[at : at + TRIALS]) for at in range(0, len(drawn), TRIALS)]
    return Trials(tuple(sessions), asked=ASKED)


def only_deletions(prompt: str) -> Mutants:
    return mutants_of(parse(prompt), operators=["delete-constraint"])


def killed_on_main(seed: str, target: str, prompt: str, noticed: Sequence[float], test: str) -> list[Case]:
    """Mutants as main's baseline has them, measured for another content, so that nothing carries over."""
    found = only_deletions(prompt)
    if len(found.mutants) != len(noticed):
        raise ValueError(f"{len(found.mutants)} mutants for {len(noticed)} rates")
    texts = {rule.id: found.prompt.rule_text(rule) for rule in found.prompt.rules}
    return [
        Case(
            id=case_id(target, mutant.id),
            kind=Kind.MUTANT,
            fingerprint="of another content",
            stochastic=True,
            trials=outcomes(f"{seed}:{mutant.id}", share),
            mutation=Mutation(
                target=target,
                mutant=mutant.id,
                operator=mutant.operator,
                rule=mutant.rule,
                rule_text=texts[mutant.rule],
                before=mutant.before[0],
                after=mutant.replacements[0],
                description=mutant.description,
                status="killed",
                killer=test,
                tests=(test,),
            ),
        )
        for mutant, share in zip(found.mutants, noticed, strict=True)
    ]


def baseline(cases: Sequence[Case]) -> str:
    return dump_baseline(Report(tuple(cases))).decode("utf-8")


def plain_test(name: str) -> Case:
    return Case(id=name, outcome=Outcome.PASSED)
