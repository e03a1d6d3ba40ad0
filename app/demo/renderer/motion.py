"""How things move before a camera: sums of slow waves, the same for heads and for hands.

A genuine head and a held-up print drift, sway and tremble alike here. What differs is the
geometry (a body with depth, or a plane), not how much anything moves.
"""

from copy import copy
from dataclasses import dataclass, replace

import numpy as np

_SWAY = (0.13, 0.27, 0.45, 0.8)
_TREMOR = (3.1, 5.3, 7.7)

_ELSEWHERE = 0.25
"""Share of a take's own place that is left beside its session's seat: sizes of the face then differ
by 4 % from take to take, about as in real recordings of one sitting."""


@dataclass(frozen=True)
class Pose:
    """Where a face is at one moment, in camera pixels and radians.

    ``eyes`` is the distance between the eyes in camera pixels.
    """

    x: float
    y: float
    eyes: float
    roll: float
    yaw: float
    pitch: float


@dataclass(frozen=True)
class Expression:
    """How a face differs from the portrait, each about 0 to 1."""

    blink: float = 0.0
    smile: float = 0.0
    jaw: float = 0.0
    brows: float = 0.0


class Wave:
    """A smooth random course in time with a given standard deviation."""

    def __init__(self, rng: np.random.Generator, spread: float, tremor: float = 0.0) -> None:
        sway = rng.normal(0.0, 1.0, len(_SWAY)) / np.arange(1, len(_SWAY) + 1)
        shake = rng.normal(0.0, 1.0, len(_TREMOR)) / np.sqrt(len(_TREMOR) / 2.0)
        self._amplitude = np.concatenate([sway * spread * 1.2, shake * tremor])
        self._frequency = np.array(_SWAY + _TREMOR) * rng.uniform(0.85, 1.15, 7)
        self._phase = rng.uniform(0.0, 2 * np.pi, 7)

    def scaled(self, share: float) -> "Wave":
        smaller = copy(self)
        smaller._amplitude = self._amplitude * share
        return smaller

    def __call__(self, time: float) -> float:
        return float(self._amplitude @ np.sin(2 * np.pi * self._frequency * time + self._phase))


class Motion:
    """The course of a face before the camera: place, size, tilt and expression.

    Everything is drawn once, for a picture of that size; ``home`` is the pose about which it moves.
    """

    def __init__(self, rng: np.random.Generator, width: int, height: int) -> None:
        unit = width / 640.0
        self.home = Pose(
            x=width / 2 + float(np.clip(rng.normal(0.0, 26.0), -60, 60)) * unit,
            y=height * 0.44 + float(np.clip(rng.normal(0.0, 14.0), -30, 30)) * unit,
            eyes=float(rng.uniform(66.0, 98.0)) * unit,
            roll=float(rng.normal(0.0, 0.03)),
            yaw=float(rng.normal(0.0, 0.05)),
            pitch=float(rng.normal(0.0, 0.04)),
        )
        self._x = Wave(rng, 7.0 * unit, 0.25 * unit)
        self._y = Wave(rng, 4.0 * unit, 0.25 * unit)
        self._size = Wave(rng, 0.025)
        self._roll = Wave(rng, 0.025, 0.001)
        self._yaw = Wave(rng, 0.09)
        self._pitch = Wave(rng, 0.05)
        self._smile = Wave(rng, 0.5)
        self._brows = Wave(rng, 0.4)
        self._talk = Wave(rng, 0.25, 0.25)
        gaps = rng.uniform(1.2, 4.5, 64)
        self._blinks = np.cumsum(gaps) - float(rng.uniform(0.0, 1.0))

    def seated(self, seat: Pose) -> "Motion":
        """Return the same course near a seat; the pose of the head stays this take's own."""
        near = copy(self)
        x, y, eyes = (
            there * (own / there) ** _ELSEWHERE
            for own, there in (
                (self.home.x, seat.x),
                (self.home.y, seat.y),
                (self.home.eyes, seat.eyes),
            )
        )
        near.home = replace(self.home, x=x, y=y, eyes=eyes)
        return near

    def straightened(self) -> "Motion":
        """Return the same course of a face that looks straight into the camera."""
        still = copy(self)
        still.home = replace(self.home, roll=0.0, yaw=0.0, pitch=0.0)
        still._roll = still._yaw = still._pitch = Wave(np.random.default_rng(0), 0.0)
        still._smile = still._talk = still._brows = still._roll
        return still

    def calmed(self, share: float) -> "Motion":
        """Return the same course with only a share of its movement."""
        calm = copy(self)
        for name in ("_x", "_y", "_size", "_roll", "_yaw", "_pitch"):
            setattr(calm, name, getattr(self, name).scaled(share))
        return calm

    def pose(self, time: float) -> Pose:
        home = self.home
        return Pose(
            x=home.x + self._x(time),
            y=home.y + self._y(time),
            eyes=home.eyes * float(np.exp(self._size(time))),
            roll=home.roll + self._roll(time),
            yaw=home.yaw + self._yaw(time),
            pitch=home.pitch + self._pitch(time),
        )

    def expression(self, time: float) -> Expression:
        # Blinks repeat after a few minutes.
        since = np.abs(time % float(self._blinks[-1]) - self._blinks).min()
        return Expression(
            blink=float(np.clip(1.35 - since / 0.075, 0.0, 1.0)),
            smile=float(np.clip(0.25 + self._smile(time), -0.3, 1.2)),
            jaw=float(np.clip(self._talk(time), 0.0, 1.0)),
            brows=float(np.clip(self._brows(time), -0.4, 1.0)),
        )
