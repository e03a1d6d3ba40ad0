"""The app's threshold: the one of the left-out scores, but never far below what is usual."""

import numpy as np

from lmkl_core import LocalisedMKL

LEAST_SHARE = 0.5
"""The threshold is at least this share of the median left-out score. One part unlike all others
pulls the threshold down to its own scores; generated attacks reach 0.2 to 0.4 of the median, and
would all be let in (`python -m benchmarks enrolment`)."""


def least_threshold(estimator: LocalisedMKL) -> float:
    """Return the lowest threshold that the app works with."""
    return LEAST_SHARE * float(np.median(estimator.calibration_.scores))


def use_app_threshold(estimator: LocalisedMKL) -> None:
    """Raise a fitted model's threshold to the least one, where it is lower."""
    estimator.raise_threshold(least_threshold(estimator))
