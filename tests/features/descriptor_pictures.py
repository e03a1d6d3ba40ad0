"""Pictures for the tests of descriptors: detail, colour and noise, but no faces."""

import numpy as np


def textured(size=64, seed=0):
    """Return a crop with smooth shapes in three colours, some edges and a little noise."""
    random = np.random.default_rng(seed)
    down, across = np.mgrid[:size, :size] / size
    planes = [
        120 + 50 * np.sin(9 * across + phase) + 40 * np.cos(7 * down * across + 2 * phase)
        for phase in random.uniform(0, 6, 3)
    ]
    picture = np.stack(planes, axis=-1)
    picture[size // 4 : size // 2, size // 3 : size // 2] += (35, -20, 10)
    picture += random.normal(0, 4, picture.shape)
    return np.clip(np.rint(picture), 0, 255).astype(np.uint8)


def noise(size=64, seed=0):
    """Return a crop of independent random pixels."""
    return np.random.default_rng(seed).integers(0, 256, (size, size, 3)).astype(np.uint8)


def flat(colour, size=64):
    return np.full((size, size, 3), colour, np.uint8)


def checkered(size=64):
    """Return a crop of alternating black and white pixels."""
    bright = np.indices((size, size)).sum(axis=0) % 2 == 1
    return np.repeat(255 * bright.astype(np.uint8)[..., None], 3, axis=-1)


HARD = {
    "black": flat(0),
    "white": flat(255),
    "grey": flat(77),
    "one colour": flat((3, 200, 77)),
    "noise": noise(),
    "checkered": checkered(),
    "half": np.concatenate([flat(0)[:32], flat(255)[:32]]),
    "one pixel": np.pad(np.full((1, 1, 3), 1, np.uint8), ((31, 32), (31, 32), (0, 0))),
    "textured": textured(),
}
"""Pictures for which a careless formula divides by zero."""
