"""One tree of errors: what happened, where, and what to do next.

Only ``gate.cli`` turns one of these into text and an exit code; everything below raises.
"""

from __future__ import annotations

EXIT_HOLDS = 0
EXIT_REGRESSION = 1
EXIT_USAGE = 2
EXIT_UNDECIDED = 3
EXIT_INTERNAL = 4


class GateError(Exception):
    """What a user can be told in one paragraph.

    Args:
        message: what happened, one sentence, no trailing full stop needed.
        where: a file with position, a setting, a URL path; empty when there is no such place.
        remedy: what to do next, an imperative sentence.
    """

    exit_code = EXIT_INTERNAL

    def __init__(self, message: str, *, where: str = "", remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.where = where
        self.remedy = remedy

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        advice = f"\n  next: {self.remedy}" if self.remedy else ""
        return f"{place}{self.message}{advice}"


class UsageError(GateError):
    """A command line, input or environment that can't be acted on."""

    exit_code = EXIT_USAGE


class SettingsError(UsageError):
    """A setting, rule or action input that doesn't exist or has a value that it can't have."""


class RepositoryError(UsageError):
    """Git is absent, the folder is no repository, or the objects of the base are missing."""


class UndecidedError(GateError):
    """Nothing was measured, so nothing may pass."""

    exit_code = EXIT_UNDECIDED


class ReportError(UndecidedError):
    """A report is absent, truncated, too large, of another tool or of a newer schema."""


class BaselineError(UndecidedError):
    """A baseline is absent, damaged or carries merge conflict markers."""


class SuiteError(UndecidedError):
    """The suite could not be started or left no report."""


class DeliveryError(GateError):
    """GitHub could not be told. It never changes the verdict; the pipeline turns it into a warning."""


class RecordingError(UndecidedError):
    """A recording is absent, used up or damaged, so what it would have answered was not measured."""


class MissingRecordingError(RecordingError):
    """Nothing is stored for a request, and no live call is allowed."""


class RecordingExhaustedError(RecordingError):
    """Every answer that is stored for a request was given already in this trial."""


class BudgetExhaustedError(RecordingError):
    """A live call would go beyond a limit of calls, tokens or money."""
