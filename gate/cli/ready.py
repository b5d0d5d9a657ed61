"""What is done before any code of a pull request runs: what judges is imported, and this process is hidden.

Where the suite shares this Python, it may write into the folders from which the gate is imported. What stands in memory
by then is what was installed.
"""

from __future__ import annotations

import contextlib
import importlib
import pkgutil
import sys

_PACKAGES = ("baselines", "compare", "deliver", "ingest", "render", "schema", "stats", "trials")
_MODULES = (
    "gate.cli.arms",
    "gate.cli.report_page",
    "gate.cli.suite",
    "gate.cli.trials",
    "gate.cli.verdict_text",
    "gate.pipeline",
    "gate.record.arms",
    "gate.record.joined",
    "gate.record.locally",
    "gate.rounds",
    "gate.sandbox.worlds",
    # what is imported within functions, and what libraries import only once it is needed, such as for a host's name
    "encodings.idna",
    "numpy",
    "numpy.random",
    "statistics",
    "stringprep",
    "traceback",
    "unicodedata",
)
_JUNIT = b'<testsuite name="s" tests="1"><testcase classname="c" name="a"/></testsuite>'
_CANDIDATE = b'{"created":1,"exitcode":0,"root":"/","environment":{},"summary":{"total":0,"collected":0},"tests":[]}'
_BASELINE = b'{"gate_baseline":1}\n{"id":"a","outcome":"passed"}\n'


def import_all() -> None:
    """Import everything that reads, judges, renders and delivers."""
    for package in _PACKAGES:
        found = importlib.import_module(f"gate.{package}")
        for module in pkgutil.walk_packages(found.__path__, f"{found.__name__}."):
            importlib.import_module(module.name)
    for name in _MODULES:
        importlib.import_module(name)
    _rehearse()


def _rehearse() -> None:
    """Judge and render nothing at all once, for what is imported within functions and within libraries."""
    import requests

    from gate import render
    from gate.compare import compare
    from gate.ingest import read_report
    from gate.settings import Settings

    reports = [read_report(data, "rehearsal") for data in (_JUNIT, _CANDIDATE, _BASELINE)]
    verdict = compare(reports[2], reports[0], Settings())
    render.comment(verdict)
    render.summary(verdict)
    render.page(verdict)
    render.terminal(verdict)
    render.annotations(verdict)
    render.verdict_from_json(render.verdict_json(verdict))
    with requests.Session() as session:
        session.prepare_request(requests.Request("GET", "https://127.0.0.1/"))


def hide() -> None:
    """On Linux, keep other processes of the same user from reading or changing this one; elsewhere nothing is done.

    The environment of the suite is its own; that of this process holds the token. Root may read it all the same, and so
    may whoever reads the shell that started it.
    """
    if sys.platform != "linux":
        return
    from gate.errors import SuiteError
    from gate.sandbox.worlds import refuse_readers

    with contextlib.suppress(SuiteError):
        refuse_readers()
