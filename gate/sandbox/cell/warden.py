"""The process that stands beside one job: starts it, watches what it uses, ends all of it, and tells how it went.

Code here must not clean up in `finally`: the process that becomes the job leaves through it, see `enclosed.Become`.
"""

# pathlib would make every fork larger
# ruff: noqa: PTH102, PTH112, PTH119, PTH120

from __future__ import annotations

import contextlib
import fcntl
import os
import signal
import socket
import struct
import time
from typing import Any, NoReturn

from gate.sandbox.cell import cgroup, enclosed, folder, kernel, landlock, usage, view, wire
from gate.sandbox.cell.answers import Answers
from gate.sandbox.cell.watch import ClientGoneError, Watch

_STATUS = struct.Struct("=i")
_KILL_SECONDS = 10.0
_NOTHING = "/dev/null"


class FailedError(Exception):
    """The cell could not do its part; what the job did says nothing."""


def attend(channel: socket.socket, cell: dict[str, Any], asked: dict[str, Any]) -> None:
    """Prepare for a job, and run it when it is asked for on a channel.

    Args:
        cell: what all jobs of a cell share, see `gate.sandbox.cell.client`.
        asked: what must be known before: `user`, the number of a user that nobody else is, and `readable`, paths beside
            the system's.

    Raises:
        Become: in the process that is to go on as the job's Python program.
    """
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    warden = _Warden(channel, cell, asked)
    try:
        head, left = warden.run()
    except (ClientGoneError, EOFError):
        return
    except (OSError, FailedError) as error:
        head, left = {"error": str(error)}, []
    with contextlib.suppress(OSError):
        wire.send(channel, head, left)


