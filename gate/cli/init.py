"""`gate init`: the workflows, settings, ignored folders and first test of a new user; nothing is overwritten."""

from __future__ import annotations

import difflib
import re
import sys
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path

import click

from gate.cli.console import Console
from gate.cli.init_adapt import adapted, first_test, template
from gate.cli.init_look import Found, look
from gate.errors import EXIT_HOLDS, UsageError

WORKFLOWS = Path(".github/workflows")
SETTINGS = Path("gate.toml")
IGNORED = "/.gate/"
JUDGING = "robustness.yml"
FURTHER = {"nightly": "nightly.yml", "shards": JUDGING}
"""What only some want, and the file that it becomes: the shards stand in the place of the workflow for one machine."""
FIRST_TEST = Path("tests/robustness/test_first.py")
_ARGUMENTS = '# arguments = "tests/robustness"'
_RUNS_GATE = re.compile(r"^[^#\n]*(?:\bgate ci\b|uses: *['\"]?[\w.-]+/robustness-gate)", re.MULTILINE)
_MUTATE = """
# Try one fault at a time in the prompts that tests marked `mutate_prompt` name (docs/mutation.md); it costs calls, and
# needs an extra: pip install "robustness-gate[mutation]"
# mutate = true
"""
_UNPUBLISHED = (
    "robustness-gate is not published yet: until it is, the workflows must install it from a checkout or an address "
    "of yours instead of `pip install robustness-gate`."
)
_TEST_PATTERNS = ("test_*.py", "*_test.py")
_NOT_SEARCHED = {"node_modules", "venv", "build", "dist", "site-packages"}


@dataclass(frozen=True, slots=True)
class Plan:
    """What happens to one file.

    Attributes:
        path: relative to the root of the repository.
        before: its content, empty where there is none.
        after: its content afterwards; equal to `before` when it is kept.
        reason: why it is kept, or not written.
        absent: whether it is not there, and stays so.
    """

    path: Path
    before: str
    after: str
    reason: str = ""
    absent: bool = False

    @property
    def changes(self) -> bool:
        return self.before != self.after


@click.command(epilog="Example: gate init --suite robustness")
@click.option("--yes", is_flag=True, help="Write without asking; needed where there is no terminal.")
@click.option("--suite", default="default", show_default=True, help="Name of the suite: its baseline and its comment.")
@click.option(
    "--with", "further", default="", metavar="NAMES", help="More workflows: `nightly`, `shards`, or both with a comma."
)
@click.pass_obj
def init(console: Console, /, yes: bool, suite: str, further: str) -> int:
    """Write the workflows, the settings, a line of .gitignore and a first test if there is none.

    All of it goes by what the repository holds: how it is installed, its Python, data, models, prompts and agents.
    Shows the difference first, asks, and overwrites nothing. Run it at the root of the repository.

    With `nightly` main is judged every night, and one issue tells of it. With `shards` the suite runs on several
    machines, in the place of the workflow for one.
    """
    from gate.settings import Layer, resolve

    chosen = _chosen(further)
    resolve([Layer("--suite", {"suite": suite})])
    root = _root()
    branch = _default_branch(root)
    found = look(root)
    for line in found.lines():
        console.say(line)
    plans = plan(root, suite, branch, found, chosen)
    for each in plans:
        if not each.changes:
            console.say(f"{'not needed' if each.absent else 'kept'}: {each.path.as_posix()} ({each.reason})")
    changing = [each for each in plans if each.changes]
    if not changing:
        console.result("Nothing to do: everything is there.")
        return EXIT_HOLDS
    console.result("\n".join(_difference(changing, colour=console.colour_on())))
    if not yes and not _agreed(len(changing)):
        console.say("nothing was written")
        return EXIT_HOLDS
    _write(root, changing)
    for each in changing:
        console.say(f"written: {each.path.as_posix()}")
    if any(each.path.parent == WORKFLOWS for each in changing):
        console.result(_UNPUBLISHED)
    console.result(f"Next: `gate baseline create`, commit all of it to `{branch}`, and open a pull request.")
    return EXIT_HOLDS


def _chosen(further: str) -> frozenset[str]:
    """The names of further workflows.

    Raises:
        UsageError: one of them is none; the nearest is the remedy.
    """
    names = [name.strip() for name in further.split(",") if name.strip()]
    for name in names:
        if name not in FURTHER:
            close = difflib.get_close_matches(name, FURTHER, n=1)
            remedy = f"did you mean `{close[0]}`?" if close else f"it takes {', '.join(FURTHER)}"
            raise UsageError(f"there is no further workflow {name!r:.60}", where="--with", remedy=remedy)
    return frozenset(names)


def plan(root: Path, suite: str, branch: str, found: Found, further: Collection[str] = frozenset()) -> list[Plan]:
    """What `gate init` would do to a repository, file by file; reads only.

    Args:
        branch: the one that pull requests go into.
        found: what the repository holds.
        further: names in `FURTHER` of what else is wanted.
    """
    texts = {name: adapted(text, found, branch, suite) for name, text in workflows(further).items()}
    plans = [_workflow(root, name, text) for name, text in sorted(texts.items())]
    if "shards" in further:
        plans = [_of_shards(root, each, texts[JUDGING]) for each in plans]
    has_tests = _has_tests(root)
    folder = FIRST_TEST.parent if not has_tests or _has_tests(root / FIRST_TEST.parent) else None
    plans += [_settings(root, suite, folder, found), _ignore(root)]
    if has_tests:
        there = (root / FIRST_TEST).exists()
        plans.append(Plan(FIRST_TEST, "", "", "it exists" if there else "there are tests already", absent=not there))
    else:
        plans.append(_new(root, FIRST_TEST, first_test(found)))
    return plans


