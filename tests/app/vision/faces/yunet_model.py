"""An ONNX file with YuNet's inputs and outputs whose "faces" are pure red patches.

The real file cannot be shipped or fetched here. This one follows known rules, so the input and
output of OpenCV's real ``FaceDetectorYN`` can be checked number by number: on the grid of stride 8,
a cell's score is its redness (red minus blue), its face is `BOX` pixels large about the cell's
centre, and its landmarks are at `LANDMARKS` from that centre.
"""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

STRIDES = (8, 16, 32)
BOX = (48.0, 64.0)
LANDMARKS = np.array([(-10, -8), (10, -8), (0, 2), (-8, 12), (8, 12)], dtype=float)


def write_yunet(path, outputs=("cls", "obj", "bbox", "kps")):
    """Write the network; without all outputs it is unusable."""
    nodes, tensors, results = [], [], []

    def constant(name, values, dtype=np.float32):
        tensors.append(numpy_helper.from_array(np.asarray(values, dtype), name))
        return name

    # OpenCV passes blue, green, red: the third channel minus the first.
    constant("redness", np.array([-1, 0, 1]).reshape(1, 3, 1, 1) / 255)
    constant("zero", 0.0)
    constant("one", 1.0)
    nodes.append(helper.make_node("Conv", ["input", "redness"], ["red"], kernel_shape=[1, 1]))
    for stride in STRIDES:
        grid = {"kernel_shape": [stride, stride], "strides": [stride, stride]}
        nodes.append(helper.make_node("AveragePool", ["red"], [f"mean_{stride}"], **grid))
        # Only the finest grid has faces.
        weight = 1.0 if stride == STRIDES[0] else 0.0
        heads = {
            "cls": (weight, [0.0]),
            "obj": (weight, [0.0]),
            "bbox": (0.0, [0.5, 0.5, *np.log(np.array(BOX) / stride)]),
            "kps": (0.0, (LANDMARKS / stride + 0.5).ravel()),
        }
        for head in outputs:
            factor, bias = heads[head]
            name, width = f"{head}_{stride}", len(bias)
            kernel = constant(f"w_{name}", np.full((width, 1, 1, 1), factor))
            offset = constant(f"b_{name}", bias)
            shape = constant(f"s_{name}", [1, -1, width], np.int64)
            conv = [f"mean_{stride}", kernel, offset]
            last = ["Clip", [f"conv_{name}", "zero", "one"]]
            source = f"conv_{name}"
            nodes.append(helper.make_node("Conv", conv, [source], kernel_shape=[1, 1]))
            if head in ("cls", "obj"):
                nodes.append(helper.make_node(*last, [f"clip_{name}"]))
                source = f"clip_{name}"
            order = {"perm": [0, 2, 3, 1]}
            nodes.append(helper.make_node("Transpose", [source], [f"t_{name}"], **order))
            nodes.append(helper.make_node("Reshape", [f"t_{name}", shape], [name]))
            results.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, None, width]))
    image = helper.make_tensor_value_info("input", TensorProto.FLOAT, [1, 3, "height", "width"])
    graph = helper.make_graph(nodes, "red patches", [image], results, tensors)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 11)], ir_version=7)
    onnx.checker.check_model(model)
    path.write_bytes(model.SerializeToString())
    return path
