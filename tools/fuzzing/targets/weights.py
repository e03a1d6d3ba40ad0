"""Weights of networks: torch files, old and new, and safetensors."""

import io
import random
from typing import Any

import numpy as np
import torch
from torch import nn

from lmkl_core.errors import InvalidInputError
from lmkl_core.features.networks.description import Conv
from lmkl_core.features.networks.filling import State, fill
from lmkl_core.features.networks.registry import NetworkSpec
from tools.fuzzing.mutators import mutated_bytes
from tools.fuzzing.target import LOADED, Broken, Target, checked_message

INF = float("inf")


SPEC = NetworkSpec(
    "small",
    {"a": 2},
    ("fc.",),
    mean=(0, 0, 0),
    std=(1, 1, 1),
    description=((Conv("0", norm="1"),),),
)


def _good() -> dict[str, Any]:
    torch.manual_seed(0)
    return nn.Sequential(nn.Conv2d(3, 2, 1, bias=False), nn.BatchNorm2d(2)).state_dict()


class WeightsTarget(Target):
    """`State.read` and `fill`: a network with finite weights, or a refusal."""

    name = "weights"
    inputs = 20_000

    def structured(self, data: bytes, rng: random.Random) -> bytes:
        state = _good()
        if rng.random() < 0.5:
            return mutated_bytes(data, self.seeds, rng)
        for _ in range(rng.choice([1, 1, 2])):
            name = rng.choice(list(state))
            state[name] = rng.choice(_TENSORS)(_good()[name])
        if rng.random() < 0.2:
            state[rng.choice(["fc.weight", "x", "", "0.weight\0", "num_batches_tracked"])] = 1
        saved = _saved(rng.choice([state, state, state, [state], {"state": state}, {1: state}]))
        return saved if rng.random() < 0.7 else mutated_bytes(saved, self.seeds, rng)

    def check(self, data: bytes) -> str:
        is_safetensors = data[8:10] == b'{"'
        path = self.folder / ("bad.safetensors" if is_safetensors else "bad.pth")
        path.write_bytes(data)
        try:
            ((conv,),) = fill(SPEC, State.read(SPEC, path))
        except InvalidInputError as error:
            return checked_message(str(error).replace(str(path), "FILE"))
        if conv.kernel.dtype != np.float32 or not (
            np.isfinite(conv.kernel).all() and np.isfinite(conv.bias).all()
        ):
            raise Broken("the network has weights that are not finite")
        return LOADED


_TENSORS = (
    lambda value: value.to(torch.int32),
    lambda value: value.double(),
    lambda value: value.to(torch.float16),
    lambda value: value * INF,
    lambda value: value * -1e38,
    lambda value: value.to("meta"),
    lambda value: value.to_sparse() if value.ndim else value,
    lambda value: value.reshape(-1),
    lambda value: value[None],
    lambda value: torch.zeros(1).expand(2**40),
    lambda value: torch.zeros(()).expand(value.shape),
    lambda value: torch.quantize_per_tensor(value.float(), 0.1, 0, torch.quint8),
    lambda value: torch.complex(value.float(), value.float()),
    lambda value: nn.Parameter(value.float()),
    lambda value: "text",
    lambda value: [value],
    lambda value: None,
)


def _saved(state: object) -> bytes:
    buffer = io.BytesIO()
    torch.save(state, buffer)
    return buffer.getvalue()
