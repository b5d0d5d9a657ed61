"""docs/statistics.md: its figures are those of the code, its picture is the one that is drawn, its names exist."""

from __future__ import annotations

import re
import shlex
import tomllib
import xml.etree.ElementTree as ElementTree

import click
import numpy as np
import pytest

import gate as package
from gate.assertions import UndecidedWarning
from gate.compare.ledger import FOR_SUITE
from gate.record.plugin.marker import Asked
from gate.settings import Layer, Settings, decides, names, resolve
from gate.stats.design import Design, Question, design_for
from gate.stats.inflation import inflated_false_alarm, points_of_paths
from gate.stats.lattice import binomial, chances
from gate.stats.operating import operating
from gate.stats.two_arms import LINE, Caches, TwoArms, two_arm_false_alarm, two_arm_operating
from tests.support import readme, sequential_picture

TEXT = (readme.ROOT / "docs" / "statistics.md").read_text(encoding="utf-8")
COMMANDS = readme.commands()
CASES, ALPHA = 12, 0.05


def test_the_figures_are_those_of_the_designs() -> None:
    caches, for_cases = Caches(), ALPHA - FOR_SUITE * ALPHA
    expected = []
    for n0 in (10, 20, 50, 100):
        one, both = design_for(Question(n0, 60, for_cases / CASES), caches.designs), TwoArms(n0, CASES, for_cases)
        for rate in (1.0, 0.90, 0.75):
            found, fresh = operating(one, rate, rate - 0.3), two_arm_operating(both, rate, rate - 0.3, caches)
            calls = operating(one, rate, rate).calls, two_arm_operating(both, rate, rate, caches).calls
            powers = (f"{100 * each.regression:.0f} %" for each in (found, fresh))
            expected.append([f"{n0}", f"{100 * rate:.0f} %", *powers, *(f"{each:.1f}" for each in calls)])
    assert readme.table_cells(readme.between(TEXT, "figures")) == expected


def test_the_limits_are_those_of_the_designs() -> None:
    one, both, caches = design_for(Question(50, 60, 0.04 / CASES), {}), TwoArms(50, CASES, 0.04), Caches()
    plain = " ".join(TEXT.split())

    def family(chance: float) -> float:
        return 100 * (1 - (1 - chance) ** CASES)

    drifted = [family(operating(one, rate, rate - 0.05).regression) for rate in (0.95, 0.75)]
    assert f"{min(drifted):.0f} to {max(drifted):.0f} unchanged pull requests in 100 would be failed" in plain
    assert max(two_arm_false_alarm(both, rate, caches, rate - 0.05) for rate in (0.95, 0.9, 0.8, 0.75)) < 0.02
    kept = {times: [family(_best_of(times, rate, one)) for rate in (0.9, 0.75)] for times in (1, 3, 10)}
    words = {times: f"{low:.0f} to {high:.0f}" for times, (low, high) in kept.items()}
    assert f"gets {words[3]} false alarms in 100 instead of {words[1]}; with the best of ten, {words[10]}." in plain
    points = points_of_paths(one.paths.regression.paths, one.paths.regression.fails)
    five, single, none = (
        inflated_false_alarm(points, *how, CASES) for how in (([10] * 5, 0.02), ([50], 0.02), ([50], 0.0))
    )
    assert f"turns {100 * none:.0f} false alarms in 100 into {100 * five:.0f}," in plain
    assert f"with all fifty trials in one session into {100 * single:.0f}." in plain


def _best_of(times: int, rate: float, design: Design) -> float:
    """Chance of a false regression when main is measured so many times and the best baseline is kept."""
    best = np.diff(np.cumsum(binomial(50, rate)) ** times, prepend=0.0)
    return float(chances(design.paths.regression, best, rate).sum())


def test_the_picture_is_the_one_that_is_drawn() -> None:
    drawn = sequential_picture.picture()
    assert sequential_picture.PICTURE.read_text(encoding="utf-8") == drawn
    assert ElementTree.fromstring(drawn).tag.endswith("svg")
    assert "script" not in drawn
    (target,) = re.findall(r"!\[[^\]]{100,}\]\(([^)]+)\)", TEXT)
    assert (readme.ROOT / "docs" / target) == sequential_picture.PICTURE


def test_the_picture_says_how_its_pull_requests_end() -> None:
    design = design_for(sequential_picture.QUESTION, {})
    ends = {walk.answer: walk for walk in sequential_picture.walks(design)}
    assert sorted(ends) == ["holds", "regression", "undecided"]
    for example, walk in zip(sequential_picture.EXAMPLES, sequential_picture.walks(design), strict=True):
        assert walk.used == len(example.outcomes)
        assert str(walk.used) in example.words
    assert f"after {ends['holds'].used} trials with {ends['holds'].fails} failures" in " ".join(TEXT.split())
    assert f"at its {ends['regression'].fails}th failure, in trial {ends['regression'].used}" in " ".join(TEXT.split())


def test_what_the_marker_may_say_stands_with_its_defaults() -> None:
    (said,) = re.findall(r"@pytest\.mark\.stochastic\(([^)]*)\)", TEXT)
    given = eval(f"dict({said})")  # the document is ours
    assert given == {name: getattr(Asked(), name) for name in given}


def test_settings_that_it_names_exist_with_the_values_that_it_says() -> None:
    for block in readme.blocks(TEXT, "toml"):
        table = tomllib.loads(block)
        if "tool" not in table:
            resolve([Layer("docs/statistics.md", table)])
    for key in ("alpha", "delta", "power", "confirm", "confirm-limit", "baseline-trials", "baseline-sessions"):
        assert f"`{key}" in TEXT
        assert decides(key)
    assert "price" in names()
    settings = Settings()
    assert f"`baseline-trials` ({settings.baseline_trials})" in TEXT
    assert f"`baseline-sessions` ({settings.baseline_sessions})" in TEXT
    assert f"at most {settings.confirm_limit} are" in " ".join(TEXT.split())
    assert f"a loose line of {100 * LINE:.0f} %" in TEXT


@pytest.mark.parametrize("line", re.findall(r"^gate .*$|`(gate [a-z][^`]*)`", TEXT, re.M) + readme.blocks(TEXT, "sh"))
def test_commands_can_be_typed(line: str) -> None:
    for words in (shlex.split(each) for each in line.splitlines() if each.startswith("gate ")):
        command = COMMANDS[(words[1],)]
        assert not isinstance(command, click.Group)
        if len(words) > 2:
            command.make_context(words[1], words[2:])


def test_the_assertions_and_the_filter_of_their_warning_exist() -> None:
    (names_of,) = re.findall(r"^from gate import (.+)$", TEXT, re.M)
    assert all(callable(getattr(package, name.strip())) for name in names_of.split(","))
    named = f"{UndecidedWarning.__module__.rpartition('.')[0]}.{UndecidedWarning.__name__}"
    assert f'"ignore::{named}"' in TEXT
