"""Agents that are commands: what they are given, what counts as their answer, and how their ends are told apart."""

from __future__ import annotations

from pathlib import Path

import pytest

from gate.errors import UsageError
from gate.record.probes.chosen import chosen_agent
from gate.sandbox.cell import Cell
from gate.settings import Settings
from gate.suites.probes.answer import Ended
from tests.support.probe_cells import asked

ECHO = "import sys; print('said:', sys.stdin.read(), sys.argv[1:])"


def test_the_prompt_comes_as_an_argument_a_file_or_standard_input(tmp_path: Path, cell: Cell) -> None:
    assert asked(tmp_path, cell, ECHO, "a {workdir} b").text == "said: a {workdir} b []\n"
    assert asked(tmp_path, cell, ECHO, "a b", behind="{prompt}").text == "said:  ['a b']\n"
    script = "import sys; print(open(sys.argv[1], encoding='utf-8').read(), repr(sys.stdin.read()))"
    assert asked(tmp_path, cell, script, "häuser", behind="{prompt_file}").text == "häuser ''\n"


def test_a_prompt_that_is_too_long_for_an_argument_arrives_whole(tmp_path: Path, cell: Cell) -> None:
    script = "import sys; print(len(sys.argv), len(sys.stdin.read()))"
    assert asked(tmp_path, cell, script, "x" * 200_000, behind="{prompt}").text == "1 200000\n"


def test_an_answer_may_be_printed_written_to_the_file_or_left_as_files(tmp_path: Path, cell: Cell) -> None:
    to_file = "import sys; open(sys.argv[1], 'w').write('in the file'); print('noise')"
    assert asked(tmp_path, cell, to_file, behind="{output_file}").text == "in the file"
    assert asked(tmp_path, cell, "print('printed')", behind="{output_file}").text == "printed\n"
    writes = "import os; os.mkdir('pkg'); open('pkg/a.py', 'w').write('x = 1'); open('given.py', 'a').write('# more')"
    left = asked(tmp_path, cell, writes, setup={"given.py": "y = 2\n", "same.py": "z = 3\n"})
    assert (left.ended, left.text) == (Ended.ANSWERED, "")
    assert left.files == {"given.py": "y = 2\n# more", "pkg/a.py": "x = 1"}


def test_what_a_tool_keeps_for_itself_is_no_answer(tmp_path: Path, cell: Cell) -> None:
    script = (
        "import os; os.makedirs('.cache/x'); open('.cache/x/a', 'w').write('a'); open('b.bin', 'wb').write(b'\\0\\1')"
    )
    assert asked(tmp_path, cell, script).ended is Ended.EMPTY


@pytest.mark.parametrize(
    ("script", "ended", "code"),
    [
        ("print('x')", Ended.ANSWERED, 0),
        ("pass", Ended.EMPTY, 0),
        ("print('  ')", Ended.EMPTY, 0),
        ("import sys; print('half'); sys.exit('no credit left')", Ended.CRASHED, 1),
        ("import os; os.kill(os.getpid(), 11)", Ended.CRASHED, None),
        ("import sys; sys.stdout.buffer.write(bytes(range(256)))", Ended.ANSWERED, 0),
        ("import shutil, os; shutil.rmtree(os.getcwd(), True); print('gone')", Ended.ANSWERED, 0),
        ("import os\nfor _ in range(20):\n    os.fork()\nprint('x')", None, None),
    ],
)
def test_ends_are_told_apart(tmp_path: Path, cell: Cell, script: str, ended: Ended | None, code: int | None) -> None:
    answer = asked(tmp_path, cell, script, agent_timeout=3.0)
    if ended is None:  # whichever limit a bomb meets first, it is no answer and this process lives
        assert answer.ended in (Ended.CRASHED, Ended.TIMED_OUT, Ended.FLOODED, Ended.ANSWERED)
    else:
        assert (answer.ended, answer.exit_code) == (ended, code)
    assert isinstance(answer.text, str)


@pytest.mark.skipif(not Path("/etc/bash.bashrc").exists(), reason="bash of this machine reads no such file")
def test_a_shell_that_reads_its_settings_says_nothing_of_them(tmp_path: Path, cell: Cell) -> None:
    """Bash takes a socket for its standard input for a remote shell; agents start it so."""
    script = (
        "import socket, subprocess\n"
        "ours, its = socket.socketpair()\n"
        "ours.shutdown(socket.SHUT_WR)\n"
        "open('/etc/bash.bashrc').close()\n"
        "done = subprocess.run(['bash', '-c', 'echo well'], stdin=its, capture_output=True, text=True)\n"
        "print(done.stdout + done.stderr)\n"
    )
    answer = asked(tmp_path, cell, script)
    assert (answer.ended, answer.text.strip()) == (Ended.ANSWERED, "well")


