"""What honest retrains flip, against a count by hand, and how a baseline keeps it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gate.baselines.difference import difference
from gate.baselines.distill import dump_baseline
from gate.baselines.floors import keep_floors, measure_floors
from gate.baselines.refresh import adopt, refresh
from gate.baselines.table import as_table
from gate.errors import BaselineError, UsageError
from gate.ingest import read_report
from gate.schema.report import Attack, Predictions, Report, Reseeds
from tests.support.compare import case, predictions, report


def one(*sets: Predictions, outcome: str = "passed") -> Report:
    return report({}, case("t.py::t", outcome, predictions=sets))


TRUTH, MODEL = "1111100000", "1111100001"
BASE = one(predictions(TRUTH, MODEL))
RETRAINS = ["1111100000", "0111100001", "1111110001", "0011100000", "1111100001"]


def test_negative_flips_of_each_retrain_and_their_bound() -> None:
    found, (measured,) = measure_floors(BASE, [one(predictions(TRUTH, said)) for said in RETRAINS])
    assert measured.floor.negatives == (0, 1, 1, 2, 0)
    assert measured.floor.total == 10
    assert 2 <= measured.floor.bound <= 10
    assert found.cases[0].predictions[0] == replace(BASE.cases[0].predictions[0], floor=measured.floor)
    again = read_report(dump_baseline(found), "b", limit=10**6)
    assert again.cases[0].predictions[0].floor == measured.floor


def test_rows_are_paired_by_id_and_classes_by_name() -> None:
    order = tuple(f"e{place}" for place in reversed(range(10)))
    turned = [
        one(predictions(TRUTH, said[::-1].translate(str.maketrans("01", "10")), ids=order, labels=("yes", "no")))
        for said in RETRAINS
    ]
    _, (measured,) = measure_floors(BASE, turned)
    assert measured.floor.negatives == (0, 1, 1, 2, 0)


def test_what_can_not_be_measured() -> None:
    runs = [one(predictions(TRUTH, said)) for said in RETRAINS]
    with pytest.raises(UsageError, match="4 retrains"):
        measure_floors(BASE, runs[:4])
    with pytest.raises(BaselineError, match="run 3 has no predictions 'model'"):
        measure_floors(BASE, [*runs[:2], one(), *runs[3:]])
    with pytest.raises(BaselineError, match="1 examples of 'model' were not measured"):
        measure_floors(BASE, [*runs[:4], one(predictions(TRUTH[:9], MODEL[:9]))])
    with pytest.raises(BaselineError, match="known truth"):
        measure_floors(one(predictions("....", "0101")), runs)


def test_a_refresh_and_an_adoption_keep_it_while_the_examples_are_the_same() -> None:
    floor = Reseeds((0, 1, 0, 0, 1), 10, 2)
    stored = one(predictions(TRUTH, MODEL, floor=floor))
    new = one(predictions(TRUTH, "1111100011"), outcome="failed")
    passing = report({"t.py::o": "passed"}, *new.cases)
    for prepared in (refresh(passing, "c", previous=stored), adopt(passing, "c", previous=stored)):
        kept = {each.id: each for each in read_report(prepared.data, "b", limit=10**6).cases}
        assert kept["t.py::t"].predictions[0].floor == floor
    assert "floor" not in str(prepared.entries)
    other = one(predictions(TRUTH + "1", MODEL + "1"))
    (lost,) = [entry for entry in refresh(other, "c", previous=stored).entries if "floor" in entry.id]
    assert (lost.before, lost.after) == ("5 reseeds, 2 negative flips pass", "")
    assert lost.remark.startswith("measured over other examples")
    assert "model: 10 examples, floor 2" in as_table(stored)
    assert difference(stored, one(predictions(TRUTH, MODEL))) == ()
    assert keep_floors(other, stored).cases[0].predictions[0].floor is None


def test_adversarial_regressions_have_a_floor_of_their_own_by_attack() -> None:
    def under(said: str, *flips: str, seed: str = "0") -> Report:
        attacks = tuple(Attack(f"noise ε={at}", marks) for at, marks in enumerate(flips))
        return one(replace(predictions(TRUTH, said), attacks=attacks, design={"seed": seed}))

    base = under(MODEL, "0000000000", "1000000000", "0000000000")
    runs = [
        under(MODEL, marks, "1" * 10) for marks in ("1" + "0" * 9, "11" + "0" * 8, "0" * 9 + "1", "0" * 10, "0" * 10)
    ]
    found, (measured,) = measure_floors(base, runs)
    attacks = measured.floor.attacks
    assert list(attacks) == ["noise ε=0", "noise ε=1"], "no retrain made the third"
    assert attacks["noise ε=0"].negatives == (1, 2, 0, 0, 0), "the last example is wrong on clean input"
    assert attacks["noise ε=1"].negatives == (8,) * 5, "the first is flipped by the baseline's model too"
    assert measured.floor.negatives == (0,) * 5
    again = read_report(dump_baseline(found), "b", limit=10**6)
    assert again.cases[0].predictions[0].floor == measured.floor
    other = under(MODEL, *["0" * 10] * 3, seed="1")
    kept = keep_floors(other, found).cases[0].predictions[0].floor
    assert kept is not None and not kept.attacks, "another seed makes other attacks"
    assert keep_floors(base, found) == found


def test_a_report_brings_no_floor_of_its_own() -> None:
    own = one(predictions(TRUTH, MODEL, floor=Reseeds((9,), 10, 10)))
    assert b"floor" not in refresh(own, "c").data
    assert b"floor" not in adopt(own, "c").data
