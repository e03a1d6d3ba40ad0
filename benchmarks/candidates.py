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
LITE = "efficientnet-lite0"
TEXTURE = ("block2", "block4", "block7")
FOUR = ("face", "wide", "nose", "cheek")
SIX = ("face", "wide", "nose", "cheek", "mouth", "eyes")
LAYERS = {LITE: ("stem", "block0", "block2", "block4", "block7", "block10", "head")}
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
    normalisation: str = "l2"

    @property
    def source(self):
        """Where the study keeps the vector that this view is cut from."""
        return f"{self.photometry}:{self.crop}/{self.network}.{self.layer}"


def grid(layers, crops, pooling="mean+std", photometry="none", normalisation="l2"):
    return [
        View(crop, LITE, layer, pooling, photometry, normalisation)
        for crop in crops
        for layer in layers
    ]


PARTS = ("face", "wide", "mouth", "eyes")

SETS = {
    "last layer, face, eyes, nose, mouth, mean (the paper's way)": grid(
        ("head",), ("face", "eyes", "nose", "mouth"), "mean"
    ),
    "**2, 4, 7: face, wide, nose, cheek** (the reference)": grid(TEXTURE, FOUR),
    "reference, mean only": grid(TEXTURE, FOUR, "mean"),
    "reference, std only": grid(TEXTURE, FOUR, "std"),
    "reference, mean and std by their own norms": grid(TEXTURE, FOUR, normalisation="l2-each"),
    "reference, grey-world": grid(TEXTURE, FOUR, photometry="grey-world"),
    "reference, standardised": grid(TEXTURE, FOUR, photometry="standardise"),
    "2, 4, 7: face, wide, nose, forehead": grid(TEXTURE, ("face", "wide", "nose", "forehead")),
    "2, 4, 7: face128, nose, cheek, mouth": grid(TEXTURE, ("face128", "nose", "cheek", "mouth")),
    "2, 4, 7: face, wide, mouth, eyes": grid(TEXTURE, PARTS),
    "the same, std": grid(TEXTURE, PARTS, "std"),
    "stem, 0, 2: face, wide, nose, cheek, std": grid(("stem", "block0", "block2"), FOUR, "std"),
    "2, 4, 7: face, wide, std": grid(TEXTURE, ("face", "wide"), "std"),
    "4, 7, 10: face, wide, mouth, eyes, std": grid(("block4", "block7", "block10"), PARTS, "std"),
    "7, 10, last: face, wide, mouth, eyes, std": grid(("block7", "block10", "head"), PARTS, "std"),
    "2, 7: six crops": grid(("block2", "block7"), SIX),
    "**2, 7: six crops, mean and std by their own norms** (texture)": grid(
        ("block2", "block7"), SIX, normalisation="l2-each"
    ),
    "2, 4: nose, mouth, mean and std by their own norms (tiny)": grid(
        ("block2", "block4"), ("nose", "mouth"), normalisation="l2-each"
    ),
}
REFERENCE = next(name for name in SETS if name.endswith("(the reference)"))
