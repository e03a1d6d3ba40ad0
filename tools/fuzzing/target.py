"""A fuzzing target: seed files, mutants of them, and what must hold for any bytes."""

import random
from abc import ABC, abstractmethod
from pathlib import Path

from hypothesis import strategies as st

from tools.fuzzing.mutators import mutated_bytes

CORPUS = Path(__file__).parent / "corpus"

LOADED = ""
"""What `Target.check` returns for an input that was loaded."""

LONGEST_MESSAGE = 600
"""Characters of what a person is shown: a file must not fill the screen."""

BACKSTOP = "makes no sense ("
"""What the loaders of models say of errors that no check foresaw: there should be none."""


class Broken(AssertionError):
    """What had to hold for an input does not."""


class Target(ABC):
    """A loader under attack.

    Parameters
    ----------
    folder : Path
        Where inputs are put that are loaded by their path.

    Attributes
    ----------
    name : str
        On the command line; also the folder of its corpus.
    inputs : int
        Tried by the command unless another number is asked for.
    depth : float
        Share of mutants that know the format: others mostly die at the first check.
    """

    name: str
    inputs = 100_000
    depth = 0.7

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.seeds = [path.read_bytes() for path in self.corpus()]

    def corpus(self) -> list[Path]:
        """Return the files that mutants are made of, those that once failed included."""
        return sorted((CORPUS / self.name).iterdir())

    @abstractmethod
    def check(self, data: bytes) -> str:
        """Load, and use what was loaded; return the reason of a refusal, or `LOADED`.

        Anything that is raised is a failure.
        """

    def structured(self, data: bytes, rng: random.Random) -> bytes:
        """Return a mutant that knows the format, so that it gets past the first checks."""
        return mutated_bytes(data, self.seeds, rng)

    def mutant(self, data: bytes, rng: random.Random) -> bytes:
        """Return a changed file."""
        if rng.random() < self.depth:
            return self.structured(data, rng)
        return mutated_bytes(data, self.seeds, rng)

    def mutants(self) -> st.SearchStrategy[bytes]:
        """Return hypothesis's strategy for inputs."""
        seeds = st.sampled_from(self.seeds)
        return st.builds(self.mutant, seeds, st.randoms(use_true_random=False))


def told(message: str) -> str:
    """Return a refusal's message; raise `Broken` unless it is one that a person can be shown."""
    if not message or not message.isprintable() or len(message) > LONGEST_MESSAGE:
        raise Broken(f"not a message to show: {message[:800]!r}")
    if BACKSTOP in message or "memory" in message:
        raise Broken(f"no check foresaw this: {message}")
    return message
