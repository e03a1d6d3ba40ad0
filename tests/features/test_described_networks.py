"""ONNX graphs of described networks, compared with torch and with independent networks."""

import numpy as np
import onnx
import pytest
import torch
from efficientnet_lite_pytorch import EfficientNet
from safetensors.numpy import save_file

from benchmarks.minifasnet import minifasnet_state, minifasnet_widths
from lmkl_core.errors import InvalidInputError
from lmkl_core.features.engines.build import onnx_graph
from lmkl_core.features.engines.onnx_engine import OnnxEngine
from lmkl_core.features.engines.probe import LIMIT, reference_crops, relative_difference
from lmkl_core.features.engines.torch_engine import TorchEngine
from lmkl_core.features.networks.filling import LARGEST_WIDTH, State, fill
from lmkl_core.features.networks.registry import NETWORKS, Graph, Output
from lmkl_core.features.presets.preset import CHOICES
from tests.features.minifasnet_weights import NAMES, reference_outputs, small_widths

MINIFASNETS = pytest.mark.parametrize("name", NAMES)


def lite0_graph(size, layers, photometry="none", pooling="mean", normalisation="none"):
    outputs = tuple(Output(layer, pooling, normalisation) for layer in layers)
    return Graph("efficientnet-lite0", size, photometry, outputs)


# The sides become 38, 19, 10, 5 and 3: odd and even ones are padded differently.
@pytest.mark.parametrize("size", [224, 75])
def test_that_every_layer_agrees_with_the_independent_network(lite0, size):
    theirs = EfficientNet.from_name("efficientnet-lite0", image_size=size).eval()
    theirs.load_state_dict(torch.load(lite0, weights_only=True))
    parts = [
        lambda y: theirs._swish(theirs._bn0(theirs._conv_stem(y))),
        *theirs._blocks,
        lambda y: theirs._swish(theirs._bn1(theirs._conv_head(y))),
    ]
    crops = reference_crops(size)
    y = torch.from_numpy(crops).permute(0, 3, 1, 2) / 127.5 - 1
    expected = []
    with torch.inference_mode():
        for part in parts:
            y = part(y)
            expected.append(y.mean((2, 3)).numpy())
    names = ["stem", *(f"block{number}" for number in range(16)), "head"]
    graph = lite0_graph(size, names)
    for engine in (OnnxEngine(onnx_graph(graph, lite0)), TorchEngine(graph, lite0)):
        for name, found, reference in zip(names, engine.run(crops), expected, strict=True):
            assert relative_difference([found], [reference]) < LIMIT, (engine.name, name)


@pytest.mark.parametrize("photometry", CHOICES["photometry"])
def test_that_photometry_pooling_and_norms_agree_with_torch(lite0, photometry):
    outputs = tuple(
        Output(layer, pooling, normalisation)
        for layer in ("block2", "stem")
        for pooling in CHOICES["pooling"]
        for normalisation in CHOICES["normalisation"]
    )
    graph = Graph("efficientnet-lite0", 64, photometry, outputs)
    crops = reference_crops(64)
    crops[0], crops[1] = 0, 128  # without contrast
    found = OnnxEngine(onnx_graph(graph, lite0)).run(crops)
    expected = TorchEngine(graph, lite0).run(crops)
    assert [rows.shape for rows in found] == [(4, columns) for columns in graph.columns]
    assert all(np.isfinite(rows).all() for rows in (*found, *expected))
    # The deviation of a constant channel is rounding, which differs between engines.
    varied = [[rows[2:] for rows in views] for views in (found, expected)]
    assert relative_difference(*varied) < LIMIT


def test_that_nothing_after_the_deepest_layer_is_written(lite0):
    shallow, deep = (onnx_graph(lite0_graph(64, (layer,)), lite0) for layer in ("block1", "block7"))
    assert len(deep) > 2 * len(shallow)
    kinds = [node.op_type for node in onnx.load_from_string(shallow).graph.node]
    assert kinds.count("Conv") == 1 + 2 + 3
    assert not {"BatchNormalization", "Pad"} & set(kinds)


# ------------------------------------------------- MiniFASNet

OUTPUTS = (Output("embedding", "mean", "none"), Output("live", "mean", "none"))


def filled(name, state):
    spec = NETWORKS[name]
    return fill(spec, State(spec, state, "x.pth"))


@MINIFASNETS
@pytest.mark.parametrize("widths", [minifasnet_widths, small_widths])
def test_that_embedding_and_probabilities_follow_the_published_structure(tmp_path, name, widths):
    state = minifasnet_state(name, widths(name))
    save_file(state, tmp_path / "w.pth")
    crops = reference_crops(80)
    graph, path = Graph(name, 80, "none", OUTPUTS), tmp_path / "w.pth"
    for engine in (OnnxEngine(onnx_graph(graph, path)), TorchEngine(graph, path)):
        found = engine.run(crops)
        assert [rows.shape for rows in found] == [(4, 128), (4, 3)]
        assert found[1].sum(axis=1) == pytest.approx(1, rel=1e-5)
        for rows, expected in zip(found, reference_outputs(state, crops), strict=True):
            assert rows == pytest.approx(expected, rel=1e-3, abs=1e-4)


@MINIFASNETS
def test_that_names_without_the_prefix_are_accepted(name):
    state = minifasnet_state(name, small_widths(name))
    plain = {key.removeprefix("module."): value for key, value in state.items()}
    assert len(filled(name, plain)) == 2


LINEAR, FIRST, NARROW = (
    f"module.{layer}.weight" for layer in ("linear", "conv1.conv", "conv_4.model.2.conv.conv")
)
LAST = "module.conv_4.model.2.project"
OTHER_WIDTH = {f"{LAST}.conv.weight": (9, 5, 1, 1)}
OTHER_NORM = {f"{LAST}.bn.{key}": (9,) for key in ("weight", "bias", "running_mean", "running_var")}
DIFFERENCES = [
    ({NARROW: (9, 8, 1, 1)}, r"conv_4\.model\.2\.conv\.conv\.weight has shape \(9, 8, 1, 1\)"),
    (OTHER_WIDTH, r"conv_4\.model\.2\.project\.bn\.weight has shape"),
    (OTHER_WIDTH | OTHER_NORM, "a block ends with 9 channels instead of 15"),
    ({LINEAR: (64, 54)}, r"linear\.weight has shape \(64, 54\) instead of \(128, 54, 1, 1\)"),
    ({FIRST: ()}, r"conv1\.conv\.weight has shape \(\) instead"),
    ({FIRST: (0, 3, 3, 3)}, r"conv1\.conv\.weight has shape \(0, 3, 3, 3\) instead"),
    ({FIRST: (2 * LARGEST_WIDTH, 3, 3, 3)}, "conv1.conv.weight has shape"),
]


def test_that_a_file_with_other_shapes_is_refused():
    state = minifasnet_state("minifasnet-v2", small_widths("minifasnet-v2"))
    for shapes, difference in DIFFERENCES:
        changed = {key: np.ones(shape, np.float32) for key, shape in shapes.items()}
        with pytest.raises(InvalidInputError, match=f"minifasnet-v2: {difference}"):
            filled("minifasnet-v2", state | changed)
