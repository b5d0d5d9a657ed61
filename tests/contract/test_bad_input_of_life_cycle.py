"""Bad input around a review, item by item: each has a test, which this list names and which stands where it says."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
FORK, FETCHED, ASKED, WORDS = (
    "unit/cli/test_fork_verdict.py",
    "unit/deliver/test_fork_run.py",
    "unit/cli/test_command.py",
    "unit/deliver/test_commands.py",
)
WAIVERS, WAIVED, SPLIT, PARTS = (
    "unit/baselines/test_waivers.py",
    "unit/cli/test_accept.py",
    "unit/record/test_sharding.py",
    "unit/ingest/test_merge.py",
)
ITEMS = {
    "a forged artifact with another pull request's number": f"{FORK}::test_artifacts_of_something_else",
    "a forged artifact with a verdict that holds": f"{FORK}::test_forged_artifacts_decide_nothing",
    "a forged artifact with a script": f"{FORK}::test_forged_artifacts_decide_nothing",
    "a forged artifact of 2 GB of zeros": f"{FETCHED}::test_forged_artifacts",
    "a forged artifact that lies about its size": (
        "unit/deliver/test_archive.py::test_a_bomb_that_lies_about_its_size_takes_no_room"
    ),
    "a forged artifact of another schema": f"{FETCHED}::test_forged_artifacts",
    "an artifact of an old run": f"{FORK}::test_runs_that_are_not_judged",
    "a command from a stranger": f"{ASKED}::test_a_stranger_can_t",
    "a command that was edited before it is read": (
        f"{ASKED}::test_a_comment_that_was_edited_or_deleted_before_it_is_read"
    ),
    "a command that is edited afterwards": (
        "unit/cli/test_command_standing.py::test_an_acceptance_that_is_edited_afterwards"
    ),
    "a command inside a quote or code": f"{WORDS}::test_what_is_quoted_or_code_is_none",
    "a command on a closed pull request": f"{ASKED}::test_a_pull_request_that_was_closed_meanwhile",
    "a reason in another script or with Markdown": f"{ASKED}::test_a_reason_with_markdown_and_in_another_script",
    "a waiver whose day is over": f"{WAIVED}::test_one_that_is_over_is_named_and_the_finding_fails_again",
    "a waiver with a day that is over, by hand": f"{WAIVED}::test_what_is_no_waiver",
    "a waiver for an unknown rule": f"{WAIVERS}::test_a_fault_is_named_with_its_line",
    "a waiver that stands twice": f"{WAIVERS}::test_a_fault_is_named_with_its_line",
    "a waiver given twice by hand": f"{WAIVED}::test_the_same_twice",
    "shards 0/8 and 9/8": f"{SPLIT}::test_what_names_no_shard_is_refused",
    "shards 0/8 and 9/8, typed": "unit/cli/test_shards.py::test_a_run_in_shards_is_refused_where_it_names_none",
    "two times 3/8": f"{PARTS}::test_of_two_equal_numbers_one_counts_and_of_another_commit_none",
    "an importer's file cut in half": "unit/ingest/test_importers_promises.py::test_a_file_cut_in_half_is_refused",
    "a zipped log cut anywhere": "unit/ingest/test_inspect_log.py::test_every_prefix_of_an_archive_is_refused",
    "an anchor tag that is gone": "unit/cli/test_anchor.py::test_an_anchor_that_is_gone_decides_nothing",
}


@cache
def functions(name: str) -> frozenset[str]:
    tree = ast.parse((TESTS / name).read_text(encoding="utf-8"))
    return frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef))


@pytest.mark.parametrize("item", ITEMS)
def test_the_named_test_stands_there(item: str) -> None:
    name, _, function = ITEMS[item].partition("::")
    assert function in functions(name)
