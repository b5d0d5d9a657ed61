"""Calls in a real cell, in every language: what came of them, told apart."""

from __future__ import annotations

import pytest

from gate.sandbox.cell import Cell
from gate.suites.probes.checks.calls import Call, Outcome, Status
from gate.suites.probes.checks.run import Setting, run_calls
from gate.suites.probes.extract import Code
from gate.suites.probes.languages import Toolchain, toolchain
from gate.suites.probes.probe import LimitsPart

LIMITS = LimitsPart(wall=20, cpu=1, memory=256, disk=8)
NEEDS_NODE = pytest.mark.skipif(not toolchain().node, reason="this machine has no node")
NEEDS_GCC = pytest.mark.skipif(not toolchain().gcc, reason="this machine has no gcc")


def _run(cell: Cell, text: str, *calls: Call, language: str = "python", entry: str = "f") -> tuple[Outcome, ...]:
    file = {"python": "solution.py", "javascript": "solution.js", "typescript": "solution.ts", "c": "solution.c"}[
        language
    ]
    return run_calls(Code(text, language, file), calls, cell, Setting(entry=entry, limits=LIMITS)).outcomes


def _f(*args: object) -> Call:
    return Call(args=args)  # type: ignore[arg-type]


HOSTILE = """
import os, socket
STATE = []
def f(what):
    STATE.append(what)
    if what == "loop":
        while True:
            pass
    if what == "die":
        os.kill(os.getpid(), 11)
    if what == "memory":
        return len("x" * 2_000_000_000)
    if what == "disk":
        open("big", "wb").write(b"x" * 20_000_000)
    if what == "network":
        socket.create_connection(("127.0.0.1", 80))
    if what == "exit":
        os._exit(0)
    if what == "raise":
        raise LookupError("no")
    return STATE
"""


def test_one_call_does_not_void_the_others(cell: Cell) -> None:
    kinds = ("a", "loop", "die", "memory", "network", "exit", "raise", "b")
    found = _run(cell, HOSTILE, *(_f(kind) for kind in kinds))
    assert [one.status for one in found] == [
        Status.RETURNED,
        Status.TIMED_OUT,
        Status.CRASHED,
        Status.MEMORY,
        Status.BLOCKED,
        Status.CRASHED,
        Status.RAISED,
        Status.RETURNED,
    ]
    assert found[-1].value == ["b"], "no call sees what another left behind"
    assert found[6].raised is not None
    assert found[6].raised.mro[:2] == ("LookupError", "Exception")


def test_values_come_out_with_their_kinds(cell: Cell) -> None:
    text = """
import datetime, decimal, enum
class Colour(enum.Enum):
    RED = "red"
def f():
    return (1, 2**70, b"a", {2, 1}, {1: None}, float("nan"), decimal.Decimal("1.0"), datetime.date(2024, 1, 2),
            Colour.RED, True, [x for x in range(2)], {"$odd": 1}, object)
"""
    (one,) = _run(cell, text, _f())
    assert one.value == {
        "$tuple": [
            1,
            {"$int": str(2**70)},
            {"$bytes": "YQ=="},
            {"$set": [1, 2]},
            {"$dict": [[1, None]]},
            {"$float": "nan"},
            {"$decimal": "1.0"},
            {"$datetime": "2024-01-02"},
            {"$enum": ["RED", "red"]},
            True,
            [0, 1],
            {"$dict": [["$odd", 1]]},
            {"$object": "type", "shown": "<class 'object'>"},
        ]
    }


def test_arguments_go_in_with_their_kinds(cell: Cell) -> None:
    given = ({"$tuple": [1]}, {"$bytes": "YQ=="}, {"$float": "inf"}, {"$repeat": ["ab", 3]}, {"$range": [1, 4, 2]})
    (one,) = _run(cell, "def f(*a):\n    return [repr(x) for x in a]", _f(*given))
    assert one.value == ["(1,)", "b'a'", "inf", "'ababab'", "[1, 3]"]


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("def f(:", Status.SYNTAX),
        ("def g(): pass", Status.MISSING),
        ("import nonesuch\ndef f(): pass", Status.RAISED),
        ("raise SystemExit(0)\ndef f(): pass", Status.RAISED),
        ("import time\ntime.sleep(600)", Status.TIMED_OUT),
        ("import os; os._exit(3)", Status.CRASHED),
        ("x = '\\ud800'\ndef f(): pass\n\0", Status.SYNTAX),
    ],
)
def test_a_module_that_does_not_load_is_told_for_every_call(cell: Cell, text: str, status: Status) -> None:
    found = run_calls(
        Code(text, "python", "solution.py"), [_f(), _f()], cell, Setting(entry="f", limits=LimitsPart(wall=0.3, cpu=1))
    ).outcomes
    assert [one.status for one in found] == [status, status]


def test_a_result_that_is_forged_is_a_wrong_value_at_most(cell: Cell) -> None:
    text = """
import os
for fd in range(3, 20):
    try:
        os.write(fd, b'{"index": 0, "value": 1}\\n{"index": 7, "value": 1}\\n[1]\\nnonsense\\n')
    except OSError:
        pass
def f(x):
    for fd in range(3, 20):
        try:
            os.write(fd, b'{"index": 1, "value": "forged"}\\n')
        except OSError:
            pass
    return "own"
"""
    found = _run(cell, text, _f(0), _f(1))
    assert [one.status for one in found] == [Status.CRASHED, Status.CRASHED], "loading says nothing but how it went"


def test_expressions_coroutines_and_programs(cell: Cell) -> None:
    text = "class f:\n    async def twice(self, x):\n        return 2 * x\nHELP = 3\n"
    found = _run(cell, text, Call("code", code="y = HELP\nentry().twice(y)"))
    assert found[0].value == 6
    program = "import sys\nprint(sys.stdin.read().upper() + sys.argv[1])\nsys.exit(2)"
    found = _run(cell, program, Call("program", args=("z",), stdin="ab"), entry="")
    assert found[0].value == {"$program": ["ABz\n", 2]}


