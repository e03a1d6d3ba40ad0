"""Judge whether the frames of a source are usable, from every sixteenth row.

- *Black* is almost no signal and no variation: a dark room with a face or a lamp in it has both.
- *Frozen* is the identical picture many times in a row. Sensor noise changes some value in every
  frame, however still the scene. Recordings may hold a picture, so they never count as frozen.
- *Damaged* is a picture that a decoder could not finish. It leaves a fill colour in place of the
  rest, or rows of the previous picture. The latter counts for JPEG only, because other codecs
  repeat still parts on purpose, and only with a visible seam, because some cameras' noise filters
  freeze still parts. Recordings are left to `app.capture.frames.as_rgb`.
- *Stalled* means no frame at all; ask from a thread other than the one that may be stuck in a read.
"""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.capture.frames import BLOCK, MISSING_SHARE, lacks_lower_part
from app.capture.source import LARGEST_GAP, Cause, SourceInfo

STEP = 16  # distance between compared rows; whole rows are contiguous and fast to read

# Share of a black picture that may be brighter than black: broken pixels, a status light.
BRIGHT_SHARE = 0.01
# `frozen_after` of video streams: they repeat still parts, but usually refresh sooner.
VIDEO_FROZEN_AFTER = 10.0
MAX_BAND = 6  # limit of the count of earlier pictures for or against a band that never changes


@dataclass(frozen=True)
class Limits:
    """When a watchdog complains; ``_after`` in seconds."""

    black_level: float = 24.0  # all but a few values of a black picture are at most this
    black_spread: float = 4.0  # largest standard deviation of a black picture
    black_after: float = 1.0  # cameras begin with some dark frames
    frozen_after: float | None = 3.0  # None for sources that may repeat a picture
    frozen_frames: int = 15  # least number of repetitions
    damaged_after: float | None = 1.0  # without a complete picture; None for recordings
    is_jpeg: bool = False  # each picture is compressed on its own
    stalled_after: float = 2.0
    start_after: float = 10.0  # to wait for the first frame

    @classmethod
    def of(cls, info: SourceInfo, is_live: bool) -> "Limits":
        """Return limits for a source: slow ones get more time, recordings may repeat and pause."""
        slowest = 5 / info.rate if info.rate > 0 else 0.0
        if not is_live:
            # Frames of a recording may be this far apart, and a paced one waits between them.
            slowest = max(slowest, LARGEST_GAP + cls.stalled_after)
        frozen_after = VIDEO_FROZEN_AFTER if info.is_video else cls.frozen_after
        return cls(
            frozen_after=frozen_after if is_live else None,
            damaged_after=cls.damaged_after if is_live else None,
            is_jpeg=info.is_jpeg,
            stalled_after=max(cls.stalled_after, slowest),
        )


