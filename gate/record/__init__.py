"""A run of the suite becomes a candidate report file."""
