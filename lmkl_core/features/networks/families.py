"""The networks that torch builds: the body as files of weights know it, and its stages in order.

Every network here is a chain at the level of its named layers, so that cutting it short is
taking the first stages. torch is imported inside the functions: this module stays cheap.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lmkl_core.errors import InvalidInputError

if TYPE_CHECKING:
    from torch import nn


@dataclass(frozen=True)
class Stages:
    """A network without weights.

    Attributes
    ----------
    body : Module
        Holds every weight that a layer needs, under the names that files use.
    chain : tuple of Module
        One module a layer; each takes what the one before it gives, the first the picture.
    """

    body: "nn.Module"
    chain: "tuple[nn.Module, ...]"


def mobilenet_v2() -> Stages:
    """MobileNetV2: the 19 layers of torchvision's ``features``."""
    from torchvision import models

    body = _without(models.mobilenet_v2(weights=None), "classifier")
    return Stages(body, tuple(body.features))


def resnet50() -> Stages:
    """ResNet50: stem with its pooling, then the four groups of blocks."""
    from torch import nn
    from torchvision import models

    body = _without(models.resnet50(weights=None), "fc")
    stem = nn.Sequential(body.conv1, body.bn1, body.relu, body.maxpool)
    return Stages(body, (stem, body.layer1, body.layer2, body.layer3, body.layer4))


def googlenet() -> Stages:
    """GoogLeNet: each layer before the pooling that follows it."""
    from torch import nn
    from torchvision import models

    body = models.googlenet(weights=None, aux_logits=False, init_weights=False)
    body = _without(body, "fc")
    chain = (
        body.conv1,
        nn.Sequential(body.maxpool1, body.conv2),
        body.conv3,
        nn.Sequential(body.maxpool2, body.inception3a),
        body.inception3b,
        nn.Sequential(body.maxpool3, body.inception4a),
        body.inception4b,
        body.inception4c,
        body.inception4d,
        body.inception4e,
        nn.Sequential(body.maxpool4, body.inception5a),
        body.inception5b,
    )
    return Stages(body, chain)


def vgg16() -> Stages:
    """VGG16: the last convolution of each group after its ReLU, and the last pooling."""
    from torchvision import models

    body = _without(models.vgg16(weights=None, init_weights=False), "classifier")
    return Stages(body, _slices(body.features, (4, 9, 16, 23, 30, 31)))


def alexnet() -> Stages:
    """AlexNet: each convolution after its ReLU, and the last pooling."""
    from torchvision import models

    body = _without(models.alexnet(weights=None), "classifier")
    return Stages(body, _slices(body.features, (2, 5, 8, 10, 12, 13)))


def densenet201() -> Stages:
    """DenseNet201: stem, four dense blocks (transitions go to the next one), last norm + ReLU."""
    from torch import nn
    from torchvision import models

    body = _without(models.densenet201(weights=None), "classifier")
    f = body.features
    chain = (
        nn.Sequential(f.conv0, f.norm0, f.relu0, f.pool0),
        f.denseblock1,
        nn.Sequential(f.transition1, f.denseblock2),
        nn.Sequential(f.transition2, f.denseblock3),
        nn.Sequential(f.transition3, f.denseblock4),
        nn.Sequential(f.norm5, nn.ReLU()),
    )
    return Stages(body, chain)


def nasnetlarge() -> Stages:
    """NASNetLarge as one stage: its cells see the two before them, so it is no chain inside."""
    try:
        from timm.models.nasnet import NASNetALarge
    except ImportError as error:
        raise InvalidInputError(
            "NASNetLarge needs the package timm; install it with: pip install lmkl-pad[objects]"
        ) from error
    from torch import nn

    class Features(nn.Module):
        """The network up to the maps that its classifier pools."""

        def __init__(self, body):
            super().__init__()
            self.body = body

        def forward(self, x):
            return self.body.forward_features(x)

    body = _without(NASNetALarge(), "last_linear")
    return Stages(body, (Features(body),))


def _without(body, name: str):
    """Drop the classifier: nobody asks it, and in VGG16 it is nine tenths of the weights."""
    delattr(body, name)
    return body


def _slices(features, ends: tuple[int, ...]) -> "tuple[nn.Module, ...]":
    return tuple(features[start:end] for start, end in zip((0, *ends), ends, strict=False))
