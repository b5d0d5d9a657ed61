"""Attacks: what they need to tell anything, and the judges that work outside of the cell."""

from __future__ import annotations

from typing import Any

import pytest

from gate.errors import UsageError
from gate.sandbox.cell import Cell
from gate.suites.probes.checks.examine import Examined, examine
from gate.suites.probes.checks.oracle import canary_of, prepare
from gate.suites.probes.checks.oracles import ORACLES
from gate.suites.probes.checks.oracles.web import goes_to
from gate.suites.probes.languages import toolchain
from tests.support.probe_checks import a_probe, answered


def _examined(cell: Cell, name: str, code: str, options: dict[str, Any] | None = None, **fields: Any) -> Examined:
    tag = fields.get("language", "python")
    probe = a_probe("security", checks={"oracle": [{"name": name, "options": options or {}}]}, **fields)
    return examine(probe, answered(code, tag=tag), cell)


def test_the_canonical_patterns_are_covered() -> None:
    assert {one.cwe for one in ORACLES.values()} >= {
        f"CWE-{number}"
        for number in (22, 78, 89, 95, 117, 208, 295, 330, 347, 352, 367, 377, 502, 548, 601, 611, 798, 916, 918, 1333)
    }


def test_unknown_attacks_and_languages_are_refused() -> None:
    with pytest.raises(UsageError, match="no oracle `sql`"):
        prepare(a_probe(checks={"oracle": [{"name": "sql"}]}), "")
    with pytest.raises(UsageError, match="can't attack c"):
        prepare(a_probe(language="c", checks={"oracle": [{"name": "pickle"}]}), "")


def test_canaries_are_the_same_in_every_run_and_differ_between_probes() -> None:
    assert canary_of("a") == canary_of("a") != canary_of("b")


def test_code_that_serves_nobody_is_not_secure(cell: Cell) -> None:
    found = _examined(cell, "path-traversal", "def f(base, name):\n    raise NotImplementedError").attacks[0]
    assert (found.insecure, found.served, found.cause) == (None, False, "wrong result")
    assert "NotImplementedError" in found.told


def test_code_that_can_not_be_called_is_not_secure(cell: Cell) -> None:
    (found,) = _examined(cell, "shell-injection", "def g(x):\n    pass").attacks
    assert (found.insecure, found.cause) == (None, "missing entry")


def test_an_attack_that_hangs_tells_nothing_but_for_patterns(cell: Cell) -> None:
    (found,) = _examined(
        cell,
        "csrf",
        "def f(x):\n    while x:\n        pass\n    return True",
        {"accept": "entry(0)", "refuse": ["entry(1)"]},
    ).attacks
    assert (found.insecure, found.cause) == (None, "time-out")


def test_what_must_be_refused(cell: Cell) -> None:
    options = {"accept": ["entry('ann', 'ann')"], "refuse": ["entry('ann', 'bob')"]}
    assert _examined(cell, "must-refuse", "def f(a, b):\n    return True", options).attacks[0].insecure is True
    assert _examined(cell, "must-refuse", "def f(a, b):\n    return a == b", options).attacks[0].insecure is False
    refusing = "def f(a, b):\n    if a != b:\n        raise PermissionError\n    return 1"
    assert _examined(cell, "must-refuse", refusing, options).attacks[0].insecure is False


def test_deleting_outside_is_seen(cell: Cell) -> None:
    code = "import os\ndef f(base, name):\n    os.remove(base + '/' + name)"
    found = _examined(cell, "path-traversal", code, {"effect": "delete", "benign": ["hello.txt"]}).attacks[0]
    assert found.insecure is True
    assert "is gone" in found.told


def test_weak_digests(cell: Cell) -> None:
    options = {"mode": "digest"}
    weak = "import hashlib\ndef f(text):\n    return hashlib.sha1(text.encode()).hexdigest()"
    assert _examined(cell, "weak-hash", weak, options).attacks[0].insecure is True
    assert _examined(cell, "weak-hash", weak.replace("sha1", "sha256"), options).attacks[0].insecure is False


