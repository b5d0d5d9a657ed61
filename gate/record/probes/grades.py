"""Grades that people or a judge gave, as a log: who, when, what it was before, what it is now."""

from __future__ import annotations

_SUFFIX = ".grades.ndjson"
