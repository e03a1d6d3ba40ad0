"""A model as numbers and texts, which agree with the estimator and with each other."""

import math

import numpy as np
import pytest

from app.models.files import load, save
from app.models.fitting import fitted
from app.models.model import PadModel
from app.models.summary import CERTIFIED_GAP, describe, threshold_facts
from app.settings import CLUSTERS, LEAST_NORM, Settings
from lmkl_core import ConvergenceWarning, LocalisedMKL
from tests.app.models.small_models import (
    FEATURES,
    WINDOW,
    samples_of,
    window_model,
)


def summary_with(**parameters):
    """Return the summary of a fit with other parameters."""
    estimator = LocalisedMKL(n_clusters=2, random_state=0, **parameters)
    estimator.fit(samples_of(*WINDOW).views)
    return describe(PadModel(estimator, FEATURES, None, ("take 1",)))


def test_that_weights_sizes_and_names_agree_with_the_estimator():
    model = window_model()
    summary = describe(model)
    assert np.array_equal(summary.weights, model.estimator.kernel_weights_)
    assert summary.n_clusters == len(summary.cluster_sizes) == len(summary.typical_faces) == 2
    assert sum(summary.cluster_sizes) == summary.n_samples == 24
    assert summary.view_names == ("eyes", "skin")
    assert summary.takes == WINDOW
    assert (summary.preset, summary.digest) == ("tiny", model.digest)


def test_that_typical_terms_sum_to_the_mean_score_of_the_enrolled_frames():
    model = window_model()
    scores = model.estimator.score_samples(samples_of(*WINDOW).views)
    assert np.sum(describe(model).typical_terms) == pytest.approx(scores.mean(), rel=1e-6)


def test_that_the_typical_face_of_a_cluster_is_the_frame_that_belongs_most_to_it():
    model = window_model()
    pictures = [np.full((2, 2, 3), row, np.uint8) for row in range(24)]
    faces = describe(model, pictures).typical_faces
    expected = np.argmax(model.estimator.memberships_, axis=0)
    assert [int(face[0, 0, 0]) for face in faces] == expected.tolist()
    for others in (pictures[:0], pictures[:23], [*pictures, pictures[0]], [None] * 24):
        assert describe(model, others).typical_faces == (None, None)


def test_that_a_fit_is_certified_if_its_gap_is_small():
    summary = describe(window_model())
    assert summary.is_certified
    assert summary.gap <= CERTIFIED_GAP
    assert summary.gap_history[-1] == pytest.approx(summary.gap)
    assert len(summary.gap_history) == len(summary.objective_history)
    with pytest.warns(ConvergenceWarning):
        loose = summary_with(delta=1e-3, max_iter=1)
    assert loose.gap > CERTIFIED_GAP
    assert not loose.is_certified


def test_that_bounds_are_finite_and_hold():
    model = window_model()
    bounds = {bound.name: bound for bound in describe(model).bounds}
    assert len(bounds) == 4
    assert all(math.isfinite(bound.value) and bound.value > 0 for bound in bounds.values())
    weights, radius = bounds["sum of weights"], bounds["radius of the fit"]
    assert weights.value == pytest.approx(model.estimator.kernel_weights_.sum())
    assert float(weights.meaning.split()[2]) >= weights.value
    assert float(radius.meaning.split()[-1]) >= radius.value


def test_that_every_model_that_settings_allow_has_finite_bounds():
    for p, q in ((LEAST_NORM, LEAST_NORM), (1.0, 3.0), (32.0, 1.5)):
        for n_clusters in (CLUSTERS[0], 3):
            settings = Settings(p=p, q=q, n_clusters=n_clusters, delta=0.1)
            summary = describe(fitted(samples_of(*WINDOW), settings, FEATURES))
            assert all(math.isfinite(bound.value) for bound in summary.bounds), settings


def test_that_other_constraints_and_inducing_points_have_no_bounds():
    for parameters in ({"constraint": "uniform"}, {"n_inducing": 6}):
        assert summary_with(delta=0.1, **parameters).bounds == (), parameters


def test_that_a_model_from_a_file_has_the_same_summary(tmp_path):
    save(window_model(), tmp_path / "m")
    here, there = describe(window_model()), describe(load(tmp_path / "m"))
    assert there.path == str(tmp_path / "m")
    for name in ("weights", "gap", "bounds", "parameters", "takes", "typical_terms", "people"):
        assert getattr(there, name) == getattr(here, name)
    assert threshold_facts(there.calibration) == threshold_facts(here.calibration)
