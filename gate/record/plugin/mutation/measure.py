"""What is measured of a test and of a mutant: pass rate without any, an empty prompt, and trials under each mutant."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from gate.record.plugin import stale
from gate.record.plugin.attempt import shared_fixtures
from gate.record.plugin.mutation import unread
from gate.record.plugin.mutation.attempts import PASSED, Bench, Seen, Trial, TrialMaker
from gate.record.plugin.mutation.marker import Wanted
from gate.record.plugin.mutation.pairing import STANDS_IN_THE_WAY, Own, Pairing, status_of, told_of
from gate.record.plugin.pauses import Pauses
from gate.schema.mutation import summary_id
from gate.trials.designs import Fixed
from gate.trials.floor import floor_for
from gate.trials.loop import DesignLike, Ending, Result, TrialLoop, TrialResult, TrialsRun

if TYPE_CHECKING:
    from gate.record.plugin.calls import Calls
    from gate.record.plugin.mutation.prepare import Prompted
    from gate.record.plugin.mutation.quick_bench import QuickBench
    from gate.record.plugin.mutation.shared import Shared

    AnyBench = Bench | QuickBench

Json = dict[str, Any]
_MOST_DIGESTS = 1_000
_NO_TRIALS = frozenset({Seen.LACKED, Seen.SPOILT, Seen.SKIPPED})


class Measure:
    """Makes the trials of one process and writes what they say into the journal.

    Args:
        stopped: whether the run is to end; asked before each trial.
        pauses: between a trial that the provider refused and the next.
    """

    def __init__(
        self,
        maker: TrialMaker,
        shared: Shared,
        calls: Calls | None,
        stopped: Callable[[pytest.Item], bool],
        pauses: Pauses,
    ) -> None:
        self._maker = maker
        self._shared = shared
        self._calls = calls
        self._stopped = stopped
        self._pauses = pauses
        self._designs: dict[Any, Any] = {}
        self._asked: int | None = None

    def own(self, item: pytest.Item, count: int) -> None:
        """So many trials of a test without any mutant."""
        case = f"{stale.UNMUTATED}{item.nodeid}"
        loop = TrialLoop(Fixed(count), cap=count)
        if self._calls is not None:
            self._calls.wants(case, count)

        def work(bench: AnyBench) -> None:
            self._run(loop, bench, bench.trial, {})

        self._maker.make(item, case, work)
        run = loop.result()
        sent, answers = self._digests(case)
        refused = "" if run.ending is Ending.ANSWERED else f"it could not be measured without a mutant: {run.excerpt}"
        self._shared.add(
            "own",
            test=item.nodeid,
            p0=None,
            n0=len(run.outcomes),
            s0=run.passes,
            source="measured",
            refused=refused[:500],
            errors=run.errors,
            sent=sent,
            answers=answers,
            whole=run.ending is Ending.ANSWERED,
            **self._cost(case, self._all_sent(case)),
        )

    def canary(self, item: pytest.Item, prompted: Prompted, own: Own) -> None:
        """One trial with an empty prompt: whether the test notices even that, and whether it is read at all."""
        case = f"{summary_id(prompted.spec)} {item.nodeid}"
        found: list[Trial] = []

        def work(bench: AnyBench) -> None:
            for number in range(4):  # an infrastructure error is no trial
                found[:] = [bench.trial(number, prompted, _empty(prompted))]
                if found[0].seen is not Seen.UNREACHABLE or self._stopped(item):
                    self._pauses.answered()
                    break
                self._wait(found[0])

        self._maker.make(item, case, work)
        trial, state, reason = found[0], "notices", ""
        sent = self._all_sent(case)
        if trial.seen in (Seen.UNREACHABLE, Seen.LACKED):
            state, reason = "unknown", f"the trial with an empty prompt could not be made: {trial.excerpt}"
        elif trial.seen is Seen.SPOILT:
            state, reason = "spoilt", trial.excerpt
        elif unread.reading(None, prompted.prompt.text, sent, own.sent) == "unread":
            state = "unread"
            reason = unread.advice(prompted.prompt.text, prompted.spec, shared_fixtures(item) or self._fixtures(item))
        elif trial.seen is Seen.PASSED:
            state = "vacuous"
            reason = "it passes even with an empty prompt"
            if not sent:
                reason += ", or never reads this one (no call was observed)"
        cost = self._cost(case, sent)
        self._forget(case)
        self._shared.add(
            "canary",
            test=item.nodeid,
            target=prompted.spec,
            state=state,
            reason=reason,
            observed=len(sent),
            whole=trial.seen is not Seen.LACKED,
            **cost,
        )

    def pair(self, job: Pairing, doubt: Callable[[], Json] | None = None) -> Json:
        """Trials of a test under a mutant until its design answers.

        Args:
            doubt: what the test makes of an empty prompt, where nothing has shown yet that it depends on this one;
                asked once a trial passed, or showed that the prompt was not read.

        Returns:
            The entry of the journal.
        """
        loop = TrialLoop(job.design, cap=job.cap, s0=job.s0, carried=job.carried, excerpt=job.excerpt)
        told: Json = {}
        if loop.wants_more and not (doubt is not None and "1" in job.carried):
            self._trials(job, loop, told, pauses=doubt is not None)
        if doubt is not None and ("1" in loop.result().outcomes or told.get("reading") == "unread"):
            told["canary"] = doubt()
            if told["canary"]["state"] in STANDS_IN_THE_WAY:
                return self._add(job, loop, told)
        if loop.wants_more and "stop" not in told and told.get("reading") != "unread":
            self._trials(job, loop, told, pauses=False)
        return self._add(job, loop, told)

    def _add(self, job: Pairing, loop: TrialLoop, told: Json) -> Json:
        entry = self._paired(job, loop.result(), told)
        self._shared.put("pair", entry)
        return entry

    def _trials(self, job: Pairing, loop: TrialLoop, told: Json, *, pauses: bool) -> None:
        """Trials of a pair.

        Args:
            told: takes what the trials say beside their outcomes.
            pauses: whether to end behind the first trial that passes.
        """
        change = job.mutant.apply  # one object for all trials, which is then known to be the same

        def work(bench: AnyBench) -> None:
            def one(number: int) -> Trial:
                trial = bench.trial(number, job.prompted, change)
                if "reading" not in told:
                    told["reading"] = self._reading(job, bench, number)
                return trial

            stop = self._run(loop, bench, one, told, notice=job.asked, pauses=pauses)
            if stop is not None:
                told["stop"] = stop
            if told.get("reading") == "unread":
                fixtures = bench.attempts.shared
                told["advice"] = unread.advice(job.prompted.prompt.text, job.prompted.spec, fixtures)
            told["shared"] = list(bench.attempts.shared)

        self._maker.make(job.item, job.scope, work)

    def _paired(self, job: Pairing, run: TrialsRun, told: Json) -> Json:
        sent = self._all_sent(job.scope)
        cost = self._cost(job.scope, sent)
        status, reason = status_of(job, run, told)
        over = bool(cost.get("over"))
        if over and status == "error":  # no fault of the mutant's: a run with a higher limit goes on from here
            status = "skipped"
        answers = {each.answer for each in sent if each.answer}
        same = bool(answers) and answers <= job.own.answers
        if sent:
            self._forget(job.scope)
        return {
            "mutant": job.case,
            "test": job.test,
            "target": job.prompted.spec,
            "asked": job.asked,
            "sample": isinstance(job.design, Fixed),
            "status": status,
            "reason": reason[:500],
            "outcomes": run.outcomes,
            "answer": run.answer,
            "errors": run.errors,
            "timed_out": run.timed_out,
            "carried": run.carried,
            "excerpt": run.excerpt,
            "shared": told.get("shared", []),
            "reading": told.get("reading", "unknown"),
            "same": same and status == "survived",
            "content": job.content,
            "whole": run.ending is Ending.ANSWERED,
            "open": status == "skipped" and (over or run.ending is Ending.OPEN),
            **cost,
        }

    def _run(
        self,
        loop: TrialLoop,
        bench: AnyBench,
        one: Callable[[int], Trial],
        told: Json,
        *,
        notice: bool = False,
        pauses: bool = False,
    ) -> Trial | None:
        """Trials until the loop is content, the prompt turns out to be unread, or, with `pauses`, one passed.

        Returns:
            What was no trial, and lets no other one be made.
        """
        made, refused = loop.number, False
        while loop.wants_more and not self._stopped(bench.item):
            trial = one(made)
            if trial is not PASSED and trial.seen in _NO_TRIALS:
                loop.tell(TrialResult(Result.ABANDONED, trial.excerpt))
                return trial
            if "reading" in told and told["reading"] == "unread":
                return None
            loop.tell(told_of(trial, notice=notice))
            if trial is not PASSED and trial.seen is Seen.UNREACHABLE:
                self._wait(trial, again=loop.wants_more)
                refused = True
                continue
            if refused or not made:
                self._pauses.answered()
                refused = False
            made += 1
            if pauses and trial is PASSED:
                return None
        return None

    def _wait(self, trial: Trial, *, again: bool = True) -> None:
        """Give the provider time before the next trial; in a replay nobody refuses anything any more."""
        if again and (self._calls is None or not self._calls.replays):
            self._pauses.refused(trial.wait)

    def _reading(self, job: Pairing, bench: AnyBench, number: int) -> str:
        observed = None if self._calls is None else self._calls.observed
        sent = () if observed is None else observed.sent(bench.case, number)
        return unread.reading(job.mutant, job.prompted.prompt.text, sent, job.own.sent)

    def _all_sent(self, case: str) -> list[Any]:
        observed = None if self._calls is None else self._calls.observed
        return (
            []
            if observed is None
            else [each for number in observed.trials(case) for each in observed.sent(case, number)]
        )

    def _digests(self, case: str) -> tuple[list[str], list[str]]:
        """Digests of what a case sent and was answered, each once, sorted."""
        sent = self._all_sent(case)
        requests, answers = {each.digest for each in sent}, {each.answer for each in sent if each.answer}
        return sorted(requests)[:_MOST_DIGESTS], sorted(answers)[:_MOST_DIGESTS]

    def _forget(self, case: str) -> None:
        if self._calls is not None and self._calls.observed is not None:
            self._calls.observed.forget(case)

    def _cost(self, case: str, sent: list[Any]) -> Json:
        """Calls of a case that sent so much, and what they took."""
        if self._calls is None:
            return {"calls": 0}
        asked = self._calls.asked
        if asked is not None and asked == self._asked and not sent:
            return {"calls": 0}  # nobody asked anything since the last answer to this, and this case never did
        self._asked = asked
        counts = self._calls.counts(case)
        return {"calls": counts.live + counts.replayed, "over": counts.refused, "cost": self._calls.since_last(case)}

    def _fixtures(self, item: pytest.Item) -> tuple[str, ...]:
        """Fixtures of wider scopes, where the item is torn down already."""
        found = getattr(item, "_fixtureinfo", None)
        definitions = getattr(found, "name2fixturedefs", {})
        return tuple(
            name
            for name, each in sorted(definitions.items())
            if each
            and each[-1].scope != "function"
            and not str(each[-1].func.__module__).startswith(("_pytest", "pytest"))
        )

    def design(self, wanted: Wanted, own: Own, share: float) -> tuple[DesignLike, int]:
        """The rule of a first decision, and the passes of the test without a mutant that it compares with.

        Args:
            share: chance at most to call a mutant killed that changes nothing.
        """
        if own.p0 is not None:
            return floor_for(own.p0, wanted.max_trials, share, delta=wanted.delta, power=wanted.power), 0
        from gate.stats.design import Question, design_for

        question = Question(own.n0, wanted.max_trials, share, wanted.delta, wanted.power)
        return design_for(question, self._designs), own.s0


def _empty(prompted: Prompted) -> str:
    """The emptiest text that a target takes: a list of tools is JSON."""
    return "[]" if getattr(prompted.target, "as_json", False) else ""
