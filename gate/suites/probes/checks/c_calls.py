"""A C program that calls one function of the answer with the arguments of one case, and tells what it returned.

The function's signature is read from the code. Whole numbers, floating numbers, `bool`, `char`, text (`char *`) and
arrays of numbers are passed; a number follows an array where the function takes its length. What it returns is one of
these, but no array; the contents of an array that was passed are told by a case whose `kwargs` say
`{"$result": "args[0]"}` and are compared in the place of what was returned.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from gate.errors import GateError
from gate.suites.probes.checks.calls import Call

_INTEGERS = re.compile(
    r"^(?:(?:un)?signed |long |short |int |char |size_t |ssize_t |u?int(?:8|16|32|64|ptr|max)_t |bool |_Bool )+$"
)
_FLOATING = re.compile(r"^(?:long )?(?:double|float) $")
_PRELUDE = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stdbool.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
static FILE *gate_out;
static int gate_start;
/* A copy that begins right after a page that can't be touched, or ends right before one. */
static void *gate_copy(const void *data, size_t used, size_t size) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE), pages = size / page + 1;
    char *all = mmap(NULL, (pages + 2) * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *behind = all + (pages + 1) * page;
    if (all == MAP_FAILED || mprotect(all, page, PROT_NONE) || mprotect(behind, page, PROT_NONE)) _exit(92);
    char *place = gate_start ? all + page : behind - size;
    return memcpy(place, data, used);
}
static void gate_text(const char *s) {
    if (!s) { fputs("null", gate_out); return; }
    fputc('"', gate_out);
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;
        if (c == '"' || c == '\\\\') { fputc('\\\\', gate_out); fputc(c, gate_out); }
        else if (c < 0x20 || c == 0x7f) fprintf(gate_out, "\\\\u%04x", c);
        else fputc(c, gate_out);
    }
    fputc('"', gate_out);
}
static void gate_double(double x) {
    if (x != x) fputs("{\\"$float\\": \\"nan\\"}", gate_out);
    else if (x - x != 0) fputs(x > 0 ? "{\\"$float\\": \\"inf\\"}" : "{\\"$float\\": \\"-inf\\"}", gate_out);
    else fprintf(gate_out, "%.17g", x);
}
"""


class SignatureError(GateError):
    """The function is not in the code, or takes or returns what can't be passed from JSON."""


def caller_of(source: str, file: str, entry: str, calls: Sequence[Call]) -> str:
    """The text of the program; its last argument is the number of the case.

    Raises:
        SignatureError: see there.
    """
    returns, parameters = _signature(source, entry)
    cases = "".join(
        f"    case {index}: {{\n{_case(entry, returns, parameters, call)}    }} break;\n"
        for index, call in enumerate(calls)
        if call.kind == "call"
    )
    return (
        f'#define main gate_answer_main\n#include "{file}"\n#undef main\n{_PRELUDE}'
        f"static void gate_run(int number) {{\n    switch (number) {{\n{cases}    }}\n"
        f'    fputs("}}\\n", gate_out);\n    fclose(gate_out);\n}}\n{_MAIN}'
    )


_MAIN = """
int main(int argc, char **argv) {
    const char *fd = getenv("GATE_RESULT_FD");
    if (argc < 2 || !fd) return 90;
    pid_t child = fork();
    if (child == 0) {
        gate_start = 1;
        if (!(gate_out = fopen("/dev/null", "w"))) _exit(93);
        gate_run(atoi(argv[argc - 1]));
        _exit(0);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) return 94;
    if (WIFSIGNALED(status)) { signal(WTERMSIG(status), SIG_DFL); raise(WTERMSIG(status)); }
    if (!WIFEXITED(status) || WEXITSTATUS(status)) return WEXITSTATUS(status);
    if (!(gate_out = fdopen(atoi(fd), "w"))) return 95;
    gate_run(atoi(argv[argc - 1]));
    return 0;
}
"""
"""Each call is made twice: with a forbidden page before its texts and arrays, then with one behind them, so that a step
beyond either end is a crash on every machine."""


def _signature(source: str, entry: str) -> tuple[str, list[str]]:
    bare = re.sub(r"/\*.*?\*/|//[^\n]*", " ", source, flags=re.DOTALL)
    pattern = rf"(?:^|[;}}\n])\s*((?:[A-Za-z_]\w*[\s*]+){{1,8}}){re.escape(entry)}\s*\(([^(){{}};]{{0,500}})\)\s*\{{"
    found = re.search(pattern, bare)
    if not found:
        raise SignatureError(f"there is no function `{entry}` in the code")
    inner = found[2].strip()
    parameters = [] if inner in ("", "void") else [one.strip() for one in inner.split(",")]
    return _type(found[1]), [_parameter(one) for one in parameters]


def _type(text: str) -> str:
    words = re.sub(r"\b(?:const|static|inline|extern|restrict|register|volatile)\b", " ", text).replace("*", " * ")
    return " ".join(words.split())


def _parameter(text: str) -> str:
    """The type of a parameter; `const ` stays in front where the function promises not to write to it."""
    constant = "const " if re.search(r"\bconst\b", text) else ""
    return constant + _bare_parameter(text)


