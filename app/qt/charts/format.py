"""Formatting of numbers and of view names for people."""

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
    """The parts of a view's name, ``region/network.layer``; missing parts are empty."""

    full: str
    region: str
    network: str
    layer: str
    depth: str = ""
    """Depth of the layer: early, middle or late; empty if unknown."""

    @property
    def layer_words(self) -> str:
        """The layer and its depth, such as ``block2 (early)``."""
        return f"{self.layer} ({self.depth})" if self.depth else self.layer

    @property
    def parts(self) -> tuple[str, ...]:
        """Region, network and layer, without missing ones."""
        return tuple(part for part in (self.region, self.network, self.layer_words) if part)

    @property
    def words(self) -> str:
        """The name for a sentence, such as ``nose, early layer (EfficientNet-Lite0 block2)``."""
        rest = " ".join(part for part in (self.network, self.layer) if part)
        if self.depth:
            return f"{self.region}, {self.depth} layer ({rest})"
        return f"{self.region}, {rest}" if rest else self.region


def view_name(full: str) -> ViewName:
    """Split the name of a view; the network is spelled as its authors do."""
    region, slash, rest = full.partition("/")
    if not slash:
        return ViewName(full, full, "", "")
    network, _, layer = rest.partition(".")
    return ViewName(full, region, _NETWORKS.get(network, network), layer, _depth(network, layer))


def name_columns(views: Sequence[ViewName]) -> tuple[list[str], list[list[str]]]:
    """Return column titles and a row of names per view; a network shared by all is left out."""
    is_shared = len({view.network for view in views}) == 1 and all(view.layer for view in views)
    rows = [[view.region, view.layer_words] if is_shared else list(view.parts) for view in views]
    n = max([1, *map(len, rows)])
    titles = ["Region", "Network", "Layer"] if n == 3 else ["Region", "Features"][:n]
    return titles, [row + [""] * (n - len(row)) for row in rows]


def _depth(network: str, layer: str) -> str:
    """Return the depth of a layer in the network that the shipped presets use."""
    block = re.fullmatch(r"block(\d{1,2})", layer)
    if network != "efficientnet-lite0" or block is None:
        return ""
    return "early" if int(block[1]) < 5 else "middle" if int(block[1]) < 11 else "late"


def number(value: float, digits: int = 3) -> str:
    """Format with significant digits and a real minus sign; non-finite values give a dash."""
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
    """Format with fixed decimals, so that changing numbers keep their width."""
    if not math.isfinite(value):
        return "\N{EN DASH}"
    text = f"{value:.{places}f}"
    if float(text) == 0:
        text = text.removeprefix("-")
    return text.replace("-", "\N{MINUS SIGN}")


def parts_of_sum(values: Sequence[float], total: float, places: int) -> tuple[float, ...]:
    """Round values so that they add up to the rounded total (largest remainder method).

    Values that do not sum to the total are rounded individually.
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
    """Return the number of decimals for scores: three, or more for sizes that would round to 0."""
    if not math.isfinite(size) or not 0 < size < 0.0005:
        return 3
    return min(8, 2 - math.floor(math.log10(size)))


def percent(share: float, places: int = 1) -> str:
    return f"{decimals(100 * share, places)} %"


def weight_text(value: float, is_share: bool) -> str:
    """Format a weight or share; only an exact zero is written as 0."""
    if value == 0:
        return "0"
    if is_share:
        return percent(value, 1) if abs(value) >= 0.0005 else "< 0.1 %"
    return decimals(value, 3) if abs(value) >= 0.0005 else "< 0.001"


def scientific(value: float) -> str:
    """Format as in ``3.1e-8``."""
    if not math.isfinite(value):
        return "\N{EN DASH}"
    mantissa, _, exponent = f"{value:.1e}".partition("e")
    return f"{mantissa}e{int(exponent)}" if value else "0"
