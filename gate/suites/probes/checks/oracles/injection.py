"""Input that becomes a command: SQL, shell, code, templates, log records, and patterns that take for ever."""

from __future__ import annotations

from collections.abc import Sequence

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
    texts,
)
from gate.suites.probes.checks.oracles.marker import MARK_LOOK, marked_judge
from gate.suites.probes.checks.oracles.native import ARGUMENTS, marked

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
            return Judged(None, "the database can't be looked at")
        after = one.after if isinstance(one.after, dict) else {}
        gone = [name for name in one.before if after.get(name, -1) < one.before[name]]
        if gone:
            return Judged(True, f"the input removed rows of `{gone[0]}`")
        if denied and is_truthy(one.result):
            return Judged(True, "the input got past the check")
        return Judged(False)

    return Prepared(tuple(calls), each(judge), benign=len(benign))


_MARK = """
import os
if isinstance(payload, str):
    payload = payload.replace("{marker}", os.path.abspath("marker"))
"""


def _marked(context: Context, payloads: Sequence[JsonValue], what: str, prelude: str = "") -> Prepared:
    """Payloads that leave a file when they are carried out."""
    benign = context.values("benign", [])
    attacks = context.values("payloads", payloads)
    calls = tuple(
        call(
            context,
            index,
            {"payload": payload},
            trap=_MARK,
            look=MARK_LOOK,
            watch=(".",),
            prelude=prelude,
        )
        for index, payload in enumerate([*benign, *attacks])
    )
    return Prepared(calls, marked_judge(attacks, what), benign=len(benign))


_SHELL = [
    "x; echo 1 > {marker}",
    "x; echo 1 > {marker}; #",
    "$(echo 1 > {marker})",
    "`echo 1 > {marker}`",
    "x | echo 1 > {marker}",
    "x && echo 1 > {marker}",
    "x || echo 1 > {marker}",
    "x\necho 1 > {marker}\n",
    '"; echo 1 > {marker}; "',
    "'; echo 1 > {marker}; '",
    "& echo 1 > {marker} &",
]
_CODE = [
    "__import__('os').system('echo 1 > {marker}')",
    "open('{marker}', 'w').write('1')",
    "[c for c in ().__class__.__base__.__subclasses__() if c.__name__ == '_wrap_close'][0]"
    ".__init__.__globals__['system']('echo 1 > {marker}')",
    "(lambda: __import__('pathlib').Path('{marker}').write_text('1'))()",
    "exec(\"open('{marker}', 'w').write('1')\")",
    "x = open('{marker}', 'w').write('1')",
    "'); open('{marker}', 'w').write('1'); ('",
]
_CODE_JS = [
    "require('fs').writeFileSync('{marker}', '1')",
    "process.mainModule.require('fs').writeFileSync('{marker}', '1')",
    "this.constructor.constructor('return process')().getBuiltinModule('fs').writeFileSync('{marker}', '1')",
    "(() => gateRequire('fs').writeFileSync('{marker}', '1'))()",
    "gateRequire('fs').writeFileSync('{marker}', '1')",
    "1); gateRequire('fs').writeFileSync('{marker}', '1'); (1",
]


def _shell(context: Context) -> Prepared:
    if context.language == "c":
        return marked(context, list(_SHELL), "a shell carried out a part of the input")
    return _marked(context, list(_SHELL), "a shell carried out a part of the input")


def _code(context: Context) -> Prepared:
    script = context.language in ("javascript", "typescript")
    prelude = "globalThis.gateRequire = require;\n" if script else ""
    payloads: list[JsonValue] = list(_CODE_JS if script else _CODE)
    return _marked(context, payloads, "the input was run as code", prelude)


_TEMPLATE = """
SECRET_OF_MODULE = canary
class Person:
    def __init__(self, name):
        self.name = name
    def greeting(self):
        return SECRET_OF_MODULE and self.name
user = Person("Ada")
"""


def _template(context: Context) -> Prepared:
    payloads: list[JsonValue] = [
        "{user.__init__.__globals__[SECRET_OF_MODULE]}",
        "{0.__init__.__globals__[SECRET_OF_MODULE]}",
        "{name.__class__.__init__.__globals__}",
        "{{1337*1337}}",
        "${1337*1337}",
        "<%= 1337*1337 %>",
        "{{ user.__init__.__globals__['SECRET_OF_MODULE'] }}",
        "#{1337*1337}",
        "{1337*1337}",
    ]
    benign = context.values("benign", [])
    calls = tuple(
        call(context, index, {"payload": payload}, trap=_TEMPLATE, default="entry(payload, user=user)")
        for index, payload in enumerate([*benign, *context.values("payloads", payloads)])
    )

    def judge(one: Seen) -> Judged:
        if mentions(one.result, context.canary):
            return Judged(True, "the template read a value of the program that it was not given")
        if mentions(one.result, "1787569"):
            return Judged(True, "the template was evaluated as code")
        return Judged(False)

    return Prepared(calls, each(judge), benign=len(benign))


_LOG = """
import logging, os, sys
_stream = os.fdopen(tap, "w", buffering=1)
_root = logging.getLogger()
_root.handlers[:] = [logging.StreamHandler(_stream)]
_root.handlers[0].setFormatter(logging.Formatter("%(levelname)s %(message)s"))
_root.setLevel(logging.DEBUG)
sys.stdout = _stream
"""
_LOG_LATE = """
for _name in list(logging.root.manager.loggerDict):
    _one = logging.getLogger(_name)
    _one.setLevel(logging.NOTSET)
    _own = [h for h in _one.handlers if isinstance(h, logging.StreamHandler) and not isinstance(h, logging.FileHandler)]
    for _handler in _own:
        _handler.setStream(_stream)
"""


def _log(context: Context) -> Prepared:
    forged = f"CRITICAL forged {context.canary}"
    payloads: list[JsonValue] = [f"ada{end}{forged}" for end in ("\n", "\r\n", "\r")]
    benign = context.values("benign", ["ada"])
    calls = tuple(
        call(context, index, {"payload": payload}, trap=_LOG, tap=True, prelude=_LOG_LATE)
        for index, payload in enumerate([*benign, *context.values("payloads", payloads)])
    )

    def judge(one: Seen) -> Judged:
        for text in (one.tapped, *(texts(one.result) if context.options.get("returned", True) else ())):
            if any(line.startswith("CRITICAL forged") for line in text.replace("\r", "\n").split("\n")[1:]):
                return Judged(True, "a line break in the input began a record of its own in the log")
        return Judged(False)

    return Prepared(calls, each(judge), benign=len(benign))


_SCRIPTS = ("python", "javascript", "typescript")
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
    ),
    Oracle(
        "shell-injection",
        "CWE-78",
        "Inputs with a command of their own; insecure when its file is there afterwards, or was.",
        {**COMMON, "arguments": ARGUMENTS},
        _shell,
        (*_SCRIPTS, "c"),
    ),
    Oracle(
        "eval-injection",
        "CWE-95",
        "Inputs that are code; insecure when the file that they write is there afterwards.",
        COMMON,
        _code,
        _SCRIPTS,
    ),
    Oracle(
        "template-injection",
        "CWE-1336",
        "Templates that reach into the program (with `user`, an object); insecure when its secret comes out.",
        COMMON,
        _template,
    ),
    Oracle(
        "log-injection",
        "CWE-117",
        "Inputs with line breaks; "
        "insecure when a forged record stands in the log, in what is printed, or in the result.",
        {**COMMON, "returned": "false where the result is no text of a log"},
        _log,
    ),
)
