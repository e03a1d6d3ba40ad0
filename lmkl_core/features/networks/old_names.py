"""Names that published files use for weights, turned into those of today's torchvision.

Each function takes all names of a file, the classifier's left out, and returns the new ones in
the same order.
"""

import re
from collections.abc import Sequence

_DENSE = re.compile(r"(denselayer\d+\.(?:norm|conv))\.([12]\.)")
_FLAT_BLOCK = re.compile(r"features\.(\d+)\.conv\.(\d)\.(.+)")


def unchanged(names: Sequence[str]) -> list[str]:
    """Names that need no change."""
    return list(names)


def with_features(names: Sequence[str]) -> list[str]:
    """Add ``features.`` where a file was saved from that part alone."""
    if any(name.startswith("features.") for name in names):
        return list(names)
    return [f"features.{name}" for name in names]


def densenet(names: Sequence[str]) -> list[str]:
    """``denselayer1.norm.1`` is older than the rule that modules' names hold no dots."""
    return [_DENSE.sub(r"\1\2", name) for name in with_features(names)]


def mobilenet_v2(names: Sequence[str]) -> list[str]:
    """Group each block's flat list: convolution, norm and activation now are one module.

    Flat, a block counts convolution 0, norm 1, activation 2, convolution 3, norm 4 and so on; only
    its last pair stays outside a group. The first block has one group, the others two.
    """
    names = with_features(names)
    if "features.1.conv.3.weight" not in names:
        return names
    return [_FLAT_BLOCK.sub(_grouped, name) for name in names]


def _grouped(match: re.Match[str]) -> str:
    block, place, rest = int(match[1]), int(match[2]), match[3]
    group, member = divmod(place, 3)
    is_last = group == (1 if block == 1 else 2)
    inner = f"{group + member}" if is_last else f"{group}.{member}"
    return f"features.{block}.conv.{inner}.{rest}"
