"""One trial loop for everything that is measured more than once; the decisions are in `gate.stats`."""
