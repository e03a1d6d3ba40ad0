"""Takes rendered once for all tests of this folder: rendering is what takes the time."""

from functools import lru_cache

from app.demo.renderer.takes import Take, frames


@lru_cache(maxsize=64)
def images(take):
    return tuple(frame.image for frame in frames(take))


def genuine(person="P001", condition="office", seed=0, n_frames=2):
    return Take(person, "bonafide", None, condition, seed, n_frames)


def attack(instrument, person="P001", condition="office", seed=0, n_frames=2):
    return Take(person, "attack", instrument, condition, seed, n_frames)
