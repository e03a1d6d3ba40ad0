"""Names that published files use for weights, turned into those of today's torchvision.

Each function takes all names of a file, the classifier's left out, and returns the new ones in
the same order.
"""

import re
from collections.abc import Sequence

_DENSE = re.compile(r"(denselayer\d+\.(?:norm|conv))\.([12]\.)")


def unchanged(names: Sequence[str]) -> list[str]:
    """Names that need no change."""
    return list(names)


def with_features(names: Sequence[str]) -> list[str]:
    """Add ``features.`` where a file was saved from that part alone."""
    if any(name.startswith("features.") for name in names):
        return list(names)
    return [f"features.{name}" for name in names]


def without_module(names: Sequence[str]) -> list[str]:
    """Drop ``module.``, which a file has that was saved from a network on several devices."""
    return [name.removeprefix("module.") for name in names]


def densenet(names: Sequence[str]) -> list[str]:
    """``denselayer1.norm.1`` is older than the rule that modules' names hold no dots."""
    return [_DENSE.sub(r"\1\2", name) for name in with_features(names)]
