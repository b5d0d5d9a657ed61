"""Files: paths that leave their folder, archives that do, listings, races, temporary files."""

from __future__ import annotations

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
payload = payload.replace("{outside}", os.path.abspath("files/secret.txt")).replace("{base}", base)
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
payload = payload.replaceAll('{outside}', _path.join(_home, 'files/secret.txt')).replaceAll('{base}', base);
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
    symlink = bool(context.options.get("symlink", effect == "read"))
    default = "entry(base, payload)" if effect != "write" else "entry(base, payload, content)"
    calls = tuple(
        call(
            context,
            index,
            {"payload": payload, "symlink": symlink},
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


_RACE = """
import builtins, os, pathlib
path = os.path.abspath("race/target.txt")
os.makedirs(os.path.dirname(path))
victim = os.path.abspath("victim.txt")
with open(victim, "w") as _file:
    _file.write("precious")
_stat, _lstat, _access, _won = os.stat, os.lstat, os.access, []
def _win(name):
    try:
        same = os.path.abspath(os.fspath(name)) == path
    except TypeError:
        return
    if same and attack and not _won:
        _won.append(True)
        if how == "link":
            os.symlink(victim, path)
        else:
            with builtins.open(path, "w") as other:
                other.write("theirs")
def _raced(real):
    def instead(name, *more, **named):
        try:
            return real(name, *more, **named)
        except FileNotFoundError:
            _win(name)
            raise
    return instead
os.stat, os.lstat = _raced(_stat), _raced(_lstat)
def _checked(name, *more, **named):
    found = _access(name, *more, **named)
    if not found:
        _win(name)
    return found
os.access = _checked
content = "mine"
"""
_RACE_AFTER = """
os.stat, os.lstat, os.access = _stat, _lstat, _access
with open(victim) as _file:
    _victim = _file.read()
_target = open(path).read() if os.path.exists(path) else None
"""


def _race(context: Context) -> Prepared:
    ways = (("none", False), ("file", True), ("link", True))
    calls = tuple(
        call(
            context,
            index,
            {"how": how, "attack": attack},
            prelude=_RACE,
            default="entry(path, content)",
            after=_RACE_AFTER,
            extra="[_victim, _target, bool(_won)]",
        )
        for index, (how, attack) in enumerate(ways)
    )

    def judge(one: Seen) -> Judged:
        victim, target, won = one.extra if isinstance(one.extra, list) and len(one.extra) == 3 else ("", None, False)
        if won and victim != "precious":
            return Judged(True, "between the check and the use a link was put there, and another file was overwritten")
        if won and target is not None and "theirs" not in str(target):
            return Judged(True, "between the check and the use a file was made there, and it was overwritten")
        return Judged(False)

    return Prepared(calls, each(judge), benign=1)


_TEMP = """
import os, tempfile
os.umask(0o022)
temporary = os.path.abspath("../temporary")
os.makedirs(temporary, exist_ok=True)
os.environ["TMPDIR"] = temporary
tempfile.tempdir = temporary
victim = os.path.abspath("../victim.txt")
if not os.path.exists(victim):
    with open(victim, "w") as _file:
        _file.write("precious")
for _path in planted:
    _path = os.path.join(temporary, _path)
    if not os.path.lexists(_path):
        os.symlink(victim, _path)
_mktemp, _used = tempfile.mktemp, []
def _watched(*more, **named):
    _used.append("mktemp")
    return _mktemp(*more, **named)
tempfile.mktemp = _watched
_names, _modes = [], []
_open, _low = __builtins__["open"] if isinstance(__builtins__, dict) else __builtins__.open, os.open
def _note(path):
    try:
        path = os.path.abspath(os.fspath(path))
    except TypeError:
        return
    if path.startswith((temporary + os.sep, "/tmp/", "/var/tmp/")):
        _names.append(os.path.basename(path) if os.path.dirname(path) == temporary else path)
        try:
            _modes.append(os.lstat(path).st_mode & 0o777)
        except OSError:
            pass
import builtins
def _opened(path, *more, **named):
    found = _open(path, *more, **named)
    _note(path) if not isinstance(path, int) else None
    return found
def _low_opened(path, *more, **named):
    found = _low(path, *more, **named)
    _note(path)
    return found
builtins.open, os.open = _opened, _low_opened
import io
_io_open, io.open = io.open, _opened
content = "secret"
"""
_TEMP_AFTER = """
builtins.open, os.open, io.open = _open, _low, _io_open
with open(victim) as _file:
    _victim = _file.read()
for _text in [_result] if isinstance(_result, (str, os.PathLike)) else []:
    if os.path.isfile(_text):
        _note(_text)
"""


def _temp(context: Context) -> Prepared:
    planted = context.values("planted", [])
    calls = tuple(
        call(
            context,
            index,
            {"planted": list(planted) if index == 2 else []},
            prelude=_TEMP,
            default="entry(content)",
            after=_TEMP_AFTER,
            extra="[_names, _modes, _used, _victim]",
        )
        for index in range(3)
    )

    def judge(found: Sequence[Seen], _files: Mapping[str, bytes]) -> Judged:
        shown = [one.extra for one in found if one.ran and isinstance(one.extra, list) and len(one.extra) == 4]
        if not shown:
            return any_bad([Judged(None, one.outcome.told) for one in found])
        if any("mktemp" in used for _, _, used, _ in shown):
            return Judged(True, "a name was made before the file (`tempfile.mktemp`), so another can be first")
        if len(shown) > 1 and set(shown[0][0]) & set(shown[1][0]):
            return Judged(True, "the name is the same each time, so another can put a link there first")
        if any(victim != "precious" for *_, victim in shown):
            return Judged(True, "it wrote through a link that another had put there")
        open_modes = [mode for _, modes, _, _ in shown for mode in modes if isinstance(mode, int) and mode & 0o077]
        if open_modes:
            return Judged(True, f"others may read the file: its mode is {open_modes[0]:o}")
        return Judged(False, "names differ, and others may not read the file")

    return Prepared(calls, judge, benign=1)


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
    Oracle(
        "race",
        "CWE-367",
        "Puts a file or a link at `path` right after it was looked for; insecure when that is overwritten.",
        COMMON,
        _race,
    ),
    Oracle(
        "temp-file",
        "CWE-377",
        "Watches the temporary files of `entry(content)`; insecure when a name comes twice or others may read them.",
        {**COMMON, "planted": "names in the temporary folder at which a link lies in the last call"},
        _temp,
    ),
)
