"""Errors of presentation attack detection as ISO/IEC 30107-3 counts them, with their uncertainty.

One convention: higher scores mean bona fide, and a score is accepted when it reaches the threshold.
Choosing a threshold (`choose_threshold`) and measuring errors at one (`measure`) are separate, so
that a threshold can come from other data than the errors. What cannot be told because a class is
missing is None with the interval ``(0, 1)``, never NaN.

>>> from lmkl_core.metrics import choose_threshold, measure
>>> threshold = choose_threshold([0.8, 0.9], {"print": [0.1, 0.2]}, by="eer")
>>> errors = measure(threshold, [0.7, 0.95], {"print": [0.3], "phone": [0.6, 0.1]})
>>> errors.worst.species, errors.worst.value, errors.bpcer.n_errors
('phone', 0.5, 0)
"""

from lmkl_core.metrics.curves import (
    OperatingPoints,
    auc,
    bpcer_at_apcer,
    det_points,
    eer,
    operating_points,
    roc_points,
)
from lmkl_core.metrics.intervals import exact_intervals, mean_interval
from lmkl_core.metrics.measuring import Errors, apcer, bpcer, measure
from lmkl_core.metrics.rates import Estimate, Rate, Worst, acer, hter, pooled, worst
from lmkl_core.metrics.table import ScoreTable
from lmkl_core.metrics.thresholds import Threshold, choose_threshold, threshold_from

__all__ = [
    "Errors",
    "Estimate",
    "OperatingPoints",
    "Rate",
    "ScoreTable",
    "Threshold",
    "Worst",
    "acer",
    "apcer",
    "auc",
    "bpcer",
    "bpcer_at_apcer",
    "choose_threshold",
    "det_points",
    "eer",
    "exact_intervals",
    "hter",
    "mean_interval",
    "measure",
    "operating_points",
    "pooled",
    "roc_points",
    "threshold_from",
    "worst",
]
