"""Numbers and names of views as people read them."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

_NETWORKS = {
    "alexnet": "AlexNet",
    "densenet201": "DenseNet-201",
    "efficientnet-lite0": "EfficientNet-Lite0",
    "googlenet": "GoogLeNet",
    "iqm": "Image quality",
    "lbp": "LBP",
    "minifasnet-v1se": "MiniFASNetV1SE",
    "minifasnet-v2": "MiniFASNetV2",
    "mobilenet-v2": "MobileNetV2",
    "nasnetlarge": "NASNet-Large",
    "resnet50": "ResNet-50",
    "vgg16": "VGG-16",
}


@dataclass(frozen=True)
class ViewName:
    """The parts of a view's name: ``region/network.layer``. Parts that are missing are empty."""

    full: str
    region: str
    network: str
    layer: str
    depth: str = ""
    """Where the layer lies: early, middle or late; empty where that is not known."""

    @property
    def layer_words(self) -> str:
        """The layer and where it lies, as in ``block2 (early)``."""
        return f"{self.layer} ({self.depth})" if self.depth else self.layer

    @property
    def parts(self) -> tuple[str, ...]:
        """Region, network and layer, without those that are missing."""
        return tuple(part for part in (self.region, self.network, self.layer_words) if part)

    @property
    def words(self) -> str:
        """The name within a sentence, as in ``nose, early layer (EfficientNet-Lite0 block2)``."""
        rest = " ".join(part for part in (self.network, self.layer) if part)
        if self.depth:
            return f"{self.region}, {self.depth} layer ({rest})"
        return f"{self.region}, {rest}" if rest else self.region


def view_name(full: str) -> ViewName:
    """Take the name of a view apart, with the network as its authors write it."""
    region, slash, rest = full.partition("/")
    if not slash:
        return ViewName(full, full, "", "")
    network, _, layer = rest.partition(".")
    return ViewName(full, region, _NETWORKS.get(network, network), layer, _depth(network, layer))


def name_columns(views: Sequence[ViewName]) -> tuple[list[str], list[list[str]]]:
    """Return titles and rows of names, without the network where all layers are of one."""
    is_one = len({view.network for view in views}) == 1 and all(view.layer for view in views)
    rows = [[view.region, view.layer_words] if is_one else list(view.parts) for view in views]
    n = max(map(len, rows), default=0)
    titles = ["Region", "Network", "Layer"] if n == 3 else ["Region", "Features"][:n]
    return titles, [row + [""] * (n - len(row)) for row in rows]


def _depth(network: str, layer: str) -> str:
    """Say where a layer lies in the network of the shipped presets."""
    block = re.fullmatch(r"block(\d{1,2})", layer)
    if network != "efficientnet-lite0" or block is None:
        return ""
    return "early" if int(block[1]) < 5 else "middle" if int(block[1]) < 11 else "late"


def number(value: float, digits: int = 3) -> str:
    """Write a number with some significant digits, with a true minus sign; a dash if not finite."""
    if not math.isfinite(value):
        return "\N{EN DASH}"
    if value == 0:
        return "0"
    size = abs(value)
    if 1e-3 <= size < 1e5:
        decimals = max(0, digits - 1 - math.floor(math.log10(size)))
        text = f"{value:.{decimals}f}"
    else:
        text = f"{value:.{digits - 1}e}"
    return text.replace("-", "\N{MINUS SIGN}")


def decimals(value: float, places: int = 2) -> str:
    """Write a number with fixed decimals, so that it does not dance when it changes."""
    if not math.isfinite(value):
        return "\N{EN DASH}"
    text = f"{value:.{places}f}"
    if float(text) == 0:
        text = text.removeprefix("-")
    return text.replace("-", "\N{MINUS SIGN}")


def parts_of_sum(values: Sequence[float], total: float, places: int) -> tuple[float, ...]:
    """Round values so that they add up to the rounded total (largest remainder).

    Values that are not parts of that total are rounded each by itself.
    """
    unit = 10.0**places
    exact = [value * unit for value in values]
    units = [math.floor(value) for value in exact]
    missing = round(total * unit) - sum(units)
    if not 0 <= missing <= len(units):
        return tuple(round(value, places) for value in values)
    by_loss = sorted(range(len(units)), key=lambda i: units[i] - exact[i])
    for index in by_loss[:missing]:
        units[index] += 1
    return tuple(count / unit for count in units)


def places_for(size: float) -> int:
    """Decimals of scores: three everywhere, more only where all of that size would be zero."""
    if not math.isfinite(size) or not 0 < size < 0.0005:
        return 3
    return min(8, 2 - math.floor(math.log10(size)))


def percent(share: float, places: int = 1) -> str:
    return f"{decimals(100 * share, places)} %"


def weight_text(value: float, is_share: bool) -> str:
    """Write a weight or share: an exact zero says so, what only rounds to zero does not."""
    if value == 0:
        return "0"
    if is_share:
        return percent(value, 1) if abs(value) >= 0.0005 else "< 0.1 %"
    return decimals(value, 3) if abs(value) >= 0.0005 else "< 0.001"


def scientific(value: float) -> str:
    """Write a small number as ``3.1e-8``."""
    if not math.isfinite(value):
        return "\N{EN DASH}"
    mantissa, _, exponent = f"{value:.1e}".partition("e")
    return f"{mantissa}e{int(exponent)}" if value else "0"
