"""A range of values that follows the data calmly: it grows at once and shrinks late."""

from collections.abc import Iterable
from math import isfinite

_EASE = 0.35
_SETTLED = 0.004


class SteadyRange:
    """The lower and upper end of an axis, eased from frame to frame.

    Parameters
    ----------
    padding : float
        Room beyond the smallest and largest value, as a share of their spread.
    shrink_below : float
        The range shrinks only when the values need less than this share of it.
    least : float
        Smallest spread, so that equal values do not fill the chart with their last digits.
    """

    def __init__(self, padding: float = 0.15, shrink_below: float = 0.6, least: float = 1e-3):
        self._padding = padding
        self._shrink_below = shrink_below
        self._least = least
        self.reset()

    def reset(self) -> None:
        """Forget the range: the next values are shown at once, without a transition."""
        self.low, self.high = 0.0, 1.0
        self._goal = (0.0, 1.0)
        self._is_new = True

    @property
    def has_settled(self) -> bool:
        """Whether no further step is due."""
        return (self.low, self.high) == self._goal

    def follow(self, values: Iterable[float]) -> None:
        """Set the goal from the values that must be in view; without any, the goal stays."""
        known = [value for value in values if isfinite(value)]
        if not known:
            return
        low, high = self._needed(min(known), max(known))
        if self._is_new:
            self._is_new = False
            self.low, self.high = self._goal = low, high
            return
        goal_low, goal_high = self._goal
        is_outside = min(known) < goal_low or max(known) > goal_high
        is_too_wide = high - low < self._shrink_below * (goal_high - goal_low)
        if is_too_wide:
            self._goal = (low, high)
        elif is_outside:
            self._goal = (min(low, goal_low), max(high, goal_high))

    def step(self) -> None:
        """Go a part of the way to the goal, and the whole way once it is near."""
        goal_low, goal_high = self._goal
        self.low += _EASE * (goal_low - self.low)
        self.high += _EASE * (goal_high - self.high)
        near = _SETTLED * (goal_high - goal_low)
        if abs(self.low - goal_low) < near and abs(self.high - goal_high) < near:
            self.low, self.high = self._goal

    def settle(self) -> None:
        """Go the whole way at once."""
        self.low, self.high = self._goal

    def _needed(self, low: float, high: float) -> tuple[float, float]:
        spread = max(high - low, self._least)
        middle = (low + high) / 2
        half = spread * (0.5 + self._padding)
        return middle - half, middle + half
