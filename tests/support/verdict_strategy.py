"""Verdicts with foreign text in every field, for Hypothesis."""

from __future__ import annotations

from hypothesis import strategies as st

from gate.schema.agent_scores import ScoreChange
from gate.schema.dimensions import Dimension
from gate.schema.evidence import BOTH_SIDES, Block, BlockKind
from gate.schema.rejudged import Part
from gate.schema.report import Calls, Location
from gate.schema.verdict import (
    Budget,
    CaseDecision,
    ExampleChange,
    ExitCode,
    Finding,
    Level,
    Provenance,
    RuleName,
    Tally,
    Verdict,
)
from tests.support.verdicts import HOSTILE_TEXTS

foreign = st.one_of(st.sampled_from(HOSTILE_TEXTS), st.text(st.characters(), max_size=30), st.just("plain"))
_counts = st.integers(0, 10**7)
_scores = st.none() | st.floats(0, 1)
_numbers = st.floats(allow_nan=False, allow_infinity=False, width=32) | _counts
_examples = st.builds(ExampleChange, foreign, foreign, foreign, foreign, _scores, _scores)
_blocks = st.builds(
    Block,
    st.sampled_from(BlockKind),
    foreign,
    foreign,
    st.lists(foreign, max_size=3).map(tuple),
    st.lists(st.lists(foreign, max_size=4).map(tuple), max_size=3).map(tuple),
)
_shares = st.floats(0, 100).map(str) | foreign
_curves = st.builds(
    Block,
    st.just(BlockKind.CURVE),
    foreign,
    header=st.just(BOTH_SIDES),
    rows=st.lists(st.tuples(_shares, _shares, _shares), max_size=3).map(lambda rows: tuple(sorted(rows))),
)
_locations = st.none() | st.builds(Location, foreign, st.none() | st.integers(0, 10**6))


def _few(strategy: st.SearchStrategy[object], most: int) -> st.SearchStrategy[tuple[object, ...]]:
    return st.lists(strategy, max_size=most).map(tuple)


findings = st.builds(
    Finding,
    rule=st.sampled_from(RuleName),
    level=st.sampled_from([Level.ERROR, Level.WARNING, Level.NOTE]),
    case_id=foreign,
    subject=foreign,
    what=foreign,
    before=foreign,
    after=foreign,
    why=foreign | foreign.map("deterministic: {}".format),
    id=st.integers(1, 999).map("F{}".format),
    amount=_numbers,
    total=st.integers(0, 10),
    location=_locations,
    known_on_base=st.booleans(),
    judged=st.none() | st.sampled_from(Part),
    examples=_few(_examples, 3),
    evidence=_few(_blocks | _curves, 2),
    command=foreign,
)
_names = st.dictionaries(foreign, foreign, max_size=3)
_provenance = st.builds(
    Provenance,
    suite=st.sampled_from(["default", "tone", "a--b", "Code_2.x"]),
    base=foreign,
    head=foreign,
    attempt=st.integers(0, 99),
    pull_request=st.none() | _counts,
    mode=foreign,
    baseline_age=foreign,
    baseline_from=foreign,
    settings_from=foreign,
    changed=st.dictionaries(foreign, _few(foreign, 3), max_size=3),
    report_url=foreign | st.just("https://example.org/run/1"),
    tool_version=foreign,
)
_tallies = st.builds(
    Tally,
    **dict.fromkeys(("cases", "held", "stochastic", "trials", "examples", "attacks", "metrics"), _counts),
    **dict.fromkeys(("mutants", "rules", "guarded"), _counts),
    **dict.fromkeys(("probes", "probes_held", "dimensions", "dimensions_held"), _counts),
    **dict.fromkeys(("negative_flips", "positive_flips"), _counts),
    transitions=st.dictionaries(st.tuples(foreign, foreign), _counts, max_size=3),
)
_chances = st.floats(1e-9, 0.999)
_budgets = st.builds(
    Budget,
    alpha=_chances,
    suites=st.integers(1, 9),
    cases=_counts,
    for_cases=_chances,
    for_suite=_chances,
    for_singles=_chances,
    dimensions=_counts,
    for_dimensions=_chances,
    delta=_chances,
    power=_chances,
    reached=_counts,
    correlation=st.none() | st.floats(0, 1),
    inflated=st.none() | _chances,
    heads=st.none() | st.integers(0, 99),
    made=_counts,
)
_sides = st.tuples(_counts, _counts)
_decisions = st.builds(
    CaseDecision,
    case_id=foreign,
    answer=st.sampled_from(["regression", "holds", "undecided"]),
    how=foreign,
    level=st.none() | st.floats(0, 1),
    limit=st.floats(0, 1),
    baseline=_sides,
    candidate=_sides,
    delta=_chances,
    smallest_drop=st.none() | st.floats(0, 1),
    carried=_counts,
    errors=_counts,
    measured=st.booleans(),
)
_points = st.none() | st.floats(0, 100)
_bounds = st.none() | st.tuples(st.floats(0, 100), st.floats(0, 100))
_scores = st.builds(
    ScoreChange,
    name=st.sampled_from(["", *(each.value for each in Dimension)]),
    before=_points,
    after=_points,
    before_interval=_bounds,
    after_interval=_bounds,
    decides=_points,
    probes=_counts,
    unscored=foreign,
    fell=st.booleans(),
    level=st.none() | st.floats(0, 1),
    limit=st.none() | st.floats(0, 1),
)
_codes = st.sampled_from(ExitCode)
verdicts = st.builds(
    Verdict,
    findings=_few(findings, 6),
    good_news=_few(findings, 3),
    exit_code=_codes,
    would_exit=_codes,
    observe=st.booleans(),
    welcome=st.booleans(),
    first_baseline=st.booleans(),
    tally=_tallies,
    provenance=_provenance,
    fingerprints_changed=st.dictionaries(foreign, st.tuples(foreign, foreign), max_size=3),
    notices=_few(foreign, 3),
    alpha=st.floats(1e-6, 0.999),
    budget=_budgets,
    calls=st.builds(Calls, _counts, _counts, _counts, st.floats(0, 1e6), st.floats(0, 1e6), _counts, _counts),
    decisions=_few(_decisions, 3),
    scores=_few(_scores, 3),
    varying=_few(foreign, 3),
    measured=_names,
)
