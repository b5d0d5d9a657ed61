"""The filter of system calls within a cell (seccomp(2)).

Files, signals and TCP are Landlock's; what Landlock does not know is refused here: sockets but pairs of streams, other
processes' memory and attributes, kernel interfaces that ordinary programs never need, memory that no limit counts.
What a program only tries when it means harm is asked about instead, so that the warden can note it.
"""

from __future__ import annotations

import ctypes
import errno
import os
import socket
import struct

from gate.sandbox import bpf
from gate.sandbox.cell import kernel
from gate.sandbox.cell.calls import AUDIT, LAST_KNOWN, number

_SET_MODE_FILTER, _NEW_LISTENER = 1, 1 << 3
_MSG_FASTOPEN = 0x20000000
_NAMESPACES = 0x7E020080  # CLONE_NEW* of clone(2), NEWTIME included
_F_SETOWN, _F_SETOWN_EX = 8, 15
_OWNER_IOCTLS = (0x8901, 0x8902)  # FIOSETOWN, SIOCSPGRP
_TERMINAL_IOCTLS = (0x5412, 0x541C)  # TIOCSTI, TIOCLINUX
_SOCK_TYPE = 0xF

_NOTED = """ptrace process_vm_readv process_vm_writev pidfd_getfd kcmp bpf perf_event_open mount umount2 pivot_root
    chroot unshare setns fsopen fsmount fspick fsconfig open_tree move_mount mount_setattr init_module finit_module
    delete_module kexec_load kexec_file_load reboot swapon swapoff settimeofday clock_settime sethostname setdomainname
    open_by_handle_at acct quotactl quotactl_fd iopl ioperm"""
_REFUSED = """keyctl add_key request_key process_madvise process_mrelease move_pages migrate_pages adjtimex
    clock_adjtime syslog vhangup modify_ldt uselib fanotify_init name_to_handle_at lookup_dcookie personality
    bind listen accept accept4 vmsplice"""
_UNKNOWN = """clone3 io_uring_setup io_uring_enter io_uring_register userfaultfd memfd_create memfd_secret shmget shmat
    msgget semget mq_open nfsservctl statmount listmount seccomp"""
_OF_OTHERS = {
    0: "prlimit64 sched_setaffinity sched_setattr sched_setparam sched_setscheduler",
    1: "setpriority ioprio_set",
}
_SIGNALS = "kill tkill tgkill rt_sigqueueinfo rt_tgsigqueueinfo"
_METADATA = """chown fchown lchown fchownat setxattr lsetxattr fsetxattr removexattr lremovexattr fremovexattr
    utime utimes futimesat"""


def program(
    machine: str, *, network: bool, ask: bool, shared_user: bool, truncation: bool = False, own: int = 0
) -> bpf.Program:
    """The filter.

    Args:
        machine: see `kernel.architecture`.
        network: TCP sockets may be made, and `connect` is asked about, which needs `ask`.
        ask: there is a warden that is asked; else what is asked about is refused.
        shared_user: other processes and files belong to the same user, and nothing but this filter keeps the job from
            their metadata.
        truncation: Landlock is too old to keep files from being truncated by path, so that it is refused here.
        own: the process that is filtered, the only one that may be signalled; 0 where something else holds signals.
    """
    noted = bpf.give(bpf.ASK) if ask else bpf.error(errno.EPERM)
    parts = bpf.native_only(AUDIT[machine], LAST_KNOWN, errno.ENOSYS)
    parts += bpf.when(bpf.NUMBER, _numbers(_NOTED, machine), noted)
    parts += bpf.when(bpf.NUMBER, _numbers(_REFUSED, machine), bpf.error(errno.EPERM))
    parts += bpf.when(bpf.NUMBER, _numbers(_UNKNOWN, machine), bpf.error(errno.ENOSYS))
    parts += _sockets(machine, network, noted)
    parts += _call("clone", machine, bpf.when_any_bit(0, _NAMESPACES, noted) + bpf.give(bpf.ALLOW))
    for index, names in _OF_OTHERS.items():
        of_others = bpf.unless_zero(index, bpf.error(errno.EPERM)) + bpf.give(bpf.ALLOW)
        parts += bpf.when(bpf.NUMBER, _numbers(names, machine), of_others)
    owners = bpf.when(bpf.low(1), [*_OWNER_IOCTLS, *_TERMINAL_IOCTLS], bpf.error(errno.EPERM)) + bpf.give(bpf.ALLOW)
    parts += _call("ioctl", machine, owners)
    owners = bpf.when(bpf.low(1), [_F_SETOWN, _F_SETOWN_EX], bpf.error(errno.EPERM)) + bpf.give(bpf.ALLOW)
    parts += _call("fcntl", machine, owners)
    hiding = bpf.when(bpf.low(0), [kernel.PR_SET_DUMPABLE], bpf.error(errno.EPERM)) + bpf.give(bpf.ALLOW)
    parts += _call("prctl", machine, hiding)
    if shared_user:
        parts += _metadata(machine, ask)
    if truncation:
        parts += _truncation(machine)
    if own:
        itself = bpf.when(bpf.low(0), [own, 0], bpf.give(bpf.ALLOW)) + bpf.error(errno.EPERM)
        parts += bpf.when(bpf.NUMBER, _numbers(_SIGNALS, machine), itself)
        parts += _call("pidfd_send_signal", machine, bpf.error(errno.EPERM))
    return parts + bpf.give(bpf.ALLOW)


