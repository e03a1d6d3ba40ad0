"""Rewrite exported graphs with Winograd's convolution, which saves a third of VGG16's time.

A 3 x 3 convolution computes a 4 x 4 square of outputs from a 6 x 6 square of inputs. Direct
computation takes 144 multiplications for each pair of channels; Winograd's F(4 x 4, 3 x 3) takes
36, between three linear maps. With B, G and A from the points 0, 1, -1, 2, -2 and infinity,

    output = A' [ sum over input channels of (G kernel G') * (B' input B) ] A

where * multiplies entry by entry. The sum is 36 matrix products; the maps around it are Kronecker
products. The first map, which also cuts out the overlapping squares, is a convolution with stride
4. The maps cost memory traffic, so this pays off for large convolutions only: those of VGG16 and
one of GoogLeNet. The exporter compares the result with torch.

References
----------
A. Lavin and S. Gray, "Fast algorithms for convolutional neural networks", CVPR 2016.
"""

from typing import Any, NamedTuple

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import helper, numpy_helper

from lmkl_core.features.onnx_parts import OnnxParts

LEAST_WORK = 3e8
"""Multiplications per crop from which it pays off (measured: VGG16's convolutions take 0.46e9 to
1.85e9, GoogLeNet's largest 0.35e9; ResNet50's take 0.12e9 and became slower)."""

LARGEST_SIDE = 128  # beyond this the maps move too much memory

_SQUARE, _PATCH = 4, 6

_B = np.array(
    [
        [4, 0, -5, 0, 1, 0],
        [0, -4, -4, 1, 1, 0],
        [0, 4, -4, -1, 1, 0],
        [0, -2, -1, 2, 1, 0],
        [0, 2, -1, -2, 1, 0],
        [0, 4, 0, -5, 0, 1],
    ]
)
_G = np.array([[6, 0, 0], [-4, -4, -4], [-4, 4, -4], [1, 2, 4], [1, -2, 4], [0, 0, 24]]) / 24
_A = np.array([[1, 1, 1, 1, 1, 0], [0, 1, -1, 2, -2, 0], [0, 1, 1, 4, 4, 0], [0, 1, -1, 8, -8, 1]])


class _Convolution(NamedTuple):
    source: str
    target: str
    kernel: NDArray[np.float32]
    bias: NDArray[np.float32]
    side: int


def rewritten(model: bytes, least_work: float = LEAST_WORK) -> bytes | None:
    """Rewrite the large convolutions of a graph with folded constants; None if it has none."""
    proto = onnx.shape_inference.infer_shapes(onnx.load_from_string(model))
    graph = proto.graph
    constants = {item.name: item for item in graph.initializer}
    shapes = {
        item.name: [size.dim_value for size in item.type.tensor_type.shape.dim]
        for item in (*graph.value_info, *graph.input)
    }
    nodes: list[Any] = []
    count = 0
    for node in graph.node:
        found = _qualifying(node, constants, shapes, least_work)
        if found is None:
            nodes.append(node)
            continue
        part = _Part(f"winograd{count}/")
        part.convolve(found)
        nodes += part.nodes
        graph.initializer.extend(part.constants)
        count += 1
    if count == 0:
        return None
    del graph.node[:]
    graph.node.extend(nodes)
    del graph.value_info[:]
    _drop_unused_constants(graph)
    return proto.SerializeToString()


def _qualifying(
    node: Any, constants: dict[str, Any], shapes: dict[str, list[int]], least_work: float
) -> _Convolution | None:
    """Return the convolution if it is 3 x 3, dense, with stride 1, padded by 1, and large."""
    if node.op_type != "Conv" or node.input[1] not in constants:
        return None
    given = {item.name: helper.get_attribute_value(item) for item in node.attribute}
    plain = {"group": 1, "strides": [1, 1], "dilations": [1, 1], "auto_pad": b"NOTSET"}
    is_plain = all(given.get(name, value) == value for name, value in plain.items())
    if not is_plain or given.get("pads") != [1, 1, 1, 1]:
        return None
    kernel = numpy_helper.to_array(constants[node.input[1]])
    shape = shapes.get(node.input[0], [])
    if kernel.shape[2:] != (3, 3) or len(shape) != 4 or shape[2] != shape[3]:
        return None
    side = shape[2]
    if kernel.size * side**2 < least_work or not 0 < side <= LARGEST_SIDE:
        return None
    bias = np.zeros(len(kernel), np.float32)
    if len(node.input) > 2:
        if node.input[2] not in constants:
            return None
        bias = numpy_helper.to_array(constants[node.input[2]])
    return _Convolution(node.input[0], node.output[0], kernel, bias, side)


class _Part(OnnxParts):
    """The nodes and constants that replace a convolution."""

    def convolve(self, conv: _Convolution) -> None:
        """Add the formula of the module's docstring for all squares of a crop at once."""
        outputs, inputs = conv.kernel.shape[:2]
        squares = -(-conv.side // _SQUARE)
        x = self._mapped_patches(conv.source, inputs, conv.side, squares)
        x = self.node("MatMul", self._kernel(conv.kernel), x)
        x = self._reshape(x, _PATCH**2, outputs * squares**2)
        x = self.node("MatMul", self._kronecker(_A), x)
        x = self._reshape(x, _SQUARE**2 * outputs, squares, squares)
        x = self.node("DepthToSpace", x, blocksize=_SQUARE)
        if conv.side % _SQUARE:
            ends = self.int64(conv.side, conv.side)
            x = self.node("Slice", x, self.int64(0, 0), ends, self.int64(2, 3))
        bias = self.float32(conv.bias.reshape(1, outputs, 1, 1))
        self.add("Add", [x, bias], [conv.target])

    def _mapped_patches(self, x: str, channels: int, side: int, squares: int) -> str:
        """Return B' input B of the overlapping 6 x 6 squares, as a convolution with stride 4.

        Each channel is convolved separately, with one kernel per entry of the result.
        """
        rest = _SQUARE * squares + 1 - side
        x = self.node("Reshape", x, self.int64(-1, 1, side, side))
        kernels = np.kron(_B, _B).reshape(_PATCH**2, 1, _PATCH, _PATCH)
        x = self.node(
            "Conv",
            x,
            self.float32(kernels),
            strides=[_SQUARE, _SQUARE],
            pads=[1, 1, rest, rest],
        )
        x = self._reshape(x, channels, _PATCH**2, squares**2)
        return self.node("Transpose", x, perm=[0, 2, 1, 3])

    def _kernel(self, kernel: NDArray[np.float32]) -> str:
        """Return G kernel G', computed by onnxruntime at loading to keep the file small."""
        outputs, inputs = kernel.shape[:2]
        flat = self.float32(kernel.reshape(-1, 9).T)
        mapped = self.node("MatMul", self._kronecker(_G), flat)
        return self.node("Reshape", mapped, self.int64(_PATCH**2, outputs, inputs))

    def _kronecker(self, matrix: NDArray[Any]) -> str:
        return self.float32(np.kron(matrix, matrix))

    def _reshape(self, x: str, *shape: int) -> str:
        return self.node("Reshape", x, self.int64(-1, *shape))


def _drop_unused_constants(graph: Any) -> None:
    used = {name for node in graph.node for name in node.input}
    kept = [item for item in graph.initializer if item.name in used]
    del graph.initializer[:]
    graph.initializer.extend(kept)
