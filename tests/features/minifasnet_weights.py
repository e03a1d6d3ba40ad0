"""MiniFASNet files with random weights, and a second implementation of the networks."""

import hashlib
from pathlib import Path
from types import SimpleNamespace

from safetensors.numpy import save_file

from benchmarks.minifasnet import minifasnet_state, minifasnet_widths

NAMES = ("minifasnet-v2", "minifasnet-v1se")
FILES = {
    "minifasnet-v2": "2.7_80x80_MiniFASNetV2.pth",
    "minifasnet-v1se": "4_0_0_80x80_MiniFASNetV1SE.pth",
}


def small_widths(name):
    """Return widths that differ from layer to layer, a tenth of the published ones."""
    return {key: 3 + width // 10 for key, width in minifasnet_widths(name).items()}


def random_weights_finder(folder, widths=minifasnet_widths):
    """Return a ``find`` for extractors that creates the files."""

    def find(name, _folder=None):
        path = Path(folder) / FILES[name]
        if not path.exists():
            save_file(minifasnet_state(name, widths(name)), path)
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        return SimpleNamespace(path=path, sha256=digest)

    return find


def reference_outputs(state, crops):
    """Return embedding and probabilities of RGB crops, following the published structure."""
    import torch
    from torch.nn import functional

    s = {key.removeprefix("module."): torch.from_numpy(value) for key, value in state.items()}

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

    def excited(x, at):
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
            x = x + excited(bottleneck(x, at), f"{at}.se_module")
    x = conv(conv(x, "conv_6_sep"), "conv_6_dw", padding=0, activated=False)
    embedding = norm(functional.linear(x.flatten(1), s["linear.weight"]), "bn")
    probabilities = functional.linear(embedding, s["prob.weight"]).softmax(1)
    return embedding.numpy(), probabilities.numpy()
