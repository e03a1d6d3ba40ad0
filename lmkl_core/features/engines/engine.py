"""What an engine is, and the error where there is none."""

from importlib.util import find_spec
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from lmkl_core.errors import InvalidInputError

INSTALL_TORCH: Final = 'pip install "lmkl-pad[torch]"'


class EngineError(InvalidInputError):
    """No engine can run a network here; the message gives the reason."""


class Engine(Protocol):
    """Runs one graph. Safe to call from several threads at once.

    Attributes
    ----------
    name : str
        For people and for the doctor.
    weight : int
        How much work a crop is, in any unit; heavy engines are started first.
    brings_threads : bool
        Whether one call uses several cores by itself. If not, parts of a batch are given to
        several threads.
    """

    name: str
    weight: int
    brings_threads: bool

    def run(self, crops: NDArray[np.uint8]) -> list[NDArray[np.float32]]:
        """Compute the graph's outputs, (n, columns) each, of crops (n, size, size, 3), RGB."""
        ...


def has_torch() -> bool:
    """Whether torch is installed; only networks without a description need it."""
    return find_spec("torch") is not None


def without_torch(what: str) -> EngineError:
    """Return the error for something that needs torch where it is not installed."""
    return EngineError(f"{what} needs torch, which is not installed: {INSTALL_TORCH}.")
