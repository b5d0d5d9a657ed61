"""`gate explain`: what a rule, an exit code, a setting or a finding means, and what to do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import click

from gate.cli.console import Console
from gate.cli.files import VERDICT
from gate.errors import EXIT_HOLDS, UsageError

RULES = "rules.md"
_FINDING = re.compile(r"F[1-9]\d*")
_LINK = re.compile(r"\[([^][]*)\]\(([\w-]+\.md)?(?:#[\w-]*)?\)")
_PAGES = (
    (("alpha", "false-alarms", "runs", "power", "delta", "stochastic", "confirm", "baseline-", "trial-"), "statistics"),
    (("mutate",), "mutation"),
    (
        ("recordings", "overlay", "prices", "volatile", "replay-", "stale-", "run-", "month-", "record-", "loopback"),
        "recordings",
    ),
    (("rules",), "rules"),
    (("allow-pull-request-target", "plain-ids", "show-messages"), "security"),
    (("report", "max-report-bytes", "baseline"), "reports"),
)
"""Beginnings of settings, and the page of docs/ that says more of them."""


@dataclass(frozen=True, slots=True)
class Code:
    """What one exit code says.

    Attributes:
        name: as in the output `verdict`.
        what: one sentence.
        then: what to do.
    """

    name: str
    what: str
    then: str


CODES = {
    0: Code("holds", "Nothing that fails a check was found, or `observe` is on.", "Nothing to do."),
    1: Code(
        "regression",
        "Something that main holds does not hold here.",
        "Read the findings in the comment or with `gate show F1`, and mend them, or accept what is meant.",
    ),
    2: Code(
        "usage",
        "A command line, a setting, an input or the repository can't be acted on; nothing was judged.",
        "The message names the place and the next step; `gate doctor` looks for more.",
    ),
    3: Code(
        "undecided",
        "The suite was not measured as a whole, or there is nothing to compare with, so nothing may pass.",
        "Make the run whole, record what is missing, or make a baseline; the message says which.",
    ),
    4: Code("internal", "The gate itself failed.", "Report it with the log of the step."),
}
_EXIT_CODES = ("exit-codes", "exit-code")


@click.command(epilog="Example: gate explain negative-flip")
@click.argument("words", nargs=-1, metavar="[RULE|EXIT CODE|SETTING|FINDING]...")
@click.option(
    "--verdict",
    "path",
    type=click.Path(path_type=Path),
    default=VERDICT,
    show_default=True,
    help="Verdict in which a finding such as F3 is looked up.",
)
@click.pass_obj
def explain(console: Console, words: tuple[str, ...], path: Path) -> int:
    """Print what is documented of rules, exit codes (0 to 4, exit-codes), settings, or the rule of a finding (F3).

    Without a word, list everything that can be explained.
    """
    from gate.render.escape import terminal

    texts = [explained(word, path) for word in words] or [listed()]
    console.result("\n\n".join("\n".join(terminal(line) for line in text.splitlines()) for text in texts))
    return EXIT_HOLDS


def explained(word: str, verdict: Path = VERDICT) -> str:
    """The documentation of one word, in Markdown.

    Args:
        word: a rule, an exit code, `exit-codes`, a setting, `rules.NAME.level`, or the id of a finding.
        verdict: where a finding is looked up.

    Raises:
        UsageError: nothing is called so; the nearest name is the remedy.
    """
    from gate.settings import names

    if _FINDING.fullmatch(word.upper()):
        return _finding(word.upper(), verdict)
    name = word.strip("`").lower().replace("_", "-")
    if name.startswith("rules."):
        name = name.split(".")[1]
    if name in _EXIT_CODES:
        return "\n".join(_code(code) for code in CODES)
    if name.isdecimal() and len(name) == 1 and int(name) in CODES:
        return _code(int(name))
    rules = rule_sections()
    if name in rules:
        return rules[name]
    if name in names():
        return _setting(name)
    raise _unknown(word, name)


def listed() -> str:
    """Every word that can be explained."""
    from gate.settings import names

    groups = (
        ("Rules", list(rule_sections())),
        ("Exit codes", [f"{code} ({each.name})" for code, each in CODES.items()]),
        ("Settings", list(names())),
    )
    return "\n".join(line for title, words in groups for line in (f"{title}:", *_wrapped(words)))


def rule_sections() -> dict[str, str]:
    """The section of each rule in docs/rules.md, as it stands there, by name.

    Raises:
        UsageError: the installation lacks the document.
    """
    from gate.schema.verdict import RuleName

    found = re.split(r"^## (.+)$", _document(RULES), flags=re.MULTILINE)
    known = {rule.value for rule in RuleName}
    return {
        name: f"## {name}\n\n{text.strip()}"
        for name, text in zip(found[1::2], found[2::2], strict=True)
        if name in known
    }


def for_reply(rule: str) -> str:
    """The section of a rule for a comment on GitHub: without its heading, and with links that lead nowhere there named.

    Raises:
        UsageError: the installation lacks the document.
    """
    text = rule_sections().get(rule, "").partition("\n\n")[2]
    return _LINK.sub(_named, text)


def _named(link: re.Match[str]) -> str:
    words, page = link[1], link[2]
    if words == page:
        return f"docs/{page}"
    return f"{words} (docs/{page})" if page else words


def _document(name: str) -> str:
    package = Path(str(files("gate")))
    for path in (package / "_docs" / name, package.parent / "docs" / name):
        if path.is_file():
            return path.read_text(encoding="utf-8")
    raise UsageError(
        "this installation lacks the documentation",
        where=str(package / "_docs" / name),
        remedy="install robustness-gate again",
    )


def _code(code: int) -> str:
    each = CODES[code]
    return f"{code} ({each.name}): {each.what} {each.then}"


def _setting(key: str) -> str:
    from gate.cli.config import may_be
    from gate.settings import ENVIRONMENT_PREFIX, Settings, decides, describe, inputs

    default = Settings().model_dump(mode="json")[key.replace("-", "_")]
    place = "only the base branch may set it on a pull request" if decides(key) else "the workflow may set it too"
    variable = ENVIRONMENT_PREFIX + key.upper().replace("-", "_")
    lines = [
        f"{key}: {describe(key)}",
        f"  may be: {may_be(key)}",
        f"  default: {default!r}" if default not in ("", [], {}) else "  default: nothing",
        f"  decides: {'yes' if decides(key) else 'no'}; {place}",
        f"  where: `{key}` in gate.toml or [tool.gate], {variable}" + (", input of the action" * (key in inputs())),
    ]
    page = next((page for starts, page in _PAGES if key.startswith(starts)), "")
    return "\n".join([*lines, *([f"  more: docs/{page}.md"] if page else [])])


def _finding(word: str, path: Path) -> str:
    from gate.cli.files import read_verdict_file

    findings = {finding.id: finding for finding in read_verdict_file(path).findings}
    if word not in findings:
        remedy = f"it has {', '.join(findings)}" if findings else "it has none: everything holds"
        raise UsageError(f"the verdict has no finding {word}", where=str(path), remedy=remedy)
    found = findings[word]
    return f"{word}: {found.what}\n\n{rule_sections()[found.rule.value]}"


def _unknown(word: str, name: str) -> UsageError:
    from difflib import get_close_matches

    from gate.settings import names

    close = get_close_matches(name, [*rule_sections(), *names(), *_EXIT_CODES], n=1, cutoff=0.5)
    remedy = f"did you mean `{close[0]}`?" if close else "`gate explain` lists what there is"
    return UsageError(f"no rule, exit code or setting is called {word!r:.80}", remedy=remedy)


def _wrapped(words: list[str]) -> Iterator[str]:
    import textwrap

    indent = "  "
    yield from textwrap.wrap(
        ", ".join(words), 100, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False
    )
