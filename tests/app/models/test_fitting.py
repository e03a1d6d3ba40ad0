"""Models that are fitted, extended by takes, and recalibrated."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

from app.models import fitting
from app.models.fitting import extended, fitted, recalibrated
from app.settings import Settings
from app.vision.conditions import EnrolledConditions
from lmkl_core.calibration.threshold import LEVEL_SHARE
from lmkl_core.errors import Cancelled
from tests.app.models.small_models import (
    FEATURES,
    SETTINGS,
    WINDOW,
    samples_of,
    window_model,
)

NEW = samples_of("lamp 1", "lamp 2", seed=5, shift=1.5, warmth=0.9)


def state_of(model):
    """Return everything of a model that a later change could have altered."""
    estimator = model.estimator
    return (
        model.threshold,
        model.digest,
        model.takes,
        model.conditions.low.tobytes(),
        estimator.kernel_weights_.tobytes(),
        estimator.dual_coef_.tobytes(),
        estimator.calibration_.target_bpcer,
        estimator.target_bpcer,
        estimator.score_samples(NEW.views).tobytes(),
        tuple(array.tobytes() for array in estimator.support_views().values()),
    )


def accepted(model, views):
    return float(np.mean(model.estimator.score_samples(views) >= model.threshold))


def test_that_a_fitted_model_has_a_digest_and_accepts_its_samples():
    model = window_model()
    assert model.takes == model.conditions.takes == WINDOW
    assert model.features == FEATURES
    assert len(model.digest) == 64
    assert not model.is_saved
    assert accepted(model, samples_of(*WINDOW).views) > 0.9


def test_that_samples_without_conditions_give_a_model_without_them():
    model = fitted(samples_of(*WINDOW, known=False), SETTINGS, FEATURES)
    assert (model.conditions, model.takes) == (None, WINDOW)
    assert "conditions" not in model.extra


def test_that_fitting_and_extending_can_be_cancelled():
    with pytest.raises(Cancelled):
        fitted(samples_of(*WINDOW), SETTINGS, FEATURES, cancel=lambda: True)
    with pytest.raises(Cancelled):
        extended(window_model(), NEW, cancel=lambda: True)


def test_that_the_smallest_enrolment_can_be_fitted_without_a_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = fitted(samples_of("a 1", n=12), Settings(), FEATURES)
    assert np.isfinite(model.threshold)


def with_odd_take(spread, **more):
    """Return the window's takes, and one whose frames differ from them and, if spread, mutually."""
    odd = samples_of("odd", seed=9, shift=2.0, spread=spread, **more)
    return [*samples_of(*WINDOW), *odd]


@pytest.mark.parametrize("target", [0.01, 0.1, 0.5])
def test_that_the_threshold_is_at_least_half_the_median_of_left_out_scores(target):
    settings = replace(SETTINGS, target_bpcer=target)
    fresh = fitted(with_odd_take(spread=0.3), settings, FEATURES)
    for model in (fresh, recalibrated(window_model(), target)):
        calibration = model.estimator.calibration_
        assert model.threshold == calibration.threshold >= 0.5 * np.median(calibration.scores)


def test_that_a_take_whose_frames_would_be_refused_is_named_unless_it_is_simulated():
    settings = Settings(n_clusters=2)
    (note,) = fitted(with_odd_take(spread=3.0), settings, FEATURES).notes
    assert note.startswith("“odd” ")
    simulated = with_odd_take(spread=3.0, is_simulated=True)
    assert fitted(simulated, settings, FEATURES).notes == ()


def test_that_low_left_out_scores_are_noted(monkeypatch):
    monkeypatch.setattr(fitting, "LOW_LEVEL", 1.0)
    model = recalibrated(window_model(), 0.1)
    (note,) = model.notes
    assert f" {model.estimator.calibration_.level:.2f}," in note


