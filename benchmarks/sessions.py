"""Generated enrolment sessions: takes under conditions, other sessions of them, attacks.

A person moves through a latent space by a mean-reverting walk around the centre of a condition
(light, distance); another session of the same condition starts from a slightly shifted
centre. Twelve unit-norm views see the latent point through fixed nonlinear maps with
noise of their own. An attack shows the same movements under the same conditions, with a constant
texture added in some of the views. None of this is a face: it is a proxy for how left-out
scores, thresholds and new sessions relate, which is all it is used for.
"""

from dataclasses import dataclass

import numpy as np

N_VIEWS, LATENT, SPECIES = 12, 6, 4


@dataclass(frozen=True)
class Scenario:
    """How a person enrolled."""

    name: str
    n_takes: int
    rows: int
    memory: float
    """Rows after which a movement is forgotten to 1/e."""


SCENARIOS = (
    Scenario("5 takes x 60 frames, slow", 5, 60, 15.0),
    Scenario("3 takes x 120 frames, slow", 3, 120, 15.0),
    Scenario("5 takes x 40 frames, quick", 5, 40, 3.0),
    Scenario("5 takes x 5 frames", 5, 5, 1.0),
    Scenario("2 takes x 5 frames", 2, 5, 1.0),
)


class World:
    """One person, one camera: fixed maps, conditions and attack textures."""

    def __init__(self, scenario: Scenario, seed: int, strength: float, shift: float = 0.15):
        self.scenario, self.strength, self.shift = scenario, strength, shift
        self.rng = rng = np.random.default_rng(seed)
        widths = rng.integers(40, 160, N_VIEWS)
        self.maps = [rng.standard_normal((2 * LATENT, w)) / np.sqrt(LATENT) for w in widths]
        self.offsets = [1.5 * rng.standard_normal(w) for w in widths]
        self.noise = rng.uniform(0.05, 0.3, N_VIEWS)
        self.conditions = 1.2 * rng.standard_normal((scenario.n_takes, LATENT))
        self.textures = [
            [(rng.random() < 0.6) * rng.standard_normal(w) for w in widths] for _ in range(SPECIES)
        ]

    def walk(self, condition: int, rows: int) -> np.ndarray:
        keep = np.exp(-1 / self.scenario.memory)
        kick = 0.45 * np.sqrt(1 - keep**2)
        point = 0.45 * self.rng.standard_normal(LATENT)
        path = np.empty((rows, LATENT))
        for i in range(rows):
            point = keep * point + kick * self.rng.standard_normal(LATENT)
            path[i] = point
        session = self.shift * self.rng.standard_normal(LATENT)
        return self.conditions[condition] + session + path

    def see(self, latent: np.ndarray, species: int | None = None) -> list[np.ndarray]:
        signal = np.hstack([latent, np.sin(2 * latent)])
        views = []
        for g in range(N_VIEWS):
            x = signal @ self.maps[g] + self.offsets[g]
            if species is not None:
                x = x + self.strength * self.textures[species][g]
            x = x + self.noise[g] * self.rng.standard_normal(x.shape)
            views.append(x / np.linalg.norm(x, axis=1, keepdims=True))
        return views

    def session(self, rows: int, species: int | None = None) -> list[np.ndarray]:
        """One take under every condition."""
        takes = [self.see(self.walk(c, rows), species) for c in range(self.scenario.n_takes)]
        return [np.concatenate(parts) for parts in zip(*takes, strict=True)]


def area_under_curve(genuine: np.ndarray, attacks: np.ndarray) -> float:
    """Probability that a genuine score exceeds an attack's."""
    below = np.searchsorted(np.sort(attacks), genuine, side="left")
    return float(np.mean(below) / len(attacks))
