"""From the marked tests that were collected to targets, their mutants, and which test tries which."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from gate.errors import GateError
from gate.record.plugin.attempt import PRISTINE, mutable_parameters
from gate.record.plugin.mutation import sources
from gate.record.plugin.mutation.marker import Wanted, is_marked, wanted_of
from gate.record.plugin.source import fingerprint
from gate.schema.mutation import case_id, summary_id

if TYPE_CHECKING:
    from gate.suites.mutation.mutants import Mutants
    from gate.suites.mutation.operators.edit import Mutant
    from gate.suites.mutation.prompt.model import Prompt
    from gate.suites.mutation.suppressions import Suppression
    from gate.suites.mutation.targets import Target

Rewriter = Callable[[str, Callable[[str], object]], Callable[[str], object]]
"""(target, the user's function) -> one that gives the same answers in every process of the run."""


@dataclass(slots=True)
class Prompted:
    """One target with all that is done to it.

    Attributes:
        digest: of the prompt, 16 hexadecimal digits.
        mutants: those that any test is to try, in the order of the prompt, by the ids of their cases.
        tries: by case id, what each test that tries it asks for, by the test's id in the order of the collection.
        available: how many mutants there are without a limit.
    """

    target: Target
    prompt: Prompt
    digest: str
    mutants: dict[str, Mutant] = field(default_factory=dict)
    tries: dict[str, dict[str, Wanted]] = field(default_factory=dict)
    suppressed: dict[str, Suppression] = field(default_factory=dict)
    available: int = 0
    notes: tuple[str, ...] = ()

    @property
    def spec(self) -> str:
        return self.target.spec

    @property
    def summary(self) -> str:
        """Id of the summary's case."""
        return summary_id(self.spec)

    @property
    def in_file(self) -> bool:
        """Whether other processes see a mutant in it."""
        return self.spec.startswith("file:")

    @property
    def tests(self) -> tuple[str, ...]:
        """Every test that tries one of its mutants."""
        return tuple(dict.fromkeys(name for tries in self.tries.values() for name in tries))


@dataclass(slots=True)
class Prepared:
    """All that a run is to do.

    Attributes:
        items: the marked tests by id.
        sources: digest of each test's source and parameters, by id.
    """

    items: dict[str, pytest.Item] = field(default_factory=dict)
    targets: dict[str, Prompted] = field(default_factory=dict)
    sources: dict[str, str] = field(default_factory=dict)

    def pairs(self) -> int:
        """How many pairs of a mutant and a test there are."""
        return sum(
            len(tries)
            for each in self.targets.values()
            for case, tries in each.tries.items()
            if case not in each.suppressed
        )


def prepare(
    items: Iterable[pytest.Item],
    root: Path,
    *,
    known: Iterable[str] = (),
    whole: bool = True,
    suppressions: Sequence[Suppression] = (),
    rewriter: Rewriter | None = None,
) -> Prepared:
    """Read every marker, target and prompt.

    Args:
        root: what names of files are relative to.
        known: ids of the mutants' cases of main, which are tried also where a limit would leave them out now.
        whole: whether all tests were collected, so that a suppression of an unknown mutant is an error.
        suppressions: of the project.
        rewriter: makes a semantic operator give one answer in all processes.

    Raises:
        GateError: what can't be used, with the test or the file and its remedy.
    """
    found = Prepared()
    every: dict[str, list[Mutant]] = {}
    earlier: dict[str, str] = {}
    wanted_cases = frozenset(known)
    for item in items:
        if not is_marked(item):
            continue
        wanted = wanted_of(item)
        found.items[item.nodeid] = item
        item.__dict__[PRISTINE] = mutable_parameters(item)
        found.sources[item.nodeid] = fingerprint(item, wanted[0])
        for each in wanted:
            for spec in each.target:
                prompted = _prompted(found, spec, root, every, earlier)
                _add(prompted, item.nodeid, each, every[spec], wanted_cases, rewriter)
    for prompted in found.targets.values():
        order = {case: place for place, case in enumerate(_cases(prompted.spec, every[prompted.spec]))}
        ordered = sorted(prompted.mutants, key=lambda case: order.get(case, len(order)))
        prompted.mutants = {case: prompted.mutants[case] for case in ordered}
    _suppress(found, every, earlier, suppressions, whole=whole)
    return found


def _prompted(
    found: Prepared, spec: str, root: Path, every: dict[str, list[Mutant]], earlier: dict[str, str]
) -> Prompted:
    """The target of a specification, read once."""
    if spec not in found.targets:
        from gate.suites.mutation.mutants import mutants_of
        from gate.suites.mutation.prompt import parse
        from gate.suites.mutation.suppressions import clastogen_ids
        from gate.suites.mutation.targets import target

        place = target(spec, root=root)
        text = place.read()
        whole = mutants_of(parse(text))
        found.targets[spec] = Prompted(place, whole.prompt, prompt_digest(text), notes=whole.notes)
        every[spec] = list(whole.mutants)
        earlier |= clastogen_ids(whole.prompt, whole.mutants, spec)
    return found.targets[spec]


def _add(
    prompted: Prompted,
    test: str,
    wanted: Wanted,
    every: list[Mutant],
    known: frozenset[str],
    rewriter: Rewriter | None,
) -> None:
    """The mutants that one marker asks for, and those of main."""
    from gate.suites.mutation.mutants import mutants_of

    rewrite = wanted.rewrite
    chosen: Mutants = mutants_of(
        prompted.prompt,
        operators=wanted.names,
        max_mutants=wanted.max_mutants,
        seed=wanted.seed,
        semantic_operator=rewrite if rewrite is None or rewriter is None else rewriter(prompted.spec, rewrite),
    )
    prompted.available = max(prompted.available, chosen.available)
    ids = {mutant.id for mutant in every}
    every += [mutant for mutant in chosen.mutants if mutant.id not in ids]
    allowed, taken = wanted.names, {mutant.id for mutant in chosen.mutants}
    for mutant in every:
        case = case_id(prompted.spec, mutant.id)
        of_main = case in known and (allowed is None or mutant.operator in allowed)
        if of_main or mutant.id in taken:
            prompted.mutants.setdefault(case, mutant)
            prompted.tries.setdefault(case, {}).setdefault(test, wanted)


def _suppress(
    found: Prepared,
    every: Mapping[str, list[Mutant]],
    earlier: Mapping[str, str],
    suppressions: Sequence[Suppression],
    *,
    whole: bool,
) -> None:
    from gate.suites.mutation.suppressions import matched

    everything = [mutant for mutants in every.values() for mutant in mutants]
    if not whole:
        ids = {mutant.id for mutant in everything} | set(earlier)
        suppressions = [each for each in suppressions if each.mutant in ids]
    by_id = matched(suppressions, everything, earlier_ids=earlier)
    for prompted in found.targets.values():
        for case, mutant in prompted.mutants.items():
            if mutant.id in by_id:
                prompted.suppressed[case] = by_id[mutant.id]


def _cases(spec: str, mutants: Iterable[Mutant]) -> list[str]:
    return [case_id(spec, mutant.id) for mutant in mutants]


def prompt_digest(text: str) -> str:
    """16 hexadecimal digits of a prompt."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def tests_digest(found: Prepared, tests: Iterable[str]) -> str:
    """What the verdict on a mutant depends on beside prompt and code: these tests, as they are written."""
    told = json.dumps(sorted((test, found.sources.get(test, "")) for test in tests))
    return hashlib.blake2b(told.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def check(config: pytest.Config, items: list[pytest.Item], prepared: Callable[[], Any]) -> Any:
    """What `prepared` gives; its error ends the run before any test, also in a worker of pytest-xdist.

    Raises:
        pytest.UsageError: with the sentences of the error.
    """
    try:
        return prepared()
    except GateError as error:
        if not hasattr(config, "workerinput"):
            raise pytest.UsageError(str(error)) from None
        report = pytest.CollectReport(sources.NAME, "failed", str(error), [])
        config.hook.pytest_collectreport(report=report)  # an error of a worker's own would be its end without a word
        items[:] = []
        return Prepared()
