"""One trial loop for everything that is measured more than once; the decisions are in `gate.stats`.

`loop` asks a design after each trial, `designs` and `floor` are the small ones, `plan` is what the gate tells whoever
runs the trials, `question` turns both into the rule of one case, `carry` is what an earlier run of the same content
leaves to a later one, `mentions` which files name which test modules, and `infrastructure` which errors are no trials.
"""
