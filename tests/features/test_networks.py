"""The registry of networks, and the chains of layers built from torchvision's networks."""

import re
import sys
from dataclasses import replace

import pytest
import torch
import torchvision

from lmkl_core.errors import InvalidInputError
from lmkl_core.features.networks.description import Conv
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


def test_that_sides_are_padded_as_in_tensorflow():
    step = Conv("x", 1, 5, stride=2, padding="same")
    for size, pads in ((33, (2, 2)), (50, (1, 2)), (65, (2, 2)), (2, (1, 2))):
        assert step.pads(size) == pads


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


@pytest.mark.parametrize("name", ["resnet50", "googlenet", "densenet201", "mobilenet-v2"])
def test_that_the_last_layer_is_the_input_of_torchvisions_classifier(name):
    options = {"googlenet": {"init_weights": False, "transform_input": True}}
    builder = getattr(torchvision.models, name.replace("-", "_"))
    theirs = randomised(lambda: builder(weights=None, **options.get(name, {})))
    state = theirs.state_dict()  # including the classifier
    head = "classifier" if hasattr(theirs, "classifier") else "fc"
    setattr(theirs, head, torch.nn.Identity())
    crops = torch.randint(0, 256, (2, 64, 64, 3), dtype=torch.uint8, generator=torch.manual_seed(0))
    with torch.inference_mode():
        expected = theirs(imagenet_input(crops))
        (found,) = truncated_last(name, state)(crops)
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-4 * float(expected.abs().max()))


@pytest.mark.parametrize(
    ("name", "features"),
    [
        ("vgg16", lambda: torchvision.models.vgg.make_layers(torchvision.models.vgg.cfgs["D"])),
        ("alexnet", lambda: torchvision.models.alexnet(weights=None).features),
    ],
)
def test_that_networks_with_large_classifiers_stop_before_them(name, features):
    theirs = randomised(features)
    crops = torch.randint(0, 256, (2, 64, 64, 3), dtype=torch.uint8, generator=torch.manual_seed(0))
    with torch.inference_mode():
        expected = theirs(imagenet_input(crops)).mean((2, 3))
        # Without the prefix "features.", as in a file saved from that part alone.
        (found,) = truncated_last(name, theirs.state_dict())(crops)
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
    with pytest.raises(InvalidInputError, match="timm"):
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
