"""The compared one-class methods, with the interface of `lmkl_core.LocalisedMKL`.

`METHODS` contains them by name, in the order of the paper's tables. `views_for` returns the views
that a method uses, and `Method.make` its estimator:

>>> from lmkl_core.baselines import METHODS, views_for
>>> views_for("lbp-gmm", ["face/resnet50.avgpool", "face/lbp", "face/iqm"])
('face/lbp',)
>>> METHODS["mk-svdd"].make(nu=0.05)
MultipleKernelSVDD(nu=0.05)
"""

from lmkl_core.baselines.concatenated import (
    AutoEncoder,
    ConcatenatedOCSVM,
    MahalanobisDistance,
    MixtureDensity,
    NearestNeighbour,
)
from lmkl_core.baselines.kernel_machines import MultipleKernelOCSVM, MultipleKernelSVDD
from lmkl_core.baselines.registry import METHODS, Method, views_for

__all__ = [
    "METHODS",
    "AutoEncoder",
    "ConcatenatedOCSVM",
    "MahalanobisDistance",
    "Method",
    "MixtureDensity",
    "MultipleKernelOCSVM",
    "MultipleKernelSVDD",
    "NearestNeighbour",
    "views_for",
]
