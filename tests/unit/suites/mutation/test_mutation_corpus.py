"""Every real prompt parses, every mutant changes its spans only, and a second run gives the same ids."""

from __future__ import annotations

import sys

import pytest

from gate.suites.mutation.mutants import mutants_of
from gate.suites.mutation.prompt import parse, plain
from tests.support.corpus import corpus
from tests.support.mutation import assert_only_spans_change

ALL_CODE = {"crewai__crewai_translations_en.json"}


def test_real_prompts() -> None:
    files = sorted((corpus() / "prompts").iterdir())
    assert len(files) >= 30
    total = 0
    for file in files:
        text = file.read_bytes().decode("utf-8")
        prompt = parse(text)
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(plain, "FEWEST", sys.maxsize)
            assert parse(text) == prompt, file.name  # as the parser alone reads it
        assert (not prompt.rules) == (file.name in ALL_CODE), file.name
        assert prompt.rules or "no rule was found" in prompt.notes[0]
        found = mutants_of(prompt)
        for mutant in found.mutants:
            assert_only_spans_change(text, mutant)
        ids = [mutant.id for mutant in found.mutants]
        assert len(set(ids)) == len(ids), file.name
        assert [mutant.id for mutant in mutants_of(parse(text)).mutants] == ids
        total += len(ids)
    assert total > 1000