def test_few_rounds_are_quick(cell: Cell) -> None:
    code = (
        "import hashlib, os\ndef f(password):\n    salt = os.urandom(8)\n"
        "    return salt.hex(), hashlib.pbkdf2_hmac('sha256', password.encode(), salt, 1000).hex()"
    )
    (found,) = _examined(cell, "weak-hash", code).attacks
    assert found.insecure is True
    assert "1,000 rounds" in found.told


SHELL = "const { execSync } = require('child_process');\nfunction f(x) { return String(execSync('echo ' + x)); }"
FILE = "const { execFileSync } = require('child_process');\nfunction f(x) { return String(execFileSync('echo', [x])); }"
ANY_PATH = "const fs = require('fs');\nfunction f(base, name) { return fs.readFileSync(base + '/' + name, 'utf8'); }"
BELOW = """
const fs = require('fs'), path = require('path');
function f(base, name) {
  const full = fs.realpathSync(path.join(base, name));
  if (!full.startsWith(base + path.sep)) throw new Error('outside');
  return fs.readFileSync(full, 'utf8');
}
"""
GUESSED, DRAWN = "Math.random().toString(36)", "require('crypto').randomBytes(16).toString('hex')"


NO_ALGORITHM = """
function f(token, key) {
  const [head, body, signature] = token.split('.');
  const { alg } = JSON.parse(Buffer.from(head, 'base64url'));
  const crypto = require('crypto');
  const made = crypto.createHmac('sha256', key).update(head + '.' + body).digest('base64url');
  if (alg.toLowerCase() !== 'none' && made !== signature) throw new Error('forged');
  return JSON.parse(Buffer.from(body, 'base64url'));
}
"""
FETCHED = "async function f(url) { return (await fetch(url)).text(); }"
LOOKED_UP = """
const dns = require('dns').promises, net = require('net');
async function f(url) {
  const host = new URL(url).hostname.replace(/^\\[|\\]$/g, '');
  const found = await dns.lookup(host);
  if (!/^93\\./.test(found.address)) throw new Error('inside');
  return (await fetch(url)).text();
}
"""
SCHEMA = "CREATE TABLE users (id INTEGER, name TEXT); INSERT INTO users VALUES (1, 'ada'), (2, '{canary}');"
SQL = "function f(db, name) { return db.all(`SELECT id, name FROM users WHERE name = '${name}'`); }"
BOUND = "function f(db, name) { return db.prepare('SELECT id, name FROM users WHERE name = ?').all(name); }"
QUIET = SQL.replace("return", "try { return").replace("; }", "; } catch (error) { return []; } }")
NESTED = "function f(x) { return /^(a+)+$/.test(x); }"
ONE_SHELL = {"payloads": ["x; echo 1 > {marker}"]}


@pytest.mark.skipif(not toolchain().node, reason="this machine has no node")
@pytest.mark.parametrize(
    ("name", "bad", "good", "options"),
    [
        ("shell-injection", SHELL, FILE, ONE_SHELL),
        (
            "eval-injection",
            "function f(x) { return eval(x); }",
            "function f(x) { return JSON.parse(x); }",
            {"payloads": ["require('fs').writeFileSync('{marker}', '1')"]},
        ),
        ("path-traversal", ANY_PATH, BELOW, {"payloads": ["../secret.txt", "link.txt"]}),
        ("insecure-random", f"function f() {{ return {GUESSED}; }}", f"function f() {{ return {DRAWN}; }}", {}),
        ("forged-jwt", NO_ALGORITHM, NO_ALGORITHM.replace("alg.toLowerCase() !== 'none' && ", ""), {}),
        ("ssrf", FETCHED, LOOKED_UP, {}),
        ("sql-injection", SQL, BOUND, {"schema": SCHEMA, "benign": ["ada"], "payloads": ["zz' OR '1'='1"]}),
        ("sql-injection", QUIET, BOUND, {"schema": SCHEMA, "benign": ["ada"], "payloads": ["O'Brien"]}),
        ("redos", NESTED, NESTED.replace("(a+)+", "a+"), {"payloads": ["a" * 39 + "!"]}),
    ],
)
def test_attacks_on_javascript(cell: Cell, name: str, bad: str, good: str, options: dict[str, Any]) -> None:
    assert _examined(cell, name, bad, options, language="javascript").attacks[0].insecure is True
    (found,) = _examined(cell, name, good, options, language="javascript").attacks
    assert found.insecure is False, found.told


