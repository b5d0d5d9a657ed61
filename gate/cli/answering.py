"""What a command in a comment leads to. The pull request is hostile: nothing of it runs, and nothing of it is believed.

The verdict is made again from the stored candidate, by the base's baseline and settings; only where it is the one that
the gate's comment shows, its numbers mean what the person saw.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gate.errors import GateError, RepositoryError, UsageError

if TYPE_CHECKING:
    from gate.baselines.base import Base
    from gate.collaborators import Request, Tools
    from gate.deliver.acceptances import Shown, Standing
    from gate.deliver.client import Comment, GitHub, PullRequest
    from gate.deliver.commands import Command
    from gate.deliver.event import Event
    from gate.rounds import RunTurn
    from gate.schema.verdict import Finding, Verdict
    from gate.settings import Settings

REFRESH = "baseline.yml"
_AGAIN = "run its jobs again, then ask again"


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of one command.

    Attributes:
        done: whether it was carried out.
        text: one sentence for a reply, which may hold foreign words; empty where the gate's comment says it.
        body: Markdown for a reply, in place of a sentence.
        outputs: of the step, for a later job.
    """

    done: bool
    text: str = ""
    body: str = ""
    outputs: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Desk:
    """Where commands of one comment are answered.

    Attributes:
        suite: whose verdict is meant.
        tools: of `gate ci` on this machine.
        event: of the pull request, as its runs have it.
        branch: the default branch.
        limit: bytes of a candidate above which it is refused.
    """

    github: GitHub
    request: Request
    tools: Tools
    suite: str
    comment: Comment
    pull: PullRequest
    event: Event
    branch: str
    limit: int

    def answer(self, command: Command) -> Answer:
        """Carry out one command. What keeps it from being carried out is in the answer, never an error of GitHub's."""
        try:
            desk = self._of(command)
            return {
                "accept": desk._accept,
                "record": desk._record,
                "refresh": desk._refresh,
                "explain": desk._explain,
            }[command.verb](command)
        except GateError as error:
            return Answer(False, _sentence(error))

    def _of(self, command: Command) -> Desk:
        """The same for the suite that is meant; where several are shown, a number alone could mean either's."""
        from gate.deliver.acceptances import suites_shown

        if command.suite:
            request = replace(self.request, options={**self.request.options, "suite": command.suite})
            return replace(self, suite=command.suite, request=request)
        if command.findings:
            several = sorted(suites_shown(self.github.list_comments(self.pull.number)))
            if len(several) > 1:
                example = f"`/gate {command.verb} {several[0]}:{command.findings[0]}`"
                raise UsageError(f"{len(several):,} suites have findings here", remedy=f"name yours, as in {example}")
        return self

    def _accept(self, command: Command) -> Answer:
        from gate.compare import accepted
        from gate.deliver.acceptances import acceptances, standing, stands
        from gate.deliver.permissions import why_not_accept
        from gate.render.record import MOST_ACCEPTED, Bound, digest_of

        ours, verdict, settings = self._verdict()
        if why := why_not_accept(self.github, self.comment, self.pull, settings):
            return Answer(False, why)
        chosen = _chosen(verdict, command)
        if isinstance(chosen, str):
            return Answer(False, chosen)
        comments = self.github.list_comments(self.pull.number)
        before = standing(self.github, comments, ours.record, self.pull, settings)
        new = [
            stands(Bound(self.comment.id, each.rule.value, digest_of(each.case_id), float(each.amount)), self.comment)
            for each in chosen
        ]
        both = (*before, *new)
        if len(both) > MOST_ACCEPTED:
            return Answer(False, f"at most {MOST_ACCEPTED} findings of a pull request can be accepted")
        after = accepted(verdict, acceptances(both, verdict.findings, self.pull.head_sha))
        lost = self._shown_again(after, ours)
        return Answer(False, lost) if lost else self._run_again(after, ours, _others(both, chosen))

    def _shown_again(self, verdict: Verdict, ours: Shown) -> str:
        """Bring the gate's comment up to a verdict; why it is not, one sentence."""
        from gate import render
        from gate.deliver.hide import hidden, scrubbed, secrets
        from gate.deliver.joined import post_alone, post_joined

        tokens = secrets(self.request.environ)
        body = scrubbed(render.comment(hidden(verdict, tokens), order=ours.marker.order), tokens)
        post = post_joined if ours.joined else post_alone
        result = post(self.github, self.pull.number, body, create=False)
        if result.warning or not result.url:
            return f"nothing is accepted: {result.warning or 'the comment of the gate is gone'}"
        return ""

    def _run_again(self, verdict: Verdict, ours: Shown, notice: str) -> Answer:
        """Let the check turn green, where nothing else fails it: its failed jobs judge the stored candidate."""
        if verdict.failing:
            return Answer(True, notice)
        try:
            self.github.act(f"/actions/runs/{self._judging_run(ours):d}/rerun-failed-jobs")
        except GateError as error:
            return Answer(True, f"accepted, but the jobs must be run again by hand: {_sentence(error)}")
        return Answer(True, notice)

    def _judging_run(self, ours: Shown) -> int:
        """Number of the run that decides: of a fork's pull request that of the trusted workflow, not the measuring one.

        Where its artifact is gone, the measuring run is the one: its end starts the trusted workflow.
        """
        from gate.deliver.artifacts import read_run
        from gate.deliver.fork_run import needs_trusted_step
        from gate.deliver.fork_verdicts import latest_fork_verdict

        measured = read_run(self.github, ours.marker.order)
        if not needs_trusted_step(self.github.repository, measured.head_repository, measured.actor):
            return measured.id
        found = latest_fork_verdict(self.github, self.suite, self.pull, head=self.pull.head_sha)
        return measured.id if found is None else found.run.id

    def _explain(self, command: Command) -> Answer:
        from gate.cli.explain import for_reply
        from gate.render.explain import explain

        _, verdict, _ = self._verdict()
        unknown = [name for name in command.findings if name not in {each.id for each in verdict.findings}]
        if unknown:
            return Answer(False, _unknown(unknown, verdict))
        return Answer(True, body=explain(verdict, command.findings, for_reply))

    def _record(self, command: Command) -> Answer:
        from gate.deliver.acceptances import left_by_run
        from gate.deliver.artifacts import MISSING
        from gate.deliver.earlier import MOST_BYTES

        ours = self._shown()
        data = left_by_run(self.github, self.suite, self.pull, MISSING, run=ours.marker.order, limit=MOST_BYTES)
        if not data:
            return Answer(False, "the run of this head lacked no answer, so there is nothing to record")
        from gate.baselines.write import write_atomically

        write_atomically(self.request.root / self.request.output / MISSING, data)
        return Answer(True, outputs={"record": "true", "run": str(ours.marker.order), "head": self.pull.head_sha})

    def _refresh(self, command: Command) -> Answer:
        self.github.act(f"/actions/workflows/{REFRESH}/dispatches", {"ref": self.branch})
        return Answer(True, f"the workflow `{REFRESH}` was started; it proposes the new baseline in a pull request")

    def _shown(self) -> Shown:
        """The gate's comment, of this head and of a run that has ended."""
        from gate.deliver.acceptances import shown
        from gate.deliver.artifacts import read_run

        ours = shown(self.github, self.github.list_comments(self.pull.number), self.suite)
        if ours is None:
            raise RepositoryError(f"there is no verdict of the suite `{self.suite}` here that has findings")
        if ours.marker.head != self.pull.head_sha:
            raise RepositoryError("the head has moved since the verdict; wait for that of the new commit")
        run = read_run(self.github, ours.marker.order)
        if not run.finished:
            raise RepositoryError("the run of this head has not ended; ask again when it has")
        if run.commit != self.pull.head_sha:
            raise RepositoryError(f"the run of the comment is of another commit; {_AGAIN}")
        return ours

    def _verdict(self) -> tuple[Shown, Verdict, Settings]:
        """The gate's comment with its verdict, made again from what the run measured."""
        from gate.deliver.acceptances import Stored, stored_candidate
        from gate.pipeline import judge_stored

        ours = self._shown()
        found = stored_candidate(self.github, self.suite, self.pull, run=ours.marker.order, limit=self.limit)
        if found is None:
            raise RepositoryError(f"the run of this head left no candidate; {_AGAIN}")
        stored = Stored((), *found, findings=ours.record.findings)
        event = replace(self.event, run_id=ours.marker.order, attempt=ours.marker.attempt)
        tools = proposal_tools(self.tools, event, ours.record.base)
        judged = judge_stored(self.request, tools, stored)
        if judged is None:
            raise RepositoryError(
                f"what the run measured no longer leads to the verdict that its comment shows; {_AGAIN}"
            )
        return ours, *judged


