"""The tensors of a weights file, given out by name: every one must have its place and its shape."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lmkl_core.errors import InvalidInputError
from lmkl_core.features.networks.spec import NetworkSpec
from lmkl_core.features.weights.tensors import read_tensors

# Counts training steps: of no use here, and missing in old files.
COUNTER = "num_batches_tracked"


class State:
    """Named tensors for one network.

    Parameters
    ----------
    spec : NetworkSpec
        The network: which tensors it has no use for, and how it names the others.
    tensors : mapping
        As the file has them.
    path : Path
        The file, for messages.
    """

    def __init__(self, spec: NetworkSpec, tensors: Mapping[str, NDArray[Any]], path: Path) -> None:
        kept = {
            name: value
            for name, value in tensors.items()
            if not name.startswith(spec.unused) and not name.endswith(COUNTER)
        }
        self._left = dict(zip(spec.rename(list(kept)), kept.values(), strict=True))
        self._spec = spec
        self._path = path

    @classmethod
    def read(cls, spec: NetworkSpec, path: Path) -> "State":
        """Read a file.

        Raises
        ------
        InvalidInputError
            If it cannot be read.
        """
        return cls(spec, read_tensors(path), path)

    def take(self, name: str, shape: tuple[int, ...], widest: int = 0) -> NDArray[np.float32]:
        """Return a tensor, which nobody can take again.

        Parameters
        ----------
        name : str
            Its name in the network.
        shape : tuple of int
            What it must have. A first side of 0 is any from 1 to ``widest``; a matrix passes for
            1 x 1 kernels.

        Raises
        ------
        InvalidInputError
            If it is missing, of another shape, or not made of finite numbers.
        """
        if name not in self._left:
            raise self.differs(f"{name} is missing")
        tensor = self._left.pop(name)
        found = (*tensor.shape, 1, 1) if tensor.ndim == 2 and len(shape) == 4 else tensor.shape
        first = shape[:1] if shape[:1] != (0,) else found[:1]
        if found != (*first, *shape[1:]) or (shape[:1] == (0,) and not 1 <= found[0] <= widest):
            wanted = shape if shape[:1] != (0,) else (f"1 to {widest}", *shape[1:])
            raise self.differs(f"{name} has shape {tensor.shape} instead of {wanted}")
        if tensor.dtype.kind != "f":
            raise self.differs(f"{name} holds {tensor.dtype} instead of real numbers")
        values = np.array(tensor, np.float32, order="C").reshape(found)
        if not np.isfinite(values).all():
            raise self.differs(f"{name} holds values that are not finite")
        return values

    def finish(self) -> None:
        """Make sure that every tensor was taken.

        Raises
        ------
        InvalidInputError
            If one has no place in the network.
        """
        for name in self._left:
            raise self.differs(f"{name} has no place in the network")

    def differs(self, difference: str) -> InvalidInputError:
        """Return the error of a file that does not fit."""
        name = self._spec.name
        # Names in a file may be of any length and hold anything.
        difference = "".join(each if each.isprintable() else "?" for each in difference[:200])
        return InvalidInputError(
            f"The weights file {self._path} does not fit {name}: {difference}; "
            f"put the file made for {name} in its place."
        )
