"""Secrets: tokens, hashes, comparisons, randomness, literals."""

from __future__ import annotations

import hashlib
import hmac
import itertools
import re
from collections.abc import Iterator, Mapping, Sequence

from gate.suites.probes.checks.oracles.attack import (
    COMMON,
    Context,
    Judged,
    Oracle,
    Prepared,
    Seen,
    any_bad,
    call,
    each,
    mentions,
    texts,
)
from gate.suites.probes.checks.rules.secrets import secret_literals

_JWT = """
import base64, hashlib, hmac, json, time
key = "a-long-key-that-nobody-knows-0123456789"
public_key = "-----BEGIN PUBLIC KEY-----\\nMFwwDQYJKoZIhvcNAQEBBQADSwAwSAJBAKx\\n-----END PUBLIC KEY-----\\n"
def _part(value):
    return base64.urlsafe_b64encode(json.dumps(value, separators=(",", ":")).encode()).rstrip(b"=").decode()
def make(claims, header=None, secret=key, digest=hashlib.sha256, signature=None):
    "A token: header, claims and their signature."
    body = _part({"alg": "HS256", "typ": "JWT", **(header or {})}) + "." + _part(claims)
    if signature is None:
        raw = hmac.new(secret.encode(), body.encode(), digest).digest()
        signature = base64.urlsafe_b64encode(raw).rstrip(b"=").decode()
    return body + "." + signature
_ada = {"sub": "ada", "user": "ada", "exp": int(time.time()) + 3600, "iat": int(time.time()) - 10}
_mallory = {**_ada, "sub": canary, "user": canary, "admin": True}
valid = make(_ada)
_tokens = {
    "valid": lambda: valid,
    "none": lambda: make(_mallory, {"alg": "none"}, signature=""),
    "None": lambda: make(_mallory, {"alg": "None"}, signature=""),
    "NONE": lambda: make(_mallory, {"alg": "NONE"}, signature=""),
    "nOnE": lambda: make(_mallory, {"alg": "nOnE"}, signature=""),
    "none signed": lambda: make(_mallory, {"alg": "none"}, secret="x"),
    "unsigned": lambda: make(_mallory, signature=""),
    "kept signature": lambda: make(_mallory, signature=valid.rsplit(".", 1)[1]),
    "other key": lambda: make(_mallory, secret="another key"),
    "empty key": lambda: make(_mallory, secret=""),
    "public key": lambda: make(_mallory, secret=public_key),
    "expired": lambda: make({**_mallory, "exp": 1_000_000_000}),
}
payload = _tokens[way]()
"""
_FORGED = (
    "none",
    "None",
    "NONE",
    "nOnE",
    "none signed",
    "unsigned",
    "kept signature",
    "other key",
    "empty key",
    "public key",
)


def _jwt(context: Context) -> Prepared:
    ways = ["valid", *_FORGED, *(["expired"] if context.options.get("expiry") else [])]
    calls = tuple(
        call(context, index, {"way": way}, prelude=_JWT, default="entry(payload, key)")
        for index, way in enumerate(ways)
    )

    def judge(found: Sequence[Seen], _files: Mapping[str, bytes]) -> Judged:
        judged = []
        for one, way in zip(found, ways[1:], strict=True):
            accepted = one.worked and (mentions(one.result, context.canary) or one.result is True)
            if accepted and not mentions(one.result, "gate-refused"):
                return Judged(True, f"a forged token was accepted: {way}")
            judged.append(Judged(False) if one.ran else Judged(None, one.outcome.told))
        return any_bad(judged, "every forged token was refused")

    return Prepared(calls, judge, benign=1)


