"""The scorer as an ONNX graph that runs without this library, compared with it after each export.

The graph holds what `lmkl_core.scorer` computes with, nothing of how it was learnt.
"""

from lmkl_core.features.scorer_onnx.graph import OUTPUTS, scorer_graph
from lmkl_core.features.scorer_onnx.parity import Parity, ParityError, compare

__all__ = ["OUTPUTS", "Parity", "ParityError", "compare", "scorer_graph"]
