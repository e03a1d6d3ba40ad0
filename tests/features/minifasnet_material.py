"""Files of MiniFASNets with weights drawn at random, and the networks written out once more."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

import torch
from torch.nn import functional

from benchmarks.minifasnet import minifasnet_shapes
from lmkl_core.features.networks import find_network

NAMES = ("minifasnet-v2", "minifasnet-v1se")
FILES = {
    "minifasnet-v2": "2.7_80x80_MiniFASNetV2.pth",
    "minifasnet-v1se": "4_0_0_80x80_MiniFASNetV1SE.pth",
}


def small_shapes(name):
    """Return widths that differ from layer to layer, a tenth of the published ones."""
    return {key: (3 + width // 10,) for key, (width,) in minifasnet_shapes(name).items()}


def state_of(name, shapes):
    """Return a state dict as a published file holds it, with outputs that differ by picture."""
    generator = torch.manual_seed(1)
    state = find_network(name).build(shapes).body.state_dict()
    for key, value in state.items():
        if value.ndim > 1:
            value.normal_(0, (2 / value[0].numel()) ** 0.5, generator=generator)
        elif value.ndim == 1:
            low = {"weight": 0.4, "running_var": 0.8}.get(key.rpartition(".")[2], -0.2)
            value.uniform_(low, low + 0.6, generator=generator)
    state["conv1.bn.running_var"] *= 1e4  # pixels go up to 255
    return {f"module.{key}": value for key, value in state.items()}


@dataclass(frozen=True)
class Made:
    """A file and its checksum."""

    path: Path
    sha256: str


def made_weights(folder, shapes=minifasnet_shapes):
    """Return a ``find`` for extractors that makes the files."""

    def find(name, _folder=None):
        path = Path(folder) / FILES[name]
        if not path.exists():
            torch.save(state_of(name, shapes(name)), path)
        return Made(path, hashlib.sha256(path.read_bytes()).hexdigest())

    return find


def written_out(state, crops):
    """Return embedding and probabilities of RGB crops, straight from the published structure."""
    s = {key.removeprefix("module."): value for key, value in state.items()}

    def norm(x, at):
        values = (s[f"{at}.{key}"] for key in ("running_mean", "running_var", "weight", "bias"))
        return functional.batch_norm(x, *values)

    def conv(x, at, stride=1, padding=None, activated=True):
        weight = s[f"{at}.conv.weight"]
        groups = len(weight) if weight.shape[1] == 1 else 1
        padding = weight.shape[2] // 2 if padding is None else padding
        x = functional.conv2d(x, weight, None, stride, padding, groups=groups)
        x = norm(x, f"{at}.bn")
        return functional.prelu(x, s[f"{at}.prelu.weight"]) if activated else x

    def bottleneck(x, at, stride=1):
        x = conv(conv(x, f"{at}.conv"), f"{at}.conv_dw", stride)
        return conv(x, f"{at}.project", activated=False)

    def weighed(x, at):
        if f"{at}.fc1.weight" not in s:
            return x
        y = functional.conv2d(functional.adaptive_avg_pool2d(x, 1), s[f"{at}.fc1.weight"])
        y = functional.conv2d(norm(y, f"{at}.bn1").relu(), s[f"{at}.fc2.weight"])
        return x * norm(y, f"{at}.bn2").sigmoid()

    x = torch.as_tensor(crops)[..., [2, 1, 0]].permute(0, 3, 1, 2).float()
    x = conv(conv(x, "conv1", 2), "conv2_dw")
    for entrance, group, n in (("conv_23", "conv_3", 4), ("conv_34", "conv_4", 6),
                               ("conv_45", "conv_5", 2)):  # fmt: skip
        x = bottleneck(x, entrance, 2)
        for number in range(n):
            at = f"{group}.model.{number}"
            x = x + weighed(bottleneck(x, at), f"{at}.se_module")
    x = conv(conv(x, "conv_6_sep"), "conv_6_dw", padding=0, activated=False)
    embedding = norm(functional.linear(x.flatten(1), s["linear.weight"]), "bn")
    probabilities = functional.linear(embedding, s["prob.weight"]).softmax(1)
    return embedding.numpy(), probabilities.numpy()
