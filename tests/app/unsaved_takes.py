"""Takes of a person who is not simulated, and what an ended run has left of them on disk."""

from contextlib import suppress

import numpy as np

from app import storage
from app.session.recovery import Journal, find, unpacked
from app.types import Condition, Sample
from app.vision.conditions import NAMES

FEATURES = {"format": 1, "preset": {"name": "texture"}, "weights": {"net": "0" * 64}}


def takes_folder():
    return storage.personal_folder() / storage.TAKES_NAME


def takes(n_frames, *names, first=0, columns=5):
    """Return samples of takes with that many frames each."""
    rng = np.random.default_rng(first)
    samples = []
    for name in np.repeat(names, n_frames).tolist():
        rows = rng.normal(size=(2, 1, columns)).astype(np.float32)
        views = dict(zip(("eyes/net", "nose/net"), rows, strict=True))
        condition = Condition(*map(float, rng.normal(size=len(NAMES))))
        picture = np.zeros((96, 96, 3), np.uint8)
        samples.append(Sample(first + len(samples), name, views, condition, picture))
    return tuple(samples)


def leave(samples, features=FEATURES):
    """Leave takes on disk as a killed program does."""
    journal = Journal()
    journal.keep(samples, features)
    journal.close()


def kept_frames():
    """Return the numbers of frames in the folders on disk, the smallest first."""
    counts = []
    for folder in takes_folder().glob("*/"):
        counts.append(0)
        for path in folder.glob("*.safetensors"):
            with suppress(FileNotFoundError):  # just removed
                counts[-1] += len(unpacked(path.read_bytes())[1])
    return sorted(counts)


def left_samples():
    """Return the samples that the only ended run has left."""
    (found,) = find()
    found.run.release()
    return found.samples


def same_samples(some, others):
    """Whether samples are equal, except for their numbers and pictures."""
    return len(some) == len(others) and all(
        (one.take, one.person, one.condition) == (other.take, other.person, other.condition)
        and list(one.views) == list(other.views)
        and all(np.array_equal(one.views[name], other.views[name]) for name in one.views)
        for one, other in zip(some, others, strict=True)
    )
