"""Pull requests that attack their own gate, each in the real container and each without effect."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.e2e.test_container import baseline
from tests.support import container
from tests.support.engine.daemon import Engine
from tests.support.github.runner import commands
from tests.support.github.server import GitHubServer
from tests.support.repository import Repository

WORSE = "def right(number):\n    return number != 7\n"
SUITE = """
import pytest
from model import right

@pytest.mark.parametrize("number", range(10))
def test_number(number):
    assert right(number)
"""
PROJECT = "[tool.pytest.ini_options]\npythonpath = ['.']\n"
SETTINGS = "alpha = 0.05\n"


@pytest.fixture
def origin(tmp_path: Path) -> Repository:
    repository = Repository(tmp_path / "origin")
    files = {"model.py": "def right(number):\n    return True\n", "tests/test_model.py": SUITE}
    repository.commit({**files, "pyproject.toml": PROJECT, "gate.toml": SETTINGS}, "model")
    baseline(repository)
    repository.branch("change")
    repository.commit({"model.py": WORSE}, "worse")
    return repository


@pytest.fixture
def attack(engine: Engine, origin: Repository, tmp_path: Path):
    """Gate the branch after an attack was committed to it."""

    def run(files: dict[str, str | bytes | None], **more) -> container.Ended:
        origin.checkout("change")
        origin.commit(files, "attack")
        head, base = origin.git("rev-parse", "change"), origin.git("rev-parse", "main")
        workspace = container.checkout(origin, tmp_path / "workspace", "main", "change")
        more.get("prepare", lambda path: None)(workspace)
        with GitHubServer(tokens=(container.TOKEN,)) as github:
            github.add_pull_request(1, head, base)
            return container.run_action(
                engine,
                workspace,
                container.pull_request_event(base, head),
                tmp_path / "files",
                api=github.url,
                inputs=more.get("inputs"),
            )

    return run


def still_red(ended: container.Ended) -> None:
    assert ended.exit_code == 1, ended.log
    assert ended.outputs["verdict"] == "regression"
    assert "newly-failing" in {finding["rule"] for finding in ended.verdict["findings"]}


def test_an_install_command_that_replaces_the_gate(attack) -> None:
    poison = (
        "import gate, pathlib; print(gate.__file__)\n"
        "for folder in ('/opt/gate', '/opt/suite'):\n"
        "    for site in pathlib.Path(folder).glob('lib/python3*/site-packages'):\n"
        "        poisons = {'evil.pth': 'import os; os._exit(0)\\n', 'gate/errors.py': 'raise SystemExit(0)'}\n"
        "        for name, text in poisons.items():\n"
        "            try:\n"
        "                (site / name).write_text(text)\n"
        "                print('WROTE', folder, name)\n"
        "            except OSError as error:\n"
        "                print('REFUSED', folder, name, error.errno)\n"
    )
    ended = attack({"poison.py": poison}, inputs={"install": "/opt/suite/bin/python poison.py"})
    assert ended.log.count("REFUSED /opt/gate") == 2
    assert "WROTE /opt/gate" not in ended.log
    # it may ruin its own world, so nothing is measured, and nothing passes
    assert ended.exit_code in {1, 3}, ended.log
    assert ended.outputs["verdict"] in {"regression", "undecided"}


def test_a_gate_folder_and_a_sitecustomize_in_the_checkout(attack) -> None:
    files = {
        "gate/__init__.py": "import os; os._exit(0)\n",
        "gate/cli/action.py": "import sys; sys.exit(0)\n",
        "sitecustomize.py": "import os\nopen('/tmp/loaded', 'a').write(str(os.getuid()))\n",
        "usercustomize.py": "import os\n",
    }
    ended = attack(files)
    assert ended.exit_code in {1, 3}, ended.log
    assert ended.outputs["verdict"] != "holds"
    assert "sitecustomize.py" in ended.comment


def test_git_replace_can_not_swap_the_baseline(attack) -> None:
    def replace(workspace: Path) -> None:
        repository = Repository(workspace)
        base = repository.git("rev-parse", "HEAD^1")
        path = "baselines/default.jsonl"
        old = repository.git("rev-parse", f"{base}:{path}")
        text = repository.git("cat-file", "blob", old).replace(
            '"id":"tests/test_model.py::test_number[7]"', '"id":"tests/test_model.py::gone"'
        )
        new = repository.git("hash-object", "-w", "--stdin", text=text)
        repository.git("replace", old, new)

    ended = attack({"note.md": "x\n"}, prepare=replace)
    still_red(ended)


def test_the_parents_environment_and_memory_are_closed(attack) -> None:
    spy = (
        "import os\n"
        "def test_spy():\n"
        "    found = []\n"
        "    for process in [name for name in os.listdir('/proc') if name.isdigit()]:\n"
        "        if int(process) == os.getpid() or os.stat(f'/proc/{process}').st_uid == os.getuid():\n"
        "            continue\n"
        "        for file in ('environ', 'mem', 'maps'):\n"
        "            try:\n"
        "                open(f'/proc/{process}/{file}', 'rb').read(1)\n"
        "                found.append((process, file))\n"
        "            except OSError:\n"
        "                pass\n"
        "    print('FOREIGN', found)\n"
        "    print('UID', os.getuid(), sorted(n for n in os.environ if 'TOKEN' in n or n.startswith('INPUT')))\n"
        "    assert not found\n"
    )
    ended = attack({"tests/test_spy.py": spy}, inputs={"arguments": "-s"})
    still_red(ended)
    assert "FOREIGN []" in ended.log
    assert "UID 10001 []" in ended.log
    assert container.TOKEN not in ended.log.replace(f"::add-mask::{container.TOKEN}", "")


def test_the_runners_files_can_not_be_written(attack) -> None:
    write = (
        "import os\n"
        "def test_write():\n"
        "    print('::set-output name=verdict::holds')\n"
        "    print('::error::forged')\n"
        "    for name in ('output', 'env', 'path', 'summary', 'state'):\n"
        "        try:\n"
        "            with open(f'/github/files/{name}', 'a') as stream:\n"
        "                stream.write('verdict=holds\\nexit-code=0\\n')\n"
        "            print('WROTE', name)\n"
        "        except OSError:\n"
        "            print('REFUSED', name)\n"
    )
    ended = attack({"tests/test_write.py": write}, inputs={"arguments": "-s"})
    still_red(ended)
    assert ended.log.count("REFUSED ") >= 5
    assert "WROTE" not in ended.log
    assert "forged" in ended.log  # printed, and yet no command: the runner was told to stop obeying
    obeyed = commands(ended.log)
    assert not {("error", "forged"), ("set-output", "holds")} & set(obeyed)


def test_a_conftest_that_edits_the_report_is_made_visible(attack) -> None:
    edit = (
        "import pytest\n"
        "@pytest.hookimpl(wrapper=True)\n"
        "def pytest_runtest_makereport(item, call):\n"
        "    report = yield\n"
        "    report.outcome = 'passed'\n"
        "    report.longrepr = None\n"
        "    return report\n"
    )
    ended = attack({"tests/conftest.py": edit})
    assert "tests/conftest.py" in ended.comment.partition("|")[0]


def test_loosened_settings_and_an_edited_baseline_have_no_effect(attack, origin: Repository) -> None:
    text = origin.git("show", "main:baselines/default.jsonl").replace('"outcome":"passed"', '"outcome":"failed"')
    loosened = 'observe = true\nalpha = 0.5\n[rules.newly-failing]\nlevel = "off"\n'
    ended = attack({"gate.toml": loosened, "baselines/default.jsonl": text + "\n"})
    still_red(ended)
    rules = {finding["rule"] for finding in ended.verdict["findings"]}
    assert {"settings-changed", "baseline-changed"} <= rules


def test_a_report_that_is_a_link_is_not_followed(attack) -> None:
    link = (
        "import atexit, os, sys\n"
        "def swap():\n"
        "    path = next(a.partition('=')[2] for a in sys.orig_argv if a.startswith('--gate-report='))\n"
        "    os.path.lexists(path) and os.remove(path)\n"
        "    os.symlink('/etc/shadow', path)\n"
        "atexit.register(swap)\n"
        "def test_nothing():\n    pass\n"
    )
    ended = attack({"tests/test_link.py": link})
    assert ended.exit_code == 3, ended.log
    assert "root:" not in ended.log + ended.comment


def test_a_daemon_and_a_linked_output_folder_change_nothing(attack, tmp_path: Path) -> None:
    daemon = (
        "import os, subprocess, sys\n"
        "def test_daemon():\n"
        "    code = 'import time\\nwhile True: time.sleep(1)'\n"
        "    subprocess.Popen([sys.executable, '-c', code], start_new_session=True)\n"
    )
    ended = attack({"tests/test_daemon.py": daemon})
    still_red(ended)
    assert {path.lstat().st_uid for path in ended.workspace.rglob("*")} == {container.RUNNER_UID}
    assert os.path.lexists(ended.workspace / ".gate")
