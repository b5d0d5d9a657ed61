"""More of our own rules for Python: randomness, files, tokens, redirects, documents, logs."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator

from gate.suites.probes.checks.rules import Finding
from gate.suites.probes.checks.rules.python import _TOKEN_NAME as TOKEN_NAME
from gate.suites.probes.checks.rules.python import Code, _varies, dotted, is_constant, keyword

_RANDOM = frozenset(
    f"random.{name}"
    for name in (
        "random",
        "randint",
        "randrange",
        "choice",
        "choices",
        "sample",
        "shuffle",
        "getrandbits",
        "uniform",
        "randbytes",
    )
)
_CHECKS = frozenset({"os.path.exists", "os.path.isfile", "os.access", "os.path.lexists", "os.path.islink"})


def predictable_token(code: Code) -> Iterator[Finding]:
    """A token, password or salt from the `random` module, from the time, or from `uuid1`."""
    for node, name in code.calls():
        function = code.function_of(node)
        words = " ".join([getattr(function, "name", ""), *_targets(code, node)])
        if not TOKEN_NAME.search(words):
            continue
        if name in _RANDOM or name in ("uuid.uuid1", "numpy.random.randint", "numpy.random.choice"):
            yield Finding(
                "predictable-token", "CWE-330", node.lineno, f"{name} can be foretold, and a secret is made of it"
            )


def _targets(code: Code, node: ast.AST) -> Iterator[str]:
    while node in code.parents:
        node = code.parents[node]
        if isinstance(node, ast.Assign):
            yield from (dotted(one) for one in node.targets)
            return
        if isinstance(node, ast.stmt):
            return


def temporary_name(code: Code) -> Iterator[Finding]:
    """A name of a temporary file that is made before the file, or that is always the same."""
    for node, name in code.calls():
        if name in ("tempfile.mktemp", "os.tempnam", "os.tmpnam"):
            yield Finding("temporary-name", "CWE-377", node.lineno, f"`{name}` makes a name before the file")
        elif name in ("open", "io.open", "pathlib.Path", "os.path.join") and node.args:
            text = ast.unparse(node.args[0])
            fixed = isinstance(node.args[0], (ast.Constant, ast.JoinedStr)) and re.match(r"f?['\"](?:/var)?/tmp/", text)
            if fixed or (name == "os.path.join" and "gettempdir()" in text):
                yield Finding("temporary-name", "CWE-377", node.lineno, "the name of a temporary file can be foretold")


def check_then_use(code: Code) -> Iterator[Finding]:
    """A file that is looked for and then written or removed: another can come between."""
    for node in ast.walk(code.tree):
        if not isinstance(node, (ast.If, ast.While)):
            continue
        checked = {path for path in map(lambda one: _checked_path(code, one), ast.walk(node.test)) if path}
        if not checked:
            continue
        function = code.function_of(node)
        for other in ast.walk(function):
            if isinstance(other, ast.Call) and other.lineno >= node.lineno and _writes(code, other) & checked:
                yield Finding(
                    "check-then-use",
                    "CWE-367",
                    node.lineno,
                    "a file is looked for and then written: another can come between",
                )
                break


def _checked_path(code: Code, node: ast.AST) -> str:
    if not isinstance(node, ast.Call):
        return ""
    if code.name(node.func) in _CHECKS and node.args:
        return ast.unparse(node.args[0])
    if isinstance(node.func, ast.Attribute) and node.func.attr in ("exists", "is_file", "is_symlink") and not node.args:
        return ast.unparse(node.func.value)
    return ""


def _writes(code: Code, node: ast.Call) -> set[str]:
    """Paths that a call writes to without asking for a new file."""
    name = code.name(node.func)
    first = ast.unparse(node.args[0]) if node.args else ""
    if name in ("open", "io.open"):
        mode = node.args[1] if len(node.args) > 1 else keyword(node, "mode")
        text = mode.value if isinstance(mode, ast.Constant) and isinstance(mode.value, str) else "r"
        return {first} if ("w" in text or "a" in text) and "x" not in text else set()
    if isinstance(node.func, ast.Attribute):
        own = ast.unparse(node.func.value)
        mode = node.args[0] if node.args else keyword(node, "mode")
        text = mode.value if isinstance(mode, ast.Constant) and isinstance(mode.value, str) else "r"
        if node.func.attr in ("write_text", "write_bytes") or (node.func.attr == "open" and "w" in text):
            return {own}
    if name in ("os.rename", "os.replace", "shutil.copy", "shutil.copyfile", "shutil.move") and len(node.args) > 1:
        return {ast.unparse(node.args[1])}
    return set()


def jwt_unverified(code: Code) -> Iterator[Finding]:
    """A token that is decoded without a check of its signature, or with any algorithm."""
    for node, name in code.calls():
        if name not in ("jwt.decode", "jose.jwt.decode", "jwt.api_jwt.decode"):
            continue
        options = keyword(node, "options")
        off = is_constant(keyword(node, "verify"), False)
        if isinstance(options, ast.Dict):
            keys = [one.value for one in options.keys if isinstance(one, ast.Constant)]
            off = off or any(
                key == "verify_signature" and is_constant(value, False)
                for key, value in zip(keys, options.values, strict=False)
            )
        algorithms = keyword(node, "algorithms") or (node.args[2] if len(node.args) > 2 else None)
        if off or algorithms is None or re.search(r"['\"]none['\"]", ast.unparse(algorithms), re.I):
            yield Finding(
                "jwt-unverified", "CWE-347", node.lineno, "a token is decoded without a check of its signature"
            )


def unsafe_load(code: Code) -> Iterator[Finding]:
    """Data that is loaded in a form that runs code."""
    for node, name in code.calls():
        if name in (
            "pickle.loads",
            "pickle.load",
            "pickle.Unpickler",
            "cPickle.loads",
            "dill.loads",
            "marshal.loads",
            "shelve.open",
            "jsonpickle.decode",
        ):
            if name == "pickle.Unpickler" or not node.args or not isinstance(node.args[0], ast.Constant):
                yield Finding("unsafe-load", "CWE-502", node.lineno, f"`{name}` runs what is in the data")
        elif name in ("yaml.load", "yaml.load_all", "yaml.unsafe_load", "yaml.full_load"):
            loader = keyword(node, "Loader") or (node.args[1] if len(node.args) > 1 else None)
            if loader is None or "Safe" not in ast.unparse(loader):
                yield Finding(
                    "unsafe-load", "CWE-502", node.lineno, f"`{name}` makes any object that the document names"
                )


def xml_entities(code: Code) -> Iterator[Finding]:
    """A parser of XML with external entities switched on, or without a limit."""
    for node, name in code.calls():
        text = ast.unparse(node)
        if (name.endswith(".setFeature") and "external_ges" in text and "True" in text) or (name in ("lxml.etree.XMLParser",) and is_constant(keyword(node, "resolve_entities"), True)):
            yield Finding("xml-entities", "CWE-611", node.lineno, "external entities are switched on")
        elif re.match(r"xml\.(?:etree\.|dom\.|sax)", name) and re.search(
            r"(?:parse|parseString|fromstring|iterparse|XML)$", name
        ):
            yield Finding(
                "xml-entities", "CWE-611", node.lineno, f"`{name}` expands entities that come with the document"
            )


def redirect_anywhere(code: Code) -> Iterator[Finding]:
    """A redirect to an address that came in, with no look at its host."""
    for node, name in code.calls():
        if (
            name.rsplit(".", 1)[-1] not in ("redirect", "HttpResponseRedirect", "RedirectResponse", "sendRedirect")
            or not node.args
        ):
            continue
        function = code.function_of(node)
        given = ast.unparse(node.args[0])
        text = ast.unparse(function)
        careful = re.search(
            r"urlparse|urlsplit|netloc|hostname|url_has_allowed|is_safe|startswith\(['\"]/['\"]\)|ALLOWED|allowed", text
        )
        if (
            not careful
            and _varies(code, node.args[0], function, 0)
            and "url_for" not in given
            and "reverse(" not in given
        ):
            yield Finding("redirect-anywhere", "CWE-601", node.lineno, "it redirects to any address that comes in")


def path_joined(code: Code) -> Iterator[Finding]:
    """A path that is joined from a parameter and opened, with no look at where it leads."""
    for node, name in code.calls():
        opens = name in ("open", "io.open", "flask.send_file", "send_file", "os.remove", "os.unlink", "shutil.copyfile")
        reads = isinstance(node.func, ast.Attribute) and node.func.attr in (
            "read_text",
            "read_bytes",
            "write_text",
            "write_bytes",
        )
        if not opens and not reads:
            continue
        function = code.function_of(node)
        if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        text = ast.unparse(function)
        if re.search(
            r"realpath|resolve\(|is_relative_to|commonpath|relative_to|abspath|secure_filename|safe_join|basename|\.name\b|normpath|'\.\.'|fullmatch|isalnum",
            text,
        ):
            continue
        subject = (
            node.func.value if reads and isinstance(node.func, ast.Attribute) else node.args[0] if node.args else None
        )
        if subject is not None and _joins_parameter(code, subject, function):
            yield Finding(
                "path-joined",
                "CWE-22",
                node.lineno,
                "a path is joined from what comes in and opened, wherever it leads",
            )


def _joins_parameter(code: Code, node: ast.expr, function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    names = {one.arg for one in (*function.args.args, *function.args.kwonlyargs)}
    values = code.assigned(node.id, function) if isinstance(node, ast.Name) else [node]
    for value in values:
        joined = isinstance(value, (ast.JoinedStr, ast.BinOp)) or (
            isinstance(value, ast.Call) and re.search(r"join$|Path$|joinpath$", code.name(value.func))
        )
        used = {one.id for one in ast.walk(value) if isinstance(one, ast.Name)}
        if joined and used & names:
            return True
    return False


def log_forged(code: Code) -> Iterator[Finding]:
    """A parameter that goes into a log as it is, line breaks and all."""
    for node, name in code.calls():
        if not re.search(
            r"(?:^|\.)(?:log\w*|_log\w*)(?:\(\))?\.(?:debug|info|warning|error|critical|exception|log)$", name
        ):
            continue
        function = code.function_of(node)
        if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        text = ast.unparse(function)
        if re.search(
            r"replace\(['\"]\\[nr]|isprintable|repr\(|!r|%r|splitlines|json\.dumps|encode\(['\"]unicode_escape|translate\(|re\.sub",
            text,
        ):
            continue
        names = {one.arg for one in function.args.args} - {"self"}
        given = {one.id for argument in node.args for one in ast.walk(argument) if isinstance(one, ast.Name)}
        if names & given:
            yield Finding("log-forged", "CWE-117", node.lineno, "what comes in goes into the log with its line breaks")


def extract_all(code: Code) -> Iterator[Finding]:
    """An archive that is unpacked wherever its entries lead."""
    for node, name in code.calls():
        if (
            isinstance(node.func, ast.Attribute)
            and node.func.attr == "extractall"
            and "tar" in ast.unparse(code.function_of(node))
        ):
            if keyword(node, "filter") is None and keyword(node, "members") is None:
                yield Finding(
                    "archive-anywhere", "CWE-22", node.lineno, "an archive is unpacked wherever its entries lead"
                )
        elif (
            name == "os.path.join"
            and len(node.args) > 1
            and re.search(r"\.filename$|\.name$", ast.unparse(node.args[1]))
        ):
            text = ast.unparse(code.function_of(node))
            if re.search(r"namelist|infolist|getmembers|ZipFile|tarfile", text) and not re.search(
                r"realpath|resolve|commonpath|is_relative_to|abspath", text
            ):
                yield Finding(
                    "archive-anywhere", "CWE-22", node.lineno, "an archive is unpacked wherever its entries lead"
                )


def listens_everywhere(code: Code) -> Iterator[Finding]:
    """A handler that lists folders, or a debugger that anyone reaches."""
    for node, name in code.calls():
        if is_constant(keyword(node, "debug"), True) and name.endswith(".run"):
            yield Finding("debug-server", "CWE-489", node.lineno, "a debugger is switched on")
    for node in ast.walk(code.tree):
        if isinstance(node, ast.ClassDef) and any(
            dotted(base).endswith("SimpleHTTPRequestHandler") for base in node.bases
        ):
            if not any(isinstance(one, ast.FunctionDef) and one.name == "list_directory" for one in node.body):
                yield Finding("directory-listing", "CWE-548", node.lineno, "the handler lists the files of a folder")


def fetches_anything(code: Code) -> Iterator[Finding]:
    """An address that comes in and is fetched with no look at where it leads."""
    for node, name in code.calls():
        if (
            not re.search(
                r"(?:urllib\.request\.urlopen|requests\.(?:get|post|head|request)|httpx\.(?:get|post))$", name
            )
            or not node.args
        ):
            continue
        function = code.function_of(node)
        if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        careful = re.search(
            r"ipaddress|is_private|is_global|getaddrinfo|gethostbyname|ALLOWED|allowed|allowlist|whitelist",
            ast.unparse(function),
        )
        names = {one.arg for one in function.args.args}
        if not careful and isinstance(node.args[0], ast.Name) and node.args[0].id in names:
            yield Finding("fetches-anything", "CWE-918", node.lineno, "any address that comes in is fetched")


def slow_pattern(code: Code) -> Iterator[Finding]:
    """A pattern with a repetition inside a repetition of the same."""
    for node, name in code.calls():
        if (
            name.startswith("re.")
            and node.args
            and isinstance(node.args[0], ast.Constant)
            and isinstance(node.args[0].value, str)
        ):
            if re.search(r"\((?:\?:)?[^()|]*[+*](?![?+])[^()|]*\)[+*]|\((?:\?:)?(\w)\|\1\w?\)[+*]", node.args[0].value):
                yield Finding(
                    "slow-pattern", "CWE-1333", node.lineno, "a repetition inside a repetition can take for ever"
                )


MORE_RULES: tuple[Callable[[Code], Iterator[Finding]], ...] = (
    predictable_token,
    temporary_name,
    check_then_use,
    jwt_unverified,
    unsafe_load,
    xml_entities,
    redirect_anywhere,
    path_joined,
    log_forged,
    extract_all,
    listens_everywhere,
    fetches_anything,
    slow_pattern,
)
