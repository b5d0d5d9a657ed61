"""Renderings compared byte for byte; tests/golden/README.md says how to write them again."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from gate import render
from gate.render import exports, probes
from gate.schema.verdict import Verdict
from tests.support import changed_verdicts, mutant_cases, probe_reports, probe_verdicts, verdicts

GOLDEN = Path(__file__).parents[2] / "golden"
RENDERINGS: dict[str, Callable[[], str]] = {
    **{f"comment-{name}.md": lambda make=make: render.comment(make()) for name, make in verdicts.ALL.items()},
    "terminal-worse.txt": lambda: render.terminal(verdicts.worse(), width=100) + "\n",
    "terminal-swept.txt": lambda: render.terminal(verdicts.swept(), width=100) + "\n",
    "page-swept.html": lambda: render.page(verdicts.swept()),
    "show-swept.txt": lambda: "\n\n".join(_all_shown(verdicts.swept())) + "\n",
    "terminal-hostile.txt": lambda: render.terminal(verdicts.hostile(), width=80) + "\n",
    "terminal-stale.txt": lambda: render.terminal(verdicts.stale(), width=100) + "\n",
    "annotations-worse.txt": lambda: "\n".join(render.annotations(verdicts.worse())) + "\n",
    "annotations-hostile.txt": lambda: "\n".join(render.annotations(verdicts.hostile())) + "\n",
    "verdict-worse.json": lambda: render.verdict_json(verdicts.worse()) + "\n",
    **{
        f"verdict-{name}.{end}": lambda show=show, make=make: show(make()) + "\n"
        for name, make in (("worse", verdicts.worse), ("hostile", verdicts.hostile))
        for end, show in (
            ("sarif", exports.verdict_sarif),
            ("xml", exports.verdict_junit),
            ("csv", exports.verdict_csv),
        )
    },
    "page-worse.html": lambda: render.page(verdicts.worse()),
    "comment-judged.md": lambda: render.comment(changed_verdicts.judged()),
    "terminal-judged.txt": lambda: render.terminal(changed_verdicts.judged(), width=100) + "\n",
    "verdict-judged.json": lambda: render.verdict_json(changed_verdicts.judged()) + "\n",
    "page-judged.html": lambda: render.page(changed_verdicts.judged()),
    "show-judged.txt": lambda: "\n\n".join(_all_shown(changed_verdicts.judged())) + "\n",
    "comment-upstream.md": lambda: render.comment(changed_verdicts.upstream()),
    "page-stale.html": lambda: render.page(verdicts.stale()),
    "comment-mutants.md": lambda: render.comment(mutant_cases.less_guarded()),
    "terminal-mutants.txt": lambda: render.terminal(mutant_cases.less_guarded(), width=100) + "\n",
    "show-mutants.txt": lambda: "\n\n".join(_all_shown(mutant_cases.less_guarded())) + "\n",
    "page-mutants.html": lambda: render.page(mutant_cases.less_guarded()),
    "mutation-page.html": lambda: render.mutation_page(
        mutant_cases.SHOWN_CASES, [mutant_cases.SHOWN_PROMPT], about={"seed": "0", "version": "0.1.0"}
    ),
    **{
        f"{kind}-{name}.{end}": lambda render=show, make=make: render(make())
        for name, make in (("agent", probe_verdicts.worse_agent), ("sampled-agent", probe_verdicts.sampled_agent))
        for kind, end, show in (
            ("comment", "md", render.comment),
            ("terminal", "txt", lambda verdict: render.terminal(verdict, width=100) + "\n"),
        )
    },
    "comment-hostile-agent.md": lambda: render.comment(probe_verdicts.hostile_agent()),
    "page-agent.html": lambda: render.page(probe_verdicts.worse_agent()),
    "verdict-agent.json": lambda: render.verdict_json(probe_verdicts.worse_agent()) + "\n",
    "show-agent.txt": lambda: "\n\n".join(_all_shown(probe_verdicts.worse_agent())) + "\n",
    **{
        f"probe-report.{end}": lambda show=show: show(probe_reports.report(before=True))
        for end, show in (
            ("md", probes.render_template),
            ("html", probes.render_page),
            ("csv", probes.render_csv),
            ("json", probes.render_json),
            ("xml", probes.render_junit),
            ("sarif", probes.render_sarif),
        )
    },
    "probe-report-hostile.md": lambda: probes.render_template(probe_reports.hostile()),
    "probe-report-empty.md": lambda: probes.render_template(probe_reports.empty()),
    "show-worse.txt": lambda: "\n\n".join(_all_shown(verdicts.worse())) + "\n",
    "show-stale.txt": lambda: "\n\n".join(_all_shown(verdicts.stale())) + "\n",
}


def _all_shown(verdict: Verdict) -> list[str]:
    return [render.show(verdict, finding.id) for finding in verdict.findings]


@pytest.mark.parametrize("name", sorted(RENDERINGS))
def test_rendering_is_the_golden_one(name: str) -> None:
    path, shown = GOLDEN / name, RENDERINGS[name]().encode("utf-8")
    if os.environ.get("GATE_UPDATE_GOLDEN") == "1":
        path.write_bytes(shown)
    assert path.read_bytes() == shown


def test_no_golden_file_is_left_over() -> None:
    elsewhere = {"text-operators.txt"}
    assert {path.name for path in GOLDEN.iterdir()} == {*RENDERINGS, *elsewhere, "README.md"}