def test_that_an_extended_model_accepts_its_new_frames_and_the_old_one_is_unchanged():
    old = window_model()
    before = state_of(old)
    grown = extended(old, NEW)
    assert state_of(old) == before
    assert grown.digest != old.digest
    unseen = samples_of("lamp 3", seed=6, shift=1.5).views
    for views in (NEW.views, unseen):
        assert (grown.estimator.score_samples(views) > old.estimator.score_samples(views)).all()
    assert accepted(old, NEW.views) < 0.1
    assert accepted(grown, NEW.views) > 0.9


def test_that_an_extended_model_knows_all_its_takes_and_conditions():
    grown = extended(window_model(), [replace(sample, is_simulated=True) for sample in NEW])
    assert grown.takes == grown.conditions.takes == (*WINDOW, "lamp 1", "lamp 2")
    assert grown.is_simulated
    assert not grown.is_saved
    window, lamp = (samples_of("x", n=1, warmth=warmth).conditions[0] for warmth in (0.3, 0.9))
    for condition in (window, lamp):
        assert grown.conditions.familiarity(condition).distance <= 1
    assert window_model().conditions.familiarity(lamp).distance > 1


def test_that_an_added_take_with_a_known_name_is_a_take_of_its_own():
    grown = extended(window_model(), samples_of(WINDOW[0], seed=7))
    assert len(grown.takes) == grown.estimator.calibration_.n_takes == 4


def test_that_a_model_without_conditions_gets_those_of_added_takes():
    without = fitted(samples_of(*WINDOW, known=False), SETTINGS, FEATURES)
    grown = extended(without, NEW)
    assert isinstance(grown.conditions, EnrolledConditions)
    assert grown.conditions.takes == ("lamp 1", "lamp 2")
    assert extended(without, samples_of("x", known=False)).conditions is None


def test_that_takes_with_other_views_are_refused_and_change_nothing():
    old = window_model()
    before = state_of(old)
    other = [replace(one, views={"eyes": one.views["eyes"]}) for one in samples_of("x")]
    with pytest.raises(ValueError, match="skin"):
        extended(old, other)
    assert state_of(old) == before


def test_that_another_target_changes_the_threshold_only():
    old = window_model()
    before = state_of(old)
    strict, loose = recalibrated(old, 0.02), recalibrated(old, 0.4)
    assert strict.threshold <= old.threshold <= loose.threshold
    assert strict.threshold < loose.threshold
    assert loose.estimator.calibration_.target_bpcer == loose.estimator.target_bpcer == 0.4
    assert state_of(old) == before
    scores = old.estimator.score_samples(NEW.views)
    for model in (strict, loose):
        assert np.array_equal(model.estimator.score_samples(NEW.views), scores)
        assert (model.takes, model.features) == (old.takes, old.features)
        assert model.conditions is old.conditions
        assert model.digest != old.digest


def test_that_recalibrating_without_a_target_gives_the_default_threshold():
    plain = fitted(samples_of(*WINDOW), replace(SETTINGS, target_bpcer=None), FEATURES)
    back = recalibrated(window_model(), None)
    assert back.estimator.target_bpcer is back.estimator.calibration_.target_bpcer is None
    assert back.threshold == pytest.approx(plain.threshold)
    assert back.threshold == pytest.approx(LEVEL_SHARE * plain.estimator.calibration_.level)


def test_that_a_target_out_of_range_is_refused():
    before = state_of(window_model())
    for target in (0.0, 1.0, -1.0, float("nan")):
        with pytest.raises(ValueError, match="target_bpcer"):
            recalibrated(window_model(), target)
    assert state_of(window_model()) == before


def test_that_takes_under_shared_conditions_are_left_out_together_for_the_stress_figure():
    samples = samples_of("one", "other", warmth=0.3) + samples_of("apart", warmth=0.9)
    model = fitted(samples, SETTINGS, FEATURES)
    assert np.isfinite(model.estimator.calibration_.stress_bpcer)
    alone = fitted(samples_of("one", "other", warmth=0.3), SETTINGS, FEATURES)
    assert np.isnan(alone.estimator.calibration_.stress_bpcer)