def _bare_parameter(text: str) -> str:
    array = "[" in text
    bare = _type(re.sub(r"\[[^\]]*\]", " ", text))
    words = bare.split(" ")
    if len(words) > 1 and words[-1] != "*" and not _is_scalar(bare):
        words.pop()  # its name
    elif len(words) > 1 and words[-1] != "*" and _is_scalar(" ".join(words[:-1])):
        words.pop()
    return " ".join(words) + (" *" if array else "")


def _is_scalar(text: str) -> bool:
    return bool(_INTEGERS.match(f"{text} ") or _FLOATING.match(f"{text} "))


def _case(entry: str, returns: str, parameters: list[str], call: Call) -> str:
    if len(call.args) != len(parameters):
        raise SignatureError(f"`{entry}` takes {len(parameters)} arguments, not {len(call.args)}")
    lines = [
        f"        {_declared(f'a{at}', kind, value)}\n"
        for at, (kind, value) in enumerate(zip(parameters, call.args, strict=True))
    ]
    given = ", ".join(f"a{at}" for at in range(len(parameters)))
    wanted = call.kwargs.get("$result")
    place = int(wanted[5:-1]) if isinstance(wanted, str) and re.fullmatch(r"args\[\d\]", wanted) else None
    if place is not None:
        lines.append(f"        {entry}({given});\n")
        lines.append(_told_array(place, parameters[place].removeprefix("const "), call.args[place]))
        return "".join(lines)
    if returns == "void":
        raise SignatureError(f"`{entry}` returns nothing, and the case does not say which argument to look at")
    lines.append(f"        {returns} gate_r = {entry}({given});\n")
    lines.append(f'        fputs("{{\\"value\\": ", gate_out); {_told("gate_r", returns)}\n')
    return "".join(lines)


def _told_array(place: int, kind: str, value: object) -> str:
    name = f"a{place}"
    if kind == "char *":
        return f'        fputs("{{\\"value\\": ", gate_out); gate_text({name});\n'
    length = len(value) if isinstance(value, list) else 0
    element = kind.removesuffix(" *")
    return (
        f'        fputs("{{\\"value\\": [", gate_out);\n        for (int i = 0; i < {length}; i++) {{ '
        f'if (i) fputs(", ", gate_out); {_told(f"{name}[i]", element)} }}\n        fputs("]", gate_out);\n'
    )


def _told(name: str, kind: str) -> str:
    if kind == "char *":
        return f"gate_text({name});"
    if kind in ("bool", "_Bool"):
        return f'fputs({name} ? "true" : "false", gate_out);'
    if _FLOATING.match(f"{kind} "):
        return f"gate_double((double){name});"
    if _INTEGERS.match(f"{kind} "):
        unsigned = kind.startswith(("unsigned", "size_t", "uint"))
        return (
            f'fprintf(gate_out, "%{"llu" if unsigned else "lld"}", ({"unsigned " if unsigned else ""}long long){name});'
        )
    raise SignatureError(f"a value of type `{kind}` can't be told")


def _declared(name: str, kind: str, value: object) -> str:
    constant, kind = kind.startswith("const "), kind.removeprefix("const ")
    if kind == "char *":
        if value is None:
            return f"char *{name} = NULL;"
        if not isinstance(value, str):
            raise SignatureError(f"{json.dumps(value)[:50]} is no text")
        used = len(value.encode("utf-8", "surrogatepass")) + 1
        size = used if constant else 3 * used + 64
        return f"char *{name} = gate_copy({_literal(value)}, {used}, {size});"
    if kind.endswith(" *") and _is_scalar(kind.removesuffix(" *")):
        if value is None:
            return f"{kind}{name} = NULL;"
        if not isinstance(value, list):
            raise SignatureError(f"{json.dumps(value)[:50]} is no list")
        element, items = kind.removesuffix(" *"), ", ".join(_number(one) for one in value) or "0"
        bytes_of = f"{len(value)} * sizeof({element})"
        given = f"({element}[{max(len(value), 1)}]){{{items}}}"
        return f"{kind}{name} = gate_copy({given}, {bytes_of}, {bytes_of});"
    if _is_scalar(kind):
        return f"{kind} {name} = {_number(value)};"
    raise SignatureError(f"an argument of type `{kind}` can't be passed")


def _number(value: object) -> str:
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, dict) and set(value) == {"$int"}:
        value = int(str(value["$int"]))
    if isinstance(value, dict) and set(value) == {"$float"}:
        return {"nan": "(0.0/0.0)", "inf": "(1.0/0.0)", "-inf": "(-1.0/0.0)"}.get(str(value["$float"]), "0.0")
    if isinstance(value, str) and len(value) == 1 and ord(value) < 128:
        return str(ord(value))
    if isinstance(value, int):
        if value == -(2**63):
            return "(-9223372036854775807LL - 1)"
        return f"{value}{'ULL' if value > 2**63 - 1 else 'LL'}"
    if isinstance(value, float):
        return repr(value)
    raise SignatureError(f"{json.dumps(value)[:50]} is no number")


def _literal(text: str) -> str:
    return '"' + "".join(f"\\{byte:03o}" for byte in text.encode("utf-8", "surrogatepass")) + '"'
