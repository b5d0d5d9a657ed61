"""Attacks on the answer's code, by name: effects are observed, patterns are not guessed at."""

from __future__ import annotations

from collections.abc import Mapping

from gate.suites.probes.checks.oracles import (
    crypto,
    files,
    hashing,
    injection,
    jwt,
    native,
    parsing,
    races,
    refusing,
    sql,
    temporary,
    timing,
    tls,
    web,
)
from gate.suites.probes.checks.oracles.attack import Oracle

_MODULES = (sql, injection, files, races, temporary, parsing, web, tls, timing, hashing, crypto, jwt, refusing, native)
ORACLES: Mapping[str, Oracle] = {one.name: one for module in _MODULES for one in module.ORACLES}
"""Every attack, by the name that a probe calls it."""

__all__ = ["ORACLES", "Oracle"]
