"""Everything that leaves the gate once the verdict stands; what can't be delivered becomes a sentence."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from gate import render
from gate.deliver.client import GitHub
from gate.deliver.event import Event
from gate.deliver.runner import RunnerFiles
from gate.deliver.sticky import post_comment
from gate.errors import GateError
from gate.schema.verdict import ExitCode, Verdict
from gate.settings import Settings

VERDICTS = {
    ExitCode.HOLDS: "holds",
    ExitCode.REGRESSION: "regression",
    ExitCode.USAGE: "usage",
    ExitCode.UNDECIDED: "undecided",
    ExitCode.INTERNAL: "internal",
}
WriteFile = Callable[[Path, bytes], None]


@dataclass(frozen=True, slots=True)
class Publisher:
    """Writes the files, fills the runner's, comments.

    Attributes:
        output: folder of verdict, comment and page.
        runner: the runner's files and its log.
        write: how a file is written (atomically; in the container without following links).
        tokens: environment from which a token is taken where the settings have none.
        comments: whether the pull request may be commented on at all (never from a shell).
        named: how later steps call the folder; in a container it stands elsewhere than for them. None: `output`.
        sleep: waits between attempts to reach GitHub, in seconds.
    """

    output: Path
    runner: RunnerFiles
    write: WriteFile
    tokens: Mapping[str, str]
    comments: bool = True
    sleep: Callable[[float], None] = time.sleep
    named: Path | None = None

    def publish(self, verdict: Verdict, event: Event | None, settings: Settings) -> tuple[str, ...]:
        """Deliver a verdict; returns what could not be delivered, one sentence each."""
        warnings: list[str] = []
        url = ""
        if self.comments and event is not None:
            url, warning = self._comment(verdict, event, settings)
            warnings += [warning] if warning else []
        told = replace(verdict, notices=(*verdict.notices, *warnings))
        order = event.run_id if event is not None else 0
        steps: dict[str, Callable[[], None]] = {
            f"the files in {self.output}": lambda: self._files(told, order),
            "the step summary": lambda: self.runner.append_summary(render.summary(told)),
            "the outputs of the step": lambda: self._outputs(told, url),
        }
        if settings.annotations:
            steps["the annotations"] = lambda: self.runner.annotate(render.annotations(told))
        for what, step in steps.items():
            try:
                step()
            except (OSError, GateError) as error:
                warnings.append(f"{what} could not be written: {error}")
        return tuple(warnings)

    def _files(self, verdict: Verdict, order: int) -> None:
        texts = {
            "verdict.json": render.verdict_json(verdict),
            "comment.md": render.comment(verdict, order=order),
            "report.html": render.page(verdict),
        }
        for name, text in texts.items():
            self.write(self.output / name, text.encode("utf-8", "replace"))

    def _outputs(self, verdict: Verdict, url: str) -> None:
        outputs = {
            "verdict": VERDICTS[verdict.would_exit],
            "exit-code": str(int(verdict.exit_code)),
            "findings": str(len(verdict.failing)),
            "report": str((self.named or self.output) / "verdict.json"),
            "comment-url": url,
        }
        for name, value in outputs.items():
            self.runner.set_output(name, value)

    def _comment(self, verdict: Verdict, event: Event, settings: Settings) -> tuple[str, str]:
        if event.pull_request is None or settings.comment == "never":
            return "", ""
        token = settings.token or self.tokens.get("GITHUB_TOKEN", "")
        if not token:
            return "", "no comment: there is no token (input `token`, or GITHUB_TOKEN)"
        try:
            client = GitHub(event.api_url, event.repository, token, sleep=self.sleep)
            result = post_comment(
                client,
                event.pull_request,
                render.comment(verdict, order=event.run_id),
                parse_marker=render.parse_marker,
                # Without findings, a comment that tells of some may not stay as it was.
                create=settings.comment == "always" or bool(verdict.findings) or verdict.welcome,
            )
        except GateError as error:
            return "", f"no comment: {error.message}{f'; {error.remedy}' if error.remedy else ''}"
        return result.url, result.warning
