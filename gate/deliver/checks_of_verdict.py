"""A verdict as a check run, for workflows that judge another run's commit and not their own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from gate import render
from gate.deliver.artifacts import Run
from gate.deliver.checks import LONGEST_SUMMARY, Check, Conclusion, check_name, publish_check
from gate.deliver.client import GitHub
from gate.deliver.event import Event
from gate.deliver.hide import hidden, scrubbed, secrets
from gate.deliver.publish import Publisher
from gate.errors import GateError
from gate.render import escape
from gate.schema.verdict import ExitCode, Verdict
from gate.settings import Settings

_LONGEST_TITLE = 200
_MIRRORED: Mapping[str, Conclusion] = {"success": "success", "neutral": "neutral"}
"""All other conclusions of a run mean that it did not judge this commit to hold."""


def conclusion_of(verdict: Verdict) -> Conclusion:
    """What a ruleset sees: only `success` and `neutral` let a pull request pass."""
    if verdict.exit_code == ExitCode.HOLDS:
        spoken = not verdict.welcome and verdict.would_exit == ExitCode.HOLDS
        return "success" if spoken else "neutral"
    return "failure" if verdict.exit_code == ExitCode.REGRESSION else "action_required"


def check_of(verdict: Verdict, *, head: str, run: int, url: str) -> Check:
    """The check run of a verdict.

    Args:
        run: number of the run whose report was judged.
        url: page of whoever judged.
    """
    view = render.build_view(verdict)
    _, _, text = render.comment(verdict, LONGEST_SUMMARY, order=run).partition("\n")  # without the hidden line
    return Check(
        name=check_name(verdict.provenance.suite),
        head=head,
        conclusion=conclusion_of(verdict),
        title=escape.line("".join(span.text for span in view.title), _LONGEST_TITLE),
        summary=text,
        run=run,
        attempt=verdict.provenance.attempt,
        details_url=url,
    )


def check_of_run(run: Run, suite: str, url: str) -> Check:
    """The check run that tells a run's own conclusion, so that one name can be required of every pull request.

    Args:
        run: finished, of the repository itself, which judged what it measured.
        url: its page.
    """
    conclusion = _MIRRORED.get(run.conclusion, "failure")
    return Check(
        name=check_name(suite),
        head=run.commit,
        conclusion=conclusion,
        title=f"{render.TITLE}: as its own run says, {conclusion}",
        summary="This commit is of the repository itself, so its own run judged it. Its summary says what was found.",
        run=run.id,
        attempt=run.attempt,
        details_url=url,
    )


@dataclass(frozen=True, slots=True)
class Checking:
    """A delivery that also publishes the check run.

    Attributes:
        head: commit that was judged.
        url: page of the run that judges, where its files are kept.
        environ: of the gate; no text shows a token of it.
    """

    inner: Publisher
    github: GitHub
    head: str
    url: str
    environ: Mapping[str, str]

    def hand_over(self, complete: bool) -> tuple[str, ...]:
        """As the inner one: a run that hands over publishes no check."""
        return self.inner.hand_over(complete)

    def publish(self, verdict: Verdict, event: Event | None, settings: Settings) -> tuple[str, ...]:
        """Publish, then deliver; returns what could not be delivered, one sentence each. Never raises.

        The comment comes last, so that it shows what is wrong with the check.
        """
        if self.url:
            verdict = replace(verdict, provenance=replace(verdict.provenance, report_url=self.url))
        warning = self._published(verdict, event.run_id if event is not None else 0, settings)
        if warning:
            verdict = replace(verdict, notices=(*verdict.notices, warning))
        sentences = self.inner.publish(verdict, event, settings)
        return (*sentences, warning) if warning else sentences

    def _published(self, verdict: Verdict, run: int, settings: Settings) -> str:
        """What a reader must be told about the check run; empty for nothing."""
        try:
            tokens = secrets(self.environ, settings.token)
            check = check_of(hidden(verdict, tokens), head=self.head, run=run, url=self.url)
            check = replace(check, title=scrubbed(check.title, tokens), summary=scrubbed(check.summary, tokens))
            return publish_check(self.github, check).warning
        except GateError as error:
            return f"no check: {error.message}"
        except Exception as error:
            return f"no check: internal error: {type(error).__name__}"
