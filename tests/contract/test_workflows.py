"""Workflows stand in many places: this repository's own, the templates, README, docs, the one of the container's test.

Each check takes all of them by name and gives what does not agree, so that it can be tried on changed copies too.
"""

from __future__ import annotations

import re
import shlex
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import click
import pytest
from ruamel.yaml import YAML

from gate.settings import ENVIRONMENT_PREFIX, inputs, names
from tests.support import readme

Texts = Mapping[str, str]
OURS, TEMPLATES, DOCS, MAIN = ".github/workflows", "gate/cli/templates", "docs/workflows.md", "docs/main.md"
E2E, ACTION, README = "tests/e2e/container_workflow.yml", "action.yml", "README.md"
COPIED = ("robustness.yml", "baseline.yml", "commands.yml", "fork.yml", "nightly.yml")
SHORT = (f"{README} 1", f"{README} 2")
GATES = (f"{OURS}/robustness.yml", f"{TEMPLATES}/robustness.yml", E2E, *SHORT)
LEVELS = ("none", "read", "write")
_OWN = r"^ {4}env:\n {6}GATE_WORKING_DIRECTORY: .*\n|^ +- run: python -m pip install .*\n"
_OWN_LINES = re.compile(_OWN, re.MULTILINE)
_USES = re.compile(r"uses: (?P<name>[\w-]+/[\w-]+)(?:/[\w-]+)?@(?P<ref>[\w.]+)(?: # (?P<version>v[\w.]+))?")
_SECRET = re.compile(r"\bsecrets\.(\w+)")
_REFRESH = "gate run --mode record", "gate recordings check", "--recordings --format", "git add recordings"
"""In this order."""
_OUTPUT = re.compile(r"steps\.gate\.outputs\.([\w-]+)")


def texts() -> dict[str, str]:
    """Every workflow, whole or in part, by where it stands."""
    files = [*sorted((readme.ROOT / OURS).glob("*.yml")), *sorted((readme.ROOT / TEMPLATES).glob("*.yml"))]
    found = {path.relative_to(readme.ROOT).as_posix(): path.read_text(encoding="utf-8") for path in files}
    found |= {name: (readme.ROOT / name).read_text(encoding="utf-8") for name in (E2E, ACTION)}
    for name in (README, DOCS, MAIN):
        blocks = readme.blocks((readme.ROOT / name).read_text(encoding="utf-8"), "yaml")
        found |= {f"{name} {number}": block for number, block in enumerate(blocks, start=1)}
    return found


def load(text: str) -> Any:
    return YAML(typ="safe").load(text)


def steps(text: str) -> Iterator[dict[str, Any]]:
    """Steps of a workflow, or of a part of one."""
    value = load(text)
    if isinstance(value, list):
        yield from value
    else:
        for job in value.get("jobs", {}).values():
            yield from job["steps"]


def uses(text: str, action: str) -> Iterator[dict[str, Any]]:
    """What the steps that use an action give to it."""
    for step in steps(text):
        if step.get("uses", "").partition("@")[0] == action:
            yield step.get("with", {})


def granted(text: str) -> dict[str, str]:
    """Permissions of the first job: its own, else those of the workflow. No other job of it has more."""
    workflow = load(text)
    first, *others = workflow["jobs"].values()
    found: dict[str, str] = first.get("permissions", workflow["permissions"])
    assert all(other["permissions"].items() <= found.items() for other in others)
    return found


def differing(values: Mapping[str, Any], what: str) -> list[str]:
    """A sentence when not all places say the same."""
    if len({repr(value) for value in values.values()}) <= 1:
        return []
    return [f"{what}: " + "; ".join(f"{place} has {value!r}" for place, value in values.items())]


def templates_are_ours(found: Texts) -> list[str]:
    """This repository runs what it gives to others, but for where its suite is and how it is installed."""
    wrong = []
    for name in COPIED:
        ours, theirs = found[f"{OURS}/{name}"], found[f"{TEMPLATES}/{name}"]
        if _OWN_LINES.sub("", ours) != _OWN_LINES.sub("", theirs):
            wrong.append(f"{name} differs between {OURS} and {TEMPLATES}")
        if ours.count("pip install") != theirs.count("pip install"):
            wrong.append(f"{name} installs in another number of steps")
    return wrong


