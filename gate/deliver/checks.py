"""The check run of a suite on a commit: made once, brought up to date, and left to a newer run.

Check runs are made by the workflow that is trusted, so their texts are ours. A job may be called as our check is, in
the workflow file of a fork too; only what carries our mark in `external_id`, which no job can set, is taken for ours.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import quote

from gate.deliver import problems
from gate.deliver.client import GitHub
from gate.deliver.problems import ApiError
from gate.errors import DeliveryError
from gate.render.words import plural

Conclusion = Literal["success", "failure", "neutral", "action_required"]
LONGEST_SUMMARY = 65_000
"""Characters; GitHub takes 65,535."""
PERMISSION = "add `permissions: checks: write` to the job"
_MARK = re.compile(r"robustness-gate:(?P<run>[0-9]{1,18})\.(?P<attempt>[0-9]{1,9})")
_ROUNDS = 8
_CREATIONS = 2
_SETTLE_SECONDS = 1.0
_NOT_OURS = frozenset({403, 404, 410})
_NEWER_RUN = "the check was left as it is: a newer run or attempt wrote it"
_UNSETTLED = "the check may not say what this run found: something else keeps changing it"


@dataclass(frozen=True, slots=True)
class Check:
    """What a check run says.

    Attributes:
        name: as rulesets and branch protection require it.
        head: commit that it is about.
        summary: Markdown, escaped; at most `LONGEST_SUMMARY` characters.
        run, attempt: number and attempt of the run whose report was judged; larger ones are newer.
        details_url: page of whoever judged.
    """

    name: str
    head: str
    conclusion: Conclusion
    title: str
    summary: str
    run: int
    attempt: int = 1
    details_url: str = ""


@dataclass(frozen=True, slots=True)
class CheckResult:
    """Where the check run stands (empty: nowhere), and what a reader must be told about it (empty: nothing)."""

    url: str
    warning: str = ""


def check_name(suite: str) -> str:
    """Name of the check run of a suite."""
    return f"Robustness Gate ({suite})"


def publish_check(client: GitHub, check: Check) -> CheckResult:
    """Make or update the check run of a suite on a commit. Never raises for what GitHub refuses: a warning instead.

    Of two runs that publish at once, both check runs end with what the newer one says.
    """
    work = _Publishing(client, check)
    try:
        return work.run()
    except DeliveryError as error:
        if work.posted:
            # It stands there; only the look whether another run has raced failed.
            return CheckResult(work.posted)
        denied = isinstance(error, ApiError) and error.status in (403, 404)
        return CheckResult("", f"no check: {error.message}; {PERMISSION if denied else error.remedy}".rstrip("; "))


@dataclass(frozen=True, slots=True)
class _Found:
    """A check run that stands there; `order` is None where it is not ours."""

    id: int
    order: tuple[int, int] | None
    url: str
    body: dict[str, Any]


@dataclass(slots=True)
class _Publishing:
    """One attempt to have the check right.

    Attributes:
        posted: address of the check run once this run's text stands there.
        refused: check runs that turned out to be another app's, or gone.
    """

    client: GitHub
    check: Check
    posted: str = ""
    refused: set[int] = field(default_factory=set)

    def run(self) -> CheckResult:
        made = 0
        for _ in range(_ROUNDS):
            listed = self._listed()
            ours = [one for one in listed if one.order is not None and one.id not in self.refused]
            if not ours:
                if made == _CREATIONS:
                    break
                made += 1
                self._create()
            elif self._agreed(ours):
                return self._result(ours, listed)
            # A run that looked before this one wrote may write after it: look again once it has had the time.
            self.client.sleep(_SETTLE_SECONDS)
        return CheckResult(self.posted, _UNSETTLED)

    def _agreed(self, ours: list[_Found]) -> bool:
        """Whether nothing had to be written: the newest says what it should, and the others say the same."""
        newest = max(ours, key=_newness)
        mine = _body(self.check)
        if not self.posted and _order(newest) <= (self.check.run, self.check.attempt):
            if newest.body == mine:
                self.posted = newest.url
            elif self._write(newest, mine):
                self.posted = newest.url
                return False
            else:
                return False
        behind = [one for one in ours if one.body != newest.body]
        for one in behind:
            self._write(one, newest.body)
        return not behind

    def _result(self, ours: list[_Found], listed: list[_Found]) -> CheckResult:
        newest = max(ours, key=_newness)
        if _order(newest) > (self.check.run, self.check.attempt):
            return CheckResult(newest.url, _NEWER_RUN)
        others = [one for one in listed if one.order is None]
        if others:
            told = plural(len(others), "other check")
            return CheckResult(newest.url, f"on this commit stands {told} of the name `{self.check.name}`, not ours")
        return CheckResult(newest.url)

    def _listed(self) -> list[_Found]:
        path = f"/commits/{quote(self.check.head, safe='')}/check-runs"
        found = []
        for page in self.client.read_pages(path, {"check_name": self.check.name, "filter": "all"}):
            entries = page.get("check_runs") if isinstance(page, dict) else None
            if not isinstance(entries, list):
                raise problems.nonsense(path, "a list of check runs")
            found += [_found(entry) for entry in entries]
        return found

    def _create(self) -> None:
        body = {**_body(self.check), "name": self.check.name, "head_sha": self.check.head}
        try:
            made = _found(self.client.write("POST", "/check-runs", body))
        except ApiError as error:
            if not error.uncertain:
                raise
            return  # the next look finds it, if it was made
        self.posted = made.url

    def _write(self, one: _Found, body: dict[str, Any]) -> bool:
        """False when the check run is another app's or gone, whatever its mark says."""
        try:
            self.client.write("PATCH", f"/check-runs/{one.id:d}", body)
        except ApiError as error:
            if error.status not in _NOT_OURS:
                raise
            self.refused.add(one.id)
            return False
        return True


def _body(check: Check) -> dict[str, Any]:
    return {
        "external_id": f"robustness-gate:{check.run:d}.{check.attempt:d}",
        "status": "completed",
        "conclusion": check.conclusion,
        "output": {"title": check.title, "summary": check.summary},
        **({"details_url": check.details_url} if check.details_url else {}),
    }


def _found(entry: Any) -> _Found:
    try:
        output = entry.get("output") or {}
        marked = str(entry.get("external_id") or "")
        body: dict[str, Any] = {
            "external_id": marked,
            "status": str(entry["status"]),
            "conclusion": str(entry.get("conclusion") or ""),
            "output": {"title": str(output.get("title") or ""), "summary": str(output.get("summary") or "")},
        }
        if entry.get("details_url"):
            body["details_url"] = str(entry["details_url"])
        mark = _MARK.fullmatch(marked)
        order = (int(mark["run"]), int(mark["attempt"])) if mark else None
        return _Found(int(entry["id"]), order, str(entry.get("html_url") or ""), body)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise problems.nonsense("check runs", "a check run") from None


def _order(one: _Found) -> tuple[int, int]:
    return one.order or (-1, -1)


def _newness(one: _Found) -> tuple[tuple[int, int], int]:
    return _order(one), one.id
