"""Takes of a person who is not simulated, as numbers; and what an earlier run has left of them."""

import numpy as np

from app import storage
from app.session.recovery import find
from app.types import Condition, Sample
from app.vision.conditions import NAMES

FEATURES = {"format": 1, "preset": {"name": "texture"}, "weights": {"net": "0" * 64}}


def takes_folder():
    return storage.personal_folder() / storage.TAKES_NAME


def takes(n_frames, *names, first=0, columns=5):
    """Return samples of takes of that many frames each."""
    rng = np.random.default_rng(first)
    numbered = enumerate((name for name in names for _ in range(n_frames)), start=first)
    return tuple(
        Sample(
            number,
            name,
            {
                f"{part}/net": rng.normal(size=(1, columns)).astype("f4")
                for part in ("eyes", "nose")
            },
            Condition(*map(float, rng.normal(size=len(NAMES)))),
            np.zeros((96, 96, 3), np.uint8),
        )
        for number, name in numbered
    )


def left():
    """Return the takes of the one run that has left some."""
    (found,) = find()
    found.run.release()
    return found.samples


def nothing_is_left():
    found = find()
    for one in found:
        one.run.release()
    return not found


def same(some, others):
    """Whether samples are the same but for their numbers and their pictures."""
    return len(some) == len(others) and all(
        (one.take, one.person, one.condition) == (other.take, other.person, other.condition)
        and list(one.views) == list(other.views)
        and all(np.array_equal(one.views[name], other.views[name]) for name in one.views)
        for one, other in zip(some, others, strict=True)
    )
