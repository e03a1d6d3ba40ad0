"""onnxruntime as an engine: float32 on the CPU, one thread per call.

The threads of an onnxruntime session synchronise after every layer, those of `EnginePool` once per
frame. Measured, the pool took as long when cores were free and half as long when they were busy,
and a crop gives the same bits in any batch.
"""

import tempfile
from pathlib import Path

import numpy as np
import onnxruntime
from numpy.typing import NDArray

# Windows builds have another kind of telemetry, which the environment variables of
# `lmkl_core.features` do not switch off.
onnxruntime.disable_telemetry_events()

_ERRORS_ONLY = 3


class OnnxEngine:
    """Run an exported graph with onnxruntime, ``optimised`` or exactly as written."""

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
    """Return the options of every session: single-threaded and deterministic."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
    options.use_deterministic_compute = True
    options.log_severity_level = _ERRORS_ONLY
    return options


def simplified(model: bytes) -> bytes:
    """Return the graph with constants folded, in standard operators that run on any machine."""
    options = session_options()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "simplified.onnx")
        options.optimized_model_filepath = str(path)
        onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        return path.read_bytes()
