"""What each named version of a generator draws: a baseline names the version, so another draw needs another name.

Fails when a draw changes. Then raise the version beside the generator, and put its new draws here.
"""

from __future__ import annotations

import pytest

from gate.suites.perturbation.attack import keyed
from gate.suites.perturbation.tabular import draws
from gate.suites.perturbation.text import draws as text_draws


def test_noise() -> None:
    assert draws.GENERATOR == "sfc64-1"
    assert draws.column_noise(42, 0.05, "income", 3).tolist() == pytest.approx(
        [-0.2150074534331096, -0.6658855930250797, 0.6375487801161881], abs=1e-12
    )
    assert draws.uniforms(42, 0.05, "income", "missing", 3)[0].tolist() == pytest.approx(
        [0.6841859440806408, 0.8096918132484269, 0.7644002069710093], abs=1e-12
    )


def test_searches() -> None:
    assert keyed.GENERATOR == "splitmix64-1"
    keys = keyed.row_keys(42, "worst-case", 0.05, ["a", "b"])
    assert keys.tolist() == [12675732098397808518, 13173071893011170402]
    assert keyed.uniform(keys, 0, 2)[0].tolist() == pytest.approx([0.14015911047481255, 0.30990608663419394], abs=1e-12)


def test_texts() -> None:
    assert text_draws.GENERATOR == "mt19937-1"
    choices = text_draws.draws_for(42, "typo", 0.1, "A text")
    assert [choices.below(1000) for _ in range(5)] == [657, 150, 316, 884, 303]
    assert choices.some(range(20), 4) == [7, 15, 16, 18]
    assert choices.shuffled(range(5)) == [4, 0, 1, 3, 2]
