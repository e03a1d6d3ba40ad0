"""Photometry, truncation, pooling and normalisation, compared with NumPy."""

import numpy as np
import pytest
import torch

from lmkl_core.features.networks.filling import State
from lmkl_core.features.networks.registry import NETWORKS, Graph, Output
from lmkl_core.features.networks.torch_networks import Truncated, load_network

SIZE = 64


@pytest.fixture(scope="module")
def stages(lite0):
    spec = NETWORKS["efficientnet-lite0"]
    return load_network(spec, State.read(spec, lite0))


@pytest.fixture(scope="module")
def crops():
    # At most 80, so that three times as much light does not saturate.
    generator = torch.manual_seed(0)
    return torch.randint(5, 81, (3, SIZE, SIZE, 3), dtype=torch.uint8, generator=generator)


def views(stages, crops, *outputs, photometry="none"):
    graph = Graph("efficientnet-lite0", crops.shape[1], photometry, outputs)
    with torch.inference_mode():
        return [view.numpy() for view in Truncated(graph, stages)(crops)]


def maps(stages, crops, layers):
    """Return the feature maps of the stages, with explicit scaling."""
    x = ((crops.double() / 255 - 0.5) / 0.5).float().permute(0, 3, 1, 2)
    with torch.inference_mode():
        for stage in stages[:layers]:
            x = stage(x)
    return x.numpy().astype(np.float64)


def test_that_pooling_and_norms_agree_with_numpy_in_the_requested_order(stages, crops):
    area = maps(stages, crops, 6)
    mean, std = area.mean((2, 3)), area.std((2, 3))
    both = np.hstack([mean, std])

    def unit(rows):
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    expected = {
        ("mean+std", "none"): both,
        ("mean", "none"): mean,
        ("std", "none"): std,
        ("mean+std", "l2"): unit(both),
        ("mean+std", "l2-each"): np.hstack([unit(mean), unit(std)]) / np.sqrt(2),
        ("mean", "l2"): unit(mean),
        ("mean", "l2-each"): unit(mean),
        ("std", "l2-each"): unit(std),
    }
    outputs = [Output("block4", *how) for how in expected]
    *found, early = views(stages, crops, *outputs, Output("stem", "mean", "none"))
    for how, rows in zip(expected, found, strict=True):
        np.testing.assert_allclose(rows, expected[how], rtol=1e-4, atol=1e-5, err_msg=str(how))
    stem = maps(stages, crops, 1).mean((2, 3))
    np.testing.assert_allclose(early, stem, rtol=1e-4, atol=1e-5)
    module = Truncated(Graph("efficientnet-lite0", SIZE, "none", tuple(outputs)), stages)
    assert len(module.stages) == 6, "stem and blocks 0 to 4"


LAYER = Output("block2", "mean+std", "l2")


def relative(a, b):
    return float(np.abs(a - b).max() / np.abs(a).max())


def test_that_grey_world_removes_colour_and_strength_of_the_light(stages, crops):
    lit = crops * torch.tensor([3, 1, 2], dtype=torch.uint8)
    (a,) = views(stages, crops, LAYER, photometry="grey-world")
    (b,) = views(stages, lit, LAYER, photometry="grey-world")
    assert relative(a, b) < 1e-5
    assert relative(views(stages, crops, LAYER)[0], views(stages, lit, LAYER)[0]) > 0.1


def test_that_standardising_removes_contrast_and_grey_world_does_not(stages, crops):
    contrasted = crops * 2 + 50
    (a,) = views(stages, crops, LAYER, photometry="standardise")
    (b,) = views(stages, contrasted, LAYER, photometry="standardise")
    assert relative(a, b) < 1e-5
    (a,) = views(stages, crops, LAYER, photometry="grey-world")
    (b,) = views(stages, contrasted, LAYER, photometry="grey-world")
    assert relative(a, b) > 0.01


@pytest.mark.parametrize("photometry", ["none", "grey-world", "standardise"])
def test_that_crops_without_any_contrast_give_finite_views(stages, photometry):
    flat = torch.tensor([0, 1, 128, 255], dtype=torch.uint8).reshape(4, 1, 1, 1)
    crops = flat.expand(4, SIZE, SIZE, 3)
    each = Output("block7", "mean+std", "l2-each")
    for view in views(
        stages, crops, LAYER, each, Output("head", "std", "l2"), photometry=photometry
    ):
        assert np.isfinite(view).all()
        np.testing.assert_allclose(np.linalg.norm(view, axis=1), 1, rtol=1e-5)
