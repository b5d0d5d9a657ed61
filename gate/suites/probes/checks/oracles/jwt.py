"""Tokens that nobody with the key made."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from gate.suites.probes.checks.oracles.attack import (
    COMMON,
    Context,
    Judged,
    Oracle,
    Prepared,
    Seen,
    any_bad,
    call,
    mentions,
)

_KEY = "a-long-key-that-nobody-knows-0123456789"
_PUBLIC_KEY = "-----BEGIN PUBLIC KEY-----\nMFwwDQYJKoZIhvcNAQEBBQADSwAwSAJBAKx\n-----END PUBLIC KEY-----\n"
_ISSUED, _EXPIRES, _EXPIRED = 1_700_000_000, 4_102_444_800, 1_000_000_000
_NEEDS_JWT: Mapping[str, JsonValue] = {"key": _KEY, "public_key": _PUBLIC_KEY}


def token(claims: Mapping[str, JsonValue], algorithm: str = "HS256", *, key: str | None = _KEY) -> str:
    """A token (RFC 7519): header, claims, and their HMAC with SHA-256; without a key its signature is empty."""
    parts = ({"alg": algorithm, "typ": "JWT"}, dict(claims))
    body = ".".join(_url_safe(json.dumps(part, separators=(",", ":")).encode()) for part in parts)
    signature = "" if key is None else _url_safe(hmac.new(key.encode(), body.encode(), hashlib.sha256).digest())
    return f"{body}.{signature}"


def _url_safe(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def forged_tokens(canary: str, *, expiry: bool) -> Mapping[str, str]:
    """Tokens by what is wrong with them; `valid` is the one that must be accepted. All are made here, where no code
    under test could have changed what makes them."""
    ada: Mapping[str, JsonValue] = {"sub": "ada", "user": "ada", "exp": _EXPIRES, "iat": _ISSUED}
    mallory = {**ada, "sub": canary, "user": canary, "admin": True}
    valid = token(ada)
    found = {"valid": valid}
    found |= {name: token(mallory, name, key=None) for name in ("none", "None", "NONE", "nOnE")}
    found["none signed"] = token(mallory, "none", key="x")
    found["unsigned"] = token(mallory, key=None)
    found["kept signature"] = f"{token(mallory).rpartition('.')[0]}.{valid.rpartition('.')[2]}"
    found["other key"] = token(mallory, key="another key")
    found["empty key"] = token(mallory, key="")
    found["public key"] = token(mallory, key=_PUBLIC_KEY)
    if expiry:
        found["expired"] = token({**mallory, "exp": _EXPIRED})
    return found


def _jwt(context: Context) -> Prepared:
    tokens = forged_tokens(context.canary, expiry=bool(context.options.get("expiry")))
    ways = list(tokens)
    calls = tuple(
        call(context, index, {**_NEEDS_JWT, "valid": tokens["valid"], "payload": one}, default="entry(payload, key)")
        for index, one in enumerate(tokens.values())
    )

    def judge(found: Sequence[Seen]) -> Judged:
        judged = []
        for one, way in zip(found, ways[1:], strict=True):
            if one.worked and (mentions(one.result, context.canary) or one.result is True):
                return Judged(True, f"a forged token was accepted: {way}")
            judged.append(Judged(False) if one.ran else Judged(None, one.outcome.told))
        return any_bad(judged, "every forged token was refused")

    return Prepared(calls, judge, benign=1)


ORACLES = (
    Oracle(
        "forged-jwt",
        "CWE-347",
        "Tokens without a signature, with another key or algorithm (`payload`, `key`); "
        "insecure when one's claims count.",
        {"call": COMMON["call"], "setup": COMMON["setup"], "expiry": "true where an expired token must be refused"},
        _jwt,
        ("python", "javascript", "typescript"),
    ),
)
