import numpy as np
import pytest

from lmkl_core import LocalisedMKL
from lmkl_core.errors import Cancelled
from lmkl_core.selection import score_grid
from tests.core.recordings import make, recording


@pytest.mark.parametrize("constraint", ["joint-matrix", "joint-vector", "uniform"])
def test_that_every_cell_scores_as_a_model_fitted_with_its_parameters(constraint):
    training, others = recording(n=40), recording(seed=3, n=25)
    estimator = make(constraint=constraint)
    grid = score_grid(estimator, training, others, deltas=(0.01, 1.0), exponents=(4 / 3, 8.0))
    assert len(grid.cells) == {"joint-matrix": 6, "joint-vector": 4, "uniform": 2}[constraint]
    assert (grid.gaps < 1e-6).all()
    for cell, scores in zip(grid.cells, grid.scores, strict=True):
        model = LocalisedMKL(**estimator.get_params() | cell).fit(training)
        # Cells start from their neighbours' weights and stop within the same certified gap.
        assert np.allclose(scores, model.score_samples(others), rtol=1e-2, atol=1e-4)


def test_that_known_takes_widen_the_kernels_of_a_grid_as_they_do_those_of_a_fit():
    training, others, takes = recording(n=40), recording(seed=3, n=25), np.zeros(40, int)
    grid = score_grid(
        make(), training, others, groups=takes, deltas=(0.1,), exponents=(4 / 3,)
    ).scores[0]
    assert np.allclose(grid, make().fit(training, groups=takes).score_samples(others))
    assert not np.allclose(grid, make().fit(training).score_samples(others), rtol=0.1)


def test_that_scores_do_not_depend_on_how_many_rows_come_together(monkeypatch):
    training, others = recording(n=30), recording(seed=3, n=25)
    whole = score_grid(make(), training, others, deltas=(0.1,), exponents=(2.0,))
    monkeypatch.setattr("lmkl_core.selection.BLOCK_BYTES", 8 * 3 * 30 * 4)
    parts = score_grid(make(), training, others, deltas=(0.1,), exponents=(2.0,))
    assert np.allclose(whole.scores, parts.scores, rtol=1e-10)


def test_that_the_grid_can_be_cancelled():
    with pytest.raises(Cancelled, match="cancelled"):
        score_grid(make(), recording(), recording(seed=3), cancel=lambda: True)
