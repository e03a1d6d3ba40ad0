"""The liveness networks, with weights from files that the tests create."""

import numpy as np
import pytest
from safetensors.numpy import save_file

from benchmarks.minifasnet import minifasnet_state, minifasnet_widths
from lmkl_core.errors import InvalidInputError
from lmkl_core.features.engines.build import onnx_graph
from lmkl_core.features.engines.onnx_engine import OnnxEngine
from lmkl_core.features.engines.probe import reference_crops
from lmkl_core.features.engines.torch_engine import TorchEngine
from lmkl_core.features.networks.filling import LARGEST_WIDTH, State, fill
from lmkl_core.features.networks.registry import NETWORKS, Graph, Output
from tests.features.minifasnet_weights import NAMES, reference_outputs, small_widths

BOTH = pytest.mark.parametrize("name", NAMES)
OUTPUTS = (Output("embedding", "mean", "none"), Output("live", "mean", "none"))


def filled(name, state):
    spec = NETWORKS[name]
    return fill(spec, State(spec, state, "x.pth"))


@BOTH
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


@BOTH
def test_that_names_without_the_prefix_are_accepted(name):
    state = minifasnet_state(name, small_widths(name))
    plain = {key.removeprefix("module."): value for key, value in state.items()}
    assert len(filled(name, plain)) == 2


LINEAR, FIRST, NARROW, LAST = (
    f"module.{layer}.weight"
    for layer in ("linear", "conv1.conv", "conv_4.model.2.conv.conv", "conv_4.model.2.project.conv")
)


DIFFERENCES = [
    ({NARROW: None}, r"conv_4\.model\.2\.conv\.conv\.weight is missing"),
    ({NARROW: (9, 8, 1, 1)}, r"conv_4\.model\.2\.conv\.conv\.weight has shape \(9, 8, 1, 1\)"),
    ({LAST: (9, 5, 1, 1)}, r"conv_4\.model\.2\.project\.bn\.weight has shape"),
    ({LINEAR: (64, 54)}, r"linear\.weight has shape \(64, 54\) instead of \(128, 54, 1, 1\)"),
    ({FIRST: ()}, r"conv1\.conv\.weight has shape \(\) instead"),
    ({FIRST: (0, 3, 3, 3)}, r"conv1\.conv\.weight has shape \(0, 3, 3, 3\) instead"),
    ({FIRST: (2 * LARGEST_WIDTH, 3, 3, 3)}, "conv1.conv.weight has shape"),
    ({"module.more.weight": (1,)}, r"more\.weight is not part"),
]


def test_that_a_file_with_other_shapes_is_refused():
    whole = minifasnet_state("minifasnet-v2", small_widths("minifasnet-v2"))
    for change, difference in DIFFERENCES:
        state = {key: value for key, value in whole.items() if key not in change}
        for key, shape in change.items():
            if shape is not None:
                state[key] = np.zeros(shape, np.float32)
        with pytest.raises(InvalidInputError, match=rf"minifasnet-v2: {difference}"):
            filled("minifasnet-v2", state)


def test_that_a_residual_block_with_another_width_is_refused():
    state = minifasnet_state("minifasnet-v2", small_widths("minifasnet-v2"))
    at = "module.conv_4.model.2.project"
    state[f"{at}.conv.weight"] = np.ones((9, *state[f"{at}.conv.weight"].shape[1:]), np.float32)
    for key in ("weight", "bias", "running_mean", "running_var"):
        state[f"{at}.bn.{key}"] = np.ones(9, np.float32)
    with pytest.raises(InvalidInputError, match="ends with 9 channels instead of 15"):
        filled("minifasnet-v2", state)
