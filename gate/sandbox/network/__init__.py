"""What keeps a replayed suite from the network: `sockets` within Python, `guard` by the kernel for every process.

Both leave the loopback addresses of the suite's own servers alone, which `loopback` tells from those of the machine.
"""

CANNOT_ENTER = 125
"""The exit code of a guarded command that was not run, since its guard could not be entered."""