class Watchdog:
    """Judge a source by its frames, from its opening ``now`` on.

    ``still`` is the picture on which the source froze before it was reopened: the source counts as
    frozen until it sends another one.
    """

    def __init__(
        self, now: float, limits: Limits | None = None, still: NDArray[Any] | None = None
    ) -> None:
        self._limits = limits or Limits()
        self._last_arrival = now
        self._previous = still
        self._n_seen = 0
        self._n_repeats = 0 if still is None else self._limits.frozen_frames
        self._changed_at = now if still is None else -math.inf
        self._black_since: float | None = None
        self._damaged_since: float | None = None
        self._seam: Seam | None = None
        self._band = 0

    @property
    def is_changing(self) -> bool:
        return self._n_seen > 1 and self._n_repeats == 0

    def is_usable(self, now: float) -> bool:
        """Whether the last frame is new and complete.

        A repeated picture adds no evidence, except in recordings, which may hold a picture.
        """
        is_new = self._n_repeats == 0 or self._limits.frozen_after is None
        return is_new and self._damaged_since is None and self.fault(now) is None

    def feed(self, image: NDArray[Any], now: float) -> Cause | None:
        """Look at a frame that arrived now and return what is wrong."""
        if self._is_repeat(image):
            self._n_repeats += 1
        else:
            self._n_repeats = 0
            self._changed_at = now
            may_be_damaged = self._limits.damaged_after is not None
            is_damaged = may_be_damaged and (lacks_lower_part(image) or self._is_torn(image))
            self._damaged_since = _since(self._damaged_since, is_damaged, now)
        self._black_since = _since(self._black_since, self._is_black(image), now)
        self._previous = image
        self._last_arrival = now
        self._n_seen += 1
        return self.fault(now)

    def fault(self, now: float) -> Cause | None:
        """Return what is wrong at this time, even while no frame arrives."""
        limits = self._limits
        silence = now - self._last_arrival
        if silence > (limits.stalled_after if self._n_seen else limits.start_after):
            return Cause.STALLED
        if self._black_since is not None and now - self._black_since >= limits.black_after:
            return Cause.BLACK
        if (
            limits.frozen_after is not None
            and self._n_seen
            and self._n_repeats >= limits.frozen_frames
            and self._last_arrival - self._changed_at >= limits.frozen_after
        ):
            return Cause.FROZEN
        if (
            limits.damaged_after is not None
            and self._damaged_since is not None
            and now - self._damaged_since >= limits.damaged_after
        ):
            return Cause.DAMAGED
        return None

    def _is_repeat(self, image: NDArray[Any]) -> bool:
        previous = self._previous
        if previous is None or previous.shape != image.shape:
            return False
        # Different rows each time: after STEP frames all pixels have been compared.
        rows = slice(self._n_seen % min(STEP, len(image) or 1), None, STEP)
        return bool(np.array_equal(previous[rows], image[rows]))

    def _is_torn(self, image: NDArray[Any]) -> bool:
        """Whether a new picture ends in rows of the previous one.

        A decoder that runs out of data leaves a seam from side to side, in a different place each
        time. A band that never changes, such as a caption, has its seam in one place; still parts
        frozen by a noise filter have none.
        """
        previous = self._previous
        if not self._limits.is_jpeg or previous is None or previous.shape != image.shape:
            return False
        if not image.size or not np.array_equal(image[-1], previous[-1]):
            return False
        n_rows = max(1, int(len(image) * MISSING_SHARE))
        lower = image[-n_rows:]
        if not np.array_equal(lower, previous[-n_rows:]) or not (lower != lower[0, 0]).any():
            return False
        seam = seam_between(image, previous)
        if seam is None:
            return False
        before, self._seam = self._seam, seam
        if before is None or abs(seam.block - before.block) > 1:
            self._band = 0
        # Most seams of a band are straight; few are where data end at the same place each time.
        self._band = max(-MAX_BAND, min(MAX_BAND, self._band + (1 if seam.is_straight else -1)))
        return self._band < 2

    def _is_black(self, image: NDArray[Any]) -> bool:
        rows = image[min(STEP, len(image)) // 2 :: STEP]
        # Counting is quick and rules out most frames; only dark ones need the spread.
        n_bright = np.count_nonzero(rows > self._limits.black_level)
        if n_bright > BRIGHT_SHARE * rows.size:
            return False
        sample = rows[:, ::STEP]
        return bool(sample.size == 0 or sample.std() <= self._limits.black_spread)


def _since(since: float | None, holds: bool, now: float) -> float | None:
    if not holds:
        return None
    return now if since is None else since


SEAM_STEP = 2  # distance between compared rows of a block

# Height of a seam in blocks: with colours at half the resolution, data end in steps of two.
SEAM_BLOCKS = 2
# Least share of the columns that a seam crosses; the others repeat by chance.
SEAM_SHARE = 0.9
SEAM_EXCEPTIONS = 0.02  # share of the columns that may be on the wrong side of a step


class Seam(NamedTuple):
    """A line from side to side, below which a picture repeats the previous one."""

    block: int  # where it is at its lowest, in blocks from the top
    is_straight: bool  # without the step that truncated data leave


def seam_between(image: NDArray[Any], previous: NDArray[Any]) -> Seam | None:
    """Find the line from side to side below which a picture repeats the previous one.

    Both have the same shape. None if there is no such line: the repeated part has another outline,
    or is the whole picture.
    """
    n_high, n_wide = image.shape[0] // BLOCK, image.shape[1] // BLOCK
    if n_high <= SEAM_BLOCKS or not n_wide:
        return None
    # JPEG's blocks begin at the top; a remainder at the bottom does not matter.
    height, width = n_high * BLOCK, n_wide * BLOCK
    shape = (n_high, BLOCK, width, -1)
    now, then = (a[:height, :width].reshape(shape)[:, ::SEAM_STEP] for a in (image, previous))
    rows = (now != then).any(axis=1)  # down the rows first, which is much faster
    changed = rows.reshape(n_high, n_wide, -1).any(axis=2)
    # The block after the last that changed, for every column; 0 where none did.
    begins = np.where(changed.any(axis=0), n_high - np.argmax(changed[::-1], axis=0), 0)
    lowest = int(begins.max())
    if lowest <= SEAM_BLOCKS:
        return None
    # A column of one colour, such as a black border, says nothing.
    row = lowest - SEAM_BLOCKS - 1
    strip = image[row * BLOCK : (row + 1) * BLOCK, :width].reshape(BLOCK, n_wide, BLOCK, -1)
    is_textured = changed[row] | np.any(strip != strip[:1, :, :1], axis=(0, 2, 3))
    begins = begins[is_textured]
    if not begins.size or np.mean(begins >= lowest - SEAM_BLOCKS) < SEAM_SHARE:
        return None
    # Colours at half the resolution blur the line by a block.
    return Seam(lowest, not (_steps(begins == lowest) or _steps(begins >= lowest - 1)))


def _steps(is_low: NDArray[np.bool_]) -> bool:
    """Whether columns are low up to some place and high after it, with few exceptions."""
    n_low, n_least = np.count_nonzero(is_low), (1 - SEAM_SHARE) * len(is_low)
    n_low_left = np.cumsum(is_low)
    n_wrong = np.arange(1, len(is_low) + 1) - n_low_left + (n_low - n_low_left)
    is_step = n_wrong.min() <= SEAM_EXCEPTIONS * len(is_low)
    return bool(n_least < n_low < len(is_low) - n_least and is_step)
