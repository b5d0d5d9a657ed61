"""The figures that the statistics of the gate must show, one JSON line each: `python -m benchmarks.stats`."""