class _Warden:
    def __init__(self, channel: socket.socket, cell: dict[str, Any], asked: dict[str, Any]) -> None:
        self.channel = channel
        self.cell = cell
        self.readable = [*cell["readable"], *asked["readable"]]
        self.apart = cell["means"] == "namespaces"
        self.root = os.getuid() == 0
        self.uid: int = asked["user"] if self.root else os.getuid()
        self.gid: int = asked["user"] if self.root else os.getgid()
        self.place = ""
        self.opened = -1
        self.first = 0  # the child of this process that is the job, or holds its processes
        self.statuses, self.tells_status = -1, -1
        self.request: dict[str, Any] = {}
        self.blobs: list[bytes] = []
        self.group: cgroup.Group | None = None

    def run(self) -> tuple[dict[str, Any], list[bytes]]:
        try:
            kernel.prctl(kernel.PR_SET_CHILD_SUBREAPER, 1)
            watch = self._start()
            watch.run()
            self._end_all(watch)
            answer = self._tell(watch)
        except (OSError, FailedError, ClientGoneError, EOFError):
            self._end_whatever_runs()
            self._remove()
            raise
        self._remove()
        return answer

    def _start(self) -> Watch:
        if self.cell["group"]:
            self.group = cgroup.Group(self.cell["group"], f"gate-job-{os.getpid()}")
        pipes = [os.pipe() for _ in range(3)]
        streams = [write for _, write in pipes]
        hand, theirs = socket.socketpair()
        hand_number = hand.detach()  # a process that becomes the job must not close what has this number by then
        if self.apart:
            self._make_apart(streams, theirs)
        self.request, self.blobs = wire.receive(self.channel)
        if self.group is not None:
            self.group.limit(self.request["limits"]["memory"] + self.request["limits"]["disk"])
        if not self.apart:
            self._start_here(streams, theirs)
        theirs.close()
        for handle in streams:
            os.close(handle)
        with socket.socket(fileno=hand_number) as hand:
            if self.apart:
                wire.send(hand, self.request, self.blobs)
            listener = self._await_start(hand)
        if self.root:
            kernel.set_file_ids(self.uid, self.gid)  # no more rights than the job, over files and over processes
        return Watch(
            self.request["limits"],
            [ours for ours, _ in pipes],
            self.channel,
            self.first,
            self.first if self.apart else os.getpid(),
            self.opened,
            Answers(listener, self.request["network"], self.channel, self.place),
            listener,
            count_processes=not (self.root or self.apart),
            count_disk=not self.apart,
        )

    def _start_here(self, streams: list[int], theirs: socket.socket) -> None:
        """The job sees the machine's files, as far as it may; it is a child of this process."""
        self.place = f"{self.cell['scratch']}/job-{os.getpid()}"
        os.mkdir(self.place, 0o700)
        self.opened = os.open(self.place, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        if self.root:
            os.chown(self.place, self.uid, self.gid)
        self._fill()
        order = self._order(self.place)
        self.first = os.fork()
        if self.first == 0:
            self.channel.detach()  # its number will be another's
            self._enter_group()
            enclosed.enter(order, [self._standard_input(), *streams], theirs)

    def _make_apart(self, streams: list[int], theirs: socket.socket) -> None:
        """The job gets processes, mounts and shared memory of its own; what it may see is mounted for it."""
        if self.root:
            kernel.unshare(kernel.CLONE_NEWPID)
        else:
            kernel.unshare(kernel.CLONE_NEWUSER | kernel.CLONE_NEWPID)
            kernel.map_user(self.uid, self.gid)
        self.statuses, self.tells_status = os.pipe()
        self.first = os.fork()
        if self.first == 0:
            self._hold(streams, theirs)
        os.close(self.tells_status)

    def _hold(self, streams: list[int], theirs: socket.socket) -> NoReturn:
        """Be the first process of the job's own: when it ends, the kernel ends all the others."""
        job = 1
        try:
            kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
            enclosed.offer_to_killer()
            kernel.unshare(kernel.CLONE_NEWNS | kernel.CLONE_NEWIPC)
            self.opened = view.enter(self.cell["scratch"], self.readable, uid=self.uid, gid=self.gid)
            socket.send_fds(theirs, [b"/"], [self.opened])
            self.request, self.blobs = wire.receive(theirs)
            view.resize(self.request["limits"]["disk"])
            self._fill()
            job = os.fork()
        except EOFError:
            os._exit(0)
        except OSError as error:
            with contextlib.suppress(OSError):
                theirs.sendall(f"-its own view of the machine: {error}".encode())
            os._exit(1)
        if job == 0:
            self.channel.detach()
            self._enter_group()
            enclosed.enter(self._order(view.CELL), [self._standard_input(), *streams], theirs)
        kernel.prctl(kernel.PR_SET_DUMPABLE, 0)
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # the first process is never ended by one that is not handled
        os.dup2(self.tells_status, 0)
        kernel.close_from(1)
        process = 0
        while process != job:
            process, status = os.wait()
        os.write(0, _STATUS.pack(status))
        os._exit(0)

    def _enter_group(self) -> None:
        if self.group is not None:
            try:
                self.group.enter()
            except OSError:
                os._exit(1)  # which the warden tells, since the job never says that it holds

    def _fill(self) -> None:
        if self.root:
            kernel.set_file_ids(self.uid, self.gid)
        folder.prepare(self.opened)
        for name, data in zip(self.request["files"], self.blobs, strict=False):
            folder.write(self.opened, name, data)
        if self.root:
            kernel.set_file_ids(0, 0)

    def _order(self, own: str) -> dict[str, Any]:
        limits = self.request["limits"]
        environment = {
            "GATE_RESULT_FD": str(enclosed.RESULT),
            "GIT_CONFIG_NOSYSTEM": "1",
            "HOME": f"{own}/home",
            "LANG": "C.UTF-8",
            "PATH": enclosed.PATH,
            "TMPDIR": f"{own}/tmp",  # noqa: S108
            **self.request["environment"],
        }
        more = 2 if self.apart and not self.root else self.cell["others"]  # two processes of the cell's own
        return {
            "argv": self.request["argv"],
            "environment": environment,
            "python": self.cell["python"],
            "limits": limits,
            "processes": limits["processes"] + more,
            "own": own,
            "work": f"{own}/work",
            "uid": self.uid,
            "gid": self.gid,
            "drop": self.root,
            "landlock": self.cell["landlock"],
            "readable": ["/"] if self.apart else [*view.readable(self.readable), *view.PROC],
            "network": self.request["network"] is not None,
            "shared_user": not (self.root or self.apart),
            "truncation": self.cell["landlock"] < landlock.HOLDS_TRUNCATION and not self.apart,
            "own_signals_only": self.cell["own_signals_only"] and not self.apart and not self.root,
        }

    def _standard_input(self) -> int:
        if not self.request["stdin"]:
            return os.open(_NOTHING, os.O_RDONLY | os.O_CLOEXEC)
        handle = os.memfd_create("stdin", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        with open(handle, "wb", closefd=False) as stream:
            stream.write(self.blobs[-1])
        fcntl.fcntl(handle, fcntl.F_ADD_SEALS, fcntl.F_SEAL_WRITE | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK)
        os.lseek(handle, 0, os.SEEK_SET)
        return handle

    def _await_start(self, hand: socket.socket) -> int:
        """Wait until the job holds; gives where the kernel asks about it."""
        while True:
            word, handles, _, _ = socket.recv_fds(hand, 4096, 1)
            if word == b"/":
                self.opened = handles[0]
            elif word == b"+":
                return handles[0] if handles else -1
            else:
                raise FailedError(word[1:].decode("utf-8", "replace") or "the job was gone before it began")

    def _end_all(self, watch: Watch) -> None:
        """End every process of the job and wait for it; then nothing changes its files any more.

        Raises:
            FailedError: one of them can't be ended, so that what it left can't be trusted.
        """
        deadline = time.monotonic() + _KILL_SECONDS
        ended = False
        while not ended:
            if time.monotonic() > deadline:
                raise FailedError("a process of the job can't be ended")
            if self.apart:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(self.first, signal.SIGKILL)
            else:
                self._kill_tree()
            ended = watch.reap()
            if not ended:
                time.sleep(0.0005)
        if self.apart and (told := os.read(self.statuses, _STATUS.size)):
            watch.status = _STATUS.unpack(told)[0]
        watch.drain()
        watch.see_disk()

    def _kill_tree(self) -> None:
        if self.root:
            _kill_user(self.uid)
        for process in usage.descendants(os.getpid()):
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)

    def _end_whatever_runs(self) -> None:
        deadline = time.monotonic() + _KILL_SECONDS
        while time.monotonic() < deadline:
            for process in usage.descendants(os.getpid()):
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(process, signal.SIGKILL)
            try:
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass
            except ChildProcessError:
                return
            time.sleep(0.001)

    def _tell(self, watch: Watch) -> tuple[dict[str, Any], list[bytes]]:
        files, cut = folder.collect(self.opened, self.request["collect"], self.request["limits"]["disk"])
        code = os.waitstatus_to_exitcode(watch.status or 0)
        head = {
            "ending": _ending(watch, code, killed=self.group is not None and self.group.killed()),
            "code": code if code >= 0 else None,
            "signal": -code if code < 0 else None,
            "truncated": watch.truncated or cut,
            "files": list(files),
            "wall": watch.ended - watch.begun,
            "cpu": watch.cpu,
            "refused": sorted(watch.answers.refused),
        }
        return head, [*(bytes(data) for data in watch.data.values()), *files.values()]

    def _remove(self) -> None:
        if self.group is not None:
            if self.root:
                kernel.set_file_ids(0, 0)
            self.group.remove()
        if self.place and os.path.isdir(self.place):
            if self.root:
                kernel.set_file_ids(0, 0)
            parent = os.open(os.path.dirname(self.place), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            folder.remove(parent, os.path.basename(self.place))
            os.close(parent)


def _ending(watch: Watch, code: int, *, killed: bool) -> str:
    """A value of `values.Ending`; `killed` since the job's group held too much, where files may lie in memory too."""
    if watch.reason:
        return watch.reason
    if killed:
        return "disk" if watch.over_disk else "memory"
    if code == -signal.SIGXCPU or (code == -signal.SIGKILL and watch.cpu >= watch.limits["cpu"]):
        return "cpu"
    if code == -signal.SIGXFSZ or (code != 0 and watch.disk_full):
        return "disk"
    if code != 0 and watch.peak > watch.limits["memory"]:  # between two looks
        return "memory"
    if code != 0 and watch.answers.refused:
        return "blocked"
    return "exited" if code >= 0 else "signal"


def _kill_user(uid: int) -> None:
    """End all processes of a user by one call, so that none can fork past it."""
    killer = os.fork()
    if killer == 0:
        with contextlib.suppress(OSError):
            os.setresuid(uid, uid, uid)
            os.kill(-1, signal.SIGKILL)
        os._exit(0)
    os.waitpid(killer, 0)
