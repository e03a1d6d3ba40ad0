"""Check the weights of a file and put them into the steps of a described network.

Batch norms are folded into the convolutions before them, in double precision.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from lmkl_core.errors import InvalidInputError, shortened
from lmkl_core.features.networks.description import Block, Conv, Step
from lmkl_core.features.networks.registry import NetworkSpec
from lmkl_core.features.weights.tensors import read_tensors

LARGEST_WIDTH = 1024
"""Channels that a layer may have whose width is read from the file."""

_LARGEST = float(np.finfo(np.float32).max)

# Counts training steps: unused here, and missing in old files.
COUNTER = "num_batches_tracked"


class State:
    """The tensors of a weights file, by name.

    What does not fit the network raises `InvalidInputError` with the file and the tensor.
    """

    def __init__(self, spec: NetworkSpec, tensors: Mapping[str, NDArray[Any]], path: Path) -> None:
        # A file that was saved from a network on several devices has the prefix.
        plain = {name.removeprefix("module."): value for name, value in tensors.items()}
        kept = {
            name: value
            for name, value in plain.items()
            if not name.startswith(spec.unused) and not name.endswith(COUNTER)
        }
        self._left = dict(zip(spec.rename(list(kept)), kept.values(), strict=True))
        self._spec = spec
        self._path = path

    @classmethod
    def read(cls, spec: NetworkSpec, path: Path) -> "State":
        """Read a file of weights."""
        return cls(spec, read_tensors(path), path)

    def take(self, name: str, shape: tuple[int, ...]) -> NDArray[np.float32]:
        """Remove and return a tensor, checked for its shape and finite numbers.

        A first side of 0 in ``shape`` is one that the file chooses; a matrix passes for 1 x 1
        kernels.
        """
        if name not in self._left:
            raise self.differs(f"{name} is missing")
        tensor = self._left.pop(name)
        found = (*tensor.shape, 1, 1) if tensor.ndim == 2 and len(shape) == 4 else tensor.shape
        is_open = shape[0] == 0
        lengths = range(1, LARGEST_WIDTH + 1) if is_open else shape[:1]
        if found[1:] != shape[1:] or not found or found[0] not in lengths:
            wanted = (f"1 to {LARGEST_WIDTH}", *shape[1:]) if is_open else shape
            raise self.differs(f"{name} has shape {tensor.shape} instead of {wanted}")
        if tensor.dtype.kind != "f":
            raise self.differs(f"{name} holds {tensor.dtype} instead of real numbers")
        values = np.array(tensor, np.float32, order="C").reshape(found)
        if not np.isfinite(values).all():
            raise self.differs(f"{name} holds values that are not finite")
        return values

    def finish(self) -> None:
        """Raise if a tensor is left."""
        for name in self._left:
            raise self.differs(f"{name} has no place in the network")

    def differs(self, difference: str) -> InvalidInputError:
        """Return the error of a file that does not fit."""
        name = self._spec.name
        return InvalidInputError(
            f"The weights file {self._path} does not fit {name}: {shortened(difference, 200)}; "
            f"put the file made for {name} in its place."
        )


@dataclass(frozen=True, eq=False)
class FilledConv:
    """A convolution with its numbers."""

    step: Conv
    kernel: NDArray[np.float32]  # (outputs, inputs of a group, side, side)
    bias: NDArray[np.float32]
    slope: NDArray[np.float32] | None  # PReLU's, one a channel

    @property
    def groups(self) -> int:
        """Groups of channels that are convolved on their own."""
        return len(self.kernel) if self.step.depthwise else 1


Filled: TypeAlias = FilledConv | Block
"""A convolution, or a block of filled steps."""


def fill(spec: NetworkSpec, state: State) -> tuple[tuple[Filled, ...], ...]:
    """Give every layer of a described network its weights."""
    assert spec.description is not None
    layers, channels = [], 3
    for steps in spec.description:
        filled, channels = _fill(steps, channels, state)
        layers.append(filled)
    state.finish()
    return tuple(layers)


def _fill(steps: Sequence[Step], channels: int, state: State) -> tuple[tuple[Filled, ...], int]:
    filled: list[Filled] = []
    for step in steps:
        if isinstance(step, Conv):
            conv = _convolution(step, channels, state)
            filled.append(conv)
            channels = len(conv.kernel)
            continue
        inner, after = _fill(step.steps, channels, state)
        if after != channels:
            raise state.differs(f"a block ends with {after} channels instead of {channels}")
        filled.append(replace(step, steps=inner))
    return tuple(filled), channels


def _convolution(step: Conv, channels: int, state: State) -> FilledConv:
    sides = (channels, 1) if step.depthwise else (step.outputs, channels)
    shape = (*sides, step.kernel, step.kernel)
    kernel = state.take(f"{step.name}.weight", shape).astype(np.float64)
    n = (len(kernel),)
    bias = np.zeros(n)
    if step.norm:
        gain, shift, mean, variance = (
            state.take(f"{step.norm}.{key}", n).astype(np.float64)
            for key in ("weight", "bias", "running_mean", "running_var")
        )
        with np.errstate(all="ignore"):  # of hostile files; checked below
            gain = gain / np.sqrt(variance + step.epsilon)
            kernel *= gain.reshape(-1, 1, 1, 1)
            bias = shift - mean * gain
    slope = state.take(f"{step.slope}.weight", n) if step.slope else None
    # A comparison with NaN, which negative variances leave, is false too.
    if not (np.abs(kernel).max() <= _LARGEST and np.abs(bias).max() <= _LARGEST):
        raise state.differs(f"{step.norm} cannot be folded into {step.name}")
    return FilledConv(step, kernel.astype(np.float32), bias.astype(np.float32), slope)
