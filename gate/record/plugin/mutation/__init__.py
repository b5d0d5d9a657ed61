"""Prompt mutation in pytest: with `--gate-mutate`, mutants of a prompt are tried on the tests that should notice them.

After all tests have run as ever, each process takes one mutant after the other and makes trials of the marked tests
while it stands in its target. What is found goes through one file that all processes of pytest-xdist share.
"""
