"""What is said of each dimension's failures: the problem, why agents do it, and what helps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gate.schema.dimensions import Dimension


@dataclass(frozen=True, slots=True)
class Advice:
    """A problem, what probably causes it, and what to try."""

    problem: str
    cause: str
    mitigation: str


ADVICE: Mapping[Dimension, Advice] = {
    Dimension.ADVERSARIAL: Advice(
        "code works on ordinary input and breaks at the edges",
        "the agent writes for the examples that it sees and tests nothing else",
        "have it list edge cases first, and run property tests or the probe's own boundaries before it answers",
    ),
    Dimension.SPEC: Advice(
        "what the task leaves open is filled in without a word, or badly",
        "nothing tells the agent that an open point is to be stated or asked about",
        "ask in its instructions for a short list of assumptions, and for a question where two readings differ much",
    ),
    Dimension.CONSISTENCY: Advice(
        "the same task in other words gets another result",
        "the wording, not the task, decides which solution is recalled",
        "let it restate the task in a fixed form before it writes, and test both wordings of what matters",
    ),
    Dimension.RECOVERY: Advice(
        "failing code is patched where it shows instead of mended where it breaks",
        "the error message is treated as the task, and tests that passed are not run again",
        "have it name the cause before it edits, and run the whole suite after every round",
    ),
    Dimension.SECURITY: Advice(
        "insecure patterns are written, mostly without a warning",
        "the shortest working idiom is often the insecure one, and nobody asked for the safe one",
        "put the safe idioms into its instructions, and block merges on a security linter and on these probes",
    ),
    Dimension.HALLUCINATION: Advice(
        "names are used that no library has",
        "rare interfaces are guessed from how they ought to look",
        "give it the documentation or the installed package to look at, and run a type checker before it answers",
    ),
    Dimension.DEGRADATION: Advice(
        "harder tasks get code that looks right and is wrong",
        "nothing rewards saying that a solution is partial",
        "ask for known limits with every answer, and check results against a slow but plain solution",
    ),
    Dimension.REFUSAL: Advice(
        "impossible tasks are solved in appearance, or possible ones are turned down",
        "contradictions are not looked for, or harmless words set off a refusal",
        "have it check that the task can be met before it starts, and say what exactly can't be",
    ),
}
BY_CAUSE: Mapping[str, Advice] = {
    "time-out": Advice(
        "code does not end in time",
        "an algorithm of a worse order than the task allows, or a loop without an end",
        "state the size of real input in its instructions, and run the answer on such input",
    ),
    "syntax error": Advice(
        "answers hold code that can't be read",
        "the answer is cut off, or prose stands within the code",
        "raise the limit on the length of answers, and have the agent compile before it answers",
    ),
    "refused": Advice(
        "tasks that can be solved are turned down",
        "harmless words of the task set off a refusal",
        "say in its instructions what the agent is there for, with an example of such a task",
    ),
    "did not refuse": Advice(
        "tasks that can't be met are solved in appearance",
        "contradictions of a task are not looked for",
        "have it check that the task can be met before it starts, and say what exactly can't be",
    ),
    "regressed": Advice(
        "mending one thing breaks another that worked",
        "only the failing test is run again",
        "run the whole suite after every round, and refuse a fix that breaks anything",
    ),
}
SIGNATURES: Mapping[str, str] = {
    "confident hallucination": "Confident hallucination: names that no library has, without a doubt",
    "narrow test passing": "Narrow test passing: the examples of the task pass, its edges do not",
    "band-aid recovery": "Band-aid recovery: a special case for the failing test instead of a fix",
    "security blindness": "Security blindness: insecure code without a warning",
    "reformulation fragility": "Reformulation fragility: another wording, another algorithm",
}
