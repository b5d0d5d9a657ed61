"""More of our own rules for Python: randomness, files, tokens, redirects, documents, logs."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator

from gate.suites.probes.checks.rules import Finding
from gate.suites.probes.checks.rules.files import check_then_use, extract_all, path_joined, temporary_name
from gate.suites.probes.checks.rules.python import TOKEN_NAME
from gate.suites.probes.checks.rules.secrets import hard_coded_secret
from gate.suites.probes.checks.rules.tree import Code, dotted, is_constant, keyword, varies_in

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
        switched = name.endswith(".setFeature") and "external_ges" in text and "True" in text
        if switched or (name == "lxml.etree.XMLParser" and is_constant(keyword(node, "resolve_entities"), True)):
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
        text = code.text_of(function)
        careful = re.search(
            r"urlparse|urlsplit|netloc|hostname|url_has_allowed|is_safe|startswith\(['\"]/['\"]\)|ALLOWED|allowed", text
        )
        if (
            not careful
            and varies_in(code, node.args[0], function, 0)
            and "url_for" not in given
            and "reverse(" not in given
        ):
            yield Finding("redirect-anywhere", "CWE-601", node.lineno, "it redirects to any address that comes in")


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
        text = code.text_of(function)
        if re.search(
            r"replace\(['\"]\\[nr]|isprintable|repr\(|!r|%r|splitlines|json\.dumps|encode\(['\"]unicode_escape|translate\(|re\.sub",
            text,
        ):
            continue
        names = {one.arg for one in function.args.args} - {"self"}
        given = {one.id for argument in node.args for one in ast.walk(argument) if isinstance(one, ast.Name)}
        if names & given:
            yield Finding("log-forged", "CWE-117", node.lineno, "what comes in goes into the log with its line breaks")


def listens_everywhere(code: Code) -> Iterator[Finding]:
    """A handler that lists folders, or a debugger that anyone reaches."""
    for node, name in code.calls():
        if is_constant(keyword(node, "debug"), True) and name.endswith(".run"):
            yield Finding("debug-server", "CWE-489", node.lineno, "a debugger is switched on")
    for one in ast.walk(code.tree):
        if isinstance(one, ast.ClassDef) and any(
            dotted(base).endswith("SimpleHTTPRequestHandler") for base in one.bases
        ):
            own = {method.name for method in one.body if isinstance(method, ast.FunctionDef)}
            if "list_directory" not in own:
                yield Finding("directory-listing", "CWE-548", one.lineno, "the handler lists the files of a folder")


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
            code.text_of(function),
        )
        names = {one.arg for one in function.args.args}
        if not careful and isinstance(node.args[0], ast.Name) and node.args[0].id in names:
            yield Finding("fetches-anything", "CWE-918", node.lineno, "any address that comes in is fetched")


_NESTED = re.compile(r"\((?:\?:)?[^()|]*[+*](?![?+])[^()|]*\)[+*]|\((?:\?:)?(\w)\|\1\w?\)[+*]")


def slow_pattern(code: Code) -> Iterator[Finding]:
    """A pattern with a repetition inside a repetition of the same."""
    for node, name in code.calls():
        first = node.args[0] if node.args and name.startswith("re.") else None
        if isinstance(first, ast.Constant) and isinstance(first.value, str) and _NESTED.search(first.value):
            yield Finding("slow-pattern", "CWE-1333", node.lineno, "a repetition inside a repetition can take for ever")


MORE_RULES: tuple[Callable[[Code], Iterator[Finding]], ...] = (
    hard_coded_secret,
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
