"""An agent that is a command line, run in a cell: no key, no token, no checkout, and one proxy for all network."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from gate.record.probes.agents.agent import Identity, Task
from gate.record.probes.agents.home import NONE, Files
from gate.record.probes.agents.launch import LAUNCHER, OUTPUT, PROMPT, SPEC, TOOLS, spec
from gate.record.probes.agents.output import Reader, answer_of, plain
from gate.record.probes.agents.program import Program
from gate.record.probes.agents.template import OUTPUT_FILE, Filled, Part, Template, fill
from gate.record.probes.calls import Calls, Providers
from gate.sandbox.cell import Cell
from gate.sandbox.cell.values import HOME, MIB, Job, Limits
from gate.suites.probes.answer import Answer, Ended

LIMITS = Limits(wall=600.0, cpu=600.0, memory=4096 * MIB, disk=512 * MIB, output=8 * MIB, processes=256)
"""Of an agent itself; the code that it answers with has its probe's limits."""
_SHELL = (Path("/etc/bash.bashrc"),)
"""Where a job sees the machine's folders, bash says to each of its commands that it may not read this."""
_LOCALE = {"LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "TERM": "dumb", "NO_COLOR": "1", "CI": "true"}


@dataclass(frozen=True, slots=True)
class Setup:
    """What surrounds a command in its cell.

    Attributes:
        program: where its program lies; None for one of `tools`.
        overlay: laid over its HOME.
        tools: the user's own files that the command names.
        environment: further variables.
        files: further files below its working folder, by relative path.
        readable: further trees that it may read.
        limits: of one task.
        leading, variables: make words behind the program, and variables, of those that lead to the proxy.
        read: reads what it prints.
    """

    program: Program | None
    overlay: Files = NONE
    tools: Files = NONE
    environment: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    readable: tuple[Path, ...] = ()
    limits: Limits = LIMITS
    leading: Callable[[Mapping[str, str]], Sequence[str]] = lambda _: ()
    variables: Callable[[Mapping[str, str]], Mapping[str, str]] = lambda _: {}
    read: Reader = plain


class CommandAgent:
    """Asks by running a command; safe to be used from several threads.

    Args:
        cell: in which it runs.
        providers: the way to the APIs of models; None where there is none.
    """

    def __init__(
        self, template: Template, identity: Identity, cell: Cell, setup: Setup, providers: Providers | None = None
    ) -> None:
        self.identity = identity
        self._template = template
        self._cell = cell
        self._setup = setup
        self._providers = providers

    def ask(self, task: Task) -> Answer:
        """Run the command for a task; how it ended stands in the answer.

        Raises:
            BudgetExhaustedError: a call of a model had no room in the budget, so that there is no answer.
            KeyRefusedError: likewise, since the provider refused the key.
        """
        if self._providers is None:
            return self._run(task, None)
        with self._providers.opened(task.case) as calls:
            answer = self._run(task, calls)
        spent = self._providers.spent(task.case)
        calls.check(task.probe.id)
        if calls.infrastructure and (calls.failed or answer.ended is not Ended.ANSWERED):
            answer = replace(answer, ended=Ended.INFRASTRUCTURE, message=calls.infrastructure)
        elif calls.failed:
            # some command lines print the provider's error and end with 0; no model said a word of it
            answer = replace(answer, text="", ended=Ended.CRASHED, message=calls.failed)
        if answer.cost is None and calls.count and not spent.amount.unpriced:
            answer = replace(answer, cost=spent.amount.money)
        if answer.tokens is None and calls.count and not spent.amount.uncounted:
            answer = replace(answer, tokens=spent.amount.tokens)
        return replace(answer, models=spent.models)

    def _run(self, task: Task, calls: Calls | None) -> Answer:
        setup = self._setup
        reached = dict(calls.environment) if calls else {}
        filled = fill(self._template, task.prompt)
        first = (("", str(setup.program.path)),) if setup.program else filled.words[0]
        words = (first, *((("", word),) for word in setup.leading(reached)), *filled.words[1:])
        words = tuple(self._of_user(word) for word in words)
        before = {path: text.encode("utf-8") for path, text in {**task.probe.setup, **task.files}.items()}
        environment = {**_LOCALE, **reached, **setup.environment, **setup.variables(reached)}
        job = Job(
            argv=(self._cell.python, "-I", "-S", "-c", LAUNCHER),
            files=self._files(replace(filled, words=words), task, before, environment),
            stdin=filled.stdin,
            environment={"PATH": setup.program.search if setup.program else "/usr/local/bin:/usr/bin:/bin"},
            limits=setup.limits,
            collect=("**", OUTPUT),
            network=calls.port if calls else None,
            readable=(*(setup.program.readable if setup.program else ()), *setup.readable, *_SHELL),
        )
        return answer_of(self._cell.run(job), before, setup.read, by_file=self._template.has(OUTPUT_FILE))

    def _of_user(self, word: tuple[Part, ...]) -> tuple[Part, ...]:
        """A word that names a file of the user's becomes the place where it lies in the cell."""
        if len(word) == 1 and word[0][0] == "" and word[0][1] in self._setup.tools.content:
            return (("tools", ""), ("", f"/{word[0][1]}"))
        return word

    def _files(
        self, filled: Filled, task: Task, before: Mapping[str, bytes], environment: Mapping[str, str]
    ) -> dict[str, bytes]:
        setup = self._setup
        executable = [f"{HOME}{path}" for path in setup.overlay.executable]
        executable += [f"{TOOLS}/{path}" for path in setup.tools.executable]
        files = {path: text.encode("utf-8") for path, text in setup.files.items()}
        files |= {**before, **{f"{HOME}{path}": data for path, data in setup.overlay.content.items()}}
        files |= {f"{TOOLS}/{path}": data for path, data in setup.tools.content.items()}
        if filled.prompt_file:
            files[PROMPT] = task.prompt.encode("utf-8", "surrogatepass")
        return {**files, SPEC: spec(filled, environment, executable)}
