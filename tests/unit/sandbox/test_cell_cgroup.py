"""A group for the memory of a job: where it is used, what is written to it, what it tells."""

from __future__ import annotations

import atexit
import errno
import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from gate.sandbox.cell import Ending, Job, Limits, cgroup, open_cell, usage
from gate.sandbox.cell.warden import _ending

CHILD = 4_000_001
OWN = "3:cpu:/elsewhere\n0::/user/gate\n"


def _mounts(root: Path) -> str:
    return f"tmpfs /tmp tmpfs rw 0 0\ncgroup2 {root} cgroup2 rw,nosuid 0 0\n"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A hierarchy as the kernel shows it: a new folder has its files at once, and may be removed with them."""
    own = tmp_path / "user" / "gate"
    own.mkdir(parents=True)
    (own / "cgroup.controllers").write_text("cpu memory pids\n")
    (own / "cgroup.subtree_control").write_text("cpu\n")
    made, removed = os.mkdir, os.rmdir

    def mkdir(path: Any, mode: int = 0o777, **more: Any) -> None:
        made(path, mode, **more)
        names = (
            "cgroup.subtree_control",
            "memory.max",
            "memory.swap.max",
            "memory.oom.group",
            "memory.events",
            "cgroup.procs",
            "cgroup.type",
        )
        for name in names:
            Path(path, name).write_text("oom 0\noom_kill 0\n" if name == "memory.events" else "")

    def rmdir(path: Any, **more: Any) -> None:
        for each in Path(path).iterdir():
            each.unlink()
        removed(path, **more)

    monkeypatch.setattr(os, "mkdir", mkdir)
    monkeypatch.setattr(os, "rmdir", rmdir)
    return tmp_path


def test_the_group_of_this_process_is_found(root: Path) -> None:
    assert cgroup.own_group(_mounts(root), OWN) == (str(root), str(root / "user/gate"))


@pytest.mark.parametrize(
    ("mounts", "own"), [("", OWN), ("cgroup /x cgroup rw,memory 0 0\n", OWN), ("cgroup2 / cgroup2 rw 0 0\n", "")]
)
def test_without_version_2_there_is_none(mounts: str, own: str) -> None:
    assert cgroup.own_group(mounts, own) == ("", "")
    assert cgroup.find("", "") == ""


def test_a_path_out_of_the_hierarchy_is_not_followed(root: Path) -> None:
    assert cgroup.own_group(_mounts(root), "0::/../user/gate\n") == ("", "")


def test_without_the_memory_controller_there_is_none(machine: Machine) -> None:
    own = machine.group("service")
    machine.marks[f"{own} trusted.delegate"] = b"1"
    (own / "cgroup.controllers").write_text("cpu pids\n")
    assert machine.found(own) == ""
    assert (own / "cgroup.procs").read_text().split() == [str(os.getpid())]


def test_beside_a_group_that_was_given_no_memory_itself_groups_can_be_made(machine: Machine) -> None:
    above, own = machine.group("service"), machine.group("service/own")
    (own / "cgroup.controllers").write_text("")
    machine.marks[f"{above} trusted.delegate"] = b"1"
    assert machine.found(own) == str(above)
    assert not (own / "gate").exists()


def test_a_group_that_a_killed_process_left_is_used_again(machine: Machine) -> None:
    own = machine.group("service")
    machine.group("service/gate")
    machine.marks[f"{own} trusted.delegate"] = b"1"
    assert machine.found(own) == str(own)


def test_a_job_is_limited_entered_asked_and_gone(root: Path) -> None:
    group = cgroup.Group(str(root / "user/gate"), "gate-job-1")
    group.limit(100)
    place = root / "user/gate/gate-job-1"
    assert (root / "user/gate/cgroup.subtree_control").read_text() == "+memory"
    assert int((place / "memory.max").read_text()) == 100 + 32 * 2**20
    assert (place / "memory.swap.max").read_text() == "0"
    assert (place / "memory.oom.group").read_text() == "1"
    group.enter()
    assert (place / "cgroup.procs").read_text() == "0"
    assert not group.killed()
    (place / "memory.events").write_text("oom 2\noom_kill 1\noom_group_kill 0\n")
    assert group.killed()
    group.remove()
    assert not place.exists()


class Machine:
    """A hierarchy whose groups hand no memory down while they have processes, as the kernel has it."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.root, self.marks, self.user = root, dict[str, bytes](), 0
        self.at_end: list[Any] = []
        self.owners: dict[str, int] = {}
        write = cgroup._write

        def written(path: str, text: str) -> None:
            one = Path(path)
            control = one.parent / "cgroup.subtree_control"
            if one.name == "cgroup.procs" and "memory" not in control.read_text():
                self.enter(one.parent, int(text) or os.getpid())
            elif one == control and text == "-memory":
                one.write_text("")
            elif one.name == "cgroup.procs" or (one == control and (one.parent / "cgroup.procs").read_text()):
                raise OSError(errno.EBUSY, "Device or resource busy")
            else:
                write(path, text)

        monkeypatch.setattr(cgroup, "_write", written)
        monkeypatch.setattr(os, "geteuid", lambda: self.user)
        monkeypatch.setattr(os, "getxattr", self._mark)
        monkeypatch.setattr(os, "access", lambda path, mode, **how: True)
        monkeypatch.setattr(cgroup, "_owner", lambda place: self.owners.get(place, 0))
        monkeypatch.setattr(usage, "descendants", lambda root: [CHILD])
        monkeypatch.setattr(atexit, "register", lambda *end: self.at_end.append(end))

    def group(self, path: str) -> Path:
        made = self.root / path
        made.mkdir(exist_ok=True)
        for name, text in (("controllers", "memory\n"), ("subtree_control", ""), ("procs", ""), ("type", "domain\n")):
            (made / f"cgroup.{name}").write_text(text)
        return made

    def enter(self, group: Path, process: int) -> None:
        for one in self.root.rglob("cgroup.procs"):
            one.write_text("".join(f"{line}\n" for line in one.read_text().split() if line != str(process)))
        with (group / "cgroup.procs").open("a") as stream:
            stream.write(f"{process}\n")

    def found(self, own: Path) -> str:
        self.enter(own, os.getpid())
        return cgroup.find(str(self.root), str(own))

    def _mark(self, path: str, name: str) -> bytes:
        try:
            return self.marks[f"{path} {name}"]
        except KeyError:
            raise OSError(errno.ENODATA, "No data available") from None