def actions_have_one_version(found: Texts) -> list[str]:
    """Pinned by the same commit wherever it is pinned; where a tag stands, it is that commit's major version."""
    wrong, pins, tags = [], defaultdict(dict), defaultdict(dict)
    for place, text in found.items():
        for match in _USES.finditer(text):
            name, ref, version = match["name"], match["ref"], match["version"]
            if name == "robustness-gate/robustness-gate":
                continue
            if re.fullmatch(r"[0-9a-f]{40}", ref):
                pins[name][place] = (ref, version)
                wrong += [] if version else [f"{place}: {name} is pinned without its version in words"]
            else:
                tags[name][place] = ref
    for name, places in pins.items():
        wrong += differing(places, name)
    for name, places in tags.items():
        majors = {version.partition(".")[0] for _, version in pins[name].values() if version}
        wrong += [f"{place}: {name}@{ref}, elsewhere {majors}" for place, ref in places.items() if {ref} != majors]
        wrong += [f"{place}: {name} is not pinned" for place in places if not place.startswith((README, DOCS, MAIN))]
    return wrong


def checkouts_agree(found: Texts) -> list[str]:
    """No checkout leaves credentials, and every gate has the depth of the others."""
    wrong, depths = [], {}
    for place, text in found.items():
        for given in uses(text, "actions/checkout"):
            if given.get("persist-credentials") is not False:
                wrong.append(f"{place}: credentials stay in the checkout")
            if place in GATES or place.startswith(DOCS):
                depths[place] = given.get("fetch-depth")
    wrong += [f"{place} has no checkout" for place in GATES if place not in depths]
    return wrong + differing(depths, "fetch-depth")


def permissions_agree(found: Texts) -> list[str]:
    """The short ones and that of the test have the same; the long one may read more, but write nothing else."""
    short = {place: granted(found[place]) for place in (*SHORT, E2E)}
    wrong = differing(short, "permissions")
    long = granted(found[f"{TEMPLATES}/robustness.yml"])
    for place, given in short.items():
        for name, level in given.items():
            if long.get(name) != level:
                wrong.append(f"{place}: {name} is {level}, in the template {long.get(name)}")
    extra = {name: level for name, level in long.items() if name not in short[SHORT[0]] and level != "read"}
    wrong += [f"the template may {level} {name}" for name, level in extra.items()]
    for name in COPIED:
        if load(found[f"{TEMPLATES}/{name}"])["permissions"] != {}:
            wrong.append(f"{name} gives every job more than nothing")
    return wrong


def permissions_are_explained(found: Texts) -> list[str]:
    """Each has a row in the README's table, with its level."""
    table = (readme.ROOT / README).read_text(encoding="utf-8")
    section = re.search(r"^## Permissions, and why\n(.*?)^## ", table, re.DOTALL | re.MULTILINE)
    assert section is not None
    explained = set(re.findall(r"`([\w-]+): (read|write)`", section[1]))
    return [
        f"{place}: {name}: {level} is not in the README's table"
        for place in (*GATES, *(f"{folder}/{name}" for folder in (OURS, TEMPLATES) for name in COPIED))
        for name, level in granted(found[place]).items()
        if (name, level) not in explained
    ]


def triggers_agree(found: Texts) -> list[str]:
    """Every pull request, unfiltered: a check that does not start is waited for, and one that is skipped passes."""
    wrong = []
    for place in GATES:
        workflow = load(found[place])
        on = workflow.get("on", workflow.get(True))
        events = {on: None} if isinstance(on, str) else dict.fromkeys(on) if isinstance(on, list) else on
        if "pull_request" not in events or events["pull_request"]:
            wrong.append(f"{place} does not start on every pull request")
        if set(events) - {"pull_request", "merge_group"}:
            wrong.append(f"{place} starts on other events too")
        wrong += [f"{place}: the job can be skipped" for job in workflow["jobs"].values() if "if" in job]
    return wrong


def inputs_exist(found: Texts) -> list[str]:
    """What workflows give to the action, and what they take from it, is in action.yml."""
    action = load(found[ACTION])
    wrong = []
    for place, text in found.items():
        if place == ACTION:
            continue
        given = {
            key for name in ("./", "robustness-gate/robustness-gate") for with_ in uses(text, name) for key in with_
        }
        wrong += [f"{place}: no input is called {key}" for key in sorted(given - set(action["inputs"]))]
        taken = set(_OUTPUT.findall(text))
        wrong += [f"{place}: no output is called {key}" for key in sorted(taken - set(action["outputs"]))]
    return wrong + ([] if set(action["inputs"]) == set(inputs()) else ["action.yml has other inputs than the settings"])


