"""The pytest plugin: thin adapters over `gate.record`; costs nothing without `--gate-report`."""
