"""Memory of batches that is used again, and never while anybody holds a part of it."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pandas as pd
import pytest

from gate.suites.perturbation.models import as_model
from gate.suites.perturbation.noise_sweep import clean_answers, gaussian
from gate.suites.perturbation.tabular import cores
from gate.suites.perturbation.tabular.blocks import MOST, Blocks
from gate.suites.perturbation.tabular.frame import Frame
from gate.suites.perturbation.tabular.schema import infer


def address(block: Any) -> int:
    return int(block.__array_interface__["data"][0])


def test_a_block_is_lent_again_once_nobody_holds_anything_of_it() -> None:
    blocks = Blocks()
    first = blocks.lend(3, 1000)
    assert (first.shape, first.dtype, first.flags.c_contiguous) == ((3, 1000), np.float64, True)
    at, row = address(first), first[1, 5:7]
    del first
    other = blocks.lend(3, 1000)
    assert address(other) != at, "a part of it is held"
    del row
    smaller = blocks.lend(2, 500)
    assert address(smaller) == at
    assert (smaller.shape, smaller.flags.c_contiguous) == ((2, 500), True)
    assert address(blocks.lend(4, 1000)) not in (at, address(other)), "too small"


def test_no_more_are_kept_than_a_few() -> None:
    blocks = Blocks()
    held = [blocks.lend(1, 10) for _ in range(MOST + 3)]
    assert len({address(block) for block in held}) == MOST + 3
    oldest, newest = address(held[0]), address(held[-1])
    held.clear()
    found = [blocks.lend(1, 10) for _ in range(MOST)]
    assert newest in map(address, found)
    assert oldest not in map(address, found)


@pytest.mark.parametrize("array", [False, True], ids=["pandas", "array"])
def test_what_a_model_keeps_of_the_rows_it_saw_stays_as_it_was(monkeypatch: pytest.MonkeyPatch, array: bool) -> None:
    monkeypatch.setattr(cores, "WORTH_THREADS", 1)
    monkeypatch.setattr(cores, "cpus", lambda: 2)
    monkeypatch.setattr("gate.suites.perturbation.noise_sweep.batch_size", lambda *_, **__: 50)
    table = pd.DataFrame(np.random.default_rng(0).normal(size=(400, 3)), columns=list("abc"))
    seen: list[tuple[Any, Any]] = []

    def asked(rows: Any) -> Any:
        seen.append((rows, np.array(rows)))
        good = 1 / (1 + np.exp(-np.asarray(rows)[:, 0]))
        return np.column_stack([1 - good, good])

    frame = Frame.of(table.to_numpy() if array else table, "test")
    model = as_model(asked, kind="probabilities", labels=("no", "yes"))
    schema, clean = infer(frame, where="test"), clean_answers(model, frame, "test")
    for epsilon in (0.1, 0.2):
        gaussian(model, frame, schema, clean, epsilon, seed=1)
    assert len(seen) == 17
    assert all(np.array_equal(np.asarray(rows), was) for rows, was in seen)


def test_a_forked_worker_keeps_the_rows_that_it_was_given() -> None:
    block = Blocks().lend(1, 4)
    block[:] = 1.0
    go_read, go = os.pipe()
    told, tell = os.pipe()
    child = os.fork()
    if child == 0:
        os.read(go_read, 1)
        os.write(tell, block.tobytes())
        os._exit(0)
    block[:] = 2.0
    os.write(go, b"x")
    assert np.frombuffer(os.read(told, 64)).tolist() == [1.0] * 4
    os.waitpid(child, 0)
    for handle in (go_read, go, told, tell):
        os.close(handle)
