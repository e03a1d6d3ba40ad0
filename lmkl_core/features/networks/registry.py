"""The networks by name, and what a graph computes from one, as data: torch is not imported here.

``last`` means the same in every network: the feature maps that enter the classifier. VGG16 and
AlexNet have fully connected layers in between; we stop before them (pool5), because the paper does
not say which of them it used and they would fix the crop's size to 224 pixels.

The two MiniFASNets end in vectors, ``embedding`` and ``live``: feature maps of 1 x 1 pixels, to be
pooled with ``mean``.
"""

import hashlib
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from importlib import metadata
from types import MappingProxyType
from typing import Literal, TypeAlias

from lmkl_core.features.networks.description import (
    CLASSES,
    EMBEDDING,
    LITE0,
    Layers,
    minifasnet,
)

Pooling: TypeAlias = Literal["mean", "std", "mean+std"]
Photometry: TypeAlias = Literal["none", "grey-world", "standardise"]
Normalisation: TypeAlias = Literal["l2", "l2-each", "none"]

VIEWS_FORMAT = 1
"""Increased when the same preset and weights would give other values than before."""

OPSET = 18
BUILDING, REWRITING = 1, 3
"""Increased when `engines.build`, or the rewriting of torch's exports, changes its graphs."""

GREY = 127.5
"""Mean that photometry gives every channel of a crop."""

SPREAD = 58.0
"""Standard deviation that ``standardise`` gives every channel, about that of ImageNet's pixels."""

DARKEST = FLATTEST = 1.0
"""A channel darker or flatter than one grey level is noise and not amplified further."""

VARIANCE_FLOOR = 1e-10
"""Far below any real activation, far above the rounding of a constant channel's variance."""

SMALLEST_NORM = 1e-12

LAST = "last"
LARGEST_CROP = 1024  # side in pixels


@dataclass(frozen=True)
class NetworkSpec:
    """A network; those without a description are built by `torch_networks`."""

    name: str  # of the network in presets, and of its weights
    layers: dict[str, int]  # channels by name, from input to output; `LAST` is the last one
    unused: tuple[str, ...]  # prefixes of weights that no layer needs: those of the classifier
    mean: tuple[float, float, float] = (0.485, 0.456, 0.406)  # ImageNet's
    std: tuple[float, float, float] = (0.229, 0.224, 0.225)
    description: Layers | None = None  # the steps of every layer
    rename: Callable[[Sequence[str]], list[str]] = list  # from the published names to ours
    smallest: int = 32  # side of a crop in pixels
    largest: int = LARGEST_CROP
    is_bgr: bool = False

    @property
    def needs_torch(self) -> bool:
        """Whether it can only be built with torch."""
        return self.description is None

    @property
    def layer_names(self) -> tuple[str, ...]:
        """All names that a preset may use, including `LAST`."""
        return (*self.layers, LAST)

    def place(self, layer: str) -> int:
        """Return the index of a layer, counted from the input."""
        return len(self.layers) - 1 if layer == LAST else list(self.layers).index(layer)


_DENSE = re.compile(r"(denselayer\d+\.(?:norm|conv))\.([12]\.)")


def with_features(names: Sequence[str]) -> list[str]:
    """Add the prefix ``features.`` if the file was saved from that part alone."""
    if any(name.startswith("features.") for name in names):
        return list(names)
    return [f"features.{name}" for name in names]


def without_dots(names: Sequence[str]) -> list[str]:
    """Rename DenseNet's ``denselayer1.norm.1``, from before torch banned dots in names."""
    return [_DENSE.sub(r"\1\2", name) for name in with_features(names)]


_HALF = (0.5, 0.5, 0.5)


def _numbered(prefix: str, channels: tuple[int, ...]) -> dict[str, int]:
    return {f"{prefix}{number}": count for number, count in enumerate(channels)}


_LITE0_BLOCKS = (16, 24, 24, 40, 40, 80, 80, 80, 112, 112, 112, 192, 192, 192, 192, 320)
_MOBILENET_LAYERS = (
    (32, 16, 24, 24, 32, 32, 32, 64, 64, 64, 64, 96, 96, 96, 160, 160, 160, 320, 1280)
)  # fmt: skip

