"""Files: paths that leave their folder, archives that do, listings, races, temporary files."""

from __future__ import annotations

from pydantic import JsonValue

from gate.suites.probes.checks.oracles.attack import (
    COMMON,
    Context,
    Judged,
    Oracle,
    Prepared,
    Seen,
    call,
    each,
    mentions,
)

_TREE = """
import os, pathlib
base = os.path.abspath("files/public")
os.makedirs(base + "/sub")
os.makedirs("files/public-private")
for _name, _text in (("public/hello.txt", "hello"), ("public/sub/deep.txt", "deep"), ("secret.txt", canary),
                     ("public-private/secret.txt", canary), ("public/sub/.keep", "")):
    with open("files/" + _name, "w") as _file:
        _file.write(_text)
if symlink:
    os.symlink(os.path.abspath("files/secret.txt"), base + "/link.txt")
payload = payload.replace("{outside}", os.path.abspath("files/" + aim)).replace("{base}", base)
content = canary
base_path = pathlib.Path(base)
_known = {os.path.join(_f, _n) for _f, _d, _ns in os.walk("files") for _n in _ns}
"""
_TREE_AFTER = """
_written = []
for _folder, _dirs, _names in os.walk(os.getcwd()):
    for _name in _names:
        _path = os.path.join(_folder, _name)
        if os.path.islink(_path) or _path.startswith(base + os.sep):
            continue
        if os.path.relpath(_path) not in _known:
            _written.append(os.path.relpath(_path))
_deleted = [_one for _one in sorted(_known) if not os.path.lexists(_one) and not _one.startswith("files/public/")]
"""
_TREE_JS = """
const _fs = require('fs'), _path = require('path');
const _home = _path.resolve(folder);
const base = _path.join(_home, 'files/public');
_fs.mkdirSync(base + '/sub', {recursive: true});
_fs.mkdirSync(_path.join(_home, 'files/public-private'), {recursive: true});
for (const [_name, _text] of [['public/hello.txt', 'hello'], ['public/sub/deep.txt', 'deep'], ['secret.txt', canary],
  ['public-private/secret.txt', canary]]) _fs.writeFileSync(_path.join(_home, 'files', _name), _text);
if (symlink) _fs.symlinkSync(_path.join(_home, 'files/secret.txt'), base + '/link.txt');
payload = payload.replaceAll('{outside}', _path.join(_home, 'files', aim)).replaceAll('{base}', base);
const content = canary;
"""
_ESCAPES: list[JsonValue] = [
    "../secret.txt",
    "sub/../../secret.txt",
    "{outside}",
    "../public-private/secret.txt",
    "{base}-private/secret.txt",
    "..%2fsecret.txt",
    "%2e%2e/secret.txt",
    "....//secret.txt",
    "..././secret.txt",
    "..\\secret.txt",
    "file://{outside}",
    "./././../secret.txt",
    "sub//..//..//secret.txt",
]
_SCRIPTS = ("python", "javascript", "typescript")


def _traversal(context: Context) -> Prepared:
    script = context.language in ("javascript", "typescript")
    effect = context.text("effect", "read")
    payloads = context.values("payloads", [*_ESCAPES, *(["link.txt"] if effect == "read" else [])])
    benign = context.values("benign", ["hello.txt"] if effect == "read" else ["new.txt"])
    aim = "evil.txt" if effect == "write" else "secret.txt"
    symlink = bool(context.options.get("symlink", effect == "read"))
    default = "entry(base, payload)" if effect != "write" else "entry(base, payload, content)"
    calls = tuple(
        call(
            context,
            index,
            {"payload": payload.replace("secret.txt", aim), "symlink": symlink, "aim": aim},
            prelude=_TREE_JS if script else _TREE,
            default=default,
            after="" if script else _TREE_AFTER,
            extra="" if script else "[_written, _deleted]",
        )
        for index, payload in enumerate([*benign, *payloads])
        if isinstance(payload, str)
    )

    def judge(one: Seen) -> Judged:
        if mentions(one.result, context.canary) and effect == "read":
            return Judged(True, "a path led to a file outside of the folder, and its content came back")
        written, deleted = one.extra if isinstance(one.extra, list) and len(one.extra) == 2 else ([], [])
        if written and effect != "read":
            return Judged(True, f"a path led outside of the folder, and {written[0]!r} was written")
        if deleted:
            return Judged(True, f"a path led outside of the folder, and {deleted[0]!r} is gone")
        return Judged(False)

    return Prepared(calls, each(judge), benign=len(benign))