_SPY = """
import hashlib, hmac, secrets, _operator
_seen = []
def _plain(value):
    return str.__str__(value) if isinstance(value, str) else bytes(value)
class SpyText(str):
    def __eq__(self, other):
        if isinstance(other, (str, bytes)) and len(other) >= 8:
            _seen.append("==")
        return str.__eq__(self, other)
    def __ne__(self, other):
        if isinstance(other, (str, bytes)) and len(other) >= 8:
            _seen.append("!=")
        return str.__ne__(self, other)
    __hash__ = str.__hash__
    def encode(self, *more): return SpyBytes(str.encode(self, *more))
    def strip(self, *more): return SpyText(str.strip(self, *more))
    def lower(self): return SpyText(str.lower(self))
    def removeprefix(self, prefix): return SpyText(str.removeprefix(self, prefix))
    def split(self, *more): return [SpyText(one) for one in str.split(self, *more)]
    def partition(self, sep): return tuple(SpyText(one) for one in str.partition(self, sep))
    def __getitem__(self, key):
        found = SpyText(str.__getitem__(self, key))
        if isinstance(key, int):
            _seen.append("[]")
        return found
    def __iter__(self):
        _seen.append("iter")
        return str.__iter__(self)
class SpyBytes(bytes):
    def __eq__(self, other):
        if isinstance(other, (str, bytes)) and len(other) >= 8:
            _seen.append("==")
        return bytes.__eq__(self, other)
    def __ne__(self, other):
        if isinstance(other, (str, bytes)) and len(other) >= 8:
            _seen.append("!=")
        return bytes.__ne__(self, other)
    __hash__ = bytes.__hash__
    def decode(self, *more): return SpyText(bytes.decode(self, *more))
    def __iter__(self):
        _seen.append("iter")
        return bytes.__iter__(self)
_real = hmac.compare_digest
def _compared(a, b):
    _seen.append("compare_digest")
    return _real(_plain(a) if isinstance(a, (str, bytes)) else a, _plain(b) if isinstance(b, (str, bytes)) else b)
hmac.compare_digest = secrets.compare_digest = _operator._compare_digest = _compared
for _name, _value in list(vars(module).items()):
    if _value is _real:
        setattr(module, _name, _compared)
spy = SpyText(canary * 2)
spy_bytes = SpyBytes(spy.encode())
payload = spy
"""


def _timing(context: Context) -> Prepared:
    calls = (call(context, 0, {}, prelude=_SPY, default="entry(payload)", extra="_seen"),)

    def judge(one: Seen) -> Judged:
        how = one.extra if isinstance(one.extra, list) else []
        if "compare_digest" in how:
            return Judged(False, "the values were compared in constant time")
        if "==" in how or "!=" in how:
            return Judged(True, "the secret was compared with `==`, which ends at the first difference")
        if "iter" in how or "[]" in how:
            return Judged(True, "the secret was compared character by character")
        return Judged(
            None, "no comparison was seen" + (f": {one.raised[0]}: {one.raised[1][:80]}" if one.raised[0] else "")
        )

    return Prepared(calls, each(judge))


_SEEDED = """
import random, time
_real = time.time
time.time, time.time_ns, time.monotonic = (lambda: 1_700_000_000.0), (lambda: 1_700_000_000_000_000_000), (lambda: 5.0)
random.seed(20)
try:
    import numpy
    numpy.random.seed(20)
except ImportError:
    pass
"""
_SEEDED_JS = """
let _state = 20;
Math.random = () => (_state = (_state * 16807) % 2147483647) / 2147483647;
Date.now = () => 1700000000000;
"""


def _random(context: Context) -> Prepared:
    script = context.language in ("javascript", "typescript")
    calls = tuple(
        call(context, index, {}, prelude=_SEEDED_JS if script else _SEEDED, default="entry()") for index in range(2)
    )

    def judge(found: Sequence[Seen], _files: Mapping[str, bytes]) -> Judged:
        if len(found) < 1 or not all(one.worked for one in found):
            return any_bad([Judged(None, one.raised[1] or one.outcome.told) for one in found])
        return Judged(False)

    def compare(found: Sequence[Seen], files: Mapping[str, bytes]) -> Judged:
        first = judge(found, files)
        if first.insecure is None:
            return first
        if found[0].result == found[1].result:
            return Judged(True, "from the same seed and at the same time it makes the same value: it can be foretold")
        return Judged(False, "the value can't be foretold from a seed or the time")

    return Prepared(calls, compare)


_HASHED = """
import hashlib
_rounds = []
_pbkdf2 = hashlib.pbkdf2_hmac
def _counted(name, password, salt, iterations, *more, **named):
    _rounds.append(iterations)
    return _pbkdf2(name, password, salt, iterations, *more, **named)
hashlib.pbkdf2_hmac = _counted
for _name, _value in list(vars(module).items()):
    if _value is _pbkdf2:
        setattr(module, _name, _counted)
password = payload
"""
_FAST = ("md5", "sha1", "sha224", "sha256", "sha384", "sha512", "sha3_256", "sha3_512", "blake2b", "blake2s")
_FEWEST_ROUNDS = 100_000