_SPECS = (
    NetworkSpec(
        name="efficientnet-lite0",
        description=LITE0,
        layers=dict(stem=32, **_numbered("block", _LITE0_BLOCKS), head=1280),
        unused=("_fc.",),
        mean=_HALF,
        std=_HALF,
    ),
    NetworkSpec(
        name="mobilenet-v2",
        layers=_numbered("layer", _MOBILENET_LAYERS),
        unused=("classifier.",),
    ),
    NetworkSpec(
        name="resnet50",
        layers=dict(stem=64, layer1=256, layer2=512, layer3=1024, layer4=2048),
        unused=("fc.",),
    ),
    NetworkSpec(
        name="googlenet",
        layers=dict(conv1=64, conv2=64, conv3=192)
        | dict(inception3a=256, inception3b=480, inception4a=512, inception4b=512)
        | dict(inception4c=512, inception4d=528, inception4e=832)
        | dict(inception5a=832, inception5b=1024),
        unused=("fc.", "aux1.", "aux2."),
        # These weights come from TensorFlow; torchvision converts ImageNet's normalisation to this
        # one inside the network (transform_input).
        mean=_HALF,
        std=_HALF,
    ),
    NetworkSpec(
        name="vgg16",
        layers=dict(conv1_2=64, conv2_2=128, conv3_3=256, conv4_3=512, conv5_3=512, pool5=512),
        unused=("classifier.",),
        rename=with_features,
    ),
    NetworkSpec(
        name="alexnet",
        layers=dict(conv1=64, conv2=192, conv3=384, conv4=256, conv5=256, pool5=256),
        unused=("classifier.",),
        rename=with_features,
        smallest=64,
    ),
    NetworkSpec(
        name="densenet201",
        layers=dict(stem=64, block1=256, block2=512, block3=1792, block4=1920, norm5=1920),
        unused=("classifier.",),
        rename=without_dots,
    ),
    NetworkSpec(
        name="nasnetlarge",
        layers=dict(cell17=4032),
        unused=("last_linear.",),
        smallest=64,
        mean=_HALF,
        std=_HALF,
    ),
    *(
        NetworkSpec(
            name=name,
            description=minifasnet(excites),
            layers=dict(embedding=EMBEDDING, live=CLASSES),
            unused=(),
            smallest=80,
            largest=80,
            mean=(0.0, 0.0, 0.0),
            std=(1 / 255, 1 / 255, 1 / 255),
            is_bgr=True,
        )
        for name, excites in (("minifasnet-v2", False), ("minifasnet-v1se", True))
    ),
)

NETWORKS = MappingProxyType({spec.name: spec for spec in _SPECS})
"""All networks by name."""


# ------------------------------------------------- graphs


@dataclass(frozen=True)
class Output:
    """One output of a graph: a layer, its pooling and the normalisation of the pooled vector."""

    layer: str
    pooling: Pooling
    normalisation: Normalisation


@dataclass(frozen=True)
class Graph:
    """A network up to the deepest layer used, for square crops of one size."""

    network: str
    size: int
    photometry: Photometry
    outputs: tuple[Output, ...]

    @property
    def spec(self) -> NetworkSpec:
        """The network."""
        return NETWORKS[self.network]

    @property
    def columns(self) -> tuple[int, ...]:
        """Number of columns of each output."""
        channels = tuple(self.spec.layers.values())
        return tuple(
            channels[self.spec.place(output.layer)] * len(output.pooling.split("+"))
            for output in self.outputs
        )

    @property
    def label(self) -> str:
        """Name in messages."""
        layers = ", ".join(dict.fromkeys(output.layer for output in self.outputs))
        return f"{self.network} ({layers}) at {self.size} pixels"

    def key(self, weights_sha256: str) -> str:
        """Return the cache key of this graph with these weights."""
        exporter = f"building {BUILDING}"
        if self.spec.needs_torch:
            versions = [f"{name} {metadata.version(name)}" for name in ("torch", "onnxruntime")]
            exporter = ", ".join([*versions, f"opset {OPSET}", f"rewriting {REWRITING}"])
        parts = {
            "graph": asdict(self),
            "weights": weights_sha256,
            "exporter": exporter,
            "views format": VIEWS_FORMAT,
        }
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
