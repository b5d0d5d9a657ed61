"""Which names of headers, query parameters and fields say that their value is a secret."""

from __future__ import annotations

import re
from functools import lru_cache

API_KEY = "api-key"
AUTHORIZATION = "authorization"
COOKIE = "cookie"
PASSWORD = "password"  # noqa: S105 (a kind of secret, not one)
PRIVATE_KEY = "private-key"
SECRET = "secret"  # noqa: S105
SIGNATURE = "signature"
TOKEN = "token"  # noqa: S105

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")

_LAST = {
    "password": PASSWORD,
    "passwords": PASSWORD,
    "passwd": PASSWORD,
    "passphrase": PASSWORD,
    "passcode": PASSWORD,
    "pwd": PASSWORD,
    "secret": SECRET,
    "secrets": SECRET,
    "credential": SECRET,
    "credentials": SECRET,
    "token": TOKEN,
    "assertion": SECRET,
    "apikey": API_KEY,
    "apikeys": API_KEY,
    "authtoken": TOKEN,
    "accesstoken": TOKEN,
    "authorization": AUTHORIZATION,
    "cookie": COOKIE,
    "cookies": COOKIE,
}
"""By the last word of a name."""

_KEYS = {
    "api": API_KEY,
    "access": API_KEY,
    "account": API_KEY,
    "subscription": API_KEY,
    "service": API_KEY,
    "master": API_KEY,
    "auth": API_KEY,
    "admin": API_KEY,
    "private": PRIVATE_KEY,
    "secret": SECRET,
    "signing": SECRET,
    "encryption": SECRET,
    "shared": SECRET,
    "ssh": PRIVATE_KEY,
}
"""By the word before a last word `key` or `keys`."""

# fmt: off
_ACCOUNTS = frozenset({
    "user", "db", "database", "smtp", "imap", "ftp", "admin", "login", "root", "redis", "mysql", "postgres",
    "proxy",
})
# fmt: on

# fmt: off
_COUNTED = frozenset({
    "max", "min", "num", "number", "total", "prompt", "completion", "input", "output", "cached", "reasoning",
    "accepted", "rejected", "budget", "thinking", "text", "audio", "image", "video", "per", "n", "new",
    "next", "previous", "prev", "page", "continuation", "pagination", "sync", "stop", "start", "end",
    "first", "last", "eos", "bos", "pad", "unk", "mask", "sep", "cls", "special", "begin",
})
# fmt: on
"""Words before `token` that make it a piece of text, a count or a place in a list."""

_HEADERS = {
    "authorization": AUTHORIZATION,
    "proxy-authorization": AUTHORIZATION,
    "x-authorization": AUTHORIZATION,
    "x-amz-security-token": TOKEN,
    "cookie": COOKIE,
    "cookie2": COOKIE,
    "set-cookie": COOKIE,
    "set-cookie2": COOKIE,
    "x-auth": AUTHORIZATION,
    "auth": AUTHORIZATION,
    "key": API_KEY,
}
_PUBLIC_HEADERS = frozenset({"idempotency-key", "x-idempotency-key", "surrogate-key", "cache-key", "x-cache-key"})
_HEADER_LAST = {"auth": AUTHORIZATION, "key": API_KEY, "signature": SIGNATURE, "session": TOKEN, "jwt": TOKEN}

_QUERY = {
    "key": API_KEY,
    "sig": SIGNATURE,
    "signature": SIGNATURE,
    "hmac": SIGNATURE,
    "jwt": TOKEN,
    "auth": AUTHORIZATION,
    "code_verifier": SECRET,
    "x-amz-signature": SIGNATURE,
    "x-amz-credential": SECRET,
    "x-goog-signature": SIGNATURE,
    "x-goog-credential": SECRET,
    "awsaccesskeyid": API_KEY,
    "googleaccessid": API_KEY,
}


_PLACE = re.compile(r"[A-Za-z]{1,16}(?:[_.-][A-Za-z]{1,16}){0,3}|[0-9]{1,5}")
_WEAK = {
    "key": API_KEY,
    "auth": AUTHORIZATION,
    "bearer": AUTHORIZATION,
    "jwt": TOKEN,
    "session_key": TOKEN,
    "session_keys": TOKEN,
    "sessionkey": TOKEN,
}
"""By all words of a name."""


def words(name: str) -> list[str]:
    """The words of a name in small letters, at most those of its last 120 characters: `apiKey`, `API_KEY` and `api-key`
    have the same. A name that was itself replaced has none."""
    return [] if "~secret-" in name else [word.lower() for word in _WORD.findall(name[-120:])]


@lru_cache(maxsize=4096)
def field_kind(name: str) -> str:
    """Kind of secret that a field of a body with this name holds; empty for none.

    `max_tokens`, `prompt_token`, `eos_token`, `nextPageToken` and the like hold none.
    """
    said = words(name)
    if not said:
        return ""
    last, before = said[-1], said[-2] if len(said) > 1 else ""
    if last == "assertion" and before != "client":
        return ""
    if last in ("key", "keys"):
        return _KEYS.get(before, "")
    if last == "token" and before in _COUNTED:
        return ""
    if last == "auth":
        return AUTHORIZATION if before in ("basic", "http", "proxy") else ""
    if last == "pass":  # by itself it is what a judge answers
        return PASSWORD if before in _ACCOUNTS else ""
    if last == "value" and before in ("secret", "password"):
        return SECRET
    return _LAST.get(last, "")


@lru_cache(maxsize=4096)
def weak_kind(name: str) -> str:
    """Kind of secret that a field with this name may hold, where its value looks like one; empty for none.

    `key`, `auth`, `bearer`, `jwt` and `sessionKey` are also names of places, settings and questions.
    """
    return _WEAK.get("_".join(words(name)), "")


@lru_cache(maxsize=4096)
def header_kind(name: str) -> str:
    """Kind of secret that a header with this name holds; empty for none. `openai-organization` is no secret."""
    small = name.lower()
    if small in _PUBLIC_HEADERS or small.startswith("sec-websocket-"):
        return ""
    if re.search(r"(?:^|[-_])session-?_?id$", small):
        return TOKEN
    last = re.split(r"[^a-z0-9]+", small)[-1]
    return _HEADERS.get(small) or _HEADER_LAST.get(last) or field_kind(small)


@lru_cache(maxsize=4096)
def query_kind(name: str) -> str:
    """Kind of secret that a query parameter with this name holds; empty for none."""
    return _QUERY.get(name.lower()) or field_kind(name)


def query_value_kind(name: str, value: str) -> str:
    """Kind of secret that a query parameter holds; empty for none.

    What is called just `key` may be a place to look at, as in `?key=users`: words without digits, and short numbers.
    """
    kind = query_kind(name)
    return "" if name.lower() == "key" and _PLACE.fullmatch(value) else kind
