"""Hashes of passwords: what is quick, unsalted, or made with little work.

A quick hash is recognised by making it, so that nothing has to be believed of the code: with the salts that stand in
the result, and PBKDF2 (RFC 8018) and scrypt (RFC 7914) with little work and with the numbers that the code names.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import itertools
import math
import re
from collections.abc import Iterator, Sequence

from gate.suites.probes.checks.oracles.attack import (
    COMMON,
    Context,
    Judged,
    Oracle,
    Prepared,
    Seen,
    any_bad,
    call,
    texts,
)
from gate.suites.probes.checks.oracles.reading import found_by_reading, names_in

_HASHED = """
import hashlib
_rounds = []
_pbkdf2 = hashlib.pbkdf2_hmac
def _counted(name, password, salt, iterations, *more, **named):
    _rounds.append(iterations)
    return _pbkdf2(name, password, salt, iterations, *more, **named)
hashlib.pbkdf2_hmac = _counted
_scrypt, _costs = hashlib.scrypt, []
def _measured(password, *, salt, n, r, p, **named):
    _costs.append(n * r * p)
    return _scrypt(password, salt=salt, n=n, r=r, p=p, **named)
hashlib.scrypt = _measured
password = payload
"""
_FAST = ("md5", "sha1", "sha224", "sha256", "sha384", "sha512", "sha3_256", "sha3_512", "blake2b", "blake2s")
_FEWEST_ROUNDS = 100_000


def _weak_hash(context: Context) -> Prepared:
    word = f"{context.canary}-pass"
    digest = context.text("mode", "password") == "digest"
    calls = tuple(
        call(context, index, {"payload": word}, trap=_HASHED, extra="[_rounds, _costs]")
        for index in range(1 if digest else 2)
    )

    def judge(found: Sequence[Seen]) -> Judged:
        if not all(one.worked for one in found):
            return any_bad([Judged(None, one.raised[1] or one.outcome.told) for one in found])
        fast = _fast_hash(found[0].result, word, ("md5", "sha1") if digest else _FAST)
        if fast:
            return Judged(True, f"it is {fast}, which is made to be quick")
        if digest:
            return Judged(False)
        if found[0].result == found[1].result:
            return Judged(True, "the same password gives the same hash twice: there is no salt")
        little = _little_work(found[0], word, context.source)
        return Judged(True, little) if little else Judged(False, "salted, and no quick hash")

    return Prepared(calls, judge)


def _little_work(one: Seen, word: str, source: str) -> str:
    """Which work is too little, or nothing."""
    noted = one.extra if isinstance(one.extra, list) and len(one.extra) == 2 else [[], []]
    rounds, costs = ([each for each in several or [] if isinstance(each, int)] for several in noted)
    made = _rounds_of(one.result, word, source) or max(rounds, default=_FEWEST_ROUNDS)
    if made < _FEWEST_ROUNDS:
        return f"PBKDF2 with {made:,} rounds is quick; {_FEWEST_ROUNDS:,} is the least"
    cost = _cost_of(one.result, word, source) or max(costs, default=_LEAST_COST)
    if cost < _LEAST_COST:
        return f"scrypt with n·r·p of {cost:,} is quick; {_LEAST_COST:,} is the least"
    known = names_in(source) & _SLOW
    return "" if known else found_by_reading(source, "weak-password-hash")


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


def _rounds_of(result: object, word: str, source: str) -> int:
    """The rounds of PBKDF2 that make this result, tried with few rounds and with the numbers that the code names; 0
    where none of them does.

    Raises:
        ValueError: to try them all takes too long, since they are as many as the answer likes.
    """
    salts, wanted = _salts_and_sums(result)
    named = {int(one.replace("_", "")) for one in re.findall(r"\b[0-9][0-9_]{0,8}\b", source)}
    tried = sorted(one for one in {*_USUAL_ROUNDS, *named} if 0 < one < _FEWEST_ROUNDS)[:24]
    size, spent = min(map(len, wanted), default=0), 0  # a longer key of PBKDF2 begins as a shorter one does
    for rounds, salt, name in itertools.product(tried, sorted(salts)[:8], ("sha256", "sha1", "sha512")) if size else ():
        spent += rounds * math.ceil(size / 20)
        if spent > _MOST_ROUNDS:
            raise ValueError("there are too many ways in which this hash may have been made")
        made = hashlib.pbkdf2_hmac(name, word.encode(), salt, rounds, size)
        if any(one.startswith(made) for one in wanted):
            return rounds
    return 0


def _cost_of(result: object, word: str, source: str) -> int:
    """n·r·p of the scrypt that makes this result, tried with p = 1 and little work; 0 where none does.

    Raises:
        ValueError: to try them all takes too long.
    """
    if "scrypt" not in source:
        return 0
    salts, wanted = _salts_and_sums(result)
    salts = {one for one in salts if 8 <= len(one) <= 32}
    blocks = {1, 8, *(int(one) for one in re.findall(r"\br\s*=\s*([0-9]{1,2})\b", source)[:4])} - {0}
    spent = 0
    for power, block, salt in itertools.product(range(1, 12), sorted(blocks), sorted(salts)[:8]):
        cost = (1 << power) * block
        spent += cost if cost < _LEAST_COST else 0
        if spent > _MOST_COST:
            raise ValueError("there are too many ways in which this hash may have been made")
        if cost < _LEAST_COST:
            made = hashlib.scrypt(word.encode(), salt=salt, n=2**power, r=block, p=1, dklen=64)
            if any(made.startswith(one) for one in wanted):
                return cost
    return 0


def _salts_and_sums(result: object) -> tuple[set[bytes], set[bytes]]:
    """What in a result may be a salt, and what may be a hash."""
    parts = [part for text in texts(result) for part in re.split(r"[$:.,|;/ ]+", text) if part][:6]
    read = [made for part in parts for made in (*_bytes_of(part), *_decoded(part))]
    return {one for one in read if 0 < len(one) <= 64}, {one for one in read if len(one) in (16, 20, 32, 64)}


_MOST_COST = 2**23  # some seconds, outside of every limit that the answer has
_LEAST_COST = 2**15
_SLOW = frozenset(
    {"pbkdf2_hmac", "scrypt", "bcrypt", "hashpw", "argon2", "PasswordHasher", "crypt", "Scrypt", "PBKDF2HMAC"}
)
_MOST_ROUNDS = 20_000_000  # some ten seconds, outside of every limit that the answer has
_USUAL_ROUNDS = (1, 10, 100, 500, 1_000, 1_024, 2_000, 4_096, 5_000, 10_000)


def _decoded(text: str) -> Iterator[bytes]:
    try:
        yield base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_" if set(text) & set("-_") else None)
    except ValueError:
        return


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
    plain, safe = base64.b64encode(data).decode(), base64.urlsafe_b64encode(data).decode()
    return {plain, plain.rstrip("="), safe, safe.rstrip("=")}


ORACLES = (
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
)
