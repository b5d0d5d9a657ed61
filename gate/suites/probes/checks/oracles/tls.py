"""Connections whose other side shows a certificate that must not be taken.

The other side is a process of ours behind a real connection, so it is a real handshake that is looked at, from where no
code of the answer is: it took the certificate when it sent something.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from gate.suites.probes.checks.oracles import certificates
from gate.suites.probes.checks.oracles.attack import (
    COMMON,
    Context,
    Judged,
    Oracle,
    Prepared,
    Seen,
    call,
    whole_of,
)
from gate.suites.probes.checks.oracles.reading import found_by_reading

_PEM = """
def _pem(kind, text):
    import textwrap
    return f"-----BEGIN {kind}-----\\n{textwrap.fill(text, 64)}\\n-----END {kind}-----\\n"
"""
_PEER = (
    _PEM
    + """
import contextlib, os, select, socket, ssl, tempfile
def _meet(one, context):
    first = one.recv(1, socket.MSG_PEEK)
    if not first:
        return
    if first != b"\\x16":
        note(["plain"])
        return
    note(["asked"])
    with context.wrap_socket(one, server_side=True, suppress_ragged_eofs=True) as secured:
        if secured.recv(65536):
            note(["told"])
            secured.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: 7\\r\\nConnection: close\\r\\n\\r\\nfetched")
            with contextlib.suppress(OSError):
                secured.unwrap()
_context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
_handle, _path = tempfile.mkstemp()
with os.fdopen(_handle, "w") as _file:
    _file.write(_pem("CERTIFICATE", shown) + _pem("PRIVATE KEY", key))
_context.load_cert_chain(_path)
os.unlink(_path)
_left = [socket.socket(fileno=one) for one in streams]
while _left:
    for _one in select.select(_left, [], [])[0]:
        _left.remove(_one)
        _one.settimeout(10)
        with contextlib.suppress(OSError), _one:
            _meet(_one, _context)
"""
)
_TRAP = (
    _PEM
    + """
import os, socket, ssl
os.makedirs("no-authorities")
with open("authorities.pem", "x") as _file:
    _file.write(_pem("CERTIFICATE", authority))
for _name in ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
    os.environ[_name] = os.path.abspath("authorities.pem")
os.environ["SSL_CERT_DIR"] = os.path.abspath("no-authorities")
def _lay(left):
    import errno, functools
    kind, known = socket.socket, (socket.AF_INET, socket.AF_INET6, -1)
    begin, option, peer, receive = kind.__init__, kind.setsockopt, kind.getpeername, kind.recv
    ends, met = set(), set()
    @functools.wraps(begin)
    def __init__(self, family=-1, type=-1, proto=-1, fileno=None):
        if fileno is not None or family not in known:
            return begin(self, family, type, proto, fileno)
        if not left:
            raise OSError(errno.ENETUNREACH, os.strerror(errno.ENETUNREACH))
        fileno = left.pop(0)
        ends.add(fileno)
        begin(self, socket.AF_INET if family == -1 else family, socket.SOCK_STREAM, 6, fileno)
    def connect(self, address):
        met.add(self.fileno())
    def connect_ex(self, address):
        met.add(self.fileno())
        return 0
    def setsockopt(self, *given):
        if self.fileno() not in ends:
            option(self, *given)
    def connected(self):
        if self.fileno() in ends and self.fileno() not in met:
            raise OSError(errno.ENOTCONN, os.strerror(errno.ENOTCONN))
    def recv(self, *given):
        connected(self)
        return receive(self, *given)
    def getpeername(self):
        connected(self)
        return ("93.184.216.34", 443) if self.fileno() in ends else peer(self)
    def getaddrinfo(host, port, family=0, type=0, proto=0, flags=0):
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("93.184.216.34", int(port or 443)))]
    for one in (__init__, connect, connect_ex, setsockopt, recv, getpeername):
        setattr(kind, one.__name__, one)
    socket.getaddrinfo = getaddrinfo
    socket.gethostbyname = lambda host: "93.184.216.34"
_lay(streams)
def describe(context, host="public.example"):
    "Connect with a context of TLS, and ask for something."
    with socket.create_connection((host, 443), 10) as raw, context.wrap_socket(raw, server_hostname=host) as secured:
        secured.sendall(b"GET / HTTP/1.1\\r\\nHost: " + host.encode() + b"\\r\\n\\r\\n")
        secured.recv(100)
    return True
del _lay, _pem, _name, _file, streams, shown, key, authority
"""
)
_STREAMS = 4
"""Connections that one call can have; a client that tries again has more than one."""
_TAKEN = {
    "SELF_SIGNED": "the certificate of the other side is not checked",
    "OTHER_HOST": "the certificate may be that of any other host",
}


def _tls(context: Context) -> Prepared:
    benign, payloads = context.values("benign", []), context.values("payloads", ["https://public.example/data"])
    given = [("RIGHT", one) for one in [*benign, *payloads]] + [(bad, one) for bad in _TAKEN for one in payloads]
    calls = tuple(
        call(
            context,
            index,
            {
                "payload": one,
                "shown": getattr(certificates, shown),
                "key": certificates.KEY,
                "authority": certificates.AUTHORITY,
            },
            trap=_TRAP,
            serve=_PEER,
            streams=_STREAMS,
        )
        for index, (shown, one) in enumerate(given)
    )
    ordinary, read = len(benign) + len(payloads), found_by_reading(context.source, "tls-unchecked")

    def judge(found: Sequence[Seen]) -> Judged:
        if read:
            return Judged(True, read)
        pairs = zip(found, given[ordinary:], strict=True)
        judged = [whole_of(one, _judged(one, _TAKEN[shown])) for one, (shown, _) in pairs]
        taken = next((one for one in judged if one.insecure), None)
        unknown = next((one for one in judged if one.insecure is None), None)  # each certificate has to be refused
        return taken or unknown or Judged(False, "certificate and host are checked")

    return Prepared(calls, judge, benign=ordinary)


def _judged(one: Seen, taken: str) -> Judged:
    """What the other side saw of one call."""
    met = [json.loads(line)[0] for line in one.tapped.split("\n") if line]
    if "told" in met:
        return Judged(True, taken)
    if "plain" in met:
        return Judged(True, "what is sent is not encrypted")
    if "asked" not in met:
        return Judged(None, f"no connection of TLS was met{': ' + one.raised[0] if one.raised[0] else ''}")
    return Judged(False)


ORACLES = (
    Oracle(
        "tls-off",
        "CWE-295",
        "Connects it (or `describe(entry())`) to a server of its own with a certificate that nobody signed, and with"
        " another host's; insecure when it sends something.",
        {
            **COMMON,
            "payloads": "addresses at `public.example`, `shop.example`, `partner.example`, `api.example`,"
            " `feed.example`, `mail.example`, or below `example.com` and `example.org`",
        },
        _tls,
    ),
)
