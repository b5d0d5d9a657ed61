"""One mutant to its end: which tests are asked, in which order, and what is written of it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from gate.record.plugin.mutation.measure import Measure
from gate.record.plugin.mutation.pairing import STANDS_IN_THE_WAY, Own, Pairing, pair_scope
from gate.record.plugin.mutation.prepare import Prepared, Prompted, tests_digest
from gate.trials.designs import Fixed, first_answer, most_where_alike
from gate.trials.question import pose

if TYPE_CHECKING:
    from gate.record.plugin.calls import Calls
    from gate.record.plugin.mutation.alone import Alone
    from gate.record.plugin.mutation.shared import Shared
    from gate.record.plugin.mutation.shares import Shares
    from gate.record.plugin.mutation.sources import Sources
    from gate.record.plugin.mutation.todo import Action, Content
    from gate.trials.loop import DesignLike
    from gate.trials.plan import Plan

Json = dict[str, Any]
_STRENGTH = ("killed", "undecided", "survived", "error", "unread", "vacuous", "skipped")
"""Of several tests the first of these counts: what is known, before what is not."""


@dataclass(frozen=True, slots=True)
class Around:
    """What stands around the mutants of a run.

    Attributes:
        contents: of each target, by its specification.
        shares: how the chance of a false kill is spread over them.
        earlier: what an interrupted run left.
        halted: whether nothing more is to be begun.
    """

    prepared: Prepared
    plan: Plan
    sources: Sources
    contents: Mapping[str, Content]
    shares: Shares
    earlier: list[Json]
    halted: Callable[[], bool]
    designs: dict[Any, Any] = field(default_factory=dict)


class Verdicts:
    """Decides about mutants, one at a time."""

    def __init__(self, around: Around, shared: Shared, measure: Measure, alone: Alone, calls: Calls | None) -> None:
        self._around = around
        self._shared = shared
        self._measure = measure
        self._alone = alone
        self._calls = calls
        self._seen = 0
        self._ended: dict[str, bool] = {}
        self._digests: dict[tuple[str, ...], str] = {}
        self._earlier = {
            entry["content"]: entry for entry in around.earlier if entry["kind"] == "pair" and entry.get("outcomes")
        }

    def reach(self, prompted: Prompted, case: str, action: Action) -> None:
        """Do what is to be done about a mutant, and write what became of it."""
        known = self._around.plan.known.get(case)
        if action == "suppressed":
            self._final(prompted, case, "suppressed", reason=prompted.suppressed[case].reason)
        elif action == "carry" and known is not None:
            self._final(prompted, case, known.status, killer=known.killer, carried=True)
        elif action == "sample" and known is not None:
            entry = self._kills(prompted, case, known.killer)
            noticed = entry["outcomes"].count("1") * 2 > len(entry["outcomes"])
            status = entry["status"] if not entry["outcomes"] else "killed" if noticed else "survived"
            self._final(prompted, case, status, killer=known.killer, kills=entry, reason=entry["reason"])
        elif action == "ask" and known is not None:
            self._ask(prompted, case, known.killer)
        else:
            self._first(prompted, case)

    def _ask(self, prompted: Prompted, case: str, killer: str) -> None:
        """Whether the test that killed it on main still does; where it seems not to, whether another one does now."""
        entry = self._kills(prompted, case, killer)
        found: list[Json] = []
        if entry["status"] == "survived":
            found = self._tried(prompted, case, [test for test in prompted.tries[case] if test != killer])
        tried = [killer, *(each["test"] for each in found if each["outcomes"])]
        if found and found[-1]["status"] == "killed":
            kills = _as_kills(prompted, case, found[-1])
            self._final(prompted, case, "killed", killer=found[-1]["test"], kills=kills, tests=tried)
        else:
            self._final(
                prompted, case, entry["status"], killer=killer, kills=entry, reason=entry["reason"], tests=tried
            )

    def _tried(self, prompted: Prompted, case: str, tests: list[str]) -> list[Json]:
        """One test after the other until one kills the mutant."""
        found: list[Json] = []
        for test in tests:
            found.append(self._pair(prompted, case, test))
            if found[-1]["status"] == "killed" or self._around.halted():
                break
        return found

    def _first(self, prompted: Prompted, case: str) -> None:
        """Decide about a mutant that main does not know."""
        found = self._tried(prompted, case, self._ordered(prompted, case))
        best = min(found, key=lambda entry: _STRENGTH.index(entry["status"]))
        if best.get("open"):
            return  # the run was ended in the middle of it
        killed = best["status"] == "killed"
        kills: Json | None = None
        if killed:
            fixed = self._around.plan.fixed is not None
            kills = self._kills(prompted, case, best["test"]) if fixed else _as_kills(prompted, case, best)
        self._final(
            prompted,
            case,
            best["status"],
            killer=best["test"] if killed else "",
            kills=kills,
            reason=best["reason"],
            tests=[entry["test"] for entry in found if entry["outcomes"]],
        )

    def _ordered(self, prompted: Prompted, case: str) -> list[str]:
        """Tests that try a mutant, that which killed it on main first."""
        known = self._around.plan.known.get(case)
        return killer_first(prompted.tries[case], known.killer if known is not None else "")

    def _pair(self, prompted: Prompted, case: str, test: str) -> Json:
        """One test under one mutant, unless something stands in the way."""
        wanted = prompted.tries[case][test]
        own = self._alone.own(test, wanted)
        nothing = {"mutant": case, "test": test, "outcomes": "", "status": "skipped", "reason": own.refused}
        if own.refused:
            return nothing
        proven = self._alone.proven(test, prompted.spec)
        canary = None if proven else self._alone.known_canary(test, prompted.spec)
        if canary is not None and canary["state"] in STANDS_IN_THE_WAY:
            status = "error" if canary["state"] == "spoilt" else canary["state"]
            return {**nothing, "status": status, "reason": canary["reason"]}
        design, s0 = self._measure.design(wanted, own, wanted.alpha * self._around.shares.part(case, self._killed))
        if first_answer(design, s0, "0" * wanted.max_trials) != "regression":
            trials = "trial without a mutant is" if own.n0 == 1 else "trials without a mutant are"
            few = f"{own.s0} of {own.n0} {trials} too few to show a fall of {wanted.delta:.0%}"
            among = self._around.shares.among
            return {**nothing, "reason": f"{few}, shared by {among:,} decisions: make more of them"}
        job = self._pairing(prompted, case, test, design, s0, wanted.max_trials, own)
        doubt = None if proven or canary is not None else partial(self._alone.canary, test, prompted)
        return self._measure.pair(job, doubt)

    def _killed(self, case: str) -> bool | None:
        """Whether a mutant of this run was killed; None where that is not known yet."""
        for entry in self._shared.since("mutant", self._seen):
            self._seen += 1
            self._ended[entry["case"]] = entry["status"] == "killed"
        return self._ended.get(case)

    def _kills(self, prompted: Prompted, case: str, test: str) -> Json:
        """Trials in which the test that killed a mutant is asked whether it still does, or a sample of them."""
        wanted, fixed = prompted.tries[case][test], self._around.plan.fixed
        if fixed is not None:
            job = self._pairing(prompted, case, test, Fixed(fixed), 0, fixed)
            job = replace(job, carried="", excerpt="")
        else:
            posed = pose(self._around.plan, case, wanted, self._around.designs)
            job = self._pairing(prompted, case, test, posed.design, posed.s0, posed.cap)
        entry = self._measure.pair(job)
        entry["fixed"] = fixed is not None and entry["whole"]
        entry["wanted"] = wanted.deciding()
        stored = self._stored(job.scope)
        alike = len(set(entry["outcomes"])) == 1
        if self._calls is not None and alike and self._calls.same_answers(job.scope):
            entry["outcomes"], entry["carried"], stored = entry["outcomes"][:1], 0, 1
        asks_more = entry["answer"] == "undecided" and fixed is None
        entry["recorded"] = stored if stored and asks_more and len(entry["outcomes"]) >= stored else 0
        return entry

    def _pairing(
        self, prompted: Prompted, case: str, test: str, design: DesignLike, s0: int, cap: int, own: Own | None = None
    ) -> Pairing:
        """A test and a mutant, and how they are decided.

        Args:
            own: how often the test passes without it; None where main killed it, and the test is asked whether it
                still does.
        """
        asked = own is None
        content = self._content(prompted, case, test, asked=asked)
        scope = pair_scope(case, test, asked=asked)
        outcomes, excerpt = self._carried(scope, content)
        stored = self._stored(scope)
        if self._calls is not None and self._calls.replays:
            plan = self._around.plan
            # one round of recording then decides: as well as the baseline can, or where all trials end alike
            few = min(cap, plan.fixed or plan.estimate) if asked else most_where_alike(design, s0, cap)
            self._calls.wants(scope, max(stored, few))
        return Pairing(
            item=self._around.prepared.items[test],
            test=test,
            prompted=prompted,
            case=case,
            scope=scope,
            mutant=prompted.mutants[case],
            own=own or Own(),
            design=design,
            cap=min(cap, stored) if stored else cap,
            s0=s0,
            asked=asked,
            content=content,
            carried=outcomes,
            excerpt=excerpt,
        )

    def _stored(self, scope: str) -> int:
        """Of how many trials answers are stored, in a replay; else 0."""
        return self._calls.stored_trials(scope) if self._calls is not None and self._calls.replays else 0

    def _content(self, prompted: Prompted, case: str, test: str, *, asked: bool) -> str:
        """Digest of all that the trials of a pair depend on."""
        around = self._around
        mode = "live" if self._calls is None or self._calls.mode == "record" else self._calls.mode
        content = around.contents[prompted.spec].text
        parts = case, test, around.prepared.sources[test], str(asked), mode, content, around.sources.around
        told = "\0".join(parts).encode("utf-8", "surrogatepass")
        return hashlib.blake2b(told, digest_size=16).hexdigest()

    def _carried(self, scope: str, content: str) -> tuple[str, str]:
        """Trials of the same content that an earlier run made: an interrupted one, or of the same pull request."""
        if self._calls is not None and self._calls.mode in ("replay", "record"):
            return "", ""
        for carried in self._around.plan.carried.get(scope, ()):
            if carried.fingerprint == content:
                return carried.outcomes, carried.excerpt
        entry = self._earlier.get(content)
        return ("", "") if entry is None else (str(entry["outcomes"]), str(entry.get("excerpt", "")))

    def _final(
        self,
        prompted: Prompted,
        case: str,
        status: str,
        *,
        killer: str = "",
        reason: str = "",
        kills: Json | None = None,
        tests: list[str] | None = None,
        carried: bool = False,
    ) -> None:
        if kills is not None and kills.get("open"):
            return  # the run was ended in the middle of it
        by = (killer,) if killer else tuple(prompted.tries[case])
        if by not in self._digests:
            self._digests[by] = tests_digest(self._around.prepared, by)
        self._shared.add(
            "mutant",
            case=case,
            status=status,
            killer=killer,
            reason=reason,
            tests=tests or [],
            carried=carried,
            kills=kills,
            fingerprint=self._digests[by],
        )


def _as_kills(prompted: Prompted, case: str, entry: Json) -> Json:
    """A decision's trials, in which `1` means that the test passed, as those of a kill."""
    turned = entry["outcomes"].translate(str.maketrans("01", "10"))
    return {**entry, "outcomes": turned, "fixed": False, "wanted": prompted.tries[case][entry["test"]].deciding()}


def killer_first(tests: Iterable[str], killer: str) -> list[str]:
    """The tests in their order, but for the one that killed a mutant on main: it most likely does again."""
    return sorted(tests, key=lambda test: test != killer)