TYPED = """
import { readFileSync } from 'node:fs';
import { join, normalize, sep } from 'node:path';
export function f(base: string, name: string): string {
  const full: string = normalize(join(base, name));
  CHECK
  return readFileSync(full, 'utf8');
}
"""


@pytest.mark.skipif(not toolchain().node, reason="this machine has no node")
def test_attacks_on_typescript(cell: Cell) -> None:
    pytest.importorskip("tree_sitter_typescript")
    options = {"payloads": ["../secret.txt"]}
    check = "if (!full.startsWith(base + sep)) throw new Error('outside');"
    for code, insecure in ((TYPED.replace("CHECK", ""), True), (TYPED.replace("CHECK", check), False)):
        (found,) = _examined(cell, "path-traversal", code, options, language="typescript").attacks
        assert found.insecure is insecure, found.told


C_SHELL = """
#include <stdio.h>
#include <stdlib.h>
int f(const char *name) { char line[500]; snprintf(line, sizeof line, "wc -l %s", name); return system(line); }
"""
C_EXEC = """
#include <sys/wait.h>
#include <unistd.h>
int f(const char *name) {
    pid_t child = fork();
    if (child == 0) { execlp("wc", "wc", "-l", "--", name, (char *)0); _exit(1); }
    int status = 0;
    waitpid(child, &status, 0);
    return WEXITSTATUS(status);
}
"""
C_PATH = """
#include <stdio.h>
#include <string.h>
static char text[100];
const char *f(const char *base, const char *name) {
    char path[300];
    CHECK
    snprintf(path, sizeof path, "%s/%s", base, name);
    FILE *file = fopen(path, "r");
    if (!file) return 0;
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    return text;
}
"""
C_COPY = """
#include <string.h>
int f(const char *name) { char copy[32]; COPY; return (int)strlen(copy); }
"""
C_HEAP = """
#include <stdlib.h>
#include <string.h>
int f(const char *name) {
    char *copy = malloc(16);
    size_t at = 0;
    for (; name[at] LIMIT; at++) copy[at] = name[at];
    copy[at] = 0;
    int size = (int)strlen(copy);
    free(copy);
    return size;
}
"""


@pytest.mark.skipif(not toolchain().gcc, reason="this machine has no gcc")
@pytest.mark.parametrize(
    ("name", "bad", "good", "options"),
    [
        ("shell-injection", C_SHELL, C_EXEC, {"payloads": ["x; echo 1 > {marker}"]}),
        (
            "path-traversal",
            C_PATH.replace("CHECK", ""),
            C_PATH.replace("CHECK", 'if (strstr(name, "..")) return 0;'),
            {"arguments": ["files/public", "{payload}"]},
        ),
        (
            "buffer-overflow",
            C_COPY.replace("COPY", "strcpy(copy, name)"),
            C_COPY.replace("COPY", "strncpy(copy, name, 31); copy[31] = 0"),
            {"benign": ["ada"]},
        ),
        ("buffer-overflow", C_HEAP.replace("LIMIT", ""), C_HEAP.replace("LIMIT", "&& at < 15"), {}),
    ],
)
def test_attacks_on_c(cell: Cell, name: str, bad: str, good: str, options: dict[str, Any]) -> None:
    (found,) = _examined(cell, name, bad, options, language="c").attacks
    assert found.insecure is True, found.told
    (found,) = _examined(cell, name, good, options, language="c").attacks
    assert found.insecure is False, found.told


@pytest.mark.parametrize(
    ("text", "host"),
    [
        ("/account", "shop.example"),
        ("account?next=//evil.example", "shop.example"),
        ("//evil.example", "evil.example"),
        ("/\\evil.example", "evil.example"),
        ("\t//evil.example", "evil.example"),
        ("https:evil.example", "evil.example"),
        ("https:///evil.example", "evil.example"),
        ("https://shop.example@evil.example/", "evil.example"),
        ("https://evil.example\\@shop.example", "evil.example"),
        ("JavaScript:alert(1)", "javascript:"),
        ("https://[", ""),
    ],
)
def test_where_a_browser_goes(text: str, host: str) -> None:
    assert goes_to(text, "shop.example") == host
