"""onnxruntime as an engine: float32 on the CPU, one thread a call.

The threads of a session meet after every layer; those of `EnginePool` meet once a frame. Measured,
that took as long when cores were free and half as long when not, and a crop gives the same bits in
any batch.
"""

import tempfile
from pathlib import Path

import numpy as np
import onnxruntime
from numpy.typing import NDArray

# Windows builds report by another way, which the environment (`lmkl_core.features`) does not end.
onnxruntime.disable_telemetry_events()

_ERRORS_ONLY = 3


class OnnxEngine:
    """Run an exported graph with onnxruntime; not ``optimised``, as it is written."""

    name = "onnxruntime"
    brings_threads = False

    def __init__(self, model: bytes, optimised: bool = True) -> None:
        options = session_options()
        if not optimised:
            options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        self._session = onnxruntime.InferenceSession(
            model, options, providers=["CPUExecutionProvider"]
        )
        self.weight = len(model)

    def run(self, crops: NDArray[np.uint8]) -> list[NDArray[np.float32]]:
        """Compute the graph's outputs; see `Engine.run`."""
        return self._session.run(None, {"crops": np.ascontiguousarray(crops)})


def session_options() -> onnxruntime.SessionOptions:
    """Return the options of every session: no threads of its own, the same bits every time."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
    options.use_deterministic_compute = True
    options.log_severity_level = _ERRORS_ONLY
    return options


def simplified(model: bytes) -> bytes:
    """Return the graph with constants folded, in standard operators for any machine."""
    options = session_options()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "simplified.onnx")
        options.optimized_model_filepath = str(path)
        onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        return path.read_bytes()
