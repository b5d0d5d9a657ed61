"""What makes two requests the same: a digest over method, address, a few headers and the body, all in one form.

Secrets are taken out first, so that a request with one key, with another or with a placeholder is the same request.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import SplitResult, quote, urlsplit

from gate.record.recordings import bodies, redact
from gate.record.recordings.canonical_bodies import canonical_body, pairs
from gate.record.recordings.exchange import Headers, Request
from gate.record.recordings.secret_names import query_value_kind
from gate.record.recordings.volatile import NONE, PLACEHOLDER, Volatile, text_without

LONGEST_SHOWN = 1_000_000
"""Characters. A longer text of a body is shown by its beginning, its length and its digest; all of it counts."""
BEGINNING = 2_000

_PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443}
_CHOSEN = frozenset(
    {
        "accept-language",
        "anthropic-beta",
        "anthropic-version",
        "api-version",
        "content-range",
        "if-modified-since",
        "if-none-match",
        "notion-version",
        "openai-beta",
        "prefer",
        "range",
        "soapaction",
        "x-amz-target",
        "x-api-version",
        "x-github-api-version",
        "x-goog-fieldmask",
        "x-http-method-override",
    }
)
"""Headers that decide what is answered. Never what varies by client or moment: user-agent, date, ids, tracing."""
_NEEDED = _CHOSEN | {"accept", "content-type", "content-encoding"}
_SIGNED = frozenset({"x-amz-signature", "x-goog-signature"})
_OF_SIGNATURES = frozenset(
    f"x-{who}-{what}"
    for who in ("amz", "goog")
    for what in ("algorithm", "credential", "date", "expires", "security-token", "signature", "signedheaders")
)
"""Query parameters of an address that is signed ahead (SigV4): of the moment, and of who signs."""
_LISTS = frozenset({"anthropic-beta", "openai-beta", "prefer"})
_ANYTHING = frozenset({"*/*", "*", "application/json", "application/*", ""})
_UNRESERVED = re.compile(r"%(?:2[DdEe]|3[0-9]|4[1-9A-Fa-f]|5[0-9AaFf]|6[1-9A-Fa-f]|7[0-9AaEe])")
_ESCAPED = re.compile(r"%[0-9A-Fa-f]{2}")


@dataclass(frozen=True, slots=True)
class Key:
    """What a request is stored under.

    Attributes:
        digest: 32 hexadecimal digits; equal for requests that are the same.
        shown: the request as JSON values without secrets: `method`, `url`, `headers` (a mapping, may be absent) and
            `body` (see `canonical_body`; absent for none).
    """

    digest: str
    shown: Mapping[str, Any]


def key(request: Request, volatile: Volatile = NONE) -> Key:
    """Digest and description of a request. Linear in the length of its body; it never raises."""
    needed = tuple((name, value) for name, value in request.headers if name.lower() in _NEEDED)
    clean = redact.request(replace(request, headers=needed))
    whole: dict[str, Any] = {"method": clean.method.upper(), "url": canonical_url(clean.url, volatile)}
    if kept := _headers(clean.headers, volatile):
        whole["headers"] = kept
    if body := canonical_body(clean.headers, clean.body, volatile):
        whole["body"] = body
    digest = hashlib.blake2b(digest_size=16)
    _feed(digest, whole)
    return Key(digest.hexdigest(), _shown(whole))


def canonical_url(url: str, volatile: Volatile = NONE) -> str:
    """An address without default port, userinfo, fragment and parameters that are secret; names of parameters sorted.

    What can't be split comes back as it is, with only the volatile patterns replaced.
    """
    try:
        parts = urlsplit(url)
        host = _host(parts)
    except ValueError:
        return text_without(volatile, url)
    path = _path(parts.path) or ("/" if host else "")
    query = "&".join(
        f"{quote(name, safe='~', errors='surrogateescape')}={quote(value, safe='~', errors='surrogateescape')}"
        for name, value in _query(parts.query, volatile)
    )
    start = f"{parts.scheme.lower()}://{host}" if host else (f"{parts.scheme.lower()}:" if parts.scheme else "")
    return text_without(volatile, start + path + (f"?{query}" if query else ""))


def _host(parts: SplitResult) -> str:
    """Host, in small letters unless it is an encoded path of a socket, and a port that is not the default."""
    name, port = parts.netloc.rpartition("@")[2], parts.port
    if port is not None:
        name = name.rpartition(":")[0]
    name = name.removesuffix(":") if not name.endswith("]") else name
    name = name if "%" in name and "[" not in name else name.lower()
    return name if port is None or port == _PORTS.get(parts.scheme.lower()) else f"{name}:{port}"


def _path(path: str) -> str:
    plain = _UNRESERVED.sub(lambda found: chr(int(found.group()[1:], 16)), path)
    plain = _ESCAPED.sub(lambda found: found.group().upper(), plain)
    return quote(plain, safe="/%:@!$&'()*+,;=~", errors="surrogatepass")


def _query(query: str, volatile: Volatile) -> list[list[str]]:
    # Secret parameters are left out rather than shown: a machine without any key sends none.
    out = []
    given = pairs(query.encode("utf-8", "surrogatepass"), NONE)
    of_signature = _OF_SIGNATURES if any(name.lower() in _SIGNED for name, _ in given) else frozenset()
    for name, value in given:
        if name.lower() not in of_signature and not query_value_kind(name, value):
            out.append([name, PLACEHOLDER if name in volatile.query else value])
    return out


def _headers(headers: Headers, volatile: Volatile) -> dict[str, str]:
    left_out = {name.lower() for name in volatile.headers}
    kept: dict[str, str] = {}
    for name in sorted({name.lower() for name, _ in headers} & _CHOSEN - left_out):
        value = " ".join(bodies.header(headers, name).split())
        if name in _LISTS:
            value = ",".join(sorted({each.strip() for each in value.split(",")}))
        if value and not (name == "accept-language" and value == "*"):
            kept[name] = value
    if "accept" not in left_out and (wanted := _accepted(bodies.header(headers, "accept"))):
        kept["accept"] = wanted
    if "content-type" not in left_out and (media := bodies.media_type(headers)):
        kept["content-type"] = media
    return kept


def _accepted(value: str) -> str:
    """Media types that a client asks for, without their parameters, and without those that leave it to the server."""
    media = {each.partition(";")[0].strip().lower() for each in value.split(",")}
    return ",".join(sorted(media - _ANYTHING))


def _feed(digest: hashlib.blake2b, value: Any) -> None:
    """JSON values into a digest, each with its type and length, so that no two different values give the same bytes."""
    if isinstance(value, dict):
        digest.update(b"d%d;" % len(value))
        for name in sorted(value):
            _feed(digest, name)
            _feed(digest, value[name])
    elif isinstance(value, list):
        digest.update(b"l%d;" % len(value))
        for each in value:
            _feed(digest, each)
    else:
        data = str(value).encode("utf-8", "surrogatepass")
        digest.update(b"%s%d;" % (b"i" if isinstance(value, int) else b"s", len(data)))
        digest.update(data)


def _shown(value: Any) -> Any:
    """JSON values with long texts shortened and every text able to be written as UTF-8."""
    if isinstance(value, dict):
        return {_shown(name): _shown(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_shown(each) for each in value]
    if not isinstance(value, str):
        return value
    data = value.encode("utf-8", "backslashreplace")
    if len(value) <= LONGEST_SHOWN:
        return data.decode()
    said = hashlib.blake2b(data, digest_size=16).hexdigest()
    return f"{data[:BEGINNING].decode('utf-8', 'ignore')}… ({len(value)} characters, digest {said})"
