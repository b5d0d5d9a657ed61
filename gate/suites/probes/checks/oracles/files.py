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
from gate.suites.probes.checks.oracles.native import ARGUMENTS, traversal

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
content = "content of " + canary[::-1]
base_path = pathlib.Path(base)
"""
_TREE_LOOK = """
import os
_found = sorted(os.path.relpath(os.path.join(_f, _n)) for _f, _d, _ns in os.walk(".") for _n in _ns
                if not os.path.islink(os.path.join(_f, _n)))
[_one for _one in _found if not _one.startswith("files/public/")]
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
    if context.language == "c":
        return traversal(context)
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
            trap=_TREE,
            look=_TREE_LOOK,
            watch=("files",),
            default=default,
        )
        for index, payload in enumerate([*benign, *payloads])
        if isinstance(payload, str)
    )

    def judge(one: Seen) -> Judged:
        if effect == "read" and (mentions(one.result, context.canary) or one.met("read", "secret.txt")):
            return Judged(True, "a path led to a file outside of the folder, which was read")
        if effect == "read" and one.met("opened", "secret.txt"):
            return Judged(None, "a path led to a file outside of the folder, which was opened", spoiled=True)
        before, after = one.before, one.after
        if not isinstance(before, list) or not isinstance(after, list):
            return Judged(None, "the folder can't be looked at", spoiled=True)
        deleted = [path for path in before if path not in after]
        if deleted:
            return Judged(True, f"a path led outside of the folder, and {deleted[0]!r} is gone")
        changed = [path for path in after if path not in before]
        changed += [path for kind, path in one.events if kind in _CHANGES and _is_outside(path)]
        if changed and effect != "read":
            return Judged(True, f"a path led outside of the folder, and {changed[0]!r} was written")
        return Judged(False)

    return Prepared(calls, each(judge), benign=len(benign))


_CHANGES = ("written", "created", "deleted")


def _is_outside(path: str) -> bool:
    """Whether something lies beside the public folder."""
    return path.startswith("files/") and not path.startswith("files/public/")


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
_ARCHIVE_LOOK = """
import os
_evil = [os.path.relpath(os.path.join(_f, _n), "out") for _f, _d, _ns in os.walk("out") for _n in _ns if "evil" in _n]
[_one for _one in _evil if not _one.startswith("target/")]
"""


def _slip(kind: str, tricks: tuple[str, ...], context: Context) -> Prepared:
    calls = tuple(
        call(
            context,
            index,
            {"kind": kind, "trick": trick},
            trap=_ARCHIVE,
            look=_ARCHIVE_LOOK,
            watch=("out",),
            default="entry(archive, target)",
        )
        for index, trick in enumerate(("none", *tricks))
    )

    def judge(one: Seen) -> Judged:
        if not isinstance(one.after, list):
            return Judged(None, "the folder can't be looked at", spoiled=True)
        made = one.met("created", "evil.txt")
        inside = not made or made.startswith("out/target/")
        evil = [*one.after, *([] if inside else [made.removeprefix("out/")])]
        if evil:
            return Judged(True, f"an entry of the archive was written to {evil[0]!r} outside of the target")
        return Judged(False)

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
"""


def _listing(context: Context) -> Prepared:
    benign = context.values("benign", [])
    payloads = context.values("payloads", ["/", "/docs/", "/docs"])
    calls = tuple(
        call(context, index, {"payload": payload}, trap=_LISTING, default="get(entry, payload, directory=base)")
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
            "arguments": f"{ARGUMENTS}; the folder is `files/public`",
        },
        _traversal,
        (*_SCRIPTS, "c"),
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
