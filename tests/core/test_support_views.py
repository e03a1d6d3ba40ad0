"""The rows that scoring rests on, as the estimator hands them out."""

import numpy as np
import pytest

from tests.core.recordings import joined, make, recording

FIRST, NEW = recording(n=30), recording(1, n=7)


def test_that_an_exact_model_rests_on_all_its_rows_and_those_it_grew_by():
    model = make().fit(FIRST)
    for views in (FIRST, joined(FIRST, NEW)):
        support = model.support_views()
        assert list(support) == list(views)
        assert all(np.array_equal(support[name], views[name]) for name in views)
        model.extend(NEW)


def test_that_inducing_points_are_all_there_is():
    model = make(n_inducing=6).fit(FIRST)
    support = model.support_views()
    assert {len(array) for array in support.values()} == {6}
    assert np.isfinite(model.score_samples(support)).all()


@pytest.mark.parametrize("n_inducing", [None, 6])
def test_that_they_cannot_be_written_to(n_inducing):
    model = make(n_inducing=n_inducing).fit(FIRST)
    before = model.score_samples(NEW)
    for array in model.support_views().values():
        with pytest.raises(ValueError, match="read-only"):
            array[:] = 0.0
    assert np.array_equal(model.score_samples(NEW), before)
    model.extend(NEW)  # which goes on from these rows
