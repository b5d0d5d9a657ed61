"""The workflows and the first test of `gate init`, made to fit what was found in the repository."""

from __future__ import annotations

import json
import re
from importlib.resources import files

from gate.cli.init_look import Found, Kind

_INSTALL = "      - run: python -m pip install -r requirements.txt # what your suite needs"
_GATE = "      - run: python -m pip install robustness-gate"
_PLAIN_BRANCH = re.compile(r"[A-Za-z][\w./-]*")
_KEY = "OPENAI_API_KEY"
_ARTIFACT = "name: robustness-gate-{}-"
_PYTHON = 'python-version: "3.13"'
_TESTS: dict[Kind, str] = {
    "model": "first_test_model.py.txt",
    "prompt": "first_test_prompt.py.txt",
    "agent": "first_test_agent.py.txt",
    "any": "first_test.py.txt",
}


def adapted(workflow: str, found: Found, branch: str, suite: str = "default") -> str:
    """A workflow for this repository: its default branch, its suite, Python and key, and what its suite needs."""
    named = branch if _PLAIN_BRANCH.fullmatch(branch) else json.dumps(branch)
    text = workflow.replace("branches: [main]", f"branches: [{named}]")
    text = text.replace(_ARTIFACT.format("default"), _ARTIFACT.format(suite))
    text = text.replace(_PYTHON, f'python-version: "{found.python}"').replace(_KEY, found.key or _KEY)
    if found.prompts:  # `mutate_prompt` needs it where the suite runs
        text = text.replace(
            f"{_GATE}\n{_INSTALL}", f'{_GATE.removesuffix("robustness-gate")}"robustness-gate[mutation]"\n{_INSTALL}'
        )
    return text.replace(_INSTALL, "\n".join(install_lines(found)))


def install_lines(found: Found) -> list[str]:
    """The steps that install what the suite needs, as lines of a workflow."""
    if found.lock == "uv":
        export = 'uv export --quiet --frozen --no-hashes --output-file "$RUNNER_TEMP/requirements.txt"'
        return [
            "      - run: python -m pip install uv",
            f"      - run: {export} # what uv.lock holds",
            '      - run: python -m pip install -r "$RUNNER_TEMP/requirements.txt"',
        ]
    if found.lock == "poetry":
        return [
            "      - run: python -m pip install poetry",
            "      - run: poetry config virtualenvs.create false && poetry install --no-interaction # into this Python",
        ]
    if found.lock == "pipenv":
        return [
            "      - run: python -m pip install pipenv",
            "      - run: pipenv sync --system --dev # what Pipfile.lock holds",
        ]
    if found.requirements:
        named = " ".join(f"-r {name}" for name in found.requirements)
        return [f"      - run: python -m pip install {named} # what your suite needs"]
    if not (found.project or found.groups):
        return ["      # - run: python -m pip install -r requirements.txt # what your suite needs"]
    if found.extras:
        return [f'      - run: python -m pip install ".[{found.extras[0]}]" # your project, and what its tests need']
    if found.groups:
        own, told = (". ", "your project, and what its tests need") if found.project else ("", "what your tests need")
        return [
            "      - run: python -m pip install --upgrade pip # from 25.1 on, it knows groups",
            f"      - run: python -m pip install {own}--group {found.groups[0]} # {told}",
        ]
    return ["      - run: python -m pip install . # your project; add what its tests need"]


def first_test(found: Found) -> str:
    """A test that runs as it is, about what was found, with the places that are to be replaced."""
    text = template(_TESTS[found.kind])
    names = (*found.models[:2], *found.data[:2], *found.instructions[:1])
    told = ", ".join(json.dumps(name) for name in names) or "no file with data or a model"
    prompt = json.dumps(found.prompts[0]) if found.prompts else '""'
    target = json.dumps(f"file:{found.prompts[0]}") if found.prompts else '""'
    return text.replace("@FOUND@", told).replace("@PROMPT@", prompt).replace("@TARGET@", target)


def template(name: str) -> str:
    """One file of the templates."""
    return files("gate.cli").joinpath("templates", name).read_text("utf-8")
