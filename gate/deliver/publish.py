"""Everything that leaves the gate once the verdict stands; what can't be delivered becomes a sentence."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from gate import render
from gate.deliver.client import GitHub
from gate.deliver.event import Event
from gate.deliver.hide import hidden, scrubbed, secrets
from gate.deliver.joined import post_alone, post_joined
from gate.deliver.runner import RunnerFiles
from gate.deliver.secret import Secret
from gate.errors import GateError
from gate.render.words import listed
from gate.schema.verdict import ExitCode, Verdict
from gate.settings import Settings

VERDICTS = {
    ExitCode.HOLDS: "holds",
    ExitCode.REGRESSION: "regression",
    ExitCode.USAGE: "usage",
    ExitCode.UNDECIDED: "undecided",
    ExitCode.INTERNAL: "internal",
}
HANDED_OVER = (
    "This run has no secrets, so it decides nothing. It leaves its report as an artifact, and the workflow of the "
    "default branch (`gate fork-verdict`) compares it with the base, comments and publishes the check."
)
NOTHING_TO_HAND_OVER = (
    "This run has no secrets, so it decides nothing, and it left no report either. The workflow of the default branch "
    "(`gate fork-verdict`) will say that nothing could be decided. The log says why."
)
WriteFile = Callable[[Path, bytes], None]
MakePage = Callable[[Verdict, Settings], str]


@dataclass(frozen=True, slots=True)
class Publisher:
    """Writes the files, fills the runner's, comments.

    Attributes:
        output: folder of verdict, comment and page.
        runner: the runner's files and its log.
        write: how a file is written (atomically; in the container without following links).
        tokens: environment from which a token is taken where the settings have none; no text shows any of them.
        comments: whether the pull request may be commented on at all (never from a shell).
        named: how later steps call the folder; in a container it stands elsewhere than for them. None: `output`.
        sleep: waits between attempts to reach GitHub, in seconds.
        page: renders the page, with what only a caller can look up beside the verdict.
    """

    output: Path
    runner: RunnerFiles
    write: WriteFile
    tokens: Mapping[str, str]
    comments: bool = True
    sleep: Callable[[float], None] = time.sleep
    named: Path | None = None
    page: MakePage = lambda verdict, _: render.page(verdict)

    def publish(self, verdict: Verdict, event: Event | None, settings: Settings) -> tuple[str, ...]:
        """Deliver a verdict; returns what could not be delivered, one sentence each. Never raises.

        That nothing could be judged is told to a workflow; whoever sits at a shell sees the error itself.
        """
        if verdict.problem is not None and not self.runner.present:
            return ()
        tokens = secrets(self.tokens, settings.token)
        verdict = hidden(verdict, tokens)
        warnings: list[str] = []
        url = ""
        order = event.run_id if event is not None else 0
        if self.comments and event is not None:
            # without anything to say, a comment that tells of findings still may not stay as it was
            create = settings.comment == "always" or bool(verdict.findings) or verdict.welcome or bool(verdict.problem)
            url, warning = self._comment(
                lambda: scrubbed(render.comment(verdict, order=order), tokens), event, settings, create
            )
            warnings += [warning] if warning else []
        told = replace(verdict, notices=(*verdict.notices, *warnings))
        texts: dict[str, Callable[[], str]] = {
            "verdict.json": lambda: render.verdict_json(told),
            "comment.md": lambda: render.comment(told, order=order),
            "report.html": lambda: self.page(told, settings),
        }
        steps: dict[str, Callable[[], None]] = {
            **{str(self.output / name): partial(self._write, name, text, tokens) for name, text in texts.items()},
            "the step summary": lambda: self.runner.append_summary(scrubbed(render.summary(told), tokens)),
            **self._outputs(told, url),
        }
        if settings.annotations:
            steps["the annotations"] = lambda: self.runner.annotate(
                scrubbed(line, tokens) for line in render.annotations(told)
            )
        return (*warnings, *_carried_out(steps))

    def _write(self, name: str, text: Callable[[], str], tokens: tuple[Secret, ...]) -> None:
        self.write(self.output / name, scrubbed(text(), tokens).encode("utf-8", "replace"))

    def _outputs(self, verdict: Verdict, url: str) -> dict[str, Callable[[], None]]:
        outputs = {
            "verdict": VERDICTS[verdict.would_exit],
            "exit-code": str(int(verdict.exit_code)),
            "findings": str(len(verdict.failing)),
            "report": str((self.named or self.output) / "verdict.json"),
            "comment-url": url,
        }
        return {f"the output `{name}`": partial(self.runner.set_output, name, value) for name, value in outputs.items()}

    def hand_over(self, complete: bool) -> tuple[str, ...]:
        """Say that a trusted workflow decides; returns what could not be written, one sentence each. Never raises.

        Args:
            complete: whether there is a report for it to judge.
        """
        text = HANDED_OVER if complete else NOTHING_TO_HAND_OVER
        values = {"verdict": "measured", "exit-code": "0" if complete else "3", "findings": "0"}
        steps: dict[str, Callable[[], None]] = {
            "the step summary": lambda: self.runner.append_summary(f"### {render.TITLE}: measured only\n\n{text}"),
            **{f"the output `{name}`": partial(self.runner.set_output, name, value) for name, value in values.items()},
        }
        return _carried_out(steps)

    def _comment(self, text: Callable[[], str], event: Event, settings: Settings, create: bool) -> tuple[str, str]:
        if event.pull_request is None or settings.comment == "never":
            return "", ""
        token = settings.token or self.tokens.get("INPUT_TOKEN", "") or self.tokens.get("GITHUB_TOKEN", "")
        if not token:
            return "", "no comment: there is no token (input `token`, or GITHUB_TOKEN)"
        try:
            client = GitHub(event.api_url, event.repository, token, sleep=self.sleep)
            post = post_joined if settings.comment_join else post_alone
            result = post(client, event.pull_request, text(), create=create)
        except Exception as error:
            return "", f"no comment: {_why(error)}"
        return result.url, result.warning


def _carried_out(steps: Mapping[str, Callable[[], None]]) -> tuple[str, ...]:
    """Carry out all of them, whatever becomes of one; sentences about those that failed, one a reason."""
    failed: dict[str, list[str]] = {}
    for what, step in steps.items():
        try:
            step()
        except Exception as error:
            failed.setdefault(_why(error), []).append(what)
    return tuple(f"{listed(what)} could not be written: {why}" for why, what in failed.items())


def _why(error: Exception) -> str:
    """What a reader can be told of an error; of one that nobody foresaw, its kind alone."""
    if isinstance(error, GateError):
        return f"{error.message}; {error.remedy}" if error.remedy else error.message
    if isinstance(error, OSError):
        return error.strerror or str(error)
    return f"internal error: {type(error).__name__}"
