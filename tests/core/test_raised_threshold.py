"""A threshold that is raised above what the target asks for keeps honest figures."""

import numpy as np
import pytest

from lmkl_core import InvalidInputError, LocalisedMKL, clopper_pearson, load_model, save_model


@pytest.fixture
def model():
    rng = np.random.default_rng(0)
    views = {name: rng.normal(size=(40, 4)) for name in ("eyes", "mouth")}
    takes = np.repeat(["a", "b", "c", "d"], 10)
    conditions = np.repeat(["day", "night"], 20)
    return LocalisedMKL(n_clusters=1, delta=0.1, random_state=0).fit(
        views, groups=takes, conditions=conditions
    )


def raised(model, share=0.9):
    return model.raise_threshold(float(np.quantile(model.calibration_.scores, share)))


def test_that_the_rate_is_that_of_the_left_out_scores_at_the_new_threshold(model):
    calibration = raised(model).calibration_
    assert calibration.bpcer == np.mean(calibration.scores < calibration.threshold)
    assert calibration.bpcer > calibration.target_bpcer


def test_that_the_interval_is_exact_at_the_effective_number(model):
    calibration = raised(model).calibration_
    n = calibration.n_effective
    assert calibration.interval == clopper_pearson(calibration.bpcer * n, n, 0.95)


def test_that_the_stress_figure_counts_conditions(model):
    calibration = raised(model).calibration_
    share = np.mean(calibration.stress_scores < calibration.threshold)
    assert calibration.stress_bpcer == share
    assert calibration.stress_interval == clopper_pearson(share * 2, 2, 0.95)


def test_that_the_offset_and_the_decisions_follow(model):
    before = model.offset_
    threshold = raised(model).offset_
    assert threshold == model.calibration_.threshold > before
    scores = model.score_samples(model.support_views())
    assert np.array_equal(model.predict(model.support_views()) == 1, scores >= threshold)


def test_that_it_is_said_where_the_threshold_comes_from(model):
    before = model.offset_
    calibration = raised(model).calibration_
    assert f"raised from {before:.3g}" in calibration.origin
    assert "raised above what the target asks for" in calibration.statement
    assert not calibration.promised


@pytest.mark.parametrize("change", [0.0, -0.1])
def test_that_nothing_happens_at_or_below_the_present_threshold(model, change):
    before = model.calibration_
    assert model.raise_threshold(model.offset_ + change).calibration_ is before


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_that_a_threshold_that_is_no_number_is_refused(model, value):
    with pytest.raises(InvalidInputError, match="finite"):
        model.raise_threshold(value)


def test_that_calibrating_sets_it_by_the_target_alone_again(model):
    before = model.offset_
    assert raised(model).calibrate().offset_ == before


def test_that_a_file_keeps_it(model, tmp_path):
    save_model(raised(model), tmp_path / "m")
    loaded = load_model(tmp_path / "m")
    assert loaded.offset_ == model.offset_
    assert loaded.calibration_.origin == model.calibration_.origin
