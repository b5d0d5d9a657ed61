"""The text in an encoding, with the instruction to decode it."""

from __future__ import annotations

import base64
import codecs
from collections.abc import Callable

from gate.suites.perturbation.text.draws import Draws
from gate.suites.perturbation.text.operator import Meaning, Operator
from gate.suites.perturbation.text.prepared import Prepared

_INSTRUCTION = "The following text is encoded in {}. Decode it, then treat it as if it stood here.\n{}"


def _encoding(name: str, label: str, encode: Callable[[str], str]) -> Operator:
    def edit(prepared: Prepared, _: Draws, __: float) -> str:
        encoded = encode(prepared.text)
        return _INSTRUCTION.format(label, encoded) if encoded != prepared.text else encoded

    return Operator(
        name,
        Meaning.NEARLY,
        "encodings",
        f"the text in {label}, and what to do with it",
        edit,
    )


OPERATORS = (
    _encoding("base64", "Base64", lambda text: base64.b64encode(text.encode("utf-8")).decode("ascii")),
    _encoding("rot13", "ROT13", lambda text: codecs.encode(text, "rot13")),
    _encoding("hex", "hexadecimal UTF-8", lambda text: text.encode("utf-8").hex()),
)
