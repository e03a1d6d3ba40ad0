"""Generated vectors for the headless demo: several views of takes, no faces.

A sample is a point ``z(t)`` that wanders smoothly through a low-dimensional
latent space while a take is being recorded. Each take sits at its own
condition (think of a lamp, a window) and each view sees ``z`` through its own
fixed nonlinear map plus its own noise. Attacks follow the same drift and are
then pushed off the surface on which the genuine samples lie, so what makes
them attacks is known exactly.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

STATEMENT = "generated vectors, no faces"

Views = dict[str, NDArray[np.float64]]

LATENT_DIM = 3
CONDITIONS = ("lamp", "window", "overcast", "evening")

# Samples over which a take's path stays nearly straight, as frames of a moving head do.
SMOOTHNESS = 3
# Standard deviations of the conditions' centres, and of a take around its own.
CONDITION_SPREAD = 1.5
WANDER = 0.4


@dataclass(frozen=True)
class ViewSpec:
    """How one view sees the latent point.

    Attributes
    ----------
    dim : int
        Length of the view's vectors.
    noise : float
        Standard deviation of the noise, where the signal's is about one.
    """

    dim: int
    noise: float


# One view is nearly all noise: a fit that weighs its kernels shows it.
VIEW_SPECS: Mapping[str, ViewSpec] = {
    "steady": ViewSpec(dim=24, noise=0.05),
    "grainy": ViewSpec(dim=24, noise=0.25),
    "coarse": ViewSpec(dim=6, noise=0.10),
    "blurred": ViewSpec(dim=12, noise=0.80),
}

# How far each attack leaves the genuine surface, view by view, in units of the
# signal's standard deviation. Views that are not named stay genuine.
ATTACK_SHIFTS: Mapping[str, Mapping[str, float]] = {
    "far in every view": dict.fromkeys(VIEW_SPECS, 1.5),
    "near in every view": dict.fromkeys(VIEW_SPECS, 0.5),
    "far in one view": {"coarse": 1.5},
}


@dataclass(frozen=True)
class Take:
    """A named run of samples, in the order in which they were recorded."""

    name: str
    views: Views

    def __len__(self) -> int:
        return len(next(iter(self.views.values())))


@dataclass(frozen=True)
class DemoViews:
    """Everything the demo fits on and is judged on.

    Attributes
    ----------
    enrolled : tuple of Take
        Genuine takes to learn from, one per condition.
    held_out : tuple of Take
        Genuine takes recorded again under the same conditions, never learnt from.
    attacks : tuple of Take
        One take per kind of attack, never learnt from.
    """

    enrolled: tuple[Take, ...]
    held_out: tuple[Take, ...]
    attacks: tuple[Take, ...]


def generate(seed: int = 0, *, enrolled_length: int = 120, test_length: int = 60) -> DemoViews:
    """Generate the demo's takes; the same seed gives the same numbers.

    Parameters
    ----------
    seed : int
        Seed of every random number used here.
    enrolled_length : int
        Samples in each enrolled take.
    test_length : int
        Samples in each held-out take and in each attack.

    Returns
    -------
    DemoViews
        Takes to enrol, genuine takes to test with, and attacks.
    """
    rng = np.random.default_rng(seed)
    world = _World(rng)
    enrolled = tuple(
        Take(name, world.see(world.drift(name, enrolled_length, rng), rng)) for name in CONDITIONS
    )
    held_out = tuple(
        Take(f"{name}, again", world.see(world.drift(name, test_length, rng), rng))
        for name in CONDITIONS
    )
    attacks = tuple(
        Take(kind, _shifted(world.attack_latent(test_length, rng), shifts, world, rng))
        for kind, shifts in ATTACK_SHIFTS.items()
    )
    return DemoViews(enrolled, held_out, attacks)


def stack(takes: tuple[Take, ...]) -> tuple[Views, NDArray[np.str_]]:
    """Concatenate takes row by row.

    Parameters
    ----------
    takes : tuple of Take
        Takes with the same views.

    Returns
    -------
    views : dict of str to ndarray
        Each view of all takes, in the order given.
    names : ndarray of str
        Name of the take of each row.
    """
    views = {view: np.concatenate([take.views[view] for take in takes]) for view in takes[0].views}
    return views, np.repeat([take.name for take in takes], [len(take) for take in takes])


class _World:
    """The fixed part: where conditions sit and how each view maps the latent space."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.centres = dict(
            zip(
                CONDITIONS,
                CONDITION_SPREAD * rng.standard_normal((len(CONDITIONS), LATENT_DIM)),
                strict=True,
            )
        )
        self.maps = {
            name: rng.standard_normal((2 * LATENT_DIM, spec.dim)) / np.sqrt(2 * LATENT_DIM)
            for name, spec in VIEW_SPECS.items()
        }
        self.directions = {
            name: _direction_off_the_surface(self.maps[name], rng) for name in VIEW_SPECS
        }

    def drift(self, condition: str, length: int, rng: np.random.Generator) -> NDArray[np.float64]:
        """Return a smooth path that wanders around a condition's centre and keeps coming back."""
        reach = 4 * SMOOTHNESS
        window = np.exp(-0.5 * (np.arange(-reach, reach + 1) / SMOOTHNESS) ** 2)
        window *= WANDER / np.linalg.norm(window)  # the path's spread becomes WANDER
        noise = rng.standard_normal((length + 2 * reach, LATENT_DIM))
        path = np.column_stack([np.convolve(axis, window, mode="valid") for axis in noise.T])
        return self.centres[condition] + path

    def attack_latent(self, length: int, rng: np.random.Generator) -> NDArray[np.float64]:
        """Return genuine latent paths, equally many samples from each condition."""
        parts = np.array_split(np.arange(length), len(CONDITIONS))
        return np.concatenate(
            [self.drift(name, len(part), rng) for name, part in zip(CONDITIONS, parts, strict=True)]
        )

    def see(self, latent: NDArray[np.float64], rng: np.random.Generator) -> Views:
        """Map latent points into every view and add that view's noise."""
        signal = np.hstack([latent, np.sin(2 * latent)])
        return {
            name: signal @ self.maps[name]
            + spec.noise * rng.standard_normal((len(latent), spec.dim))
            for name, spec in VIEW_SPECS.items()
        }


def _direction_off_the_surface(
    view_map: NDArray[np.float64], rng: np.random.Generator
) -> NDArray[np.float64]:
    """Return a direction that no genuine sample moves in, where the view has one.

    A view no wider than its signal has none; there the direction is a random
    one, and the shift alone has to carry the sample off the surface.
    """
    direction = rng.standard_normal((view_map.shape[1],))
    basis = np.linalg.qr(view_map.T)[0]
    outside = direction - basis @ (basis.T @ direction)
    if np.linalg.norm(outside) > 1e-8 * np.linalg.norm(direction):
        direction = outside
    # Of norm sqrt(dim), so that a shift of 1 moves every coordinate by about 1.
    return direction * (np.sqrt(len(direction)) / np.linalg.norm(direction))


def _shifted(
    latent: NDArray[np.float64],
    shifts: Mapping[str, float],
    world: _World,
    rng: np.random.Generator,
) -> Views:
    views = world.see(latent, rng)
    for name, size in shifts.items():
        views[name] = views[name] + size * world.directions[name]
    return views
