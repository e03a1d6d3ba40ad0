"""Write the ONNX graph of a described network directly from its weights.

The graph computes what `networks.torch_networks` defines: photometry, scaling, the layers up to the
deepest one in use, pooling and normalisation. Tests compare the two.
"""

import math
from pathlib import Path

import numpy as np
from onnx import TensorProto, helper

from lmkl_core.features.networks.filling import Filled, FilledConv, State, fill
from lmkl_core.features.networks.registry import (
    DARKEST,
    FLATTEST,
    GREY,
    OPSET,
    SMALLEST_NORM,
    SPREAD,
    VARIANCE_FLOOR,
    Graph,
    Output,
)
from lmkl_core.features.onnx_parts import OnnxParts

IR_VERSION = 8

_AREA = (2, 3)


def onnx_graph(graph: Graph, weights: Path) -> bytes:
    """Return the ONNX graph of a described network with the weights of a file."""
    layers = fill(graph.spec, State.read(graph.spec, weights))
    writer = _Writer(graph)
    outputs = writer.write(layers)
    crops = helper.make_tensor_value_info(
        "crops", TensorProto.UINT8, ["n", graph.size, graph.size, 3]
    )
    views = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", columns])
        for name, columns in zip(outputs, graph.columns, strict=True)
    ]
    return writer.model(graph.network, [crops], views, opset=OPSET, ir_version=IR_VERSION)


class _Writer(OnnxParts):
    """The parts of one graph; methods take and return names of feature maps."""

    def __init__(self, graph: Graph) -> None:
        super().__init__()
        self._graph = graph
        self._side = graph.size

    def write(self, layers: tuple[tuple[Filled, ...], ...]) -> list[str]:
        """Add everything; return the names of the outputs, in the graph's order."""
        graph, spec = self._graph, self._graph.spec
        wanted = [spec.place(output.layer) for output in graph.outputs]
        x = self._input()
        pooled: dict[int, str] = {}
        for place, steps in enumerate(layers[: max(wanted) + 1]):
            x = self._steps(x, steps)
            for number, output in enumerate(graph.outputs):
                if wanted[number] == place:
                    pooled[number] = self._pooled(x, output, f"view{number}")
        return [pooled[number] for number in range(len(wanted))]

    def _input(self) -> str:
        spec = self._graph.spec
        x = self.node("Transpose", "crops", perm=[0, 3, 1, 2])
        x = self._apply_photometry(self.node("Cast", x, to=TensorProto.FLOAT))
        mean, std = (np.array(values).reshape(1, 3, 1, 1) for values in (spec.mean, spec.std))
        x = self.node("Mul", x, self.float32(1 / (255 * std)))
        x = self.node("Add", x, self.float32(-mean / std))
        return self.node("Gather", x, self.int64(2, 1, 0), axis=1) if spec.is_bgr else x

    def _apply_photometry(self, x: str) -> str:
        photometry = self._graph.photometry
        if photometry == "none":
            return x
        mean = self._mean(x)
        if photometry == "grey-world":
            mean = self.node("Max", mean, self.float32(DARKEST))
            return self.node("Mul", x, self.node("Div", self.float32(GREY), mean))
        x = self.node("Sub", x, mean)
        std = self.node("Sqrt", self._mean(self.node("Mul", x, x)))
        gain = self.node("Div", self.float32(SPREAD), self.node("Max", std, self.float32(FLATTEST)))
        return self.node("Add", self.node("Mul", x, gain), self.float32(GREY))

    def _steps(self, x: str, steps: tuple[Filled, ...]) -> str:
        for filled in steps:
            if isinstance(filled, FilledConv):
                x = self._convolution(x, filled)
            elif not filled.excites:
                x = self.node("Add", x, self._steps(x, filled.steps))
            else:
                side, self._side = self._side, 1
                x = self.node("Mul", x, self._steps(self._mean(x), filled.steps))
                self._side = side
        return x

    def _convolution(self, x: str, filled: FilledConv) -> str:
        step = filled.step
        before, after = step.pads(self._side)
        self._side = (self._side + before + after - step.kernel) // step.stride + 1
        x = self.node(
            "Conv",
            x,
            self.float32(filled.kernel),
            self.float32(filled.bias),
            kernel_shape=[step.kernel] * 2,
            strides=[step.stride] * 2,
            pads=[before, before, after, after],
            group=filled.groups,
        )
        match step.activation:
            case "relu":
                return self.node("Relu", x)
            case "relu6":
                return self.node("Clip", x, self.float32(0.0), self.float32(6.0))
            case "prelu":
                assert filled.slope is not None
                # As sums and products: onnxruntime's own PReLU took half of the whole time.
                slope = filled.slope.reshape(-1, 1, 1)
                negative = self.node("Mul", x, self.float32(slope))
                positive = self.node("Mul", self.node("Relu", x), self.float32(1 - slope))
                return self.node("Add", negative, positive)
            case "sigmoid":
                return self.node("Sigmoid", x)
            case "softmax":
                return self.node("Softmax", x, axis=1)
        return x

    def _pooled(self, x: str, output: Output, name: str) -> str:
        mean = self._mean(x)
        parts = []
        if "mean" in output.pooling:
            parts.append(self.node("Flatten", mean))
        if "std" in output.pooling:
            distance = self.node("Sub", x, mean)
            variance = self._mean(self.node("Mul", distance, distance))
            floored = self.node("Add", self.node("Flatten", variance), self.float32(VARIANCE_FLOOR))
            parts.append(self.node("Sqrt", floored))
        if output.normalisation == "l2-each":
            share = self.float32(1 / math.sqrt(len(parts)))
            joined = self.node("Concat", *map(self._unit, parts), axis=1)
            return self.node("Mul", joined, share, name=name)
        joined = self.node("Concat", *parts, axis=1)
        if output.normalisation == "l2":
            joined = self._unit(joined)
        return self.node("Identity", joined, name=name)

    def _mean(self, x: str) -> str:
        return self.node("ReduceMean", x, self.int64(*_AREA), keepdims=1)

    def _unit(self, vector: str) -> str:
        norm = self.node("ReduceL2", vector, self.int64(1), keepdims=1)
        return self.node("Div", vector, self.node("Max", norm, self.float32(SMALLEST_NORM)))
