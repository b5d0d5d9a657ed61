"""Rules for JavaScript and TypeScript: patterns over code whose comments and regular expressions are taken out."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gate.suites.probes.checks.rules import Finding

_ROWS: tuple[tuple[str, str, str, str], ...] = (
    (
        "shell-string",
        "CWE-78",
        r"\b(?:exec|execSync)\s*\(\s*(?:`[^`]*\$\{|[\"'][^\"'\n]*[\"']\s*\+|\w+\s*\+)",
        "a shell is given a text with a value in it",
    ),
    (
        "shell-string",
        "CWE-78",
        r"\bspawn(?:Sync)?\s*\([^;]*\bshell\s*:\s*true",
        "a shell is given a text with a value in it",
    ),
    ("eval-use", "CWE-95", r"(?<![\w.])eval\s*\(|\bnew\s+Function\s*\(|\bvm\.run\w+\s*\(", "a text is run as code"),
    (
        "html-inserted",
        "CWE-79",
        r"\.(?:innerHTML|outerHTML)\s*\+?=|\binsertAdjacentHTML\s*\(|\bdocument\.write(?:ln)?\s*\(",
        "a text is put into the page as HTML",
    ),
    (
        "predictable-token",
        "CWE-330",
        r"(?i:token|secret|session|password|nonce|salt|otp|apikey|reset|code)[^;{}]*Math\.random\s*\(|function\s+\w*(?i:token|secret|session|password|otp|code|id)\w*\s*\([^)]*\)\s*\{[^}]*Math\.random",
        "`Math.random` can be foretold, and a secret is made of it",
    ),
    ("weak-digest", "CWE-327", r"createHash\s*\(\s*[\"'`](?:md5|sha1|sha-1)[\"'`]", "MD5 and SHA-1 can be forged"),
    (
        "weak-password-hash",
        "CWE-916",
        r"createHash\s*\(\s*[\"'`]\w+[\"'`]\s*\)[^;]*\b(?i:pass\w*|pwd)\b",
        "a password goes through a quick hash",
    ),
    (
        "tls-unchecked",
        "CWE-295",
        r"rejectUnauthorized\s*:\s*false|NODE_TLS_REJECT_UNAUTHORIZED\s*(?:\]\s*)?=\s*[\"'`]?0",
        "certificates are not checked",
    ),
    (
        "sql-string",
        "CWE-89",
        r"(?i)\b(?:query|execute|run|all|get|each|prepare)\s*\(\s*(?:`[^`]*\b(?:select|insert|update|delete)\b[^`]*\$\{|[\"'][^\"'\n]*\b(?:select|insert|update|delete)\b[^\"'\n]*[\"']\s*\+)",
        "a query is put together from a text and a value",
    ),
    (
        "jwt-unverified",
        "CWE-347",
        r"\bjwt\.decode\s*\(|algorithms\s*:\s*\[[^\]]*[\"'`]none[\"'`]",
        "a token is decoded without a check of its signature",
    ),
    ("unsafe-load", "CWE-502", r"\b(?:unserialize|deserialize)\s*\(", "data is loaded in a form that runs code"),
    (
        "hard-coded-secret",
        "CWE-798",
        r"(?i)\b\w*(?:secret|password|api_?key|token|private_?key)\w*\s*[:=]\s*[\"'`](?!\s*[\"'`]|your|<|\$\{)[^\"'`\s]{6,}[\"'`]",
        "a secret stands in the code",
    ),
    (
        "secret-compared",
        "CWE-208",
        r"(?i)\b\w*(?:signature|hmac|digest|token|secret|mac)\w*\s*[!=]==?\s*\w*(?:signature|hmac|digest|token|secret|expected|given|provided|received)\w*\b",
        "a secret is compared with `===`, which ends at the first difference",
    ),
    (
        "path-joined",
        "CWE-22",
        r"(?:readFile|readFileSync|createReadStream|sendFile)\s*\(\s*(?:path\.join\s*\(|`[^`]*\$\{|\w+\s*\+)",
        "a path is joined from what comes in and opened, wherever it leads",
    ),
    (
        "prototype-pollution",
        "CWE-1321",
        r"\bfor\s*\(\s*(?:const|let|var)\s+(\w+)\s+in\s+\w+\s*\)\s*\{?(?:(?!__proto__|hasOwn|Object\.keys)[^}]){0,300}\[\1\]\s*=",
        "keys of what comes in are set without a look at `__proto__`",
    ),
)
_WINDOW = r"\1{0,300}"  # how far a pattern looks, so that no text makes it slow
_COMPILED = tuple(
    (name, cwe, re.compile(re.sub(r"(\[\^[^\]]+\])\*", _WINDOW, pattern), re.DOTALL), message)
    for name, cwe, pattern, message in _ROWS
)
_COMMENT = re.compile(
    r"(\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`)|//[^\n]*|/\*(?:[^*]|\*(?!/))*(?:\*/)?", re.DOTALL
)
NAMES = tuple(dict.fromkeys(name for name, *_ in _ROWS))


def findings(source: str) -> Iterator[Finding]:
    """What the rows find, by line."""
    bare = _COMMENT.sub(lambda found: found[1] or re.sub(r"[^\n]", " ", found[0]), source)
    for name, cwe, pattern, message in _COMPILED:
        for found in pattern.finditer(bare):
            yield Finding(name, cwe, bare.count("\n", 0, found.start()) + 1, message)
