"""What is done about each mutant of a run: measured, asked about, sampled, or carried over from the baseline."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from gate.record.plugin.mutation.prepare import Prepared, Prompted, tests_digest
from gate.schema.mutation import MUTANT, PARTED

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from gate.record.plugin.mutation.sources import Sources
    from gate.trials.plan import Known, Plan

Action = Literal["first", "ask", "sample", "carry", "suppressed"]
"""`first`: decide by the test's pass rate under the mutant; `ask`: main killed it, and is it still?; `sample`: so many
trials of the test that killed it, and no decision; `carry`: nothing is run."""
_PART = 16


@dataclass(frozen=True, slots=True)
class Content:
    """What stands around a target's mutants.

    Attributes:
        prompt: digest of the prompt.
        code: digest of all files of the project that count.
        beside: the same without the file that holds the prompt.
    """

    prompt: str
    code: str
    beside: str

    @property
    def text(self) -> str:
        """As the summary's fingerprint keeps it."""
        return self.prompt + self.code + self.beside


def content_of(prompted: Prompted, sources: Sources, root: Path) -> Content:
    """The content of a target today."""
    holder = sources.holder(prompted.spec, root)
    return Content(prompted.digest, sources.digest(), sources.digest([holder]))


def content_from(text: str) -> Content:
    """What a baseline kept; parts that it lacks are empty, and equal to nothing."""
    return Content(text[:_PART], text[_PART : 2 * _PART], text[2 * _PART : 3 * _PART])


def actions(prepared: Prepared, prompted: Prompted, plan: Plan, content: Content) -> dict[str, Action]:
    """What is done about each mutant of a target, by its case; those that a plan leaves out are not named."""
    found: dict[str, Action] = {}
    touched = changed_rules(prompted, plan, content)
    for case, mutant in prompted.mutants.items():
        known = plan.known.get(case)
        if plan.only is not None and case not in plan.only:
            continue
        killed = known is not None and known.status == "killed" and plan.only is None
        if case in prompted.suppressed and not killed:  # what main's tests notice is no pull request's to suppress
            found[case] = "suppressed"
        elif plan.only is not None:
            found[case] = "sample" if known is not None and known.killer in prepared.items else "first"
        elif plan.fixed is not None or known is None:
            found[case] = "first"
        else:
            near = mutant.rule in touched or bool(touched.intersection(mutant.touches))
            found[case] = _of_known(prepared, prompted, case, known, plan, content, near=near)
    return found


def _of_known(
    prepared: Prepared, prompted: Prompted, case: str, known: Known, plan: Plan, content: Content, *, near: bool
) -> Action:
    """About a mutant that main measured."""
    killed = known.status == "killed"
    tests = [known.killer] if killed else list(prompted.tries[case])
    same_test = known.fingerprint == tests_digest(prepared, tests)
    before = content_from(known.prompt)
    if killed:
        if known.killer not in prompted.tries[case] or case not in plan.asks:
            return "first"
        same = before.code == content.code if before.prompt == content.prompt else before.beside == content.beside
        return "carry" if same_test and same and not near else "ask"
    if known.status in ("survived", "undecided", "suppressed"):
        lifted = known.status == "suppressed"
        return "first" if lifted or near or not same_test else "carry"
    return "first"  # main did not measure it


def proven_by_main(prepared: Prepared, plan: Plan, contents: Mapping[str, Content]) -> set[tuple[str, str]]:
    """Tests of which main shows that they depend on a target's prompt and read it, with the target.

    One that killed a mutant does; so does one that let a mutant survive all by itself, since main tried the empty
    prompt on it then, and would have called the mutant vacuous or unread. Only where the test and all files beside the
    prompt's own are as on main, so that it still does.
    """
    digests = {test: tests_digest(prepared, [test]) for test in prepared.items}
    tests: dict[str, set[str]] = {}
    for prompted in prepared.targets.values():
        for tries in prompted.tries.values():
            tests.setdefault(prompted.spec, set()).update(tries)
    found: set[tuple[str, str]] = set()
    for case, known in plan.known.items():
        spec = case.removeprefix(MUTANT).rpartition(PARTED)[0]
        if spec not in contents or content_from(known.prompt).beside != contents[spec].beside:
            continue
        able = {known.killer} if known.status == "killed" else tests.get(spec, ()) if known.status == "survived" else ()
        found.update((test, spec) for test in able if digests.get(test) == known.fingerprint)
    return found


def changed_rules(prompted: Prompted, plan: Plan, content: Content) -> frozenset[str]:
    """Ids of the rules that a changed prompt has and main's had not, and of the rule on each side of them.

    A rule's mutants are named by its words, so that a rule is main's where main knows any of them.
    """
    befores = {content_from(plan.known[case].prompt).prompt for case in prompted.mutants if case in plan.known}
    if not befores or befores == {content.prompt}:
        return frozenset()
    of_main = {mutant.rule for case, mutant in prompted.mutants.items() if case in plan.known}
    measured = {mutant.rule for mutant in prompted.mutants.values()}
    rules = [rule.id for rule in prompted.prompt.rules]
    new = {place for place, rule in enumerate(rules) if rule in measured and rule not in of_main}
    near = {place + step for place in new for step in (-1, 0, 1)}
    return frozenset(rules[place] for place in near if 0 <= place < len(rules))
