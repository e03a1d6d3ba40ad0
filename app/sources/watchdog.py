"""Tell whether the frames that arrive are worth looking at.

Only logic: frames and the time come from outside. It looks at every sixteenth row.

- *Black* is almost no signal and no variation: a dark room with a face or a lamp in it is neither.
- *Frozen* is the very same picture many times over. A camera's noise changes some value in every
  frame, however still the scene; recordings may hold a picture, so they are never called frozen.
- *Stalled* is no frame at all. It shows only when somebody asks, so ask from another thread than
  the one that may be stuck in a read.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.sources.causes import Cause
from app.sources.pacing import LARGEST_GAP
from app.sources.source import SourceInfo

STEP = 16
"""Distance of the rows that are looked at: whole rows, because memory is read in a row."""

BRIGHT_SHARE = 0.01
"""Share of a black picture that may be brighter than black: broken pixels, a status light."""


class Health(StrEnum):
    """State of a source, as a person should be told."""

    STARTING = "starting"
    OK = "ok"
    BLACK = "black image"
    FROZEN = "frozen image"
    STALLED = "stalled"
    UNAVAILABLE = "unavailable"
    """It does not open, or it broke down; a watchdog, which needs an open one, never says so."""

    @property
    def cause(self) -> Cause | None:
        """The cause that goes with it; None where nothing is wrong."""
        return _CAUSES.get(self)


_CAUSES = {
    Health.BLACK: Cause.BLACK,
    Health.FROZEN: Cause.FROZEN,
    Health.STALLED: Cause.STALLED,
}


@dataclass(frozen=True)
class Limits:
    """When a watchdog barks.

    Attributes
    ----------
    black_level : float
        All but a few values of a black picture are at most this.
    black_spread : float
        Largest standard deviation of a black picture.
    black_after : float
        Seconds of black; cameras begin with some dark frames.
    frozen_after : float or None
        Seconds of the same picture; None for sources that may repeat one.
    frozen_frames : int
        And this many repetitions at least.
    stalled_after : float
        Seconds without a frame.
    start_after : float
        Seconds to wait for the first frame.
    """

    black_level: float = 24.0
    black_spread: float = 4.0
    black_after: float = 1.0
    frozen_after: float | None = 3.0
    frozen_frames: int = 15
    stalled_after: float = 2.0
    start_after: float = 10.0

    @classmethod
    def of(cls, info: SourceInfo, is_live: bool) -> "Limits":
        """Return limits for a source: slow ones get more time, recordings may repeat and pause."""
        slowest = 5 / info.rate if info.rate > 0 else 0.0
        if not is_live:
            # Pictures of a recording may lie this far apart, and a paced one keeps to that.
            slowest = max(slowest, LARGEST_GAP + cls.stalled_after)
        return cls(
            frozen_after=cls.frozen_after if is_live else None,
            stalled_after=max(cls.stalled_after, slowest),
        )


class Watchdog:
    """Judge a source by its frames.

    Parameters
    ----------
    now : float
        The time at which the source was opened.
    limits : Limits
        When to complain.
    """

    def __init__(self, now: float, limits: Limits | None = None) -> None:
        self._limits = limits or Limits()
        self._last_arrival = now
        self._previous: NDArray[Any] | None = None
        self._n_seen = 0
        self._n_repeats = 0
        self._changed_at = now
        self._black_since: float | None = None

    @property
    def is_changing(self) -> bool:
        """Whether the last two frames differ."""
        return self._n_seen > 1 and self._n_repeats == 0

    def feed(self, image: NDArray[Any], now: float) -> Health:
        """Look at a frame that arrived now and return the state."""
        if self._is_repeat(image):
            self._n_repeats += 1
        else:
            self._n_repeats = 0
            self._changed_at = now
        if not self._is_black(image):
            self._black_since = None
        elif self._black_since is None:
            self._black_since = now
        self._previous = image
        self._last_arrival = now
        self._n_seen += 1
        return self.health(now)

    def health(self, now: float) -> Health:
        """Return the state at this time, also while no frame arrives."""
        limits = self._limits
        silence = now - self._last_arrival
        if not self._n_seen:
            return Health.STALLED if silence > limits.start_after else Health.STARTING
        if silence > limits.stalled_after:
            return Health.STALLED
        if self._black_since is not None and now - self._black_since >= limits.black_after:
            return Health.BLACK
        if (
            limits.frozen_after is not None
            and self._n_repeats >= limits.frozen_frames
            and self._last_arrival - self._changed_at >= limits.frozen_after
        ):
            return Health.FROZEN
        return Health.OK

    def _is_repeat(self, image: NDArray[Any]) -> bool:
        previous = self._previous
        if previous is None or previous.shape != image.shape:
            return False
        # Other rows each time: after STEP frames all pixels have been compared.
        rows = slice(self._n_seen % min(STEP, len(image) or 1), None, STEP)
        return bool(np.array_equal(previous[rows], image[rows]))

    def _is_black(self, image: NDArray[Any]) -> bool:
        rows = image[min(STEP, len(image)) // 2 :: STEP]
        # Counting is quick and tells most frames from black; the spread is for the dark ones.
        n_bright = np.count_nonzero(rows > self._limits.black_level)
        if n_bright > BRIGHT_SHARE * rows.size:
            return False
        sample = rows[:, ::STEP]
        return bool(sample.size == 0 or sample.std() <= self._limits.black_spread)
