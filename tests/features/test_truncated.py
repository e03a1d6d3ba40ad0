"""Photometry, truncation, pooling and normalisation, against numpy."""

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
    # Not above 80, so that a light three times as strong saturates nothing.
    generator = torch.manual_seed(0)
    return torch.randint(5, 81, (3, SIZE, SIZE, 3), dtype=torch.uint8, generator=generator)


def views(stages, crops, *outputs, photometry="none"):
    graph = Graph("efficientnet-lite0", crops.shape[1], photometry, outputs)
    with torch.inference_mode():
        return [view.numpy() for view in Truncated(graph, stages)(crops)]


def maps(stages, crops, layers):
    """Return what the stages give, with the scaling written out."""
    x = ((crops.double() / 255 - 0.5) / 0.5).float().permute(0, 3, 1, 2)
    with torch.inference_mode():
        for stage in stages[:layers]:
            x = stage(x)
    return x.numpy().astype(np.float64)


def test_that_pooling_takes_mean_and_standard_deviation_over_the_area(stages, crops):
    found = views(
        stages,
        crops,
        Output("block2", "mean", "none"),
        Output("block2", "std", "none"),
        Output("block2", "mean+std", "none"),
    )
    expected = maps(stages, crops, 4)
    mean, std = expected.mean((2, 3)), expected.std((2, 3))
    np.testing.assert_allclose(found[0], mean, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(found[1], std, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(found[2], np.hstack([mean, std]), rtol=1e-4, atol=1e-5)


def test_that_l2_divides_by_the_norm(stages, crops):
    plain, unit = views(
        stages, crops, Output("block4", "mean+std", "none"), Output("block4", "mean+std", "l2")
    )
    norm = np.linalg.norm(plain, axis=1, keepdims=True)
    np.testing.assert_allclose(unit, plain / norm, rtol=1e-5)


def test_that_l2_each_divides_each_statistic_by_its_own_norm(stages, crops):
    plain, unit = views(
        stages, crops, Output("block4", "mean+std", "none"), Output("block4", "mean+std", "l2-each")
    )
    halves = np.split(plain.astype(np.float64), 2, axis=1)
    expected = [half / np.linalg.norm(half, axis=1, keepdims=True) for half in halves]
    np.testing.assert_allclose(unit, np.hstack(expected) / np.sqrt(2), rtol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(unit, axis=1), 1, rtol=1e-5)


def test_that_l2_each_of_one_statistic_is_l2(stages, crops):
    for pooling in ("mean", "std"):
        outputs = (Output("block4", pooling, each) for each in ("l2", "l2-each"))
        np.testing.assert_array_equal(*views(stages, crops, *outputs))


def test_that_nothing_after_the_deepest_layer_is_kept(stages):
    outputs = (Output("block4", "mean", "l2"), Output("stem", "mean", "l2"))
    module = Truncated(Graph("efficientnet-lite0", SIZE, "none", outputs), stages)
    assert len(module.stages) == 6  # stem and blocks 0 to 4


def test_that_outputs_come_in_the_order_asked_for(stages, crops):
    late, early = Output("block4", "mean", "l2"), Output("stem", "std", "l2")
    a, b = views(stages, crops, late, early)
    assert a.shape == (3, 40)
    assert b.shape == (3, 32)
    np.testing.assert_array_equal(b, views(stages, crops, early)[0])


def test_that_last_is_the_last_layer(stages, crops):
    last, head = views(stages, crops, Output("last", "mean", "l2"), Output("head", "mean", "l2"))
    np.testing.assert_array_equal(last, head)


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


def test_that_a_crop_is_not_changed_by_its_neighbours(stages, crops):
    for photometry in ("none", "grey-world", "standardise"):
        (together,) = views(stages, crops, LAYER, photometry=photometry)
        (alone,) = views(stages, crops[1:2], LAYER, photometry=photometry)
        assert relative(alone[0], together[1]) < 1e-6
