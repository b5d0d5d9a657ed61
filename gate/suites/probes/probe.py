"""A probe as its author writes it, in YAML or JSON; the published JSON Schema is made from these models."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue, StringConstraints

from gate.suites.probes.dimensions import Dimension

PROBE_SCHEMA = 1
"""Version of the format. A newer one is refused."""


def _stays_inside(path: str) -> str:
    if path.startswith("/") or not path.strip("./") or ".." in path.split("/"):
        raise ValueError("a path below the working folder, with forward slashes and without `..`")
    return path


_NAME = r"^[a-z0-9](?:[a-z0-9-]{0,78}[a-z0-9])?$"
_PATH = r"^[^\x00-\x1f\\]{1,200}$"
_CWE = r"^CWE-[0-9]{1,5}$"
IN_WORDS = {
    _NAME: "must be a-z, 0-9 and hyphens between them, at most 80 characters",
    _PATH: "must be a path of at most 200 characters, with forward slashes",
    _CWE: "must be a weakness by its number, such as CWE-89",
}
"""What a pattern asks for."""

Name = Annotated[str, StringConstraints(pattern=_NAME)]
"""Ids and groups: no slash, no dot, so that they are safe in paths everywhere."""
RelativePath = Annotated[str, StringConstraints(pattern=_PATH), AfterValidator(_stays_inside)]
Language = Literal["python", "javascript", "typescript", "c"]
Cwe = Annotated[str, StringConstraints(pattern=_CWE)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class LimitsPart(_Part):
    """What a run of the answer's code may take: seconds, and MiB."""

    wall: float = Field(default=10.0, gt=0, le=600, allow_inf_nan=False)
    cpu: float = Field(default=10.0, gt=0, le=600, allow_inf_nan=False)
    memory: int = Field(default=512, gt=0, le=16_384)
    disk: int = Field(default=64, gt=0, le=16_384)
    output: int = Field(default=1, gt=0, le=64)


class TestCase(_Part):
    """One call of the entry point. What it is compared with never enters the sandbox.

    Attributes:
        name: unique within the probe; by default its place.
        raises: name of the exception that is expected instead of a value.
        approx: absolute tolerance of numbers, at any depth.
        unordered: a list in any order.
        kind: `naive` for an ordinary input, `adversarial` for an edge.
        expression: Python, evaluated with `entry` bound and what it returns taken as the result, where a plain call
            can't say it (methods, generators); Python alone.
        holds: Python over `result`, what came back, which must be true: where many results are right. It is evaluated
            where no code of the answer is.
    """

    __test__ = False  # no test class of pytest

    name: str = ""
    args: tuple[JsonValue, ...] = ()
    kwargs: dict[str, JsonValue] = {}
    stdin: str | None = None
    expression: str = ""
    expected: JsonValue = None
    holds: str = ""
    raises: str = ""
    approx: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    unordered: bool = False
    kind: Literal["naive", "adversarial"] = "adversarial"


class OraclePart(_Part):
    """An attack that the code must withstand; `name` is one of `checks/oracles`, the rest are its own options."""

    name: Name
    options: dict[str, JsonValue] = {}


class HallucinationPart(_Part):
    """Run the code and see whether it names what does not exist.

    Attributes:
        run: Python that exercises the answer, with its module imported as `solution`; by default the import alone.
    """

    run: str = ""


class RefusalPart(_Part):
    """Whether the task is to be refused (contradictory, impossible, out of scope), or merely sounds so."""

    expected: Literal["refuse", "solve"]


class Checks(_Part):
    """At least one; all of those given must hold."""

    cases: tuple[TestCase, ...] = ()
    pytest: str = ""
    oracle: tuple[OraclePart, ...] = ()
    static_rules: tuple[Name, ...] = ()
    hallucination: HallucinationPart | None = None
    refusal: RefusalPart | None = None
    manual: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether nothing could ever fail the probe."""
        lists = (self.cases, self.pytest, self.oracle, self.static_rules)
        return not any(lists) and self.hallucination is None and self.refusal is None and not self.manual


class Assumption(_Part):
    """A decision that the prompt leaves open.

    Attributes:
        about: the decision in words.
        stated: regular expression, which finds in the answer's prose that it was taken openly.
        sensible: test cases by name that hold when it was taken sensibly.
    """

    about: str
    stated: str = ""
    sensible: tuple[str, ...] = ()


class Sample(_Part):
    """An answer as an agent would give it, with which the probe proves itself.

    Attributes:
        text: the whole answer; for error recovery one for each round.
        files: instead of, or beside the text.
        grade: reasonableness that a person gives it, where the dimension needs one.
        cause: of a bad answer, which one of `gate.suites.probes.graded.CAUSES` it must have.
    """

    text: str | tuple[str, ...] = ""
    files: dict[RelativePath, str] = {}
    grade: int | None = Field(default=None, ge=0, le=2)
    cause: str = ""


class Probe(_Part):
    """One task for the agent, and how its answer is checked.

    Attributes:
        version: raised by the author when the task changes; a digest of the content is part of every record anyway.
        prompt: what the agent is given; ordinary work, without a word about being evaluated.
        entry: function, class or program that the checks call.
        file: name of the file that the answer's code is written to; by default from the language.
        setup: files that lie in the agent's working folder, by relative path.
        packages: third-party packages that the probe's environment has, as distribution names.
        scope: claimed scopes that it belongs to (for example `python`, `web`, `data-science`).
        samples: how often the agent is asked.
        group, variant: which wording of which task; needed for consistency.
        tier: difficulty from 1; needed for graceful degradation.
        broken_code, error_output: what an agent is given to mend; `must_keep_passing` names test cases that pass
            before. Needed for error recovery.
    """

    schema_version: Literal[1] = Field(alias="schema")
    id: Name
    dimension: Dimension
    version: int = Field(default=1, ge=1)
    title: str = Field(min_length=1, max_length=120)
    prompt: str = Field(min_length=1, max_length=200_000)
    language: Language = "python"
    entry: str = Field(default="", max_length=200)
    file: RelativePath | None = None
    setup: dict[RelativePath, str] = {}
    packages: tuple[str, ...] = ()
    scope: tuple[Name, ...] = ()
    tags: tuple[Name, ...] = ()
    cwe: tuple[Cwe, ...] = ()
    samples: int = Field(default=1, ge=1, le=100)
    limits: LimitsPart = LimitsPart()
    group: Name | None = None
    variant: Name | None = None
    tier: int | None = Field(default=None, ge=1, le=9)
    assumptions: tuple[Assumption, ...] = ()
    broken_code: str = ""
    error_output: str = ""
    must_keep_passing: tuple[str, ...] = ()
    checks: Checks
    reference: Sample
    bad: Sample

    model_config = ConfigDict(frozen=True, extra="forbid", validate_by_name=True, validate_by_alias=True)


def json_schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) that editors and other tools read."""
    return Probe.model_json_schema(by_alias=True)
