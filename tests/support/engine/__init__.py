"""A Docker engine for the end-to-end tests: one that is there, or one of our own in a folder outside the checkout."""

from __future__ import annotations

from tests.support.engine.daemon import Engine, EngineError, cache_folder, engine_here, start, stop

__all__ = ["Engine", "EngineError", "cache_folder", "engine_here", "start", "stop"]
