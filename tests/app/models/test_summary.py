"""A model in plain numbers and words: they agree with the estimator and with each other."""

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


def test_that_weights_sizes_and_names_agree_with_the_estimator():
    model = window_model()
    shown = describe(model)
    assert np.array_equal(shown.weights, model.estimator.kernel_weights_)
    assert shown.n_clusters == len(shown.cluster_sizes) == len(shown.typical_faces) == 2
    assert sum(shown.cluster_sizes) == shown.n_samples == 24
    assert shown.view_names == ("eyes", "skin")
    assert shown.takes == WINDOW
    assert shown.preset == "tiny"
    assert shown.digest == model.digest


def test_that_typical_terms_sum_to_the_mean_score_of_the_enrolled_frames():
    model = window_model()
    scores = model.estimator.score_samples(samples_of(*WINDOW).views)
    assert np.sum(describe(model).typical_terms) == pytest.approx(scores.mean(), rel=1e-6)


def test_that_a_cluster_is_shown_by_the_frame_that_belongs_most_to_it():
    model = window_model()
    pictures = [np.full((2, 2, 3), row, np.uint8) for row in range(24)]
    faces = describe(model, pictures).typical_faces
    expected = np.argmax(model.estimator.memberships_, axis=0)
    assert [int(face[0, 0, 0]) for face in faces] == expected.tolist()


def test_that_pictures_of_other_frames_are_not_shown():
    picture = np.zeros((2, 2, 3), np.uint8)
    for pictures in (*([picture] * n for n in (0, 1, 23, 25)), [None] * 24):
        assert describe(window_model(), pictures).typical_faces == (None, None)


def test_that_a_certified_fit_is_told_apart_from_one_that_is_not():
    shown = describe(window_model())
    assert shown.is_certified
    assert shown.gap <= CERTIFIED_GAP
    assert shown.gap_history[-1] == pytest.approx(shown.gap)
    assert len(shown.gap_history) == len(shown.objective_history)
    with pytest.warns(ConvergenceWarning):
        loose = LocalisedMKL(n_clusters=2, delta=1e-3, max_iter=1, random_state=0).fit(
            samples_of(*WINDOW).views
        )
    told = describe(PadModel(loose, FEATURES, None, ("take 1",)))
    assert told.gap > CERTIFIED_GAP
    assert not told.is_certified


def test_that_bounds_are_finite_and_hold():
    model = window_model()
    bounds = {bound.name: bound for bound in describe(model).bounds}
    assert len(bounds) == 4
    assert all(math.isfinite(bound.value) and bound.value > 0 for bound in bounds.values())
    assert bounds["sum of weights"].value == pytest.approx(model.estimator.kernel_weights_.sum())
    assert float(bounds["sum of weights"].meaning.split()[2]) >= bounds["sum of weights"].value
    known_before = float(bounds["radius of the fit"].meaning.split()[-1])
    assert known_before >= bounds["radius of the fit"].value


def test_that_every_model_that_settings_allow_can_be_shown():
    for p, q in ((LEAST_NORM, LEAST_NORM), (1.0, 3.0), (32.0, 1.5)):
        for n_clusters in (CLUSTERS[0], 3):
            settings = Settings(p=p, q=q, n_clusters=n_clusters, delta=0.1)
            shown = describe(fitted(samples_of(*WINDOW), settings, FEATURES))
            assert all(math.isfinite(bound.value) for bound in shown.bounds)


def test_that_other_constraints_have_no_bounds_rather_than_wrong_ones():
    fit = LocalisedMKL(n_clusters=2, delta=0.1, constraint="uniform", random_state=0)
    fit.fit(samples_of(*WINDOW).views)
    shown = describe(PadModel(fit, FEATURES, None, ("take 1",)))
    assert shown.bounds == ()


def test_that_inducing_points_are_shown_without_bounds():
    fit = LocalisedMKL(n_clusters=2, delta=0.1, n_inducing=6, random_state=0)
    fit.fit(samples_of(*WINDOW).views)
    shown = describe(PadModel(fit, FEATURES, None, ("take 1",)))
    assert shown.bounds == ()


def test_that_a_model_from_a_file_is_shown_as_it_was(tmp_path):
    save(window_model(), tmp_path / "m")
    here, there = describe(window_model()), describe(load(tmp_path / "m"))
    assert there.path == str(tmp_path / "m")
    for name in ("weights", "gap", "bounds", "parameters", "takes", "typical_terms", "people"):
        assert getattr(there, name) == getattr(here, name)
    assert threshold_facts(there.calibration) == threshold_facts(here.calibration)