def variables_exist(found: Texts) -> list[str]:
    """Each `GATE_` variable of a workflow is a setting."""
    known = {ENVIRONMENT_PREFIX + key.upper().replace("-", "_") for key in names()}
    return [
        f"{place}: {name} is no setting"
        for place, text in found.items()
        for name in sorted(set(re.findall(r"\bGATE_[A-Z_]+\b", text)) - known)
    ]


def commands_exist(found: Texts) -> list[str]:
    """Each call of `gate` can be parsed by the command line, without being run."""
    known = readme.commands()
    wrong = []
    for place, text in found.items():
        if place == ACTION:
            continue
        calls = [line for step in steps(text) for line in step.get("run", "").splitlines() if line.startswith("gate ")]
        for line in calls:
            words = shlex.split(line.partition(" > ")[0])
            name = next((key for key in (tuple(words[1:3]), tuple(words[1:2])) if key in known), ())
            try:
                assert name, "no such command"
                known[name].make_context(name[-1], words[1 + len(name) :])
            except (click.UsageError, AssertionError) as error:
                wrong.append(f"{place}: {line}: {error}")
    return wrong


def pythons_agree(found: Texts) -> list[str]:
    """The short and the long ones name one version of Python."""
    places = (*SHORT, *(f"{folder}/{name}" for folder in (OURS, TEMPLATES) for name in COPIED))
    versions = {
        place: given["python-version"] for place in places for given in uses(found[place], "actions/setup-python")
    }
    return differing(versions, "python-version")


def keys_stay_on_main(found: Texts) -> list[str]:
    """Keys of models stand where main records afresh, in the step that does, and only where there are recordings."""
    wrong = []
    for place, text in found.items():
        if place == ACTION:
            continue
        for step in steps(text):
            named = set(_SECRET.findall(repr(step))) - {"GITHUB_TOKEN"}
            asks = "--mode record" in step.get("run", "")
            sends = place.endswith("/commands.yml") and "gate record --requests" in step.get("run", "")
            if named and not (place.endswith("/baseline.yml") and asks) and not sends:
                wrong.append(f"{place}: a step has {', '.join(sorted(named))}")
            if asks and step.get("if") != "hashFiles('recordings/**') != ''":
                wrong.append(f"{place}: it records where there are no recordings")
    return wrong


def refresh_proposes_recordings(found: Texts) -> list[str]:
    """What is recorded is checked for secrets, then proposed with the baseline; merging it starts no other refresh."""
    wrong = []
    for place in (f"{OURS}/baseline.yml", f"{TEMPLATES}/baseline.yml"):
        workflow, told = load(found[place]), [step.get("run", "") for step in steps(found[place])]
        ignored = workflow.get("on", workflow.get(True))["push"]["paths-ignore"]
        wrong += [
            f"{place}: {name}/ is not ignored" for name in ("baselines", "recordings") if f"{name}/**" not in ignored
        ]
        at = [next((n for n, run in enumerate(told) if words in run), -1) for words in _REFRESH]
        wrong += [] if -1 not in at and at == sorted(at) else [f"{place}: {_REFRESH} at {at}"]
    return wrong


CHECKS: tuple[Callable[[Texts], list[str]], ...] = (
    templates_are_ours,
    actions_have_one_version,
    checkouts_agree,
    permissions_agree,
    permissions_are_explained,
    triggers_agree,
    inputs_exist,
    variables_exist,
    commands_exist,
    pythons_agree,
    keys_stay_on_main,
    refresh_proposes_recordings,
)


@pytest.fixture(scope="module")
def found() -> dict[str, str]:
    return texts()


def test_all_places_are_found(found: Texts) -> None:
    assert {*GATES, ACTION, *(f"{folder}/{name}" for folder in (OURS, TEMPLATES) for name in COPIED)} <= set(found)
    assert any(place.startswith(DOCS) for place in found)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_all_places_agree(found: Texts, check: Callable[[Texts], list[str]]) -> None:
    assert check(found) == []


