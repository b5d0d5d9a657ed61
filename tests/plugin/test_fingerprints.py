"""What a report says that its results depend on: rows of sweeps, packages that the suite loaded, the machine."""

from __future__ import annotations

import pytest

from tests.support.fake_model import Project

pytest.importorskip("numpy")
pytest.importorskip("xdist")

SUITE = """
import numpy as np

def test_sweep(robustness):
    rows = np.array([[0.1, 1.0], [0.9, 2.0]]) + SHIFT
    robustness.sweep(lambda x: [int(each[0] > 0.5) for each in x], rows, [0, 1], name="loans", epsilons=[0.01])

def test_texts(robustness):
    robustness.text_sweep(lambda texts: ["a" for _ in texts], ["x" * (1 + int(SHIFT)), "yy"], ["a", "a"],
                          operators=["upper-case"], name="reviews")
"""
LOADS = """
def test_one():
    import plain

def test_two():
    import other_name
"""


def test_other_rows_are_other_inputs(project: Project) -> None:
    reports = []
    for shift in ("0.0", "0.0", "1.0"):
        project.write("test_a.py", SUITE.replace("SHIFT", shift))
        reports.append(project.run()[0])
        assert '"inputs"' not in (project.path / "c.json").read_text("ascii"), "tests say it no longer"
    first, same, other = (report.fingerprints for report in reports)
    assert sorted(first) == ["inputs loans", "inputs reviews"]
    assert first == same
    assert all(first[name] != other[name] for name in first)


@pytest.mark.parametrize("workers", [(), ("-p", "xdist", "-n2")], ids=["alone", "workers"])
def test_a_package_counts_where_the_suite_loads_it(project: Project, workers: tuple[str, ...]) -> None:
    for module, distribution in (("plain", "plain-1.2"), ("other_name", "Some.Thing-3.4"), ("unused", "unused-5.6")):
        project.write(f"lib/{module}/__init__.py", "")
        project.write(f"lib/{distribution}.dist-info/RECORD", f"{module}/__init__.py,,\n")
    project.write("pytest.ini", "[pytest]\npythonpath = lib\n")
    project.write("test_a.py", LOADS)
    report, _ = project.run(*workers)
    assert report.packages == {"plain": "1.2", "some-thing": "3.4"}
    assert {"processor", "pytest", "python"} <= report.machine.keys()
