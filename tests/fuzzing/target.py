"""What a target is: good files, mutants of them, and what must hold for any bytes."""

import random
import re
from abc import ABC, abstractmethod
from pathlib import Path

from tests.fuzzing.bytes_mutators import mutated_bytes

CORPUS = Path(__file__).parent / "corpus"

LOADED = ""
"""What `Target.check` returns for an input that was loaded."""

LONGEST_SENTENCE = 600
"""Characters of what a person is told: a file must not fill the screen."""

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
    is_noisy : bool
        Whether libraries in C write to the standard error.
    """

    name: str
    inputs = 100_000
    depth = 0.7
    is_noisy = False

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.seeds = [path.read_bytes() for path in self.corpus()]

    def corpus(self) -> list[Path]:
        """Return the files that mutants are made of, those that once failed included."""
        return sorted(path for path in (CORPUS / self.name).glob("*") if path.is_file())

    @classmethod
    @abstractmethod
    def good_files(cls) -> dict[str, bytes]:
        """Make the corpus: files that must load, by name."""

    @abstractmethod
    def check(self, data: bytes) -> str:
        """Load, and use what was loaded; return the reason of a refusal, or `LOADED`.

        Anything that is raised is a failure.
        """

    def structured(self, data: bytes, rng: random.Random) -> bytes:
        """Return a mutant that knows the format, so that it gets past the first checks."""
        return mutated_bytes(data, self.seeds, rng)

    def mutant(self, seed: int, number: int) -> bytes:
        """Return an input: the same for the same numbers."""
        rng = random.Random(f"{self.name} {seed} {number}")
        data = rng.choice(self.seeds)
        if rng.random() < self.depth:
            return self.structured(data, rng)
        return mutated_bytes(data, self.seeds, rng)


def told(sentence: str) -> str:
    """Return a refusal's sentence; raise `Broken` unless it is one that a person can be shown."""
    if not sentence or not sentence.isprintable() or len(sentence) > LONGEST_SENTENCE:
        raise Broken(f"this is no sentence to show: {sentence[:800]!r}")
    if BACKSTOP in sentence or "memory" in sentence:
        raise Broken(f"no check foresaw this: {sentence}")
    return sentence


def kind_of(reason: str) -> str:
    """Return a reason without the values of the file in it, so that like reasons are counted."""
    kind = re.sub(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|[^\x20-\x7e]+", "_", reason)
    kind = re.sub(r"[-+]?\d[\d.,e+\-]*|\bnan\b|\binf\b", "#", kind)
    kind = re.sub(r"[\[({].*[\])}]", "(_)", kind)
    return kind if len(kind) <= 110 else kind[:109] + "…"
