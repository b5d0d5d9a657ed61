"""The tables of the README that come from the code. `python -m tests.support.readme` writes them anew."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import click

from gate.cli import COMMANDS, LazyGroup, gate
from gate.cli.config import may_be
from gate.compare.rules import RULES
from gate.settings import Settings, decides, describe, inputs, names

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"


def settings_table() -> str:
    """One row a setting: name, default, whether it decides, whether it is an input, meaning."""
    rows = ["| setting | default | decides | input | meaning |", "|---|---|---|---|---|"]
    for key in names():
        row = (
            f"`{key}`",
            _default(key),
            "yes" if decides(key) else "",
            "yes" if key in inputs() else "",
            _meaning(key),
        )
        rows.append("| " + " | ".join(row) + " |")
    return _tidy(rows)


def rules_table() -> str:
    """One row a rule: name with its heading in docs/rules.md, default level, meaning."""
    rows = ["| rule | default | what it says |", "|---|---|---|"]
    for rule in RULES:
        name = rule.name.value
        rows.append(
            f"| [`{name}`](docs/rules.md#{name}) | {rule.level.value} | {_first_sentence(rule.check.__module__)} |"
        )
    return _tidy(rows)


def between(text: str, name: str) -> str:
    """What stands between the markers of a generated part."""
    found = re.search(rf"<!-- {name}: begin -->\n(.*?)<!-- {name}: end -->", text, re.S)
    assert found is not None, f"README.md lacks the markers of {name}"
    return found[1]


def replaced(text: str, name: str, content: str) -> str:
    """The text with another part between the markers."""
    between(text, name)
    begin, end = f"<!-- {name}: begin -->\n", f"<!-- {name}: end -->"
    head, rest = text.split(begin, 1)
    return head + begin + content + end + rest.split(end, 1)[1]


def blocks(text: str, language: str) -> list[str]:
    """The fenced blocks of a language, as `sh` or `sh try`."""
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.S | re.M)


def table_cells(text: str) -> list[list[str]]:
    """The rows of a Markdown table without its head."""
    rows = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", row)[1:-1]] for row in rows[2:]]


def commands() -> dict[tuple[str, ...], click.Command]:
    """Every command and subcommand of `gate` by its words."""
    context = click.Context(gate)
    found: dict[tuple[str, ...], click.Command] = {}
    group: LazyGroup = gate  # type: ignore[assignment]
    for name in COMMANDS:
        command = group.get_command(context, name)
        assert command is not None
        found[(name,)] = command
        if isinstance(command, click.Group):
            found |= {(name, inner): each for inner, each in command.commands.items()}
    return found


def _default(key: str) -> str:
    value = Settings.model_fields[key.replace("-", "_")].default
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if value in ("", (), {}):
        return ""
    return f"`{value:,}`".replace(",", "_") if isinstance(value, int) else f"`{value}`"


def _meaning(key: str) -> str:
    allowed = may_be(key)
    return describe(key) + (f" ({allowed})" if allowed.startswith("one of") else "")


def _first_sentence(module: str) -> str:
    first = (sys.modules[module].__doc__ or "").strip().splitlines()[0]
    return first.replace("|", "\\|")


def _tidy(rows: list[str]) -> str:
    return "\n".join(re.sub(r"\|  +\|", "| |", re.sub(r"  +", " ", row)) for row in rows) + "\n"


def current(text: str) -> str:
    """The text with its generated parts as the code has them."""
    return replaced(replaced(text, "settings", settings_table()), "rules", rules_table())


if __name__ == "__main__":
    README.write_text(current(README.read_text(encoding="utf-8")), encoding="utf-8")
