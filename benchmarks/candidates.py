"""The candidates of the preset study: every crop, network, layer, pooling and photometry tried."""

from dataclasses import dataclass

from lmkl_core.features.presets import Branch, Crop, Preset

CROPS = (
    Crop("face", 224, side=1.0),
    Crop("face128", 128, side=1.0),
    Crop("wide", 224, side=1.6),
    Crop("nose", 128, centre=(0.5, 0.64), side=None),
    Crop("cheek", 128, centre=(0.3, 0.72), side=None),
    Crop("forehead", 128, centre=(0.5, 0.25), side=None),
    Crop("mouth", 128, centre=(0.5, 0.82), side=0.5),
    Crop("eyes", 128, centre=(0.5, 0.46), side=0.6),
)
LITE, MOBILE = "efficientnet-lite0", "mobilenet-v2"
TEXTURE = ("block2", "block4", "block7")
FOUR = ("face", "wide", "nose", "cheek")
LAYERS = {
    LITE: ("stem", "block0", "block2", "block4", "block7", "block10", "head"),
    MOBILE: ("layer1", "layer3", "layer6", "layer13", "layer16", "layer17", "layer18"),
}
PHOTOMETRIES = ("none", "grey-world", "standardise")
POOLINGS = ("mean", "std", "mean+std")


def everything(photometry):
    """All crops and layers at once, pooled to mean and standard deviation and left as they are.

    Photometry is tried on the texture layers of four crops only.
    """
    names = tuple(crop.name for crop in CROPS)
    branches = [(network, names, layers) for network, layers in LAYERS.items()]
    if photometry != "none":
        branches = [(LITE, FOUR, TEXTURE)]
    return Preset(
        f"study-{photometry}",
        "Every candidate of the preset study.",
        CROPS,
        tuple(Branch(*branch, "mean+std", photometry, "none") for branch in branches),
    )


@dataclass(frozen=True)
class View:
    """One candidate view."""

    crop: str
    network: str
    layer: str
    pooling: str = "mean+std"
    photometry: str = "none"

    @property
    def source(self):
        """Where the study keeps the vector that this view is cut from."""
        return f"{self.photometry}:{self.crop}/{self.network}.{self.layer}"


def grid(network, layers, crops, pooling="mean+std", photometry="none"):
    return [View(crop, network, layer, pooling, photometry) for crop in crops for layer in layers]


SETS = {
    "last layers, 4 regions, mean (the paper's way)": [
        *grid(LITE, ["head"], ("face", "eyes", "nose", "mouth"), "mean"),
        *grid(MOBILE, ["layer18"], ("face", "eyes", "nose", "mouth"), "mean"),
    ],
    "MobileNetV2 last layer, mean+std, 5 crops": grid(
        MOBILE, ["layer18"], ("face", "wide", "nose", "mouth", "eyes")
    ),
    "MobileNetV2 layers 3, 6, 13, 4 crops": grid(MOBILE, ["layer3", "layer6", "layer13"], FOUR),
    "Lite0 blocks 2, 4, 7: face, wide, nose, cheek": grid(LITE, TEXTURE, FOUR),
    "the same, mean only": grid(LITE, TEXTURE, FOUR, "mean"),
    "the same, std only": grid(LITE, TEXTURE, FOUR, "std"),
    "the same, grey-world": grid(LITE, TEXTURE, FOUR, photometry="grey-world"),
    "the same, standardised": grid(LITE, TEXTURE, FOUR, photometry="standardise"),
    "Lite0 blocks 2, 4, 7: face, wide, mouth, eyes": grid(
        LITE, TEXTURE, ("face", "wide", "mouth", "eyes")
    ),
    "Lite0 blocks 2, 4, 7: face, wide, nose, forehead": grid(
        LITE, TEXTURE, ("face", "wide", "nose", "forehead")
    ),
    "Lite0 blocks 2, 4, 7: face128, nose, cheek, mouth": grid(
        LITE, TEXTURE, ("face128", "nose", "cheek", "mouth")
    ),
    "Lite0 stem, blocks 0, 2: 4 crops": grid(LITE, ("stem", "block0", "block2"), FOUR),
    "Lite0 blocks 0, 2, 4: 4 crops": grid(LITE, ("block0", "block2", "block4"), FOUR),
    "Lite0 blocks 2, 4: 4 crops": grid(LITE, ("block2", "block4"), FOUR),
    "Lite0 block 2: 4 crops": grid(LITE, ("block2",), FOUR),
    "Lite0 blocks 2, 4, 7: face, wide": grid(LITE, TEXTURE, ("face", "wide")),
    "Lite0 blocks 2, 4: face128 (tiny)": grid(LITE, ("block2", "block4"), ("face128",)),
    "Lite0 blocks 2, 4: face128, nose (tiny)": grid(
        LITE, ("block2", "block4"), ("face128", "nose")
    ),
    "Lite0 blocks 2, 4, 7 + MobileNetV2 3, 6: face, wide": [
        *grid(LITE, TEXTURE, ("face", "wide")),
        *grid(MOBILE, ("layer3", "layer6"), ("face", "wide")),
    ],
}
