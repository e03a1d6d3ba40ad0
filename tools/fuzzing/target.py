"""A fuzzing target: seed files, their mutants, and what must hold for any bytes."""

import random
from abc import ABC, abstractmethod
from pathlib import Path

from hypothesis import strategies as st

from tools.fuzzing.mutators import mutated_bytes

CORPUS = Path(__file__).parent / "corpus"

LOADED = ""
"""Returned by `Target.check` for an input that was loaded."""

MAX_MESSAGE = 600
"""Characters of a message: a file must not fill the screen."""


class Broken(AssertionError):
    """An input violates what must hold for all."""


class Target(ABC):
    """A loader under attack.

    Parameters
    ----------
    folder : Path
        Folder for inputs that are loaded by their path.

    Attributes
    ----------
    name : str
        Name on the command line and of the corpus folder.
    inputs : int
        Default number of inputs.
    depth : float
        Share of mutants that follow the format: others mostly fail the first check.
    """

    name: str
    inputs = 100_000
    depth = 0.7

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.seeds = [path.read_bytes() for path in self.corpus()]

    def corpus(self) -> list[Path]:
        """Return the files to mutate, including past failures."""
        return sorted((CORPUS / self.name).iterdir())

    @abstractmethod
    def check(self, data: bytes) -> str:
        """Load the input and use the result; return the reason for a refusal, or `LOADED`.

        Any exception is a failure.
        """

    def structured(self, data: bytes, rng: random.Random) -> bytes:
        """Return a mutant that follows the format, so that it passes the first checks."""
        return mutated_bytes(data, self.seeds, rng)

    def mutant(self, data: bytes, rng: random.Random) -> bytes:
        if rng.random() < self.depth:
            return self.structured(data, rng)
        return mutated_bytes(data, self.seeds, rng)

    def mutants(self) -> st.SearchStrategy[bytes]:
        """Return a hypothesis strategy for inputs."""
        seeds = st.sampled_from(self.seeds)
        return st.builds(self.mutant, seeds, st.randoms(use_true_random=False))


def checked_message(message: str) -> str:
    """Return a refusal's message; raise `Broken` unless it is fit to be shown."""
    from lmkl_core.model_file.files import UNFORESEEN  # late, so that atheris instruments it

    if not message or not message.isprintable() or len(message) > MAX_MESSAGE:
        raise Broken(f"unfit message: {message[:800]!r}")
    if UNFORESEEN in message or "memory" in message:
        raise Broken(f"unforeseen error: {message}")
    return message
