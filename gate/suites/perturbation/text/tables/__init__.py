"""What the operators look up, as data: one module a family, no logic."""
