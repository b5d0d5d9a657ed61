"""Takes the types out of TypeScript, so that node can run what is left.

The parser is tree-sitter's. What exists for the checker alone is replaced by spaces, so that every line stays where it
was; an `enum` becomes an object, and a parameter that declares a property assigns it. Namespaces, decorators and
`import =` are refused, since they mean more than types.
"""

from __future__ import annotations

from typing import Any

from gate.errors import GateError

_BLANK = frozenset(
    {
        "type_annotation",
        "type_parameters",
        "type_arguments",
        "type_alias_declaration",
        "interface_declaration",
        "ambient_declaration",
        "function_signature",
        "abstract_method_signature",
        "method_signature",
        "index_signature",
        "implements_clause",
        "accessibility_modifier",
        "override_modifier",
        "asserts_annotation",
        "type_predicate_annotation",
        "omitting_type_annotation",
        "opting_type_annotation",
        "adding_type_annotation",
    }
)
_REFUSED = frozenset(
    {"internal_module", "module", "import_alias", "decorator", "export_assignment", "import_require_clause"}
)
_KEYWORDS = frozenset({"readonly", "abstract", "declare"})


class UnsupportedSyntaxError(GateError):
    """The code needs more than taking its types out, or no parser for it is installed."""


def without_types(source: str) -> str:
    """JavaScript with the same lines.

    Raises:
        UnsupportedSyntaxError: see there.
    """
    try:
        from tree_sitter import Language, Parser
        from tree_sitter_typescript import language_typescript
    except ImportError as error:
        raise UnsupportedSyntaxError("no parser for TypeScript is installed (extra `probes`)") from error
    data = source.encode("utf-8", "replace")
    root = Parser(Language(language_typescript())).parse(data).root_node
    edits: list[tuple[int, int, bytes]] = []
    stack = [root]
    while stack:
        node = stack.pop()
        if _edit(node, data, edits):
            stack.extend(reversed(node.children))
    return _applied(data, edits).decode("utf-8")


def _edit(node: Any, data: bytes, edits: list[tuple[int, int, bytes]]) -> bool:  # noqa: C901, PLR0912 - one row a kind
    """Note what is to be replaced in one node; whether its children are to be looked at."""
    kind = node.type
    if kind in _REFUSED and node.is_named:
        raise UnsupportedSyntaxError(f"line {node.start_point[0] + 1}: {kind.replace('_', ' ')}")
    if kind in _BLANK or (kind in _KEYWORDS and not node.is_named):
        edits.append((node.start_byte, node.end_byte, b""))
        return False
    if kind in ("as_expression", "satisfies_expression"):
        edits.append((node.children[0].end_byte, node.end_byte, b""))
        return True
    if kind == "type_assertion":
        edits.append((node.start_byte, node.children[0].end_byte, b""))
        return True
    if kind == "non_null_expression":
        edits.append((node.end_byte - 1, node.end_byte, b""))
        return True
    if kind == "enum_declaration":
        edits.append((node.start_byte, node.end_byte, _enumeration(node, data)))
        return False
    if kind in ("import_statement", "export_statement"):
        if any(child.type == "type" and not child.is_named for child in node.children):
            edits.append((node.start_byte, node.end_byte, b""))
            return False
        if kind == "export_statement" and any(child.type in _BLANK for child in node.children):
            edits.append((node.start_byte, node.end_byte, b""))
            return False
    if kind in ("import_specifier", "export_specifier") and node.children[0].type == "type":
        after = node.next_sibling
        end = after.end_byte if after is not None and after.type == "," else node.end_byte
        edits.append((node.start_byte, end, b""))
        return False
    if kind == "optional_parameter":
        edits.extend((one.start_byte, one.end_byte, b"") for one in node.children if one.type == "?")
    if kind == "required_parameter" and node.children[0].type == "this":
        after = node.next_sibling
        edits.append((node.start_byte, after.end_byte if after.type == "," else node.end_byte, b""))
        return False
    if kind in ("public_field_definition", "method_definition", "variable_declarator"):
        edits.extend((one.start_byte, one.end_byte, b"") for one in node.children if one.type in ("?", "!"))
    if kind == "method_definition":
        _assign_properties(node, data, edits)
    return True


def _assign_properties(node: Any, data: bytes, edits: list[tuple[int, int, bytes]]) -> None:
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if name is None or body is None or data[name.start_byte : name.end_byte] != b"constructor":
        return
    named = []
    for one in node.child_by_field_name("parameters").named_children:
        declares = any(
            part.type in ("accessibility_modifier", "readonly", "override_modifier") for part in one.children
        )
        pattern = one.child_by_field_name("pattern")
        if declares and pattern is not None:
            named.append(data[pattern.start_byte : pattern.end_byte])
    if not named:
        return
    place = body.start_byte + 1
    for statement in body.named_children:
        text = data[statement.start_byte : statement.end_byte]
        if text.startswith(b"super("):
            place = statement.end_byte
            break
    edits.append((place, place, b"".join(b" this.%s = %s;" % (one, one) for one in named)))


def _enumeration(node: Any, data: bytes) -> bytes:
    """An object with the members both ways, as TypeScript makes it; on as many lines as before."""
    text = data[node.start_byte : node.end_byte]
    name_node, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    name = data[name_node.start_byte : name_node.end_byte]
    made = [b"var %s; (function (e) { let n = -1;" % name]
    for member in body.named_children:
        if member.type == "comment":
            continue
        key = member.children[0] if member.type == "enum_assignment" else member
        key_text = data[key.start_byte : key.end_byte].strip(b"'\"")
        value = member.child_by_field_name("value") if member.type == "enum_assignment" else None
        given = data[value.start_byte : value.end_byte].replace(b"\n", b" ") if value is not None else b"n + 1"
        made.append(
            b" n = e[%(key)s] = %(given)s; if (typeof n === 'number') e[n] = %(key)s;"
            % {b"key": b'"' + key_text + b'"', b"given": given}
        )
    made.append(b" })(%s || (%s = {}));" % (name, name))
    return b"".join(made) + b"\n" * text.count(b"\n")


def _applied(data: bytes, edits: list[tuple[int, int, bytes]]) -> bytes:
    parts, place = [], 0
    for start, end, text in sorted(edits, key=lambda edit: (edit[0], edit[1])):
        if start < place:
            continue
        parts.append(data[place:start])
        gone = data[start:end]
        parts.append(text or bytes(byte if byte in b"\r\n" else 32 for byte in gone))
        place = end
    parts.append(data[place:])
    return b"".join(parts)
