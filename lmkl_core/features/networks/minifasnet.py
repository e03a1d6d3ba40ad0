"""MiniFASNet, described: small networks that tell live faces from prints and screens.

A stem, inverted bottlenecks in three groups that each halve the side first, and a head that
turns the last 5 x 5 pixels into one vector, the embedding, and three probabilities of which the
second is "live". A bottleneck widens by a 1 x 1 convolution, filters every channel on its own and
narrows without an activation; within a group its input is added. V1SE weighs the channels of each
group's last bottleneck (squeeze and excitation) before that sum.

The published networks are pruned, each layer to a width of its own, so widths come from the file.

References
----------
Minivision, "Silent-Face-Anti-Spoofing", 2020, github.com/minivision-ai/Silent-Face-Anti-Spoofing.
"""

from typing import Any

from lmkl_core.features.networks.description import Add, Conv, Excite, Layers, Step

EMBEDDING, CLASSES = 128, 3

_GROUPS = (("conv_23", "conv_3", 4), ("conv_34", "conv_4", 6), ("conv_45", "conv_5", 2))


def minifasnet(excites: bool) -> Layers:
    """Return the layers ``embedding`` and ``live``.

    Parameters
    ----------
    excites : bool
        Whether the last bottleneck of each group weighs its channels.
    """
    body: list[Step] = [_conv("conv1", kernel=3, stride=2), _conv("conv2_dw", 3, depthwise=True)]
    for entrance, group, n_blocks in _GROUPS:
        body += _bottleneck(entrance, stride=2)
        for number in range(n_blocks):
            at = f"{group}.model.{number}"
            steps = _bottleneck(at)
            if excites and number == n_blocks - 1:
                steps = (*steps, _excite(f"{at}.se_module"))
            body.append(Add(steps))
    embedding = (
        *body,
        _conv("conv_6_sep"),
        _conv("conv_6_dw", 5, depthwise=True, padding="none", linear=True),
        Conv("linear", EMBEDDING, norm="bn"),
    )
    return embedding, (Conv("prob", CLASSES, activation="softmax"),)


def _bottleneck(at: str, stride: int = 1) -> tuple[Step, ...]:
    return (
        _conv(f"{at}.conv"),
        _conv(f"{at}.conv_dw", 3, stride=stride, depthwise=True),
        _conv(f"{at}.project", linear=True),
    )


def _excite(at: str) -> Excite:
    squeeze = Conv(f"{at}.fc1", norm=f"{at}.bn1", activation="relu")
    return Excite((squeeze, Conv(f"{at}.fc2", norm=f"{at}.bn2", activation="sigmoid")))


def _conv(at: str, kernel: int = 1, *, linear: bool = False, **options: Any) -> Conv:
    activation: dict[str, Any] = {} if linear else {"activation": "prelu", "slope": f"{at}.prelu"}
    return Conv(f"{at}.conv", kernel=kernel, norm=f"{at}.bn", **activation, **options)
