"""A file of the Open Neural Network Exchange format, run by onnxruntime."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

from gate.errors import UsageError
from gate.suites.perturbation.models.model import Model

_TYPES = {
    "tensor(float)": "float32",
    "tensor(double)": "float64",
    "tensor(float16)": "float16",
    "tensor(int64)": "int64",
    "tensor(int32)": "int32",
    "tensor(bool)": "bool",
    "tensor(string)": "object",
}


def recognised(candidate: Any) -> Model | None:
    """A model of a path that ends in `.onnx`, or of an onnxruntime session; None for anything else."""
    if isinstance(candidate, str | Path) and str(candidate).endswith(".onnx"):
        return _of_session(_session(Path(candidate)), f"ONNX file {Path(candidate).name}")
    if type(candidate).__name__ == "InferenceSession" and type(candidate).__module__.startswith("onnxruntime"):
        return _of_session(candidate, "ONNX session")
    return None


def _session(path: Path) -> Any:
    try:
        onnxruntime: Any = importlib.import_module("onnxruntime")
    except ImportError as error:
        raise UsageError(
            "an ONNX file needs onnxruntime, which is not installed", where=str(path), remedy="install onnxruntime"
        ) from error
    if not path.is_file():
        raise UsageError("there is no such ONNX file", where=str(path), remedy="check the path")
    try:
        return onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime has no base class of its own for a file that it can't read
        raise UsageError(
            f"onnxruntime can't read it: {error!s:.200}", where=str(path), remedy="export the model again"
        ) from error


def _of_session(session: Any, name: str) -> Model:
    output, kind = _output(session.get_outputs(), name)

    def call(rows: Any) -> Any:
        return session.run([output], _feed(session.get_inputs(), rows, name))[0]

    return Model(name, call, kind, thread_safe=True)


def _output(outputs: Any, name: str) -> tuple[str, Any]:
    """The output that says most: scores by class, then probabilities, then a label, else the only one."""
    for output in outputs:
        if output.type.startswith("seq(map("):
            return output.name, "probabilities"
    for output in outputs:
        if "prob" in output.name.lower() and output.type in ("tensor(float)", "tensor(double)"):
            return output.name, "probabilities"
    for output in outputs:
        if output.type in ("tensor(string)", "tensor(int64)"):
            return output.name, "labels"
    if len(outputs) == 1:
        return outputs[0].name, None
    told = ", ".join(output.name for output in outputs)
    raise UsageError(f"{name} has the outputs {told}, and none is known", remedy="give a callable that picks one")


def _feed(inputs: Any, rows: Any, name: str) -> dict[str, Any]:
    """The whole matrix for a single input, else one (m, 1) column for each input by its name."""
    import numpy as np

    if len(inputs) == 1:
        values = rows if isinstance(rows, list) else np.asarray(rows)
        return {inputs[0].name: np.asarray(values, dtype=_dtype(inputs[0], name))}
    known = [str(column) for column in getattr(rows, "columns", ())]
    missing = [given.name for given in inputs if given.name not in known]
    if missing:
        raise UsageError(
            f"{name} takes the column {missing[0]!r:.60}, which the rows lack",
            remedy="give a data frame with the columns that the file names",
        )
    return {given.name: np.asarray(rows[given.name], dtype=_dtype(given, name)).reshape(-1, 1) for given in inputs}


def _dtype(given: Any, name: str) -> str:
    if given.type not in _TYPES:
        raise UsageError(f"{name} takes {given.type}, which is no column", remedy="give a callable that prepares it")
    return _TYPES[given.type]
