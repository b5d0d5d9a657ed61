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
    mentions,
    texts,
)
from gate.suites.probes.checks.oracles.marker import MARK_LOOK, marked_judge
from gate.suites.probes.checks.oracles.native import ARGUMENTS, marked

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