def test_a_module_of_the_answer_may_be_called_as_one_of_the_library(cell: Cell) -> None:
    files = {"queue.py": "OWN = 7", "solution.py": ""}
    code = Code("import queue\ndef f():\n    return queue.OWN", "python", "solution.py", files=files)
    (one,) = run_calls(code, [_f()], cell, Setting(entry="f", limits=LIMITS)).outcomes
    assert one.value == 7


def test_values_that_are_too_large_are_no_values(cell: Cell) -> None:
    (one,) = _run(cell, "def f():\n    return 'x' * 3_000_000", _f())
    assert one.value == {"$object": "too large"}


@pytest.mark.parametrize("language", ["javascript", "typescript", "c"])
def test_a_machine_without_the_tools_is_no_fault_of_the_code(
    cell: Cell, language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gate.suites.probes.checks.compile.toolchain", lambda: Toolchain(node="", gcc=""))
    (one,) = _run(cell, "x", _f(), language=language)
    assert (one.status, one.told) == (Status.NO_TOOLCHAIN, f"this machine can't run {language}")


@NEEDS_NODE
def test_javascript(cell: Cell) -> None:
    text = """
function f(x) {
  if (x === 'wait') for (;;);
  if (x === 'throw') throw new RangeError('no');
  if (x === 'exit') process.exit(0);
  return [x, undefined, 10n, new Map([[1, 2]]), NaN];
}
"""
    found = _run(cell, text, _f("a"), Call(args=("wait",), cpu=1), _f("throw"), _f("exit"), language="javascript")
    assert [one.status for one in found] == [Status.RETURNED, Status.TIMED_OUT, Status.RAISED, Status.CRASHED]
    assert found[0].value == ["a", {"$undefined": True}, {"$int": "10"}, {"$dict": [[1, 2]]}, {"$float": "nan"}]
    assert found[2].raised is not None
    assert found[2].raised.mro == ("RangeError", "Error")


@NEEDS_NODE
@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("import fs from 'fs';\nexport async function f() { return fs.existsSync('/') ? 1 : 2; }", Status.RETURNED),
        ("exports.f = () => 1;", Status.RETURNED),
        ("module.exports = function () { return 1; };", Status.RETURNED),
        ("function f( {", Status.SYNTAX),
        ("const g = 1;", Status.MISSING),
    ],
)
def test_forms_of_javascript_modules(cell: Cell, text: str, status: Status) -> None:
    (one,) = _run(cell, text, _f(), language="javascript")
    assert one.status is status
    assert status is not Status.RETURNED or one.value == 1


@NEEDS_NODE
def test_typescript_runs_without_its_types(cell: Cell) -> None:
    pytest.importorskip("tree_sitter_typescript")
    text = """
import type { Stats } from 'fs';
interface Item { name: string; price?: number }
type Name = Item['name'];
enum Kind { A, B = 5, C }
export class Cart<T extends Item> {
  private readonly items: T[] = [];
  constructor(private owner: string, public rate: number = 1) {}
  add(item: T): this { this.items.push(item as T); return this; }
  total(): number { return this.items.reduce((sum: number, one) => sum + (one.price ?? 0) * this.rate, 0); }
}
function isItem(x: unknown): x is Item { return typeof x === 'object'; }
export function f(names: Name[], rate?: number): [number, number, boolean] {
  const cart = new Cart<Item>('a', rate!);
  for (const name of names) cart.add({ name, price: 2 } satisfies Item);
  return [cart.total(), Kind.C, isItem(cart)];
}
"""
    (one,) = _run(cell, text, _f(["a", "b"], 3), language="typescript")
    assert one.value == [12, 6, True]


@NEEDS_GCC
def test_functions_of_c(cell: Cell) -> None:
    text = """
#include <stddef.h>
#include <ctype.h>
#include <stdbool.h>
long f(const int *xs, size_t n) { long t = 0; for (size_t i = 0; i < n; i++) t += xs[i]; return t; }
"""
    found = _run(cell, text, _f([1, 2, 3], 3), _f([], 0), _f([1], 2), _f([2147483647], 1), language="c")
    assert [one.status for one in found] == [Status.RETURNED, Status.RETURNED, Status.CRASHED, Status.RETURNED]
    assert [one.value for one in found[:2]] == [6, 0]
    assert found[3].value == 2147483647


@NEEDS_GCC
def test_texts_of_c_end_where_they_end(cell: Cell) -> None:
    upper = "#include <ctype.h>\nvoid f(char *s) { for (; *s; s++) *s = toupper((unsigned char)*s); }"
    (one,) = _run(cell, upper, Call(args=('a"é\n',), kwargs={"$result": "args[0]"}), language="c")
    assert one.value == 'A"é\n'
    before = (
        "#include <string.h>\nint f(const char *s) { int e = (int)strlen(s) - 1; while (s[e] == ' ') e--; return e; }"
    )
    found = _run(cell, before, _f("a "), _f(""), language="c")
    assert [one.status for one in found] == [Status.RETURNED, Status.CRASHED], "a step before the text is seen"


@NEEDS_GCC
@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("int f(int a) { return a + 1; ", Status.SYNTAX),
        ("int g(int a) { return a + 1; }", Status.MISSING),
        ("int f(int a) { return a + 1; }", Status.CRASHED),
    ],
)
def test_c_that_does_not_compile_or_overflows(cell: Cell, text: str, status: Status) -> None:
    (one,) = _run(cell, text, _f(2147483647), language="c")
    assert one.status is status
