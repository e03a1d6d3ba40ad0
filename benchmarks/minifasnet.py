"""Random weights for the MiniFASNets in the published shapes."""

import numpy as np

from lmkl_core.features.networks.description import Conv
from lmkl_core.features.networks.registry import NETWORKS

# Widest part of each bottleneck in the groups conv_3, conv_4 and conv_5.
_INSIDE = {
    "minifasnet-v2": ((13, 13, 13, 13), (231, 52, 26, 77, 26, 26), (26, 26)),
    "minifasnet-v1se": ((13, 26, 13, 52), (154, 52, 26, 52, 26, 26), (26, 26)),
}
_ENTRANCES = (("conv_23", 103, 64), ("conv_34", 231, 128), ("conv_45", 308, 128))


def minifasnet_widths(name):
    """Return the published channels of every layer whose width is read from the file."""
    widths = {"conv1.conv": 32, "conv_6_sep.conv": 512}
    for (entrance, inside, outputs), blocks in zip(_ENTRANCES, _INSIDE[name], strict=True):
        group = f"conv_{entrance[-1]}.model"
        widths |= {f"{entrance}.conv.conv": inside, f"{entrance}.project.conv": outputs}
        widths |= {f"{group}.{number}.conv.conv": width for number, width in enumerate(blocks)}
        widths[f"{group}.{len(blocks) - 1}.se_module.fc1"] = outputs // 4
    return widths


def minifasnet_state(name, widths):
    """Return the arrays of a published file, with outputs that depend on the picture."""
    random = np.random.default_rng(1)
    state = {}

    def draw(steps, channels):
        entrance = channels
        for step in steps:
            if not isinstance(step, Conv):
                draw(step.steps, channels)
                continue
            inputs = 1 if step.depthwise else channels
            if not step.depthwise:
                channels = step.outputs or widths.get(step.name, entrance)
            shape = (channels, inputs, step.kernel, step.kernel)
            kernel = random.normal(0, (2 / np.prod(shape[1:])) ** 0.5, shape)
            is_linear = step.name in ("linear", "prob")
            state[f"{step.name}.weight"] = kernel[:, :, 0, 0] if is_linear else kernel
            lows = {f"{step.slope}.weight": 0.1} if step.slope else {}
            if step.norm:
                lows |= {f"{step.norm}.{key}": -0.2 for key in ("bias", "running_mean")}
                lows |= {f"{step.norm}.weight": 0.4, f"{step.norm}.running_var": 0.8}
            for key, low in lows.items():
                state[key] = random.uniform(low, low + 0.6, channels)
        return channels

    channels = 3
    for layer in NETWORKS[name].description:
        channels = draw(layer, channels)
    state["conv1.bn.running_var"] *= 1e4  # pixels go up to 255
    return {f"module.{key}": value.astype(np.float32) for key, value in state.items()}
