"""scikit-learn's own checks pass for the compared methods as they do for LocalisedMKL."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

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
@parametrize_with_checks(
    [
        MultipleKernelSVDD(),
        MultipleKernelOCSVM(nu=0.3),
        ConcatenatedOCSVM(),
        NearestNeighbour(n_neighbors=2),
        MahalanobisDistance(),
        MixtureDensity(),
        AutoEncoder(max_iter=20),
    ]
)
def test_that_scikit_learns_own_checks_pass(estimator, check):
    check(estimator)