ROBUSTNESS, BASELINE, COMMANDS = (f"{TEMPLATES}/{name}" for name in COPIED[:3])
CHANGES: tuple[tuple[Callable[[Texts], list[str]], str, str, str], ...] = (
    (templates_are_ours, ROBUSTNESS, "timeout-minutes: 60", "timeout-minutes: 61"),
    (templates_are_ours, ROBUSTNESS, "      contents: read", "      contents: write"),
    (templates_are_ours, f"{OURS}/baseline.yml", "git add baselines", "git add ."),
    (templates_are_ours, BASELINE, "      - run: python -m pip install robustness-gate\n", ""),
    (actions_have_one_version, BASELINE, "actions/checkout@0", "actions/checkout@1"),
    (actions_have_one_version, E2E, "# v5.0.0", "# v5.0.1"),
    (actions_have_one_version, f"{OURS}/ci.yml", "actions/setup-python@e", "actions/setup-python@f"),
    (actions_have_one_version, SHORT[0], "actions/setup-python@v6", "actions/setup-python@v5"),
    (actions_have_one_version, f"{DOCS} 2", "actions/checkout@v5", "actions/checkout@v4"),
    (checkouts_agree, ROBUSTNESS, "persist-credentials: false", "persist-credentials: true"),
    (checkouts_agree, BASELINE, "          persist-credentials: false\n", "          fetch-depth: 1\n"),
    (checkouts_agree, SHORT[1], "fetch-depth: 2", "fetch-depth: 1"),
    (checkouts_agree, f"{DOCS} 2", "fetch-depth: 2", "fetch-depth: 0"),
    (permissions_agree, E2E, "contents: read", "contents: write"),
    (permissions_agree, SHORT[0], "pull-requests: write", "issues: write"),
    (permissions_agree, ROBUSTNESS, "      contents: read", "      checks: write\n      contents: read"),
    (permissions_agree, BASELINE, "permissions: {}", "permissions: read-all"),
    (permissions_are_explained, ROBUSTNESS, "      contents: read", "      packages: read\n      contents: read"),
    (triggers_agree, ROBUSTNESS, "  pull_request:\n", "  pull_request:\n    paths: [src]\n"),
    (triggers_agree, SHORT[0], "on: pull_request", "on: pull_request_target"),
    (triggers_agree, E2E, "    runs-on", "    if: github.actor != 'x'\n    runs-on"),
    (inputs_exist, E2E, "          cache:", "          cash:"),
    (inputs_exist, SHORT[1], "{install:", "{instal:"),
    (inputs_exist, f"{DOCS} 2", "    install:", "    installs:"),
    (inputs_exist, E2E, "steps.gate.outputs.verdict", "steps.gate.outputs.verdikt"),
    (inputs_exist, ACTION, "  timeout:\n", "  time-out:\n"),
    (variables_exist, f"{OURS}/robustness.yml", "GATE_WORKING_DIRECTORY", "GATE_WORK_DIRECTORY"),
    (commands_exist, BASELINE, "--format markdown", "--form markdown"),
    (commands_exist, SHORT[0], "run: gate ci", "run: gate see-eye"),
    (commands_exist, f"{MAIN} 1", "gate anchor set --push", "gate anchor set --pull"),
    (pythons_agree, SHORT[0], '"3.13"', '"3.12"'),
    (pythons_agree, BASELINE, '"3.13"', '"3.14"'),
    (keys_stay_on_main, ROBUSTNESS, "secrets.GITHUB_TOKEN", "secrets.OPENAI_API_KEY"),
    (keys_stay_on_main, BASELINE, "secrets.GITHUB_TOKEN", "secrets.OPENAI_API_KEY"),
    (keys_stay_on_main, COMMANDS, "secrets.GITHUB_TOKEN", "secrets.OPENAI_API_KEY"),
    (templates_are_ours, COMMANDS, "types: [created]", "types: [created, edited]"),
    (permissions_are_explained, COMMANDS, "      contents: read", "      packages: read\n      contents: read"),
    (keys_stay_on_main, BASELINE, "if: hashFiles('recordings/**') != '' # every", "if: always() # every"),
    (refresh_proposes_recordings, BASELINE, ', "recordings/**"]', "]"),
    (refresh_proposes_recordings, BASELINE, "gate recordings check", "gate recordings list"),
    (refresh_proposes_recordings, BASELINE, "git add recordings", "git add ."),
)


@pytest.mark.parametrize(("check", "place", "old", "new"), CHANGES, ids=lambda value: getattr(value, "__name__", None))
def test_one_that_differs_is_found(
    found: Texts, check: Callable[[Texts], list[str]], place: str, old: str, new: str
) -> None:
    assert old in found[place], "the change would change nothing"
    changed = {**found, place: found[place].replace(old, new, 1)}
    assert check(changed) != []


def test_every_check_is_tried() -> None:
    assert {check for check, *_ in CHANGES} == set(CHECKS)
