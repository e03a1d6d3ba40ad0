"""Widths of the published MiniFASNets, to make files of the same shape without them."""

# Widest part of each bottleneck in the groups conv_3, conv_4 and conv_5.
_INSIDE = {
    "minifasnet-v2": ((13, 13, 13, 13), (231, 52, 26, 77, 26, 26), (26, 26)),
    "minifasnet-v1se": ((13, 26, 13, 52), (154, 52, 26, 52, 26, 26), (26, 26)),
}
_ENTRANCES = (("conv_23", 103, 64), ("conv_34", 231, 128), ("conv_45", 308, 128))


def minifasnet_shapes(name: str) -> dict[str, tuple[int, ...]]:
    """Return what the network is built from: the width of every layer that has one of its own."""
    widths = {"conv1.conv": 32, "conv_6_sep.conv": 512}
    for (entrance, inside, outputs), blocks in zip(_ENTRANCES, _INSIDE[name], strict=True):
        group = f"conv_{entrance[-1]}.model"
        widths |= {f"{entrance}.conv.conv": inside, f"{entrance}.project.conv": outputs}
        widths |= {f"{group}.{number}.conv.conv": width for number, width in enumerate(blocks)}
        widths[f"{group}.{len(blocks) - 1}.se_module.fc1"] = outputs // 4
    return {f"{layer}.weight": (width,) for layer, width in widths.items()}
