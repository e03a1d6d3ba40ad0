"""Export a model's scorer as an ONNX file, for other programs."""

import json
import os
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from app.models.model import PadModel
from lmkl_core.errors import ModelFileError
from lmkl_core.features.scorer_onnx import Parity, ParityError, compare, scorer_graph
from lmkl_core.system.files import write_atomically

SUFFIX = ".onnx"
FORMAT = "lmkl-pad scorer"
FORMAT_VERSION = 1


@dataclass(frozen=True)
class OnnxExport:
    """An exported scorer, compared with its model in onnxruntime."""

    path: str
    n_bytes: int
    parity: Parity

    @property
    def statement(self) -> str:
        """What was checked."""
        return (
            f"Compared in onnxruntime: {self.parity.n_rows} scores, with their contributions and "
            f"memberships, differ by at most {self.parity.largest:.1e}."
        )


def export_scorer(model: PadModel, path: str | os.PathLike[str]) -> OnnxExport:
    """Compare a model's scorer with its ONNX graph in onnxruntime, then write the graph.

    Raises `InvalidInputError` for a kernel that ONNX cannot express, and `ModelFileError` if the
    graph differs from the model or cannot be written; an older file then stays.
    """
    target = Path(path)
    graph = scorer_graph(
        model.estimator,
        metadata=metadata_of(model),
        description=_description(model),
        version=version("lmkl-pad"),
    )
    try:
        parity = compare(graph, model.estimator)
    except ParityError as error:
        raise ModelFileError(
            f"{error}: nothing was written, so use the model file instead."
        ) from error
    try:
        write_atomically(target, graph)
    except OSError as error:
        raise ModelFileError(
            f"The scorer cannot be written to {target} ({error.strerror or error}): "
            "choose another folder."
        ) from error
    return OnnxExport(str(target), len(graph), parity)


def metadata_of(model: PadModel) -> dict[str, str]:
    """Return the metadata of the file; values that are not text are JSON."""
    estimator = model.estimator
    calibration = estimator.calibration_
    support = estimator.support_views()
    kernels = zip(support.items(), estimator.kernels_, strict=True)
    views = [
        {"name": name, "columns": array.shape[1], "kernel": kernel.name}
        for (name, array), kernel in kernels
    ]
    return {
        "format": FORMAT,
        "format_version": str(FORMAT_VERSION),
        "model_digest": model.digest,
        "created": "" if model.created is None else model.created.isoformat(),
        "views": json.dumps(views),
        # Views computed in any other way have other values, for which no threshold holds.
        "features": json.dumps(model.features, sort_keys=True),
        "threshold": repr(model.threshold),
        "threshold_origin": str(calibration.origin),
        "threshold_statement": str(calibration.statement),
        "target_bpcer": json.dumps(calibration.target_bpcer),
        "decision": "accepted (bona fide) when score >= threshold",
        "simulated": json.dumps(model.is_simulated),
    }


def _description(model: PadModel) -> str:
    simulated = " Made from simulated recordings." if model.is_simulated else ""
    return (
        "Scores how bona fide a face is: one input per view, higher is more genuine, accepted "
        f"when score >= threshold. Holds biometric features of the enrolled people.{simulated}"
    )
