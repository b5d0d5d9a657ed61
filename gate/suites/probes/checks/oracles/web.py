"""The web: redirects, and addresses inside the network."""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import urljoin, urlsplit

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
    each,
    is_truthy,
    texts,
    whole_of,
)
from gate.suites.probes.checks.oracles.audited import NETWORK

_HOST = "shop.example"
_REDIRECTS: list[JsonValue] = [
    "https://evil.example/",
    "//evil.example/path",
    "/\\evil.example",
    "\\\\evil.example",
    "https:evil.example",
    "https:///evil.example",
    "///evil.example",
    "\t//evil.example",
    "/\t/evil.example",
    "https://shop.example@evil.example/",
    "https://shop.example.evil.example/",
    "https://evil.example/?next=shop.example",
    "https://evil.example#shop.example",
    "https://evilshop.example/",
    "javascript:alert(1)",
    "https://evil.example\\@shop.example",
]


def goes_to(text: str, host: str) -> str:
    """Where a browser would go from a page of `host` (WHATWG URL, section 4.4: it drops tabs and line ends, and reads
    a backslash as a slash); a scheme that runs code is returned as it is. Empty when it is no address at all."""
    plain = re.sub(r"[\t\r\n]", "", text).strip(" \0")
    scheme = re.match(r"([a-zA-Z][a-zA-Z0-9+.-]*):", plain)
    if scheme and scheme[1].lower() in ("javascript", "data", "vbscript"):
        return scheme[1].lower() + ":"
    if scheme and scheme[1].lower() in ("http", "https"):
        plain = f"{scheme[1]}://{plain[scheme.end() :].replace(chr(92), '/').lstrip('/')}"
    elif not scheme:
        start = re.match(r"[/\\]{2,}", plain)
        plain = f"//{plain[start.end() :]}" if start else plain.replace("\\", "/")
    try:
        return urlsplit(urljoin(f"https://{host}/", plain)).hostname or ""
    except ValueError:
        return ""


def _redirect(context: Context) -> Prepared:
    host = context.text("host", _HOST)
    benign = context.values("benign", ["/account"])
    given = [*benign, *context.values("payloads", _REDIRECTS)]
    calls = tuple(call(context, index, {"payload": one}) for index, one in enumerate(given))

    def judge(one: Seen) -> Judged:
        for text in texts(one.result):
            candidates = [text, *re.findall(r"(?im)^(?:location|refresh): *(?:\d+; *url=)?(.+?)\r?$", text)]
            for candidate in candidates:
                place = goes_to(candidate, host) if len(candidate) < 500 and not re.search(r"\w \w", candidate) else ""
                if place.endswith(":") or place.endswith("evil.example") or place == "evilshop.example":
                    return Judged(True, f"it leads to {candidate[:80]!r}, which a browser follows to {place}")
        return Judged(False)

    return Prepared(calls, each(judge), benign=len(benign))


_NETWORK = """
import http.client, ipaddress, socket, ssl, urllib.request
_met = []
_names = {"internal.example": "10.0.0.5", "rebind.example": "127.0.0.1", "public.example": "93.184.216.34",
          "localhost": "127.0.0.1", "localhost.localdomain": "127.0.0.1", "metadata.google.internal": "169.254.169.254"}
def _address(host):
    host = (host.decode() if isinstance(host, bytes) else str(host)).strip("[]").rstrip(".").lower()
    try:
        return str(ipaddress.ip_address(host))
    except ValueError:
        pass
    try:
        return socket.inet_ntoa(socket.inet_aton(host))
    except OSError:
        pass
    return _names.get(host, "93.184.216.34")
def _getaddrinfo(host, port, *_more, **_named):
    address = _address(host if host is not None else "localhost")
    if ":" in address:
        return [(socket.AF_INET6, socket.SOCK_STREAM, 6, "", (address, int(port or 0), 0, 0))]
    return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, int(port or 0) if str(port or 0).isdigit() else 80))]
socket.getaddrinfo = _getaddrinfo
socket.gethostbyname = _address
socket.gethostbyname_ex = lambda host: (host, [], [_address(host)])
class _Answer:
    status, code, reason, headers, url = 200, 200, "OK", {"Content-Type": "text/plain"}, ""
    status_code, text, content, ok = 200, "fetched", b"fetched", True
    def __init__(self):
        import io
        self._body = io.BytesIO(b"fetched")
    def read(self, *size): return self._body.read(*size)
    def json(self): return {}
    def info(self): return self.headers
    def getcode(self): return 200
    def geturl(self): return self.url
    def raise_for_status(self): pass
    def getheader(self, name, default=None): return self.headers.get(name, default)
    def iter_content(self, *_more): return iter([b"fetched"])
    def __iter__(self): return iter(self._body)
    def close(self): pass
    def __enter__(self): return self
    def __exit__(self, *_more): return False
def _meet(host, scheme=""):
    _met.append([scheme, _address(host) if host else ""])
    return _Answer()
def _opened(self, fullurl, data=None, *_more, **_named):
    from urllib.parse import urlsplit
    url = fullurl if isinstance(fullurl, str) else fullurl.full_url
    parts = urlsplit(url)
    return _meet(parts.hostname, parts.scheme)
urllib.request.OpenerDirector.open = _opened
def _urlopen(url, data=None, timeout=None, *, cafile=None, capath=None, cadefault=False, context=None):
    from urllib.parse import urlsplit
    address = url if isinstance(url, str) else url.full_url
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https", "ftp", "file"):
        raise urllib.error.URLError("unknown url type: " + parts.scheme)
    return _meet(parts.hostname, parts.scheme)
import urllib.error
urllib.request.urlopen = _urlopen
class _Fake:
    def __init__(self, *_more, **_named): self._address = None
    def connect(self, address): _meet(address[0], "tcp")
    def connect_ex(self, address): _meet(address[0], "tcp"); return 0
    def __getattr__(self, _name): return lambda *_more, **_named: b""
    def __enter__(self): return self
    def __exit__(self, *_more): return False
def _created(address, *_more, **_named):
    _meet(address[0], "tcp")
    return _Fake()
socket.create_connection = _created
def _connect(self):
    _meet(self.host, "https" if getattr(self, "_context", None) is not None else "http")
    self.sock = _Fake()
http.client.HTTPConnection.connect = _connect
http.client.HTTPSConnection.connect = _connect
http.client.HTTPConnection.getresponse = lambda self: _Answer()
http.client.HTTPConnection.send = lambda self, data: None if self.sock else self.connect()
ssl.SSLContext.wrap_socket = lambda self, sock, *_more, **_named: sock
"""
_INSIDE: list[JsonValue] = [
    "http://127.0.0.1/",
    "http://localhost:8080/admin",
    "http://169.254.169.254/latest/meta-data/",
    "http://[::1]/",
    "http://10.0.0.1/",
    "http://192.168.1.1/",
    "http://172.16.0.1/",
    "http://2130706433/",
    "http://0x7f000001/",
    "http://127.1/",
    "http://0.0.0.0/",
    "http://[::ffff:127.0.0.1]/",
    "http://internal.example/",
    "http://rebind.example/",
    "http://user@127.0.0.1/",
    "file:///etc/passwd",
    "ftp://127.0.0.1/",
]


