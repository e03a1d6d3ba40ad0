"""What an engine is, and the error when there is none."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from lmkl_core.errors import InvalidInputError


class EngineError(InvalidInputError):
    """No engine can run a network here, told in one sentence with the reason."""


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
        """Compute the graph's outputs.

        Parameters
        ----------
        crops : ndarray
            (n, size, size, 3), red-green-blue.

        Returns
        -------
        list of ndarray
            (n, columns) each, in the order of the graph's outputs.
        """
        ...
