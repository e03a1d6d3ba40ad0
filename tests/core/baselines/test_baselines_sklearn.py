"""scikit-learn's own checks pass for the compared methods as they do for LocalisedMKL."""

import pytest
from sklearn.utils.estimator_checks import check_estimator

from lmkl_core.baselines import (
    AutoEncoder,
    ConcatenatedOCSVM,
    MahalanobisDistance,
    MixtureDensity,
    MultipleKernelOCSVM,
    MultipleKernelSVDD,
    NearestNeighbour,
)


# The iris set that some checks fit has one row twice, and the model says so.
@pytest.mark.filterwarnings("ignore::lmkl_core.DuplicateRowsWarning")
@pytest.mark.parametrize(
    "estimator",
    [
        MultipleKernelSVDD(),
        MultipleKernelOCSVM(nu=0.3),
        ConcatenatedOCSVM(),
        NearestNeighbour(n_neighbors=2),
        MahalanobisDistance(),
        MixtureDensity(),
        AutoEncoder(max_iter=20),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_that_scikit_learns_own_checks_pass(estimator):
    check_estimator(estimator, on_skip=None)
