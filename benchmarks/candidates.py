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


PARTS = ("face", "wide", "mouth", "eyes")


def both(lite_layers, mobile_layers):
    """Early layers of one network on the face and about it, late ones of the other on its parts."""
    return [
        *grid(LITE, lite_layers, ("face", "wide"), "std"),
        *grid(MOBILE, mobile_layers, PARTS, "std"),
    ]


SETS = {
    "last layers, face, eyes, nose, mouth, mean (the paper's way)": [
        *grid(LITE, ["head"], ("face", "eyes", "nose", "mouth"), "mean"),
        *grid(MOBILE, ["layer18"], ("face", "eyes", "nose", "mouth"), "mean"),
    ],
    "M last layer, 5 crops": grid(MOBILE, ["layer18"], ("face", "wide", "nose", "mouth", "eyes")),
    "M 3, 6, 13: face, wide, nose, cheek": grid(MOBILE, ["layer3", "layer6", "layer13"], FOUR),
    "**L 2, 4, 7: face, wide, nose, cheek** (the reference)": grid(LITE, TEXTURE, FOUR),
    "reference, mean only": grid(LITE, TEXTURE, FOUR, "mean"),
    "reference, std only": grid(LITE, TEXTURE, FOUR, "std"),
    "reference, grey-world": grid(LITE, TEXTURE, FOUR, photometry="grey-world"),
    "reference, standardised": grid(LITE, TEXTURE, FOUR, photometry="standardise"),
    "L 2, 4, 7: face, wide, nose, forehead": grid(
        LITE, TEXTURE, ("face", "wide", "nose", "forehead")
    ),
    "L 2, 4, 7: face128, nose, cheek, mouth": grid(
        LITE, TEXTURE, ("face128", "nose", "cheek", "mouth")
    ),
    "L 2, 4, 7: face, wide, mouth, eyes": grid(LITE, TEXTURE, PARTS),
    "the same, std": grid(LITE, TEXTURE, PARTS, "std"),
    "L stem, 0, 2: face, wide, nose, cheek, std": grid(
        LITE, ("stem", "block0", "block2"), FOUR, "std"
    ),
    "L 2, 4, 7: face, wide, std": grid(LITE, TEXTURE, ("face", "wide"), "std"),
    "L 4, 7, 10: face, wide, mouth, eyes, std": grid(
        LITE, ("block4", "block7", "block10"), PARTS, "std"
    ),
    "L 7, 10, last: face, wide, mouth, eyes, std": grid(
        LITE, ("block7", "block10", "head"), PARTS, "std"
    ),
    "M 3, 6, 13: face, wide, mouth, eyes, std": grid(
        MOBILE, ("layer3", "layer6", "layer13"), PARTS, "std"
    ),
    "M 6, 13, 17: face, wide, mouth, eyes, std": grid(
        MOBILE, ("layer6", "layer13", "layer17"), PARTS, "std"
    ),
    "M 13, 17: face, wide, mouth, eyes, std": grid(MOBILE, ("layer13", "layer17"), PARTS, "std"),
    "L 4, 7: face, wide + M 13, 18: and mouth, eyes, std": both(
        ("block4", "block7"), ("layer13", "layer18")
    ),
    "**L 4, 7: face, wide + M 13, 17: and mouth, eyes, std** (texture)": both(
        ("block4", "block7"), ("layer13", "layer17")
    ),
    "L 4, 7: face, wide + M 16, 17: and mouth, eyes, std": both(
        ("block4", "block7"), ("layer16", "layer17")
    ),
    "L 4, 7: face, wide + M 13: and mouth, eyes, std": both(("block4", "block7"), ("layer13",)),
    "L 2, 4: face128, nose, std (tiny)": grid(
        LITE, ("block2", "block4"), ("face128", "nose"), "std"
    ),
}
REFERENCE = next(name for name in SETS if name.endswith("(the reference)"))
