"""Error rates of presentation attack detection (ISO/IEC 30107-3), with their uncertainty.

Higher scores mean bona fide, and a score is accepted when it reaches the threshold.
`threshold_from` determines a threshold and `measure` counts the errors at a threshold, so the two
can use different data. If a class is missing, a figure is None with the interval ``(0, 1)``, never
NaN.

>>> from lmkl_core.metrics import measure, threshold_from
>>> threshold = threshold_from("eer", [0.8, 0.9], {"print": [0.1, 0.2]})
>>> threshold.origin
'equal errors on the development set'
>>> errors = measure(threshold.value, [0.7, 0.95], {"print": [0.3], "phone": [0.6, 0.1]})
>>> errors.worst.species, errors.worst.value, errors.bpcer.n_errors
('phone', 0.5, 0)

A `ScoreTable` also has the subject and the presentation of every score, so that errors can be
counted over frames or presentations, and intervals can come from resampling subjects.

>>> from lmkl_core.metrics import ScoreTable, auc, measure_table
>>> frames = ScoreTable.of(
...     [0.9, 0.4, 0.7, 0.1, None], ["", "", "", "print", "print"], presentations="aabcd"
... )
>>> table = frames.by_presentation()
>>> errors = measure_table(threshold, table)
>>> errors.bpcer.n_errors, errors.bpcer.n, errors.worst.value, errors.apnrr.value
(0, 2, 0.0, 0.5)
>>> auc(table.bona_fide, table.attacks).value
1.0
"""

from lmkl_core.metrics.bootstrap import (
    bootstrap_acer,
    bootstrap_auc,
    bootstrap_difference,
    bootstrap_figure,
)
from lmkl_core.metrics.curves import (
    OperatingPoints,
    auc,
    bpcer_at_apcer,
    det_points,
    eer,
    operating_points,
    roc_points,
)
from lmkl_core.metrics.rates import (
    Errors,
    Estimate,
    Rate,
    Worst,
    apcer,
    bpcer,
    exact_intervals,
    mean_interval,
    measure,
)
from lmkl_core.metrics.resampling import Resampled
from lmkl_core.metrics.table import ScoreTable, measure_table
from lmkl_core.metrics.thresholds import Threshold, choose_threshold, threshold_from

__all__ = [
    "Errors",
    "Estimate",
    "OperatingPoints",
    "Rate",
    "Resampled",
    "ScoreTable",
    "Threshold",
    "Worst",
    "apcer",
    "auc",
    "bootstrap_acer",
    "bootstrap_auc",
    "bootstrap_difference",
    "bootstrap_figure",
    "bpcer",
    "bpcer_at_apcer",
    "choose_threshold",
    "det_points",
    "eer",
    "exact_intervals",
    "mean_interval",
    "measure",
    "measure_table",
    "operating_points",
    "roc_points",
    "threshold_from",
]
