"""The liveness networks, built from the shapes of files that the tests make."""

import pytest
import torch

from benchmarks.minifasnet import minifasnet_shapes
from lmkl_core.errors import InvalidInputError
from lmkl_core.features.engines.reference import reference_crops
from lmkl_core.features.networks import Graph, Output, find_network
from lmkl_core.features.networks.minifasnet import LARGEST_WIDTH
from lmkl_core.features.networks.state_dict import load_network
from lmkl_core.features.networks.truncated import load_truncated
from tests.features.minifasnet_material import NAMES, small_shapes, state_of, written_out

BOTH = pytest.mark.parametrize("name", NAMES)
SHAPES = pytest.mark.parametrize("shapes", [minifasnet_shapes, small_shapes])
OUTPUTS = (Output("embedding", "mean", "none"), Output("live", "mean", "none"))


def saved(tmp_path, state):
    torch.save(state, tmp_path / "w.pth")
    return tmp_path / "w.pth"


@BOTH
@SHAPES
def test_that_embedding_and_probabilities_are_those_of_the_published_structure(
    tmp_path, name, shapes
):
    state = state_of(name, shapes(name))
    module = load_truncated(Graph(name, 80, "none", OUTPUTS), saved(tmp_path, state))
    crops = reference_crops(80)
    with torch.inference_mode():
        found = [output.numpy() for output in module(torch.from_numpy(crops))]
        expected = written_out(state, crops)
    assert [rows.shape for rows in found] == [(4, 128), (4, 3)]
    assert found[1].sum(axis=1) == pytest.approx(1, rel=1e-5)
    for one, other in zip(found, expected, strict=True):
        assert one == pytest.approx(other, rel=1e-3, abs=1e-4)


def test_that_the_published_networks_have_as_many_weights_as_their_files():
    sizes = []
    for name in NAMES:
        state = find_network(name).build(minifasnet_shapes(name)).body.state_dict()
        sizes.append(sum(v.numel() for k, v in state.items() if "num_batches" not in k))
    assert sizes == [444928, 444554]


@BOTH
def test_that_names_without_the_prefix_are_taken_too(tmp_path, name):
    state = state_of(name, small_shapes(name))
    plain = {key.removeprefix("module."): value for key, value in state.items()}
    assert len(load_network(find_network(name), saved(tmp_path, plain))) == 2


LINEAR, FIRST, NARROW = (
    f"module.{layer}.weight" for layer in ("linear", "conv1.conv", "conv_4.model.2.conv.conv")
)


@pytest.mark.parametrize(
    ("change", "difference"),
    [
        ({NARROW: None}, r"conv_4\.model\.2\.conv\.conv\.weight is missing"),
        ({NARROW: (9, 8, 1, 1)}, r"conv_4\.model\.2\.conv\.conv\.weight has shape \(9, 8, 1, 1\)"),
        ({LINEAR: (64, 54)}, r"linear\.weight has shape \(64, 54\) instead of \(128, 54\)"),
        ({FIRST: ()}, r"conv1\.conv\.weight has shape \(\) instead"),
        ({FIRST: (0, 3, 3, 3)}, r"conv1\.conv\.weight has shape \(0, 3, 3, 3\) instead"),
        ({FIRST: (2 * LARGEST_WIDTH, 3, 3, 3)}, "conv1.conv.weight has shape"),
        ({"module.more.weight": (1,)}, r"more\.weight has no place"),
    ],
)
def test_that_a_file_of_other_shapes_is_refused_in_one_sentence(tmp_path, change, difference):
    state = state_of("minifasnet-v2", small_shapes("minifasnet-v2"))
    for key, shape in change.items():
        state.pop(key, None)
        if shape is not None:
            state[key] = torch.zeros(shape)
    with pytest.raises(InvalidInputError, match=rf"does not fit minifasnet-v2: {difference}") as e:
        load_network(find_network("minifasnet-v2"), saved(tmp_path, state))
    assert "\n" not in str(e.value)


def test_that_one_networks_file_is_not_the_others(tmp_path):
    path = saved(tmp_path, state_of("minifasnet-v1se", small_shapes("minifasnet-v1se")))
    with pytest.raises(InvalidInputError, match="does not fit minifasnet-v2"):
        load_network(find_network("minifasnet-v2"), path)


@pytest.mark.parametrize("size", [64, 96])
def test_that_other_sizes_are_refused(size):
    with pytest.raises(InvalidInputError, match=f"takes crops of 80 pixels, not of {size}"):
        Graph("minifasnet-v2", size, "none", OUTPUTS)
