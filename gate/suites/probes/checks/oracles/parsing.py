"""Documents that do more than hold data: XML with entities, pickles, YAML with objects."""

from __future__ import annotations

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
    texts,
)
from gate.suites.probes.checks.oracles.marker import MARK_LOOK, marked_judge

_XML = """
import os
with open("secret.txt", "w") as _file:
    _file.write(canary)
payload = payload.replace("{secret}", "file://" + os.path.abspath("secret.txt"))
with open("document.xml", "w") as _file:
    _file.write(payload)
payload_path = os.path.abspath("document.xml")
payload_bytes = payload.encode()
"""
_BOMB = "".join(f'<!ENTITY {name} "{("&" + before + ";") * 10}">' for before, name in zip("abcd", "bcde", strict=True))


def _xxe(context: Context) -> Prepared:
    body = context.text("document", "<root><name>&{entity};</name></root>")
    external = '<!DOCTYPE r [<!ENTITY x SYSTEM "{secret}">]>'
    parameter = '<!DOCTYPE r [<!ENTITY % p SYSTEM "{secret}"> %p; <!ENTITY x "none">]>'
    bomb = f'<!DOCTYPE r [<!ENTITY a "gatebomb">{_BOMB}]>'
    plain = body.replace("&{entity};", "plain")
    documents = [
        plain,
        *(f"{head}{body.replace('{entity}', name)}" for head, name in ((external, "x"), (parameter, "x"), (bomb, "e"))),
    ]
    calls = tuple(
        call(context, index, {"payload": document}, trap=_XML, watch=(".",)) for index, document in enumerate(documents)
    )

    def judge(one: Seen) -> Judged:
        if mentions(one.result, context.canary) or one.met("read", "secret.txt"):
            return Judged(True, "an external entity read a file of the machine")
        if one.met("opened", "secret.txt"):
            return Judged(None, "an external entity opened a file of the machine", spoiled=True)
        if sum(text.count("gatebomb") for text in texts(one.result)) >= 1_000 or mentions(one.result, "too large"):
            return Judged(True, "nested entities grew a thousandfold: nothing stops an entity bomb")
        return Judged(False)

    return Prepared(calls, each(judge), benign=1)


_PICKLE = """
import base64, io, os, pickle
class _Gadget:
    def __reduce__(self):
        return (os.system, ("echo 1 > " + os.path.abspath("marker"),))
class _Writer:
    def __reduce__(self):
        return (exec, ("open(" + repr(os.path.abspath("marker")) + ", 'w').write('1')",))
class _Within(dict):
    pass
_made = {"system": _Gadget, "exec": _Writer}[gadget]()
payload = pickle.dumps({"user": "ada", "more": _made} if nested else _made, protocol=protocol)
payload_base64 = base64.b64encode(payload).decode()
payload_hex = payload.hex()
payload_path = os.path.abspath("data.pickle")
with open(payload_path, "wb") as _file:
    _file.write(payload)
payload_file = io.BytesIO(payload)
"""
_YAML = """
import os
payload = payload.replace("{marker}", os.path.abspath("marker"))
payload_path = os.path.abspath("data.yaml")
with open(payload_path, "w") as _file:
    _file.write(payload)
"""
_YAML_PAYLOADS = (
    '!!python/object/apply:os.system ["echo 1 > {marker}"]',
    "!!python/object/apply:builtins.exec [\"open('{marker}', 'w').write('1')\"]",
    'name: !!python/object/apply:os.system ["echo 1 > {marker}"]',
    '!!python/object/new:os.system ["echo 1 > {marker}"]',
)


def _pickle(context: Context) -> Prepared:
    ways = [
        (gadget, nested, protocol) for gadget in ("system", "exec") for nested in (False, True) for protocol in (0, 4)
    ]
    calls = tuple(
        call(
            context,
            index,
            {"gadget": gadget, "nested": nested, "protocol": protocol},
            trap=_PICKLE,
            look=MARK_LOOK,
            watch=(".",),
        )
        for index, (gadget, nested, protocol) in enumerate(ways)
    )
    return Prepared(calls, marked_judge([None] * len(ways), "loading the data ran a command that was in it"))


def _yaml(context: Context) -> Prepared:
    benign = context.values("benign", ["name: ada"])
    attacks = context.values("payloads", _YAML_PAYLOADS)
    calls = tuple(
        call(context, index, {"payload": one}, trap=_YAML, look=MARK_LOOK, watch=(".",))
        for index, one in enumerate([*benign, *attacks])
    )
    judge = marked_judge([None] * len(attacks), "loading the document ran a command that was in it")
    return Prepared(calls, judge, benign=len(benign))


ORACLES = (
    Oracle(
        "xxe",
        "CWE-611",
        "Documents with an external entity, and with entities that grow (`payload`, `payload_bytes`, `payload_path`);"
        " insecure when the file's secret comes back or the text grows a thousandfold.",
        {**COMMON, "document": "its body, where `&{entity};` stands for the entity"},
        _xxe,
    ),
    Oracle(
        "pickle",
        "CWE-502",
        "Pickles that run a command (`payload`, `payload_base64`, `payload_hex`, `payload_path`, `payload_file`);"
        " insecure when its file is there afterwards.",
        COMMON,
        _pickle,
    ),
    Oracle(
        "yaml-load",
        "CWE-502",
        "YAML that makes objects (`payload`, `payload_path`); insecure when the file of its command is there.",
        COMMON,
        _yaml,
    ),
)