@pytest.fixture
def machine(root: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    made = Machine(root, monkeypatch)
    made.group("")
    (root / "cgroup.type").unlink()
    return made


def test_alone_in_a_group_that_is_marked_as_delegated_root_goes_below_it(machine: Machine) -> None:
    own = machine.group("service")
    machine.marks[f"{own} user.delegate"] = b"1"
    assert machine.found(own) == str(own)
    assert (own / "cgroup.procs").read_text() == ""
    assert (own / "gate/cgroup.procs").read_text().split() == [str(os.getpid())]
    assert cgroup.find(str(machine.root), str(own / "gate")) == str(own)  # as the next cell asks
    ((end, place, process),) = machine.at_end
    end(place, process + 1)  # a fork of it
    assert (own / "cgroup.procs").read_text() == ""
    end(place, process)
    assert (own / "cgroup.procs").read_text().split() == [str(os.getpid())]
    assert (own / "cgroup.subtree_control").read_text() == ""
    assert not (own / "gate").exists()


@pytest.mark.parametrize("mark", [None, b"0"])
def test_what_is_not_marked_as_delegated_root_leaves_alone(machine: Machine, mark: bytes | None) -> None:
    above, own = machine.group("service"), machine.group("service/own")
    if mark is not None:
        machine.marks |= {f"{group} trusted.delegate": mark for group in (above, own)}
    assert machine.found(own) == ""
    assert (own / "cgroup.procs").read_text().split() == [str(os.getpid())]
    assert not (own / "gate").exists()


def test_children_go_below_too_and_come_back(machine: Machine) -> None:
    own = machine.group("service")
    machine.marks[f"{own} trusted.delegate"] = b"1"
    machine.enter(own, CHILD)
    both = {str(CHILD), str(os.getpid())}
    assert machine.found(own) == str(own)
    assert set((own / "gate/cgroup.procs").read_text().split()) == both
    ((end, *arguments),) = machine.at_end
    end(*arguments)
    assert set((own / "cgroup.procs").read_text().split()) == both


def test_a_group_with_another_process_is_left_as_it_is(machine: Machine) -> None:
    own = machine.group("service")
    machine.marks[f"{own} trusted.delegate"] = b"1"
    machine.enter(own, 1)
    assert machine.found(own) == ""
    assert (own / "cgroup.procs").read_text().split() == ["1", str(os.getpid())]
    assert not (own / "gate").exists()


def test_the_whole_of_a_container_is_its_own_and_that_of_the_machine_is_not(machine: Machine) -> None:
    own = machine.group("init.scope")
    assert machine.found(own) == ""
    (machine.root / "cgroup.type").write_text("domain\n")
    assert machine.found(own) == str(machine.root)
    assert machine.found(machine.root) == str(machine.root)
    assert (machine.root / "gate/cgroup.procs").read_text().split() == [str(os.getpid())]


def test_a_users_group_is_what_another_gave_it(machine: Machine) -> None:
    above, own = machine.group("service"), machine.group("service/own")
    machine.user = 1001
    machine.owners = {str(above): 1001, str(own): 1001}
    assert machine.found(own) == str(above)
    machine.owners = {str(own): 1001}
    assert machine.found(own) == str(own)
    machine.owners = {}
    assert machine.found(machine.group("service/other")) == ""


def test_what_a_users_service_manager_made_is_not_divided_unless_it_is_marked(machine: Machine) -> None:
    top, above, own = machine.group("user@1"), machine.group("user@1/app"), machine.group("user@1/app/run")
    machine.user = 1001
    machine.owners = {str(group): 1001 for group in (top, above, own)}
    assert machine.found(own) == ""
    assert not (own / "gate").exists()
    machine.marks[f"{own} user.delegate"] = b"1"
    assert machine.found(own) == str(own)


def test_where_no_memory_can_be_limited_one_goes_back(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    own = machine.group("service")
    machine.marks[f"{own} trusted.delegate"] = b"1"
    monkeypatch.setattr(cgroup, "_serves", lambda place: False)
    assert machine.found(own) == ""
    assert (own / "cgroup.procs").read_text().split() == [str(os.getpid())]
    assert not (own / "gate").exists()


def test_where_no_group_can_be_made_none_is_used(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No such file"):
        cgroup.Group(str(tmp_path), "gate-job-1")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("reason", "over_disk", "ending"),
    [("", False, "memory"), ("", True, "disk"), ("timeout", True, "timeout"), ("memory", True, "memory")],
)
def test_a_group_that_holds_too_much_may_hold_files(reason: str, over_disk: bool, ending: str) -> None:
    watch: Any = SimpleNamespace(reason=reason, over_disk=over_disk)
    assert _ending(watch, -9, killed=True) == ending


def test_the_attestation_says_whether_a_group_holds_and_it_ends_what_goes_beyond() -> None:
    with open_cell() as cell:
        assert ("memory cgroup" in cell.attestation.held) is bool(cgroup.here())
        bomb = b"held = []\nwhile True:\n    held.append(bytearray(2**20))\n"
        ended = cell.run(
            Job((cell.python, "-I", "-S", "main.py"), files={"main.py": bomb}, limits=Limits(memory=64 * 2**20))
        )
    assert ended.ending is Ending.MEMORY
