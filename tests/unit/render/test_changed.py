"""What the results depend on, before and after: in which order, how much of it, and when it is no news."""

from __future__ import annotations

from dataclasses import replace

from gate.render.changed import ordered, outside_line, section
from gate.render.provenance import changed_line
from gate.render.spans import as_text
from tests.support import verdicts

CHANGED = {"agent-models": ("m", "n"), "judge z": ("1", "2"), "package b": ("1", "2"), "agent": ("1", "2")}


def test_what_is_ours_comes_first_whatever_the_order_of_the_mapping() -> None:
    verdict = replace(verdicts.worse(), fingerprints_changed=CHANGED)
    again = replace(verdict, fingerprints_changed=dict(reversed(CHANGED.items())))
    assert [name for name, _ in ordered(verdict)] == ["agent", "judge z", "agent-models", "package b"]
    assert ordered(again) == ordered(verdict)


def test_the_machine_is_no_news_where_nothing_is_found() -> None:
    worse = replace(verdicts.worse(), fingerprints_changed={"processor": ("A", "B")})
    assert as_text(outside_line(worse), 200) == "Changed outside: processor A → B."
    assert outside_line(replace(verdicts.unchanged(), fingerprints_changed={"processor": ("A", "B")})) == ()


def test_what_the_pull_request_chose_is_not_called_outside() -> None:
    changed = {
        "model old": ("old-1", "–"),
        "model new": ("–", "new-1"),
        "model same": ("same-1", "same-2"),
        "package numpy": ("1.26.4", "2.1.0"),
        "python": ("3.12.1", "3.13.0"),
        "threads": ("", "OMP_NUM_THREADS=1"),
    }
    here = {"model new", "model old"}
    for heading, more in {
        "code": set(),
        "dependencies": {"package numpy", "python"},
        "pytest configuration": {"package numpy", "python"},
    }.items():
        origin = replace(verdicts.worse().provenance, changed={heading: ("a file",)})
        verdict = replace(verdicts.worse(), fingerprints_changed=changed, provenance=origin)
        ours, outside = as_text(changed_line(verdict), 2_000), as_text(outside_line(verdict), 2_000)
        rows = section(verdict, 10, 200)[1]
        for name in changed:
            mine = name in here | more
            assert (f"{name} " in ours, f"{name} " in outside) == (mine, not mine), (heading, name)
            assert f"| {name} | {'here' if mine else 'outside'} |" in rows


def test_both_are_bounded_and_say_how_many_are_left() -> None:
    many = {f"package p{number:03}": ("1", "2") for number in range(30)}
    verdict = replace(verdicts.worse(), fingerprints_changed=many)
    assert as_text(outside_line(verdict), 2_000).endswith("; and 22 more.")
    title, table = section(verdict, 10, 200)
    assert title == "What changed: 30 differences"
    assert table.count("| package p") == 10
    assert table.endswith("and 20 more")
