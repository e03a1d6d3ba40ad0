"""Models fitted from nothing, grown by a take, and held to another target."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

from app.models.fitting import Samples, extended, fitted, recalibrated
from app.settings import Settings
from app.types import Sample
from app.vision.conditions import EnrolledConditions
from lmkl_core import LocalisedMKL
from lmkl_core.calibration.threshold import LEVEL_SHARE
from lmkl_core.errors import Cancelled
from tests.app.models.small_models import (
    FEATURES,
    SETTINGS,
    WINDOW,
    samples_of,
    window_model,
)
from tests.app.vision.test_conditions import HOME

NEW = samples_of("lamp 1", "lamp 2", seed=5, shift=1.5, warmth=0.9)


def state_of(model):
    """Everything that a later change could have spoilt."""
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


def test_that_a_fit_gives_a_named_model_that_accepts_what_it_was_fitted_on():
    model, samples = window_model(), samples_of(*WINDOW)
    assert model.takes == WINDOW
    assert model.conditions.takes == WINDOW
    assert model.features == FEATURES
    assert len(model.digest) == 64
    assert not model.is_saved
    assert np.mean(model.estimator.score_samples(samples.views) >= model.threshold) > 0.9


def test_that_without_circumstances_a_model_knows_none():
    model = fitted(samples_of(*WINDOW, known=False), SETTINGS, FEATURES)
    assert model.conditions is None
    assert model.takes == WINDOW
    assert "conditions" not in model.extra


def test_that_a_fit_can_be_cancelled():
    with pytest.raises(Cancelled):
        fitted(samples_of(*WINDOW), SETTINGS, FEATURES, cancel=lambda: True)
    with pytest.raises(Cancelled):
        extended(window_model(), NEW, cancel=lambda: True)


def test_that_the_least_enrolment_can_be_fitted_without_a_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = fitted(samples_of("a 1", n=12), Settings(), FEATURES)
    assert np.isfinite(model.threshold)
    assert all(note.endswith(".") for note in model.notes)


def with_odd_take(spread, **more):
    """The window's takes, and one whose frames are unlike them and, if spread, each other."""
    odd = samples_of("odd", seed=9, shift=2.0, spread=spread, **more)
    return [*samples_of(*WINDOW), *odd]


@pytest.mark.parametrize("target", [0.01, 0.1, 0.5])
def test_that_the_threshold_is_never_below_half_of_what_genuine_frames_score(target):
    samples = with_odd_take(spread=0.3)
    settings = Settings(n_clusters=2, delta=0.1, target_bpcer=target)
    for model in (fitted(samples, settings, FEATURES), recalibrated(window_model(), target)):
        median = float(np.median(model.estimator.calibration_.scores))
        assert model.threshold >= 0.5 * median
        assert model.threshold == model.estimator.calibration_.threshold


def test_that_a_take_whose_frames_would_be_refused_is_named():
    samples = with_odd_take(spread=3.0)
    model = fitted(samples, Settings(n_clusters=2), FEATURES)
    assert model.notes == (
        "“odd” is unlike the other takes and most of its frames would be refused: record it again, "
        "then fit again.",
    )
    samples = with_odd_take(spread=3.0, is_simulated=True)
    simulated = fitted(samples, Settings(n_clusters=2), FEATURES)
    assert simulated.notes == ()


def test_that_growing_leaves_the_old_model_unchanged():
    old = window_model()
    before = state_of(old)
    grown = extended(old, NEW)
    assert state_of(old) == before
    assert grown.estimator is not old.estimator
    assert grown.digest != old.digest


def test_that_a_grown_model_scores_its_new_frames_higher():
    old = window_model()
    grown = extended(old, NEW)
    unseen = samples_of("lamp 3", seed=6, shift=1.5).views
    for views in (NEW.views, unseen):
        assert (grown.estimator.score_samples(views) > old.estimator.score_samples(views)).all()
    # Those who were refused are let in now.
    assert np.mean(old.estimator.score_samples(NEW.views) >= old.threshold) < 0.1
    assert np.mean(grown.estimator.score_samples(NEW.views) >= grown.threshold) > 0.9


def test_that_a_grown_model_knows_all_its_takes_and_circumstances():
    grown = extended(window_model(), [replace(one, is_simulated=True) for one in NEW])
    assert grown.takes == (*WINDOW, "lamp 1", "lamp 2")
    assert grown.conditions.takes == grown.takes
    assert grown.is_simulated
    assert not grown.is_saved
    for warmth in (0.3, 0.9):
        rows = samples_of("x", n=1, warmth=warmth)
        assert grown.conditions.familiarity(rows.conditions[0]).distance <= 1
    lamp = samples_of("x", n=1, warmth=0.9).conditions[0]
    assert window_model().conditions.familiarity(lamp).distance > 1


def test_that_takes_with_names_that_are_there_already_are_takes_of_their_own():
    grown = extended(window_model(), samples_of(WINDOW[0], seed=7))
    assert len(grown.takes) == grown.estimator.calibration_.n_takes == 4


def test_that_growing_by_known_circumstances_helps_a_model_that_knew_none():
    unknown = fitted(samples_of(*WINDOW, known=False), SETTINGS, FEATURES)
    grown = extended(unknown, NEW)
    assert isinstance(grown.conditions, EnrolledConditions)
    assert grown.conditions.takes == ("lamp 1", "lamp 2")
    assert extended(unknown, samples_of("x", known=False)).conditions is None


def test_that_growing_by_other_views_changes_nothing():
    old = window_model()
    other = [replace(one, views={"eyes": one.views["eyes"]}) for one in samples_of("x")]
    before = state_of(old)
    with pytest.raises(ValueError, match="skin"):
        extended(old, other)
    assert state_of(old) == before


def test_that_another_target_moves_the_threshold_and_nothing_else():
    old = window_model()
    before = state_of(old)
    strict, loose = recalibrated(old, 0.02), recalibrated(old, 0.4)
    assert strict.threshold <= old.threshold <= loose.threshold
    assert strict.threshold < loose.threshold
    assert loose.estimator.calibration_.target_bpcer == loose.estimator.target_bpcer == 0.4
    assert state_of(old) == before
    for model in (strict, loose):
        assert np.array_equal(
            model.estimator.score_samples(NEW.views), old.estimator.score_samples(NEW.views)
        )
        assert (model.takes, model.features) == (old.takes, old.features)
        assert model.conditions is old.conditions
        assert model.digest != old.digest


def test_that_a_target_can_be_given_up():
    plain = fitted(samples_of(*WINDOW), Settings(n_clusters=2, delta=0.1), FEATURES)
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


def in_lights(warmths, rows_each=6):
    rng = np.random.default_rng(0)
    samples = Samples()
    for number, warmth in enumerate(warmths):
        condition = None if warmth is None else replace(HOME, warmth=warmth)
        for _ in range(rows_each):
            row = rng.normal(size=(1, 4)).astype(np.float32)
            samples.append(Sample(len(samples), f"take {number}", {"skin": row}, condition, None))
    return samples


def fit(samples):
    model = LocalisedMKL(n_clusters=1, delta=0.1, random_state=0)
    return model.fit(samples.views, groups=samples.takes, conditions=samples.circumstances())


def test_that_takes_that_share_circumstances_are_left_out_together_for_the_stress_figure():
    samples = in_lights([0.3, 0.3, 0.9])
    model = fit(samples)
    assert model.calibration_.n_takes == 3
    assert np.isfinite(model.calibration_.stress_bpcer)
    one, other, apart = samples.circumstances()[::6]
    assert one == other != apart
