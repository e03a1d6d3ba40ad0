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
"""Most channels of a layer whose width is read from the file."""

_LARGEST = float(np.finfo(np.float32).max)

# The number of training steps, which is unused here and missing in old files.
COUNTER = "num_batches_tracked"


class State:
    """The tensors of a weights file by name.

    A tensor that does not fit the network raises `InvalidInputError`, which names file and tensor.
    """

    def __init__(self, spec: NetworkSpec, tensors: Mapping[str, NDArray[Any]], path: Path) -> None:
        # Files saved from a network on several devices have this prefix.
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
        """Read a weights file."""
        return cls(spec, read_tensors(path), path)

    def take(self, name: str, shape: tuple[int, ...]) -> NDArray[np.float32]:
        """Remove and return a tensor after checking its shape and that it is finite.

        A 0 at the start of ``shape`` accepts any length up to `LARGEST_WIDTH`; a matrix is accepted
        as 1 x 1 kernels.
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
            raise self.differs(f"{name} has the type {tensor.dtype} instead of a float type")
        values = np.array(tensor, np.float32, order="C").reshape(found)
        if not np.isfinite(values).all():
            raise self.differs(f"{name} has values that are not finite")
        return values

    def finish(self) -> None:
        """Raise if a tensor was not taken."""
        for name in self._left:
            raise self.differs(f"{name} is not part of the network")

    def differs(self, difference: str) -> InvalidInputError:
        """Return the error for a file that does not fit the network."""
        name = self._spec.name
        return InvalidInputError(
            f"The weights file {self._path} does not fit {name}: {shortened(difference, 200)}; "
            f"replace it with the file made for {name}."
        )


@dataclass(frozen=True, eq=False)
class FilledConv:
    """A convolution with its weights."""

    step: Conv
    kernel: NDArray[np.float32]  # (outputs, inputs per group, side, side)
    bias: NDArray[np.float32]
    slope: NDArray[np.float32] | None  # of PReLU, one number per channel

    @property
    def groups(self) -> int:
        """Number of groups of channels that are convolved separately."""
        return len(self.kernel) if self.step.depthwise else 1


Filled: TypeAlias = FilledConv | Block
"""A convolution, or a block of filled steps."""


def fill(spec: NetworkSpec, state: State) -> tuple[tuple[Filled, ...], ...]:
    """Put the weights into every layer of a described network."""
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
        with np.errstate(all="ignore"):  # hostile files; checked below
            gain = gain / np.sqrt(variance + step.epsilon)
            kernel *= gain.reshape(-1, 1, 1, 1)
            bias = shift - mean * gain
    slope = state.take(f"{step.slope}.weight", n) if step.slope else None
    # Negative variances give NaN, for which the comparisons are false as well.
    if not (np.abs(kernel).max() <= _LARGEST and np.abs(bias).max() <= _LARGEST):
        raise state.differs(f"{step.norm} cannot be folded into {step.name}")
    return FilledConv(step, kernel.astype(np.float32), bias.astype(np.float32), slope)
