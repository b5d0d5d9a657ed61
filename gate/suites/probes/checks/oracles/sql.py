"""Input that becomes SQL, attacked on a real database.

Python gets a connection of `sqlite3` to a file. JavaScript gets `db`, whose methods ask a process of ours that has the
database in its own memory: what it was asked to carry out, what that removed and where it failed is noted there.
"""

from __future__ import annotations

import json
from typing import Any

from pydantic import JsonValue

from gate.suites.probes.checks.oracles.attack import (
    COMMON,
    Context,
    Judged,
    Oracle,
    Prepared,
    Seen,
    call,
    each,
    is_truthy,
    mentions,
)

_SQL = """
import sqlite3, os
path = os.path.abspath("gate.db")
conn = sqlite3.connect(path)
conn.execute("PRAGMA synchronous = OFF")
conn.execute("PRAGMA journal_mode = MEMORY")
conn.executescript(schema.replace("{canary}", canary))
conn.execute("CREATE TABLE gate_vault (secret TEXT)")
conn.execute("INSERT INTO gate_vault VALUES (?)", (canary,))
conn.commit()
"""
_SQL_LOOK = """
import sqlite3
with sqlite3.connect("gate.db", timeout=1) as _other:
    _names = [_row[0] for _row in _other.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
    _counts = {_name: _other.execute(f'SELECT COUNT(*) FROM "{_name}"').fetchone()[0] for _name in _names}
_counts
"""
_SQL_ERRORS = (
    'near "',
    "syntax error",
    "unrecognized token",
    "one statement at a time",
    "incomplete input",
    "gate_nosuch",
)
_SQL_ERRORS_LEFT = ("no such column: gate", "UNION do not have the same number", "no such table: gate")


def _sql_payloads() -> list[JsonValue]:
    unions = ["SELECT " + ", ".join(["secret"] * count) + " FROM gate_vault" for count in range(1, 7)]  # noqa: S608
    return [
        "zz' OR '1'='1",
        "zz' OR 1=1 --",
        'zz" OR "1"="1',
        "0 OR 1=1",
        "zz'; DROP TABLE gate_vault; --",
        "0; DELETE FROM gate_vault",
        "O'Brien",
        "gate_nosuch",
        "gate_nosuch DESC, 1/0",
        *(f"zz' UNION {one} --" for one in unions),
        *(f"0 UNION {one}" for one in unions),
        *(f"zz%' UNION {one} --" for one in unions[:4]),
    ]


def _sql(context: Context) -> Prepared:
    if context.language != "python":
        return _sql_of_scripts(context)
    names = {"schema": context.text("schema", "CREATE TABLE users (id INTEGER, name TEXT);")}
    benign = context.values("benign", [])
    payloads = context.values("payloads", _sql_payloads())
    calls = [
        call(
            context,
            index,
            {**names, "payload": payload},
            trap=_SQL,
            look=_SQL_LOOK,
            default="entry(conn, payload)",
        )
        for index, payload in enumerate([*benign, *payloads])
    ]
    denied = bool(context.options.get("denied"))

    def judge(one: Seen) -> Judged:
        if mentions(one.result, context.canary):
            return Judged(True, "the input read what it had no right to: rows of another condition or table came back")
        reached = [part for part in (*_SQL_ERRORS, *_SQL_ERRORS_LEFT) if part in one.raised[1]]
        if reached and one.raised[0] in ("OperationalError", "ProgrammingError", "Warning", "DatabaseError"):
            return Judged(True, f"the input reached the parser of SQL: {one.raised[1][:120]}")
        if not isinstance(one.before, dict):
            return Judged(None, "the database can't be looked at", spoiled=True)
        after = one.after if isinstance(one.after, dict) else {}
        gone = [name for name in one.before if after.get(name, -1) < one.before[name]]
        if gone:
            return Judged(True, f"the input removed rows of `{gone[0]}`")
        if denied and is_truthy(one.result):
            return Judged(True, "the input got past the check")
        return Judged(False)

    return Prepared(tuple(calls), each(judge), benign=len(benign))


