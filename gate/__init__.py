"""Robustness Gate: fails a pull request that makes a model, a prompt or a coding agent less robust."""

__version__ = "0.1.0"

__all__ = [
    "InfrastructureError",
    "__version__",
    "assert_no_regression",
    "assert_pass_rate",
    "compute_wilson_interval",
    "evaluate_pass_rate",
    "evaluate_regression",
]
_ELSEWHERE = {"InfrastructureError": "gate.trials.infrastructure"}


def __getattr__(name: str) -> object:
    """What users import from here, loaded when it is first asked for, so that importing the package stays cheap."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_ELSEWHERE.get(name, "gate.assertions")), name)
