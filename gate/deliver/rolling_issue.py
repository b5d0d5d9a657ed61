"""One issue a suite about main itself: opened when main got worse, kept up to date, closed when it holds again.

Whose issue it is follows the same rule as whose comment it is, see `gate.deliver.sticky`: the marker can be pasted by
anybody, a bot's account can't be taken by a person.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from gate.deliver import problems
from gate.deliver.client import GitHub
from gate.errors import DeliveryError
from gate.render.main_issue import MainMarker, issue_text, issue_title, parse_main_marker, recovered_text
from gate.schema.verdict import ExitCode, Verdict

State = Literal["regression", "infrastructure", "holds"]
LABELS = {"regression": "robustness-regression", "infrastructure": "robustness-infrastructure"}
_SETTLED = frozenset(LABELS.values())


@dataclass(frozen=True, slots=True)
class Issue:
    """One of our open issues.

    Attributes:
        labels: names of all of them, those that persons gave included.
    """

    number: int
    url: str
    marker: MainMarker
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class IssueResult:
    """What became of the issue.

    Attributes:
        done: `opened`, `updated`, `closed`, or empty where there was nothing to do.
        url: of the issue; empty where there is none.
        warning: what could not be done, one sentence; empty for nothing.
    """

    done: Literal["opened", "updated", "closed", ""] = ""
    url: str = ""
    warning: str = ""


def state_of(verdict: Verdict) -> State:
    """What a run says about main; what could not be judged is never a regression."""
    if verdict.would_exit is ExitCode.HOLDS:
        return "holds"
    return "regression" if verdict.would_exit is ExitCode.REGRESSION else "infrastructure"


def tell_main(client: GitHub, verdict: Verdict, *, order: int = 0) -> IssueResult:
    """Bring the issue of a suite up to a run of main. Never raises for what GitHub refuses; that becomes a warning.

    A run that could not be judged leaves a regression that is told of as it is, and adds why; only a run that holds
    closes an issue. An issue that a newer run wrote is left alone.

    Args:
        verdict: confirmed by whoever calls.
        order: number of the run; a later one has a larger one.
    """
    try:
        return _told(client, verdict, order)
    except DeliveryError as error:
        advice = f"; {error.remedy}" if error.remedy else ""
        return IssueResult(warning=f"the issue about main could not be brought up to date: {error.message}{advice}")


def _told(client: GitHub, verdict: Verdict, order: int) -> IssueResult:
    suite, state = verdict.provenance.suite, state_of(verdict)
    found = our_issues(client, suite)
    if any(issue.marker.order > order for issue in found):
        return IssueResult(url=found[0].url, warning="the issue about main was left as it is: a newer run wrote it")
    for extra in found[1:]:
        _close(client, extra, "not_planned", f"This is told in #{found[0].number}.")
    if state == "holds":
        if not found:
            return IssueResult()
        _close(client, found[0], "completed", recovered_text(verdict))
        return IssueResult("closed", found[0].url)
    if not found:
        body = issue_text(verdict, MainMarker(suite, state, verdict.provenance.head, 1, order))
        made = client.write(
            "POST", "/issues", {"title": issue_title(suite, state), "body": body, "labels": [LABELS[state]]}
        )
        return IssueResult("opened", str(made.get("html_url", "")))
    return _updated(client, found[0], verdict, state, order)


def _updated(client: GitHub, issue: Issue, verdict: Verdict, state: str, order: int) -> IssueResult:
    """The issue says what the last run shows, since when, and in how many runs in a row."""
    old = issue.marker
    kept = "regression" if old.state == "regression" else state
    same = kept == old.state
    since = old.since if same else verdict.provenance.head
    runs = old.runs + (kept == state) if same else 1  # a run that could not be judged does not show it again
    marker = MainMarker(old.suite, kept, since, runs, order)
    labels = [*(name for name in issue.labels if name not in _SETTLED), LABELS[kept]]
    body = {"title": issue_title(old.suite, kept), "body": issue_text(verdict, marker), "labels": labels}
    client.write("PATCH", f"/issues/{issue.number:d}", body)
    return IssueResult("updated", issue.url)


def our_issues(client: GitHub, suite: str) -> list[Issue]:
    """Open issues about main's own runs of a suite that the token's account may have written, oldest first."""
    found, me = [], None
    for page in client.read_pages("/issues", {"state": "open", "sort": "created", "direction": "asc"}):
        if not isinstance(page, list):
            raise problems.nonsense("GET /issues", "a list of issues")
        for entry in page:
            marker = parse_main_marker(str(entry.get("body") or "")) if isinstance(entry, Mapping) else None
            if marker is None or marker.suite != suite or "pull_request" in entry:
                continue
            author: Mapping[str, Any] = entry.get("user") or {}
            if author.get("type") != "Bot":
                me = me or client.whoami()
                if me is None or author.get("id") != me:
                    continue
            found.append(_issue(entry, marker))
    return sorted(found, key=lambda issue: issue.number)


def _issue(entry: Mapping[str, Any], marker: MainMarker) -> Issue:
    try:
        labels = tuple(str(each["name"]) if isinstance(each, Mapping) else str(each) for each in entry["labels"])
        return Issue(int(entry["number"]), str(entry["html_url"]), marker, labels)
    except (KeyError, TypeError, ValueError):
        raise problems.nonsense("GET /issues", "an issue") from None


def _close(client: GitHub, issue: Issue, reason: str, why: str) -> None:
    client.create_comment(issue.number, why)
    client.write("PATCH", f"/issues/{issue.number:d}", {"state": "closed", "state_reason": reason})
