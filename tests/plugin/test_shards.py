"""`--gate-shard` in real runs of pytest: which tests stay together, and what every process says of the whole."""

from __future__ import annotations

import json
from typing import Any

import pytest

pytest_plugins = ["pytester"]

SUITE = {
    "test_together": """
import pytest

@pytest.fixture(scope="module")
def shared(): return []

@pytest.mark.parametrize("n", range(6))
def test_uses(shared, n): shared.append(n)
""",
    "test_class": """
import pytest

class TestOne:
    @pytest.fixture(scope="class")
    def built(self): return []
    @pytest.mark.parametrize("n", range(6))
    def test_uses(self, built, n): built.append(n)

@pytest.mark.xdist_group("server")
def test_a(): pass
@pytest.mark.xdist_group("server")
def test_b(): pass
""",
    "test_free": """
import pytest

@pytest.mark.parametrize("n", range(12))
def test_many(n): pass
@pytest.mark.mutate_prompt("prompts:SYSTEM")
def test_first(): pass
@pytest.mark.mutate_prompt(target=["prompts:SYSTEM", "prompts:OTHER"])
def test_second(): pass
@pytest.mark.mutate_prompt("prompts:OTHER")
def test_third(): pass
""",
}


def run(pytester: pytest.Pytester, *arguments: str) -> dict[str, Any]:
    pytester.runpytest_inprocess("--gate-report=r.json", "-q", "-p", "no:cacheprovider", *arguments)
    found: dict[str, Any] = json.loads((pytester.path / "r.json").read_text())
    return found


def ids(report: dict[str, Any]) -> list[str]:
    return [test["nodeid"] for test in report["tests"]]


def test_the_shards_are_the_whole_and_what_shares_something_stays_together(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(**SUITE)
    reports = [run(pytester, f"--gate-shard={number}/3") for number in (1, 2, 3)]
    whole = ids(run(pytester))
    assert sorted(name for report in reports for name in ids(report)) == sorted(whole)
    for word in ("test_together", "TestOne", "test_class.py::test_", "test_first test_second test_third"):
        holders = [any(any(part in name for part in word.split()) for name in ids(report)) for report in reports]
        assert holders.count(True) == 1, word
    assert sum(any("test_many" in name for name in ids(report)) for report in reports) == 3
    for number, report in enumerate(reports, start=1):
        said = report["gate"]["shard"]
        assert (said["number"], said["count"], said["own"], said["collected"]) == (number, 3, len(ids(report)), 29)
        assert report["gate"]["completeness"]["collected"] == len(ids(report))
        assert {key: said[key] for key in ("whole", "split")} == {
            key: reports[0]["gate"]["shard"][key] for key in ("whole", "split")
        }


def test_with_workers_it_is_the_same_shard(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(**SUITE)
    alone, beside = run(pytester, "--gate-shard=2/3"), run(pytester, "--gate-shard=2/3", "-n1")
    assert sorted(ids(alone)) == sorted(ids(beside))
    assert alone["gate"]["shard"] == beside["gate"]["shard"]


def test_what_is_deselected_belongs_to_no_shard_and_durations_balance(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_free=SUITE["test_free"])
    seconds = {f"test_free.py::test_many[{n}]": 1.0 for n in range(12)}
    lines = [{"gate_durations": 1}, *({"id": name, "seconds": each} for name, each in seconds.items())]
    (pytester.path / "d.durations").write_text("\n".join(map(json.dumps, lines)))
    chosen = [
        run(pytester, f"--gate-shard={number}/4", "--gate-durations=d.durations", "-k", "many")
        for number in range(1, 5)
    ]
    assert [len(ids(report)) for report in chosen] == [3, 3, 3, 3]
    assert {report["gate"]["completeness"]["deselected"] for report in chosen} == {3}


@pytest.mark.parametrize("text", ["0/8", "9/8", "3/0", "x/y"])
def test_what_names_no_shard_is_a_usage_error(pytester: pytest.Pytester, text: str) -> None:
    result = pytester.runpytest_inprocess("-p", "no:cacheprovider", f"--gate-shard={text}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: --gate-shard: *"])


def test_damaged_durations_are_a_usage_error_and_absent_ones_are_none(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_one(): pass")
    (pytester.path / "d.durations").write_text("{")
    damaged = pytester.runpytest_inprocess("-p", "no:cacheprovider", "--gate-shard=1/1", "--gate-durations=d.durations")
    assert damaged.ret == pytest.ExitCode.USAGE_ERROR
    absent = pytester.runpytest_inprocess("-p", "no:cacheprovider", "--gate-shard=1/1", "--gate-durations=x.durations")
    assert absent.ret == pytest.ExitCode.OK
    absent.stdout.fnmatch_lines(["gate shard 1/1: 1 of 1 tests"])
