"""Winograd's convolution, compared with the direct one."""

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import helper, numpy_helper

from lmkl_core.features.engines import winograd
from lmkl_core.features.engines.winograd import rewritten


def convolution(side=12, inputs=5, outputs=7, kernel=3, bias=True, **attributes):
    """Return a model of one convolution with random weights."""
    random = np.random.default_rng(0)
    weights = random.normal(size=(outputs, inputs, kernel, kernel)).astype(np.float32)
    values = [numpy_helper.from_array(weights, "k")]
    if bias:
        values.append(numpy_helper.from_array(weights[:, 0, 0, 0].copy(), "b"))
    attributes = {"pads": [1, 1, 1, 1]} | attributes
    node = helper.make_node("Conv", ["x", "k", "b"][: 2 + bias], ["y"], **attributes)
    graph = helper.make_graph(
        [node],
        "one",
        [helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, ["n", inputs, side, side])],
        [helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, None)],
        values,
    )
    opset = helper.make_opsetid("", 18)
    return helper.make_model(graph, opset_imports=[opset], ir_version=9).SerializeToString()


def run(model, x):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    return session.run(None, {"x": x})[0]


def constants(model):
    return [item.name for item in onnx.load_from_string(model).graph.initializer]


@pytest.mark.parametrize("side", [1, 3, 4, 6, 14, 27])
def test_that_values_agree_with_the_direct_convolution(side):
    direct = convolution(side=side, bias=side % 2 == 0)
    fast = rewritten(direct, least_work=0)
    assert "k" not in constants(fast)
    x = np.random.default_rng(1).normal(size=(3, 5, side, side)).astype(np.float32)
    expected = run(direct, x)
    np.testing.assert_allclose(run(fast, x), expected, atol=1e-5 * np.abs(expected).max())


def test_that_a_crop_gives_the_same_bits_alone_and_in_a_batch():
    fast = rewritten(convolution(side=28, inputs=16, outputs=24), least_work=0)
    x = np.random.default_rng(1).normal(size=(5, 16, 28, 28)).astype(np.float32)
    together = run(fast, x)
    for number in range(5):
        assert np.array_equal(run(fast, x[number : number + 1])[0], together[number])


def test_that_other_convolutions_are_not_rewritten():
    for model in (
        convolution(strides=[2, 2]),
        convolution(dilations=[2, 2], pads=[2, 2, 2, 2]),
        convolution(pads=[0, 0, 0, 0]),
        convolution(pads=[0, 0, 1, 1]),
        convolution(kernel=5, pads=[1, 1, 1, 1]),
        convolution(side=winograd.LARGEST_SIDE + 1),
    ):
        assert rewritten(model, least_work=0) is None


def test_that_only_large_convolutions_are_rewritten():
    assert rewritten(convolution()) is None
    assert rewritten(convolution(side=56, inputs=256, outputs=256)) is not None
