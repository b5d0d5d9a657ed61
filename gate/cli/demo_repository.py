"""The repository of the demo: a project, a baseline on main, and pull requests merged as GitHub merges them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType

from gate.errors import GateError, UsageError

PROJECT = "tumour_model"
NUMBERS = {"worse": 1, "unchanged": 2}
GATE = [sys.executable, "-P", "-m", "gate"]
_RUNS = "2"
_TIMEOUT = 600.0
_NOT_COPIED = shutil.ignore_patterns("__pycache__", ".*", "*.egg-info", "baselines")
STORIES = {
    "worse": "somebody drops the scaling of the columns, since accuracy hardly falls",
    "unchanged": "somebody mends a sentence of the README",
}
"""What the author of a pull request does, in one clause."""
_IDENTITY = {
    "GIT_AUTHOR_NAME": "Demo",
    "GIT_AUTHOR_EMAIL": "demo@example.invalid",
    "GIT_COMMITTER_NAME": "Demo",
    "GIT_COMMITTER_EMAIL": "demo@example.invalid",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
}
_FOREIGN = ("GITHUB_", "INPUT_", "GATE_", "PYTEST_", "GIT_", "ACTIONS_", "RUNNER_")
Ended = subprocess.CompletedProcess[str]


@dataclass(frozen=True, slots=True)
class DemoRun:
    """How `gate ci` ended on one pull request.

    Attributes:
        verdict: file that it left; it may be absent when it ended badly.
        said: everything that it printed.
    """

    exit_code: int
    verdict: Path
    said: str


def project(name: str = PROJECT) -> Path:
    """Folder of a project that the demo copies: in the installed package, else in the checkout.

    Raises:
        UsageError: neither is there.
    """
    installed = Path(str(files("gate").joinpath("_demo", name)))
    checkout = Path(str(files("gate"))).parent / "examples" / name
    for folder in (installed, checkout):
        if (folder / "worse.patch").is_file():
            return folder
    raise UsageError(
        "this installation lacks the project of the demo", where=str(installed), remedy="install robustness-gate again"
    )


class DemoRepository:
    """One repository on this machine.

    Args:
        path: folder that doesn't exist yet.
        source: the project that is copied.
        say: told of each command.
        environ: the environment of the children; variables of GitHub, git, pytest and the gate are dropped.
    """

    def __init__(
        self,
        path: Path,
        source: Path,
        *,
        say: Callable[[str], None] = lambda text: None,
        environ: Mapping[str, str] | None = None,
    ) -> None:
        self.path = path
        self._source = source
        self._say = say
        outer = os.environ if environ is None else environ
        self._environ = {name: value for name, value in outer.items() if not name.startswith(_FOREIGN)}

    def prepare(self) -> None:
        """The project, its baseline and both branches; HEAD is main.

        Raises:
            UsageError: git is not there.
            GateError: a step failed.
        """
        self.start("A model and its tests")
        self.checked([*GATE, "baseline", "create", "--runs", _RUNS])
        self.commit("The first baseline")
        self.make_worse("Simplify the model")
        self._git("checkout", "--quiet", "-b", "unchanged", "main")
        with (self.path / "README.md").open("a", encoding="utf-8") as readme:
            readme.write("\nQuestions are welcome.\n")
        self.commit("Welcome questions")
        self._git("checkout", "--quiet", "main")

    def start(self, message: str) -> None:
        """The project as the first commit of main."""
        shutil.copytree(self._source, self.path, ignore=_NOT_COPIED)
        (self.path / ".gitignore").write_text("/.gate/\n/data/\n__pycache__/\n", encoding="utf-8")
        self._git("init", "--quiet", "--initial-branch=main")
        self.commit(message)

    def make_worse(self, message: str) -> None:
        """The project's patch as a branch `worse`; HEAD is main again."""
        self._git("checkout", "--quiet", "-b", "worse", "main")
        self._git("apply", "worse.patch")
        self.commit(message)
        self._git("checkout", "--quiet", "main")

    def merge(self, name: str) -> None:
        """Check out what GitHub makes of a pull request: a branch merged into main."""
        head, base = self._git("rev-parse", name), self._git("rev-parse", "main")
        self._git("checkout", "--quiet", "--detach", "main")
        self._git("merge", "--quiet", "--no-ff", "--no-edit", "-m", f"Merge {head} into {base}", name)

    def gate(self, name: str) -> DemoRun:
        """Run `gate ci` on the merge commit of a branch, which is checked out."""
        head, base = self._git("rev-parse", name), self._git("rev-parse", "main")
        output = Path(".gate") / name
        run = self.ended([*GATE, "ci", "--output", str(output)], self._event(name, base, head))
        said = run.stdout + run.stderr
        return DemoRun(run.returncode, self.path / output / "verdict.json", said)

    def _event(self, name: str, base: str, head: str) -> dict[str, str]:
        """Environment of a step in GitHub Actions, without a token, so nothing is sent anywhere."""
        number = NUMBERS[name]
        folder = self.path / ".git" / "demo"
        folder.mkdir(exist_ok=True)
        repository = {"full_name": "demo/tumours", "name": "tumours", "default_branch": "main", "fork": False}
        payload = {
            "action": "opened",
            "number": number,
            "repository": repository,
            "sender": {"login": "author", "type": "User"},
            "pull_request": {
                "number": number,
                "base": {"ref": "main", "sha": base, "repo": repository},
                "head": {"ref": name, "sha": head, "repo": repository},
                "user": {"login": "author", "type": "User"},
            },
        }
        event = folder / "event.json"
        event.write_text(json.dumps(payload), encoding="utf-8")
        for file in ("output", "summary"):
            (folder / file).write_bytes(b"")
        return {
            "GATE_COMMENT": "never",  # there is no GitHub behind the address, and nobody is to miss a token
            "GITHUB_ACTIONS": "true",
            "GITHUB_ACTOR": "author",
            "GITHUB_API_URL": "http://127.0.0.1:9",
            "GITHUB_BASE_REF": "main",
            "GITHUB_EVENT_NAME": "pull_request",
            "GITHUB_EVENT_PATH": str(event),
            "GITHUB_HEAD_REF": name,
            "GITHUB_OUTPUT": str(folder / "output"),
            "GITHUB_REF": f"refs/pull/{number}/merge",
            "GITHUB_REPOSITORY": "demo/tumours",
            "GITHUB_RUN_ATTEMPT": "1",
            "GITHUB_RUN_ID": str(number),
            "GITHUB_SERVER_URL": "https://github.example",
            "GITHUB_SHA": self._git("rev-parse", "HEAD"),
            "GITHUB_STEP_SUMMARY": str(folder / "summary"),
            "GITHUB_WORKSPACE": str(self.path),
        }

    def commit(self, message: str) -> None:
        """All that is there and not ignored, on the branch that is checked out."""
        self._git("add", "--all")
        self._git("commit", "--quiet", "--no-verify", "-m", message)

    def _git(self, *arguments: str) -> str:
        if shutil.which("git") is None:
            raise UsageError("git is not installed, or not on the PATH", where="gate demo", remedy="install git")
        settings = ("-c", "core.autocrlf=false", "-c", "commit.gpgsign=false", "-c", f"core.hooksPath={os.devnull}")
        return self.checked(["git", *settings, *arguments], _IDENTITY).strip()

    def checked(self, command: list[str], environ: Mapping[str, str] | None = None) -> str:
        """What a command prints that has to succeed.

        Raises:
            GateError: it did not; its output is named.
        """
        run = self.ended(command, environ or {})
        if run.returncode != 0:
            shown = " ".join(command[-4:])
            raise GateError(
                f"`… {shown}` ended with {run.returncode}:\n{run.stdout}{run.stderr}",
                where="gate demo",
                remedy="please report this with what follows",
            )
        return run.stdout

    def ended(self, command: list[str], environ: Mapping[str, str] = MappingProxyType({})) -> Ended:
        """Run a command in the repository, in an environment without GitHub, git, pytest and the gate's own."""
        self._say(f"$ {' '.join(command[-6:])}")
        return subprocess.run(
            command,
            cwd=self.path,
            env={**self._environ, "PYTHONDONTWRITEBYTECODE": "1", **environ},
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            check=False,
            timeout=_TIMEOUT,
        )