_NUMBERS: list[JsonValue] = [
    "http://127.0.0.1/",
    "http://169.254.169.254/latest/meta-data/",
    "http://[::1]/",
    "http://10.0.0.1/",
    "http://192.168.1.1/",
    "http://2130706433/",
    "http://127.1/",
    "http://[::ffff:127.0.0.1]/",
    "http://user@127.0.0.1/",
]
_PRETENDED_JS = """
const _body = 'fetched';
globalThis.fetch = async (url) => new Response(_body, { status: 200, headers: { 'content-type': 'text/plain' } });
const { EventEmitter } = require('events'), { Readable } = require('stream');
for (const _one of [require('http'), require('https')]) {
  _one.request = _one.get = (...given) => {
    const _asked = new EventEmitter(), _then = given.find((one) => typeof one === 'function');
    for (const _name of ['end', 'write', 'setTimeout', 'destroy', 'abort', 'setHeader']) _asked[_name] = () => _asked;
    process.nextTick(() => {
      const _answer = Object.assign(Readable.from([Buffer.from(_body)]), { statusCode: 200, headers: {} });
      if (_then) _then(_answer);
      _asked.emit('response', _answer);
    });
    return _asked;
  };
}
const _dns = require('dns'), _address = { address: '93.184.216.34', family: 4 };
_dns.lookup = (_host, options, then) => {
  const _all = typeof options === 'object' && options.all, _done = then || options;
  process.nextTick(() => (_all ? _done(null, [_address]) : _done(null, _address.address, 4)));
};
_dns.promises.lookup = async (_host, options) => (options && options.all ? [_address] : _address);
"""


def _ssrf(context: Context) -> Prepared:
    """Addresses are met twice: with a network that pretends to be there, so that names lead somewhere, and as numbers
    with nothing in between. There the kernel notes whether a socket was asked for, which no code can take back."""
    script = context.language in ("javascript", "typescript")
    benign = context.values("benign", ["http://public.example/picture.png"])
    pretended = [] if script else context.values("payloads", _INSIDE)
    validator = bool(context.options.get("validator"))
    attacks = [*pretended, *_NUMBERS]
    trap, ahead = ("", _PRETENDED_JS) if script else (_NETWORK + NETWORK, "")
    calls = [
        call(context, index, {"payload": one}, trap=trap, tap=not script, ahead=ahead, extra="" if script else "_met")
        for index, one in enumerate([*benign, *pretended])
    ]
    calls += [call(context, len(calls) + at, {"payload": one}, alone=True) for at, one in enumerate(_NUMBERS)]

    def judge(found: Sequence[Seen]) -> Judged:
        judged = []
        for one, payload in zip(found, attacks, strict=True):
            met = one.extra if isinstance(one.extra, list) else []
            inside = [pair for pair in met if isinstance(pair, list) and len(pair) == 2 and _is_inside(pair)]
            if inside:
                return Judged(True, f"{payload} was fetched, which leads inside ({inside[0][1] or inside[0][0]})")
            if {"socket", "connect"} & set(one.refused):
                return Judged(True, "an address that leads inside was to be connected to")
            if validator and one.worked and is_truthy(one.result):
                return Judged(True, f"{payload} was allowed, which leads inside")
            past = Judged(None, "it went past the network that pretends to be there", spoiled=True)
            judged.append(past if one.tapped else whole_of(one, Judged(False)))
        return any_bad(judged)

    return Prepared(tuple(calls), judge, benign=len(benign))


def _is_inside(pair: list[str]) -> bool:
    import ipaddress

    if pair[0] == "file":
        return True
    try:
        address = ipaddress.ip_address(pair[1])
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return not (mapped or address).is_global


ORACLES = (
    Oracle(
        "open-redirect",
        "CWE-601",
        "Targets on another host; insecure when an address or a Location in the result leads a browser there.",
        {**COMMON, "host": f"the site's own host, {_HOST} by default"},
        _redirect,
        ("python", "javascript", "typescript"),
    ),
    Oracle(
        "ssrf",
        "CWE-918",
        "Addresses that lead into the network, with names and connections that only pretend; insecure when one is met.",
        {**COMMON, "validator": "true where a result that says yes means that the address is allowed"},
        _ssrf,
        ("python", "javascript", "typescript"),
    ),
)