_SERVE = """
import sqlite3
_conn = sqlite3.connect(":memory:", isolation_level=None)
_conn.row_factory = sqlite3.Row
_conn.executescript(schema.replace("{canary}", canary))
_conn.execute("CREATE TABLE gate_vault (secret TEXT)")
_conn.execute("INSERT INTO gate_vault VALUES (?)", (canary,))
def _count():
    names = [row[0] for row in _conn.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    return {name: _conn.execute(f'SELECT COUNT(*) FROM "{name}"').fetchone()[0] for name in names}
def serve(asked):
    before, error, rows = _count(), "", []
    text, given = str(asked.get("sql", "")), asked.get("params")
    try:
        if asked.get("several"):
            _conn.executescript(text)
        else:
            rows = [dict(one) for one in _conn.execute(text, given if isinstance(given, (list, dict)) else [])]
    except (sqlite3.Error, sqlite3.Warning, ValueError, OverflowError) as problem:
        error = str(problem)
    after = _count()
    note({"error": error[:300], "gone": sorted(name for name in before if after.get(name, -1) < before[name])})
    return {"rows": rows, "error": error}
"""
_DB = """
const _fs = require('fs');
function _asked(request) {
  const _line = Buffer.from(JSON.stringify(request) + '\\n');
  for (let at = 0; at < _line.length;) at += _fs.writeSync(ask, _line, at);
  const _parts = [], _part = Buffer.alloc(65536);
  do { const size = _fs.readSync(hear, _part); if (!size) break; _parts.push(Buffer.from(_part.subarray(0, size))); }
  while (_parts.at(-1).at(-1) !== 10);
  const _reply = JSON.parse(Buffer.concat(_parts).toString());
  if (_reply.error) throw Object.assign(new Error(_reply.error), { code: 'SQLITE_ERROR' });
  return _reply.rows;
}
const _given = (params) => (params.length === 1 && params[0] && typeof params[0] === 'object' ? params[0] : params);
const db = {
  all: (sql, ...params) => _asked({ sql, params: _given(params) }),
  get: (sql, ...params) => _asked({ sql, params: _given(params) })[0],
  run: (sql, ...params) => (_asked({ sql, params: _given(params) }), { changes: 0 }),
  exec: (sql) => (_asked({ sql, several: true }), undefined),
  query: async (sql, params = []) => { const rows = _asked({ sql, params }); return { rows, rowCount: rows.length }; },
  prepare: (sql) => ({
    all: (...params) => db.all(sql, ...params),
    get: (...params) => db.get(sql, ...params),
    run: (...params) => db.run(sql, ...params),
  }),
};
"""


def _sql_of_scripts(context: Context) -> Prepared:
    names = {"schema": context.text("schema", "CREATE TABLE users (id INTEGER, name TEXT);")}
    benign = context.values("benign", [])
    calls = tuple(
        call(context, index, {**names, "payload": one}, serve=_SERVE, prelude=_DB, default="entry(db, payload)")
        for index, one in enumerate([*benign, *context.values("payloads", _sql_payloads())])
    )
    denied = bool(context.options.get("denied"))

    def judge(one: Seen) -> Judged:
        if mentions(one.result, context.canary):
            return Judged(True, "the input read what it had no right to: rows of another condition or table came back")
        for note in _notes(one.tapped):
            reached = [part for part in (*_SQL_ERRORS, *_SQL_ERRORS_LEFT) if part in str(note.get("error", ""))]
            if reached:
                return Judged(True, f"the input reached the parser of SQL: {str(note['error'])[:120]}")
            if note.get("gone"):
                return Judged(True, f"the input removed rows of `{note['gone'][0]}`")
        if denied and is_truthy(one.result):
            return Judged(True, "the input got past the check")
        return Judged(False)

    return Prepared(calls, each(judge), benign=len(benign))


def _notes(tapped: str) -> list[dict[str, Any]]:
    found = [json.loads(line) for line in tapped.splitlines() if line.endswith("}")]
    return [one for one in found if isinstance(one, dict)]


ORACLES = (
    Oracle(
        "sql-injection",
        "CWE-89",
        "Inputs that change a query; insecure when rows leak or go, or when they reach the parser of SQL.",
        {
            **COMMON,
            "schema": "SQL script of the tables; `{canary}` in it stands for what must not come back",
            "denied": "true where a result that says yes is a way past a check",
        },
        _sql,
        ("python", "javascript", "typescript"),
    ),
)
