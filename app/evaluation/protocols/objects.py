"""Images of objects, one class against others: what Caltech-256 and Abnormal Objects share."""

import os
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import TypeVar

import numpy as np

from app.capture.folder import IMAGE_SUFFIXES, natural_order
from app.evaluation.protocols.folders import files_in
from app.evaluation.protocols.recordings import FileFootage
from app.evaluation.protocols.types import Recording

Item = TypeVar("Item")


def images(root: Path, folder: str, subject: str, species: str) -> tuple[Recording, ...]:
    """Return the images of a folder below the root in natural order, each a recording."""
    names = [
        name
        for name in files_in(root / folder)
        if os.path.splitext(name)[1].lower() in IMAGE_SUFFIXES
    ]
    return tuple(
        Recording(str(path), subject, species, FileFootage(root / path))
        for name in sorted(names, key=lambda name: (natural_order(name), name))
        for path in [PurePosixPath(folder) / name]
    )


def drawn(items: Sequence[Item], count: int, *seed: int) -> tuple[Item, ...]:
    """Return so many of the items, drawn at random and kept in their order."""
    chosen = np.random.default_rng(seed).permutation(len(items))[:count]
    return tuple(items[place] for place in sorted(chosen.tolist()))


def halves(items: Sequence[Recording], *seed: int) -> tuple[tuple[Recording, ...], ...]:
    """Return a half of the recordings drawn at random, rounded up, and the others."""
    first = drawn(items, (len(items) + 1) // 2, *seed)
    names = {recording.name for recording in first}
    return first, tuple(recording for recording in items if recording.name not in names)
