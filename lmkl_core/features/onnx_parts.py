"""Collect the nodes and constants of an ONNX graph and name them."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from onnx import NodeProto, TensorProto, checker, helper, numpy_helper


class OnnxParts:
    """The parts of a graph; every generated name starts with ``prefix``.

    Names are C identifiers: the standard asks for them, and some converters insist.
    """

    def __init__(self, prefix: str = "") -> None:
        self.prefix = prefix
        self.nodes: list[NodeProto] = []
        self.constants: list[TensorProto] = []

    def node(self, operator: str, *inputs: str, name: str = "", **attributes: Any) -> str:
        """Add a node with one output; return the output's name."""
        output = name or f"{self.prefix}{operator}_{len(self.nodes)}"
        self.add(operator, list(inputs), [output], **attributes)
        return output

    def add(self, operator: str, inputs: list[str], outputs: list[str], **attributes: Any) -> None:
        """Add a node with several outputs."""
        name = f"{self.prefix}node_{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, inputs, outputs, name, **attributes))

    def constant(self, value: ArrayLike, dtype: Any = None, name: str = "") -> str:
        """Add a constant; return its name."""
        name = name or f"{self.prefix}constant_{len(self.constants)}"
        array = np.ascontiguousarray(value, dtype=dtype).reshape(np.shape(value))
        self.constants.append(numpy_helper.from_array(array, name))
        return name

    def float32(self, value: ArrayLike) -> str:
        """Add a constant of single precision."""
        return self.constant(value, np.float32)

    def int64(self, *values: int) -> str:
        """Add a list of integers, such as axes or a shape."""
        return self.constant(np.array(values, np.int64))

    def model(
        self,
        name: str,
        inputs: list[Any],
        outputs: list[Any],
        *,
        opset: int,
        metadata: Mapping[str, str] | None = None,
        **properties: Any,
    ) -> bytes:
        """Return a model of all parts, checked and serialised."""
        graph = helper.make_graph(self.nodes, name, inputs, outputs, self.constants)
        opset_id = helper.make_opsetid("", opset)
        model = helper.make_model(graph, opset_imports=[opset_id], **properties)
        helper.set_model_props(model, dict(metadata or {}))
        checker.check_model(model, full_check=True)
        return bytes(model.SerializeToString())
