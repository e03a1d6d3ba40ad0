"""Networks in torch: layers, pooling and photometry, compared with torchvision and NumPy."""

import re
import sys
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import torch
import torchvision

from lmkl_core.errors import InvalidInputError
from lmkl_core.features.networks.filling import State
from lmkl_core.features.networks.registry import NETWORKS, Graph, Output, without_dots
from lmkl_core.features.networks.torch_networks import Truncated, build_network, load_network


@pytest.mark.parametrize("name", [name for name, spec in NETWORKS.items() if spec.needs_torch])
def test_that_every_layer_has_the_channels_of_the_registry(name):
    spec = NETWORKS[name]
    with torch.device("meta"):  # shapes only
        body, chain = build_network(spec)
        x = torch.empty(2, 3, spec.smallest, spec.smallest)
    body.eval()
    found = []
    for stage in chain:
        x = stage.eval()(x)
        found.append(x.shape[1])
    assert found == list(spec.layers.values())


def truncated_last(name, state):
    """Return our network, truncated at its last layer, with the weights of a state dict."""
    spec = NETWORKS[name]
    arrays = {key: value.numpy() for key, value in state.items()}
    stages = load_network(spec, State(spec, arrays, "made by the test"))
    return Truncated(Graph(name, 64, "none", (Output("last", "mean", "none"),)), stages)


def randomised(build):
    """Build a network and quickly give it random weights and statistics."""
    with torch.device("meta"):
        model = build()
    model.to_empty(device="cpu")
    generator = torch.manual_seed(1)
    for name, value in model.state_dict().items():
        if value.ndim > 1:
            value.normal_(0, (2 / value[0].numel()) ** 0.5, generator=generator)
        elif value.ndim == 1:
            low = 0.5 if name.endswith(("weight", "running_var")) else -0.1
            value.uniform_(low, low + 0.2, generator=generator)
    return model.eval()


def imagenet_input(crops):
    """Normalise pixels as torchvision's transforms do."""
    mean, std = torch.tensor([0.485, 0.456, 0.406]), torch.tensor([0.229, 0.224, 0.225])
    return ((crops / 255 - mean) / std).permute(0, 3, 1, 2)


OPTIONS = {"googlenet": {"init_weights": False, "transform_input": True}}
# Without their large classifiers, and without the prefix "features." in files.
FEATURES = {
    "vgg16": lambda: torchvision.models.vgg.make_layers(torchvision.models.vgg.cfgs["D"]),
    "alexnet": lambda: torchvision.models.alexnet(weights=None).features,
}


@pytest.mark.parametrize(
    "name", ["resnet50", "googlenet", "densenet201", "mobilenet-v2", *FEATURES]
)
def test_that_the_last_layer_is_the_input_of_torchvisions_classifier(name):
    builder = getattr(torchvision.models, name.replace("-", "_"))
    whole = partial(builder, weights=None, **OPTIONS.get(name, {}))
    theirs = randomised(FEATURES.get(name, whole))
    state = theirs.state_dict()
    for head in ("classifier", "fc"):
        if hasattr(theirs, head):
            setattr(theirs, head, torch.nn.Identity())
    crops = torch.randint(0, 256, (2, 64, 64, 3), dtype=torch.uint8, generator=torch.manual_seed(0))
    with torch.inference_mode():
        expected = theirs(imagenet_input(crops))
        if name in FEATURES:
            expected = expected.mean((2, 3))
        (found,) = truncated_last(name, state)(crops)
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-4 * float(expected.abs().max()))


def test_that_densenets_published_names_with_dots_are_understood():
    with torch.device("meta"):
        names = list(torchvision.models.densenet201(weights=None).features.state_dict())
    published = [re.sub(r"(norm|conv)([12])\.", r"\1.\2.", name) for name in names]
    assert "denseblock1.denselayer1.norm.1.weight" in published
    expected = [f"features.{name}" for name in names]
    assert without_dots([f"features.{name}" for name in published]) == expected
    assert without_dots(published) == expected
    assert without_dots(expected) == expected


def test_that_a_missing_timm_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "timm.models.nasnet", None)
    with pytest.raises(InvalidInputError, match=r"timm.*lmkl-pad\[objects\]"):
        build_network(NETWORKS["nasnetlarge"])


def test_that_different_graphs_and_weights_have_different_keys():
    graph = Graph("resnet50", 224, "none", (Output("last", "mean", "l2"),))
    others = [
        replace(graph, size=192),
        replace(graph, photometry="grey-world"),
        replace(graph, network="vgg16"),
        *(
            replace(graph, outputs=(Output(*output),))
            for output in (("last", "std", "l2"), ("last", "mean", "none"), ("stem", "mean", "l2"))
        ),
    ]
    keys = {item.key("ab") for item in (graph, *others)} | {graph.key("cd")}
    assert len(keys) == len(others) + 2


# ------------------------------------------------- photometry, pooling and normalisation

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
    np.testing.assert_allclose(early, maps(stages, crops, 1).mean((2, 3)), rtol=1e-4, atol=1e-5)
    module = Truncated(Graph("efficientnet-lite0", SIZE, "none", tuple(outputs)), stages)
    assert len(module.stages) == 6, "stem and blocks 0 to 4"


LAYER = Output("block2", "mean+std", "l2")


def test_that_photometry_removes_colour_and_strength_of_the_light_and_contrast(stages, crops):
    lit, contrasted = crops * torch.tensor([3, 1, 2], dtype=torch.uint8), crops * 2 + 50
    for photometry, other, least_difference in (
        ("none", lit, 0.1),
        ("grey-world", lit, None),
        ("grey-world", contrasted, 0.01),
        ("standardise", contrasted, None),
    ):
        (a,), (b,) = (views(stages, each, LAYER, photometry=photometry) for each in (crops, other))
        difference = float(np.abs(a - b).max() / np.abs(a).max())
        if least_difference is None:
            assert difference < 1e-5, photometry
        else:
            assert difference > least_difference, photometry