def proposal_tools(tools: Tools, event: Event, base: str) -> Tools:
    """The collaborators of `gate ci` for a pull request of which nothing is checked out."""
    from gate.baselines.proposal import base_of_proposal
    from gate.cli.tools import git_of
    from gate.cli.trials import confirmable
    from gate.collaborators import no_turn

    def find_base(request: Request, _: Event | None) -> Base:
        return base_of_proposal(git_of(request), base=base, head=event.head_sha, branch=event.base_ref)

    @contextlib.contextmanager
    def arms(request: Request, base: Base | None, settings: Settings) -> Iterator[RunTurn | None]:
        yield no_turn if base is not None and confirmable(base, settings) else None

    return replace(
        tools,
        read_event=lambda request: event,
        find_base=find_base,
        arms=arms,
        keep=lambda request, data: None,
    )


def _chosen(verdict: Verdict, command: Command) -> tuple[Finding, ...] | str:
    """The findings that a command accepts, or why it can't."""
    from gate.compare.acceptance import acceptable
    from gate.deliver.commands import ALL

    known = {each.id: each for each in verdict.findings}
    if command.findings == (ALL,):
        found = tuple(each for each in verdict.failing if acceptable(each))
        return found or "nothing here fails that could be accepted"
    unknown = [name for name in command.findings if name not in known]
    if unknown:
        return _unknown(unknown, verdict)
    bad = next((each for each in map(known.__getitem__, command.findings) if not acceptable(each)), None)
    if bad is None:
        return tuple(known[name] for name in command.findings)
    if bad.fails:
        return f"{bad.id} (`{bad.rule.value}`) can't be accepted: what was not measured may hide anything"
    return f"{bad.id} (`{bad.rule.value}`) does not fail the check"


def _unknown(names: Sequence[str], verdict: Verdict) -> str:
    last = verdict.findings[-1].id if verdict.findings else ""
    there = f"there are F1 to {last}" if last else "it has no findings"
    return f"there is no {', '.join(names[:5])} here; {there}"


def _others(both: Sequence[Standing], chosen: Sequence[Finding]) -> str:
    """Said where nothing is new; else the gate's comment says it all."""
    repeated = [each.id for each in chosen if sum(one.bound.about(each) for one in both) > 1]
    return f"{', '.join(repeated[:5])} was accepted before" if len(repeated) == len(chosen) else ""


def _sentence(error: GateError) -> str:
    """What is wrong; what to do about an answer of GitHub's is written for other readers."""
    from gate.deliver.problems import ApiError

    if isinstance(error, ApiError):
        return error.message
    return f"{error.message}; {error.remedy}" if error.remedy else error.message
