"""Robustness Gate: fails a pull request that makes a model, a prompt or a coding agent less robust."""

__version__ = "0.1.0"