_ARCHIVE = """
import io, os, tarfile, zipfile
target = os.path.abspath("out/target")
os.makedirs(target)
outside = os.path.abspath("out")
archive = os.path.abspath("in." + kind)
def _fill(add):
    add("ok.txt", b"ok")
    if trick == "parent":
        add("../evil.txt", b"evil")
    elif trick == "absolute":
        add(os.path.join(outside, "evil.txt"), b"evil")
    elif trick == "nested":
        add("sub/../../evil.txt", b"evil")
    elif trick == "sibling":
        add("../target-evil/evil.txt", b"evil")
if kind == "zip":
    with zipfile.ZipFile(archive, "w") as _zip:
        _fill(lambda name, data: _zip.writestr(name, data))
else:
    with tarfile.open(archive, "w") as _tar:
        def _add(name, data):
            _info = tarfile.TarInfo(name)
            _info.size = len(data)
            _tar.addfile(_info, io.BytesIO(data))
        _fill(_add)
        if trick == "symlink":
            _info = tarfile.TarInfo("door")
            _info.type, _info.linkname = tarfile.SYMTYPE, ".."
            _tar.addfile(_info)
            _add("door/evil.txt", b"evil")
payload = archive
"""
_ARCHIVE_AFTER = """
_evil = [os.path.join(_f, _n) for _f, _d, _ns in os.walk(outside) for _n in _ns if "evil" in _n]
_evil = [os.path.relpath(_one, outside) for _one in _evil if not _one.startswith(target + os.sep)]
_good = os.path.exists(os.path.join(target, "ok.txt"))
"""


def _slip(kind: str, tricks: tuple[str, ...], context: Context) -> Prepared:
    calls = tuple(
        call(
            context,
            index,
            {"kind": kind, "trick": trick},
            prelude=_ARCHIVE,
            default="entry(archive, target)",
            after=_ARCHIVE_AFTER,
            extra="[_evil, _good]",
        )
        for index, trick in enumerate(("none", *tricks))
    )

    def judge(one: Seen) -> Judged:
        evil = one.extra[0] if isinstance(one.extra, list) and one.extra else []
        return (
            Judged(True, f"an entry of the archive was written to {evil[0]!r} outside of the target")
            if evil
            else Judged(False)
        )

    return Prepared(calls, each(judge), benign=1)


def _zip_slip(context: Context) -> Prepared:
    return _slip("zip", ("parent", "absolute", "nested", "sibling"), context)


def _tar_slip(context: Context) -> Prepared:
    return _slip("tar", ("parent", "absolute", "nested", "sibling", "symlink"), context)


_LISTING = """
import io, os
base = os.path.abspath("site")
os.makedirs(base + "/docs")
for _name in ("docs/" + canary + ".txt", canary + ".html", "hello.txt"):
    with open(os.path.join(base, _name), "w") as _file:
        _file.write("content")
class _Connection:
    def __init__(self, text):
        self.received, self.sent = io.BytesIO(text.encode()), io.BytesIO()
    def makefile(self, mode, *_more):
        return self.received if "r" in mode else self.sent
    def sendall(self, data):
        self.sent.write(data)
    def settimeout(self, *_more): pass
    def setsockopt(self, *_more): pass
    def shutdown(self, *_more): pass
    def close(self): pass
def get(handler, path, method="GET", **more):
    "What a handler class of http.server answers to one request for a path."
    connection = _Connection(f"{method} {path} HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n")
    class _Server:
        server_name, server_port, server_address = "localhost", 80, ("localhost", 80)
    handler(connection, ("127.0.0.1", 1), _Server(), **more)
    return connection.sent.getvalue().decode("latin-1")
_known_files = None
"""


def _listing(context: Context) -> Prepared:
    benign = context.values("benign", [])
    payloads = context.values("payloads", ["/", "/docs/", "/docs"])
    calls = tuple(
        call(context, index, {"payload": payload}, prelude=_LISTING, default="get(entry, payload, directory=base)")
        for index, payload in enumerate([*benign, *payloads])
    )

    def judge(one: Seen) -> Judged:
        if mentions(one.result, context.canary):
            return Judged(True, "the answer to a folder's address names the files in it")
        return Judged(False)

    return Prepared(calls, each(judge), benign=len(benign))


ORACLES = (
    Oracle(
        "path-traversal",
        "CWE-22",
        "Paths that lead out of a folder `base`; insecure when the secret beside it comes back or is written to.",
        {
            **COMMON,
            "effect": "`read` (default), `write` (with `content`) or `delete`",
            "symlink": "whether a link in the folder leads out as well; true for reading",
        },
        _traversal,
        _SCRIPTS,
    ),
    Oracle(
        "zip-slip",
        "CWE-22",
        "Archives (`archive`, a path) whose entries lead out of `target`; insecure when one is written there.",
        COMMON,
        _zip_slip,
    ),
    Oracle("tar-slip", "CWE-22", "As zip-slip, with tar files and a link in them.", COMMON, _tar_slip),
    Oracle(
        "directory-listing",
        "CWE-548",
        "Requests for folders (`get(handler, path, directory=base)`); insecure when the answer names their files.",
        COMMON,
        _listing,
    ),
)
