"""What an agent is to the runner: something with an identity that turns one prompt into one answer."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from hashlib import blake2b
from typing import Protocol

from gate.schema.probes import case_id
from gate.suites.probes.answer import Answer
from gate.suites.probes.probe import Probe


@dataclass(frozen=True, slots=True)
class Identity:
    """What an answer depends on beside its prompt. A recorded answer is that of one identity alone.

    Attributes:
        command: template of the command, or address of the API; empty for a preset.
        preset: name of a preset; empty for none.
        overlay: digest of the files laid over the agent's HOME; empty without any.
        model: that is asked for; empty where the agent chooses.
        version: as the user declares it; empty for none.
    """

    command: str = ""
    preset: str = ""
    overlay: str = ""
    model: str = ""
    version: str = ""

    @property
    def digest(self) -> str:
        """32 hexadecimal digits."""
        text = json.dumps(asdict(self), sort_keys=True)
        return blake2b(text.encode("utf-8"), digest_size=16).hexdigest()

    @property
    def name(self) -> str:
        """As a report names the agent; untrusted text."""
        parts = (self.preset or self.command, self.model, self.version)
        return " / ".join(part for part in parts if part)


@dataclass(frozen=True, slots=True)
class Task:
    """One question to the agent.

    Attributes:
        sample: from 0.
        round: from 1; error recovery asks up to three times.
        prompt: of this round.
        files: lie in the agent's working folder beside the probe's own, by relative path.
    """

    probe: Probe
    sample: int
    round: int
    prompt: str
    files: Mapping[str, str] = field(default_factory=dict)

    @property
    def case(self) -> str:
        """Id under which calls of models are recorded, one a task; it names no test, so no suite misses its use."""
        return f"{case_id(self.probe.id)}[{self.sample}.{self.round}]"


class Agent(Protocol):
    """Asked from several threads at once."""

    identity: Identity

    def ask(self, task: Task) -> Answer:
        """One answer, however it ended; `gate.errors.GateError` only where nothing can be asked at all."""
