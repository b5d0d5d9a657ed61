"""What a hostile suite leaves in the container: files with rights, links, processes, a new `.git`."""

from __future__ import annotations

import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.test_hostile import attack, origin, still_red
from tests.support import container

__all__ = ["attack", "origin"]
Attack = Callable[..., container.Ended]

SECRET = "extraheader-secret"


def printed(ended: container.Ended, word: str) -> list[str]:
    """What the suite printed after a word; pytest may have put the file's name before it."""
    return [line.partition(f"{word} ")[2].strip() for line in ended.log.splitlines() if f"{word} " in line]


def test_set_uid_files_gain_nothing_and_lose_their_bit(attack: Attack) -> None:
    code = (
        "import os, shutil, subprocess\n"
        "def test_set_uid():\n"
        "    shutil.copy('/usr/bin/id', 'mine')\n"
        "    os.chmod('mine', 0o6755)\n"
        "    print('NEWPRIVS', [l for l in open('/proc/self/status') if l.startswith('NoNewPrivs')])\n"
        "    print('SU', subprocess.run(['/bin/su', '-c', 'id'], stdin=subprocess.DEVNULL).returncode)\n"
        "    print('GROUPS', os.getgroups())\n"
    )
    ended = attack({"tests/test_set_uid.py": code}, inputs={"arguments": "-s"})
    still_red(ended)
    assert "1" in printed(ended, "NEWPRIVS")[0]
    assert printed(ended, "SU") != ["0"]
    assert printed(ended, "GROUPS") == ["[]"]
    left = (ended.workspace / "mine").lstat()
    assert stat.S_IMODE(left.st_mode) == 0o755
    assert left.st_uid == container.RUNNER_UID


def test_git_and_the_output_folder_stay_what_they_were(attack: Attack) -> None:
    code = (
        "import os, shutil\n"
        "def attempt(name, act):\n"
        "    try:\n"
        "        act()\n"
        "        print('DONE', name)\n"
        "    except OSError as error:\n"
        "        print('REFUSED', name, type(error).__name__)\n"
        "def test_move():\n"
        "    attempt('rename', lambda: os.rename('.git', '.was'))\n"
        "    attempt('hook', lambda: open('.git/hooks/post-checkout', 'w').write('x'))\n"
        "    attempt('config', lambda: open('.git/config', 'a').write('[core]\\n\\tfsmonitor = x\\n'))\n"
        "    attempt('output', lambda: os.rename('.gate', '.was'))\n"
        "    attempt('verdict', lambda: open('.gate/verdict.json', 'w').write('{}'))\n"
        "    attempt('gate', lambda: open('/opt/gate/x', 'w').write('x'))\n"
    )
    ended = attack({"tests/test_move.py": code}, inputs={"arguments": "-s"})
    still_red(ended)
    assert printed(ended, "DONE") == []
    assert len(printed(ended, "REFUSED")) == 6


def test_an_output_folder_that_is_a_committed_link_is_not_followed(attack: Attack) -> None:
    def link(workspace: Path) -> None:
        (workspace / ".gate").symlink_to("/opt/gate/bin")

    ended = attack({"note.md": "x\n"}, prepare=link)
    still_red(ended)
    assert not (ended.workspace / ".gate").is_symlink()


def test_credentials_of_the_checkout_are_out_of_reach(attack: Attack) -> None:
    def persist(workspace: Path) -> None:
        with (workspace / ".git/config").open("a", encoding="utf-8") as stream:
            stream.write(f'[http "https://github.com/"]\n\textraheader = AUTHORIZATION: basic {SECRET}\n')

    code = (
        "import subprocess\n"
        "def test_config():\n"
        "    print('CONFIG', subprocess.run(['git', 'config', '--list'], capture_output=True, text=True))\n"
    )
    ended = attack({"tests/test_config.py": code}, inputs={"arguments": "-s"}, prepare=persist)
    still_red(ended)
    assert "core.bare=false" in printed(ended, "CONFIG")[0]
    assert SECRET not in ended.log
    assert "persist-credentials" in ended.comment
    assert SECRET in (ended.workspace / ".git/config").read_text(encoding="utf-8")


def test_a_daemon_that_waits_for_the_report_is_gone_before_it_is_read(attack: Attack) -> None:
    forger = (
        "import json, os, sys, time\n"
        "path = sys.argv[1]\n"
        "while not os.path.exists(path):\n"
        "    time.sleep(0.001)\n"
        "time.sleep(0.5)\n"
        "open(path, 'w').write(json.dumps({'forged': True}))\n"
    )
    code = (
        "import subprocess, sys\n"
        "def test_daemon():\n"
        "    path = next(a.partition('=')[2] for a in sys.orig_argv if a.startswith('--gate-report='))\n"
        "    subprocess.Popen([sys.executable, 'forger.py', path], start_new_session=True,\n"
        "        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)\n"
    )
    ended = attack({"tests/test_daemon.py": code, "forger.py": forger})
    still_red(ended)
    assert "forged" not in (ended.workspace / ".gate/candidate.json").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("install", "said"),
    [("exit 7", "exit code 7"), ("echo '::error::forged'; pip install ./nothing-here", "nothing-here")],
)
def test_an_install_command_that_fails_is_undecided_and_says_why(attack: Attack, install: str, said: str) -> None:
    ended = attack({"note.md": "x\n"}, inputs={"install": install})
    assert ended.exit_code == 3, ended.log
    assert ended.outputs["verdict"] == "undecided"
    assert said in ended.comment


def test_commands_of_the_runner_are_stopped_while_foreign_code_prints(attack: Attack) -> None:
    code = "def test_print():\n    print('::error::forged')\n    print('::add-mask::a')\n    print('##[error]forged')\n"
    ended = attack({"tests/test_print.py": code}, inputs={"arguments": "-s"})
    still_red(ended)
    word = ended.log.partition("::stop-commands::")[2].partition("\n")[0]
    stopped = ended.log.partition(f"::stop-commands::{word}")[2].partition(f"::{word}::")[0]
    outside = ended.log.replace(stopped, "")
    assert "::error::forged" in stopped
    assert "forged" not in outside