def workflows(further: Collection[str] = frozenset()) -> dict[str, str]:
    """The workflows that users take, by the name of the file that they become.

    Args:
        further: names in `FURTHER`; what only some want is left out.
    """
    found = {each.name: each for each in files("gate.cli").joinpath("templates").iterdir()}
    usual = {name for name in found if name.endswith(".yml")} - {f"{name}.yml" for name in FURTHER}
    named = {name: name for name in usual} | {FURTHER[name]: f"{name}.yml" for name in further}
    return {name: found[template].read_text("utf-8") for name, template in named.items()}


def _root() -> Path:
    from gate.baselines.git import Git

    git = Git(Path.cwd())
    if git.prefix:
        raise UsageError(
            "this is a folder inside the repository, and workflows belong at its root",
            where=str(Path.cwd()),
            remedy=f"run `gate init` in {git.top}",
        )
    return git.top


def _default_branch(root: Path) -> str:
    from gate.baselines.base import default_branch
    from gate.baselines.git import Git

    return default_branch(Git(root)) or "main"


def _new(root: Path, path: Path, text: str) -> Plan:
    full = root / path
    if full.is_symlink() or full.exists():
        return Plan(path, "", "", "it exists")
    return Plan(path, "", text)


def _workflow(root: Path, name: str, text: str) -> Plan:
    """A workflow, unless another one gates pull requests already: two would write one comment."""
    folder = root / WORKFLOWS
    others = sorted(folder.glob("*.y*ml")) if name == JUDGING and folder.is_dir() else []
    for other in others:
        if other.name != name and other.is_file() and _RUNS_GATE.search(other.read_bytes().decode("utf-8", "replace")):
            return Plan(WORKFLOWS / name, "", "", f"{other.name} runs the gate already", absent=True)
    return _new(root, WORKFLOWS / name, text)


def _of_shards(root: Path, found: Plan, text: str) -> Plan:
    """The same; a workflow for one machine that stands where the shards belong is not taken for them."""
    if found.path != WORKFLOWS / JUDGING or found.changes or found.absent:
        return found
    there = root / found.path
    if there.is_file() and there.read_bytes().decode("utf-8", "replace") == text:
        return found
    return replace(found, reason="it is another workflow: move it away, then call this again for the shards")


def _settings(root: Path, suite: str, folder: Path | None, found: Found) -> Plan:
    """Settings with the folder of the suite, where there is one for it."""
    from gate.baselines.trusted import local_layers

    existing = local_layers(root)
    if existing:
        return Plan(SETTINGS, "", "", f"settings stand in {existing[0].name}")
    text = template("settings.toml").replace('suite = "default"', f'suite = "{suite}"')
    if folder is not None:
        text = text.replace(_ARGUMENTS, _ARGUMENTS.removeprefix("# "))
    if found.prompts:
        text += _MUTATE
    return _new(root, SETTINGS, text)


def _ignore(root: Path) -> Plan:
    path = Path(".gitignore")
    full = root / path
    if full.is_symlink():
        return Plan(path, "", "", f"it is a link; add {IGNORED} yourself")
    before = full.read_bytes().decode("utf-8", "surrogateescape") if full.is_file() else ""
    lines = {line.strip() for line in before.splitlines()}
    if lines & {IGNORED, ".gate/", ".gate", "/.gate"}:
        return Plan(path, before, before, "it ignores .gate already")
    ending = "\r\n" if "\r\n" in before else "\n"
    gap = "" if not before or before.endswith("\n") else ending
    return Plan(path, before, f"{before}{gap}{IGNORED}{ending}")


def _has_tests(root: Path) -> bool:
    return root.is_dir() and any(True for _ in _tests(root))


def _tests(folder: Path) -> Iterator[Path]:
    for entry in sorted(folder.iterdir()):
        if entry.is_symlink():
            continue
        if entry.is_dir():
            if not entry.name.startswith(".") and entry.name not in _NOT_SEARCHED:
                yield from _tests(entry)
        elif any(entry.match(pattern) for pattern in _TEST_PATTERNS):
            yield entry


def _difference(plans: list[Plan], *, colour: bool) -> Iterator[str]:
    from gate.render.escape import terminal

    for each in plans:
        name = each.path.as_posix()
        lines = difflib.unified_diff(
            each.before.splitlines(), each.after.splitlines(), name if each.before else "/dev/null", name, lineterm=""
        )
        for line in lines:
            shown = terminal(line)
            style = {"+": "32", "-": "31", "@": "2"}.get(line[:1], "")
            yield f"\x1b[{style}m{shown}\x1b[0m" if colour and style else shown


def _agreed(count: int) -> bool:
    if not sys.stdin.isatty():
        raise UsageError(
            "nothing was written: there is no terminal to ask on", remedy="look at the difference, then add --yes"
        )
    return click.confirm(f"Write {count} file{'s' if count != 1 else ''}?", default=False)


def _write(root: Path, plans: list[Plan]) -> None:
    from gate.baselines.write import write_atomically

    for each in plans:
        if not (root / each.path).parent.resolve().is_relative_to(root.resolve()):
            raise UsageError(
                "its folder is a link that leads out of the repository", where=str(each.path), remedy="remove the link"
            )
    for each in plans:
        write_atomically(root / each.path, each.after.encode("utf-8", "surrogateescape"))
