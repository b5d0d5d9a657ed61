"""Machines of another architecture or with another kernel, emulated whole, for the cell (`make guest`)."""