def load(filter_program: bpf.Program, *, ask: bool) -> int:
    """Filter this process and its children for ever; needs no_new_privs.

    Gives the file descriptor on which the kernel asks, -1 without `ask`.

    Raises:
        OSError: the kernel refuses.
    """
    code = bpf.packed(filter_program)
    buffer = ctypes.create_string_buffer(code, len(code))
    header = struct.pack("@HP", len(filter_program), ctypes.addressof(buffer))
    call = number("seccomp", kernel.architecture())
    handle = kernel.syscall(call or 0, _SET_MODE_FILTER, _NEW_LISTENER if ask else 0, header)
    return handle if ask else -1


def _sockets(machine: str, network: bool, noted: bpf.Program) -> bpf.Program:
    stream = bpf.when(bpf.low(2), [0, socket.IPPROTO_TCP], bpf.give(bpf.ALLOW)) + bpf.error(errno.EPROTONOSUPPORT)
    internet = bpf.when(bpf.low(1), [socket.SOCK_STREAM], stream, mask=_SOCK_TYPE) + noted if network else noted
    quiet = bpf.when(bpf.low(0), [socket.AF_UNIX, socket.AF_NETLINK], bpf.error(errno.EACCES))
    families = quiet + bpf.when(bpf.low(0), [socket.AF_INET, socket.AF_INET6], internet) + noted
    # a datagram socket of a pair could still send to any address
    kinds = [socket.SOCK_STREAM, socket.SOCK_SEQPACKET]
    pair = bpf.when(bpf.low(1), [int(kind) for kind in kinds], bpf.give(bpf.ALLOW), mask=_SOCK_TYPE)
    pairs = bpf.when(bpf.low(0), [socket.AF_UNIX], pair + bpf.error(errno.EACCES)) + bpf.error(errno.EACCES)
    fast_open = bpf.error(errno.EOPNOTSUPP)
    return (
        _call("socket", machine, families)
        + _call("socketpair", machine, pairs)
        + _call("connect", machine, noted)
        + _call("sendto", machine, bpf.when_any_bit(3, _MSG_FASTOPEN, fast_open) + bpf.give(bpf.ALLOW))
        + _call("sendmmsg", machine, bpf.when_any_bit(3, _MSG_FASTOPEN, fast_open) + bpf.give(bpf.ALLOW))
        + _call("sendmsg", machine, bpf.when_any_bit(2, _MSG_FASTOPEN, fast_open) + bpf.give(bpf.ALLOW))
    )


def _truncation(machine: str) -> bpf.Program:
    """Opening for writing is Landlock's in any version, but a file can be truncated without that."""
    without_writing = [os.O_TRUNC, os.O_TRUNC | os.O_ACCMODE]
    parts: bpf.Program = []
    for name, index in (("open", 1), ("openat", 2)):
        flags = bpf.when(bpf.low(index), without_writing, bpf.error(errno.EPERM), mask=os.O_TRUNC | os.O_ACCMODE)
        parts += _call(name, machine, flags + bpf.give(bpf.ALLOW))
    return (
        parts + _call("truncate", machine, bpf.error(errno.EPERM)) + _call("openat2", machine, bpf.error(errno.ENOSYS))
    )


def _metadata(machine: str, ask: bool) -> bpf.Program:
    """Changes by path are the warden's to make; owners stay, and extended attributes are said to be absent."""
    by_path = bpf.give(bpf.ASK) if ask else bpf.error(errno.EPERM)
    of_open_file = bpf.unless_zero(1, by_path) + bpf.give(bpf.ALLOW)
    return (
        bpf.when(bpf.NUMBER, _numbers("chmod fchmodat fchmodat2", machine), by_path)
        + _call("utimensat", machine, of_open_file)
        + bpf.when(bpf.NUMBER, _numbers(_METADATA, machine), bpf.error(errno.EOPNOTSUPP))
    )


def _call(name: str, machine: str, then: bpf.Program) -> bpf.Program:
    return bpf.when(bpf.NUMBER, _numbers(name, machine), then)


def _numbers(names: str, machine: str) -> list[int]:
    found = (number(name, machine) for name in names.split())
    return [value for value in found if value is not None]
