"""The checks of one answer: cases, tests, attacks, rules, invented names, refusals."""