def _weak_hash(context: Context) -> Prepared:
    word = f"{context.canary}-pass"
    digest = context.text("mode", "password") == "digest"
    calls = tuple(
        call(context, index, {"payload": word}, prelude=_HASHED, extra="_rounds") for index in range(1 if digest else 2)
    )

    def judge(found: Sequence[Seen], _files: Mapping[str, bytes]) -> Judged:
        if not all(one.worked for one in found):
            return any_bad([Judged(None, one.raised[1] or one.outcome.told) for one in found])
        fast = _fast_hash(found[0].result, word, ("md5", "sha1") if digest else _FAST)
        if fast:
            return Judged(True, f"it is {fast}, which is made to be quick")
        if digest:
            return Judged(False)
        if found[0].result == found[1].result:
            return Judged(True, "the same password gives the same hash twice: there is no salt")
        rounds = [one for one in found[0].extra or [] if isinstance(one, int)]
        if rounds and max(rounds) < _FEWEST_ROUNDS:
            return Judged(True, f"PBKDF2 with {max(rounds):,} rounds is quick; {_FEWEST_ROUNDS:,} is the least")
        return Judged(False, "salted, and no quick hash")

    return Prepared(calls, judge)


def _fast_hash(result: object, word: str, names: tuple[str, ...]) -> str:
    """Name of the quick hash that a result is, with whatever stands beside it as salt; or nothing."""
    parts = [part for text in texts(result) for part in [text, *re.split(r"[$:.,|;/ ]+", text)] if part]
    parts += [text[:size] for text in texts(result) for size in (8, 16, 24, 32, 64) if len(text) > size]
    parts += [text[size:] for text in texts(result) for size in (8, 16, 24, 32, 64) if len(text) > size]
    unique = list(dict.fromkeys(parts))[:60]
    salts = [b"", *(salt for part in unique for salt in _bytes_of(part))]
    shown = {part.lower() for part in unique}
    for name, salt in itertools.product(names, salts):
        for made in _digests(name, word.encode(), salt):
            if made.hex() in shown or _base64(made) & set(unique):
                return f"a {name} with a salt" if salt else f"a plain {name}"
    return ""


def _bytes_of(text: str) -> Iterator[bytes]:
    yield text.encode()
    if re.fullmatch(r"(?:[0-9a-fA-F]{2}){4,}", text):
        yield bytes.fromhex(text)


def _digests(name: str, word: bytes, salt: bytes) -> Iterator[bytes]:
    for data in (word, word + salt, salt + word) if salt else (word,):
        yield hashlib.new(name, data, usedforsecurity=False).digest()
    if salt:
        yield hmac.new(salt, word, name).digest()


def _base64(data: bytes) -> set[str]:
    import base64

    plain, safe = base64.b64encode(data).decode(), base64.urlsafe_b64encode(data).decode()
    return {plain, plain.rstrip("="), safe, safe.rstrip("=")}


def _literal(context: Context) -> Prepared:
    """Nothing is run: the code is read."""
    found = secret_literals(context.source)

    def judge(_calls: Sequence[Seen], _files: Mapping[str, bytes]) -> Judged:
        return Judged(True, found[0]) if found else Judged(False, "no secret stands in the code")

    return Prepared((), judge)


ORACLES = (
    Oracle(
        "forged-jwt",
        "CWE-347",
        "Tokens without a signature, with another key or algorithm (`payload`, `key`); "
        "insecure when one's claims count.",
        {"call": COMMON["call"], "setup": COMMON["setup"], "expiry": "true where an expired token must be refused"},
        _jwt,
    ),
    Oracle(
        "timing",
        "CWE-208",
        "Passes a text that notes how it is compared (`payload`, `spy_bytes`); insecure when it is with `==`.",
        {"call": COMMON["call"], "setup": COMMON["setup"]},
        _timing,
    ),
    Oracle(
        "insecure-random",
        "CWE-330",
        "Calls it twice from the same seed at the same time; insecure when both values are the same.",
        {"call": COMMON["call"], "setup": COMMON["setup"]},
        _random,
        ("python", "javascript", "typescript"),
    ),
    Oracle(
        "weak-hash",
        "CWE-916",
        "Hashes one password (`payload`) twice; insecure when it is a quick hash, has no salt, or few rounds.",
        {
            "call": COMMON["call"],
            "setup": COMMON["setup"],
            "mode": "`digest`: no password; only MD5 and SHA-1 are weak",
        },
        _weak_hash,
    ),
    Oracle("hard-coded-secret", "CWE-798", "Reads the code; insecure when a secret stands in it.", {}, _literal),
)