def test_an_agent_that_hangs_or_floods_is_ended(tmp_path: Path, cell: Cell) -> None:
    hangs = asked(tmp_path, cell, "import time\nprint('x', flush=True)\ntime.sleep(60)", agent_timeout=0.5)
    assert (hangs.ended, hangs.text) == (Ended.TIMED_OUT, "x\n")
    floods = asked(tmp_path, cell, "import os\nwhile True:\n    os.write(1, b'x' * 65536)")
    assert floods.ended is Ended.FLOODED
    assert len(floods.text) <= 8 * 2**20


def test_why_it_crashed_is_its_last_line(tmp_path: Path, cell: Cell) -> None:
    assert asked(tmp_path, cell, "import sys; sys.exit('first\\nno credit left')").message == "no credit left"


def test_a_program_that_can_not_start_is_no_crash(tmp_path: Path, cell: Cell) -> None:
    (tmp_path / "broken").write_bytes(b"\x7fELF not really")
    (tmp_path / "broken").chmod(0o755)
    from gate.record.probes.agents.agent import Task
    from tests.support.probe_cells import agent_in
    from tests.support.probe_runs import probe_of

    with agent_in(tmp_path, cell, agent_cmd="./broken") as agent:
        answer = agent.ask(Task(probe_of("task"), 0, 1, "x"))
    assert answer.ended is Ended.NOT_STARTED
    assert answer.message


def test_a_program_that_is_not_there_is_refused_before_anything_is_asked(tmp_path: Path, cell: Cell) -> None:
    from tests.support.probe_cells import agent_in

    with (
        pytest.raises(UsageError, match="no program on the PATH"),
        agent_in(tmp_path, cell, agent_cmd="no-such-agent-here"),
    ):
        pass


def test_an_exit_code_of_127_is_its_own_where_it_started(tmp_path: Path, cell: Cell) -> None:
    assert asked(tmp_path, cell, "import sys; sys.exit(127)").ended is Ended.CRASHED


def test_the_overlay_lies_in_a_fresh_home_each_time(tmp_path: Path, cell: Cell) -> None:
    home = tmp_path / "agent-home"
    (home / ".agent" / "skills").mkdir(parents=True)
    (home / ".agent" / "rules.md").write_text("Be careful.", encoding="utf-8")
    tool = home / ".agent" / "skills" / "tool"
    tool.write_text("#!/bin/sh\necho tool ran\n", encoding="utf-8")
    tool.chmod(0o755)
    script = (
        "import os, pathlib, subprocess\n"
        "home = pathlib.Path.home()\n"
        "print((home / '.agent/rules.md').read_text(), (home / 'left').exists())\n"
        "print(subprocess.run([home / '.agent/skills/tool'], capture_output=True, text=True).stdout)\n"
        "(home / 'left').write_text('x')\n"
    )
    for _ in range(2):
        assert asked(tmp_path, cell, script, agent_home="agent-home").text == "Be careful. False\ntool ran\n\n"


def test_nothing_tells_the_agent_where_it_is(tmp_path: Path, cell: Cell) -> None:
    script = "import os, sys; print(os.environ, sys.argv, os.getcwd(), os.listdir('.'), os.listdir(os.environ['HOME']))"
    text = asked(tmp_path, cell, script, behind="{prompt_file} {workdir}").text.lower()
    assert not [word for word in ("probe", "benchmark", "gate_", "evaluat", "sandbox") if word in text]


def test_who_the_agent_is_depends_on_all_that_it_is_given(tmp_path: Path) -> None:
    (tmp_path / "agent.py").write_text("1", encoding="utf-8")
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "rules.md").write_text("a", encoding="utf-8")

    def digest(**settings: str) -> str:
        found = chosen_agent(Settings.model_validate({"agent_cmd": "python3 agent.py", **settings}), tmp_path)
        assert found is not None
        return found.identity.digest

    seen = [
        digest(),
        digest(agent_home="home"),
        digest(agent_version="2"),
        digest(agent_model="m"),
        digest(agent_cmd="python3 ./agent.py -v"),
        digest(agent_preset="claude"),
    ]
    (tmp_path / "home" / "rules.md").write_text("b", encoding="utf-8")
    seen.append(digest(agent_home="home"))
    (tmp_path / "agent.py").write_text("2", encoding="utf-8")
    seen.append(digest())
    assert len(set(seen)) == len(seen)
