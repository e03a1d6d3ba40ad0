"""Models of several people: how the threshold treats each of them."""

import copy
from dataclasses import replace

import numpy as np
import pytest

from app.models.files import load, save
from app.models.fitting import Samples, extended, fitted, recalibrated
from app.models.model import PadModel
from app.models.summary import MOST_REFUSED, describe, people_of
from app.settings import Settings
from lmkl_core import LocalisedMKL
from lmkl_core.calibration.threshold import clopper_pearson
from lmkl_core.errors import ModelFileError
from tests.app.models.small_models import (
    FEATURES,
    SETTINGS,
    WINDOW,
    file_with,
    samples_of,
    window_model,
)


def household(*takes, **more):
    """Return rows of takes given as (person, name, shift)."""
    rows = Samples()
    for seed, (person, name, shift) in enumerate(takes):
        rows += samples_of(name, seed=seed, shift=shift, person=person, **more)
    return rows


TWO = (
    ("Ann", "window", 0.0),
    ("Ben", "window (2)", 1.0),
    ("Ann", "lamp", 0.1),
    ("Ben", "lamp (2)", 1.1),
)


@pytest.fixture(scope="module")
def two():
    return fitted(household(*TWO), SETTINGS, FEATURES)


def test_that_each_person_has_own_takes_frames_and_rate(two):
    ann, ben = people_of(two)
    assert (ann.name, ann.n_takes, ann.n_frames) == ("Ann", 2, 16)
    assert (ben.name, ben.n_takes, ben.n_frames) == ("Ben", 2, 16)
    scores = two.estimator.calibration_.scores
    own = np.r_[0:8, 16:24]  # the first and the third take
    assert ann.level == pytest.approx(np.median(scores[own]))
    assert ann.bpcer == pytest.approx(np.mean(scores[own] < two.threshold))
    assert ann.n_scores == 16
    assert 1 <= ann.n_effective <= 16
    expected = clopper_pearson(ann.bpcer * ann.n_effective, ann.n_effective)
    assert ann.interval == pytest.approx(expected)
    assert describe(two).people == (ann, ben)


def test_that_takes_without_a_person_belong_to_one_unnamed_person():
    model = window_model()
    (only,) = people_of(model)
    assert (only.name, only.n_takes, only.n_frames) == ("", 3, 24)
    assert (only.bpcer, only.n_effective) == pytest.approx(
        (model.estimator.calibration_.bpcer, model.estimator.calibration_.n_effective)
    )


def test_that_scores_that_do_not_match_the_takes_are_not_assigned_to_people(two):
    estimator = copy.copy(two.estimator)
    scores = estimator.calibration_.scores[:-1]
    estimator.calibration_ = replace(estimator.calibration_, scores=scores)
    assert people_of(replace(two, estimator=estimator)) == ()


def test_that_a_model_with_inducing_points_assigns_the_scores_it_has():
    rows = household(*TWO)
    estimator = LocalisedMKL(n_inducing=8, n_clusters=2, random_state=0)
    estimator.fit(rows.views, groups=rows.takes)
    takes = tuple(name for _, name, _ in TWO)
    people = people_of(PadModel(estimator, FEATURES, None, takes, ("Ann", "Ben") * 2))
    assert [person.n_frames for person in people] == [16, 16]
    assert sum(person.n_scores for person in people) == estimator.calibration_.n_scores


def test_that_the_number_of_clusters_grows_with_people_up_to_a_limit(two):
    for n_people, n_clusters in ((1, 3), (2, 5), (3, 7), (5, 11), (10, 12)):
        assert Settings().clusters_for(n_people) == n_clusters
    assert two.estimator.n_clusters_ == SETTINGS.clusters_for(2)
    single = fitted(household(*((("Ann", *rest) for _, *rest in TWO))), SETTINGS, FEATURES)
    assert single.estimator.n_clusters_ == SETTINGS.n_clusters


def test_that_people_survive_a_file_recalibration_and_extension(tmp_path, two):
    save(two, tmp_path / "two.safetensors")
    loaded = load(tmp_path / "two.safetensors")
    assert loaded.persons == two.persons == ("Ann", "Ben", "Ann", "Ben")
    assert people_of(loaded) == people_of(two)
    assert recalibrated(loaded, 0.2).persons == two.persons
    grown = extended(loaded, household(("Cid", "door", 0.5)))
    assert [person.name for person in people_of(grown)] == ["Ann", "Ben", "Cid"]
    assert grown.estimator.n_clusters_ == two.estimator.n_clusters_


def test_that_a_model_without_persons_can_get_one():
    grown = extended(window_model(), household(("Ann", "lamp", 0.1)))
    assert grown.persons == ("", "", "", "Ann")
    assert [person.n_takes for person in people_of(grown)] == [3, 1]


def test_that_names_of_persons_in_files_are_cleaned_or_refused(tmp_path):
    persons = ["Ann\n\u202e", "x" * 100, ""]
    model = load(file_with(tmp_path / "m.safetensors", persons=persons))
    assert model.persons == ("Ann", "x" * 60, "")
    for persons in (["Ann"], "Ann", [1, 2, 3], {}, ["Ann"] * 4):
        path = file_with(tmp_path / "m.safetensors", persons=persons)
        with pytest.raises(ModelFileError, match="is invalid"):
            load(path)


def test_that_a_person_who_would_be_refused_is_named_once_unless_there_is_only_one():
    for person in ("Ann", "Ben"):
        rows = household(*(("Ann", take, 0.0) for take in WINDOW), n=12)
        rows += samples_of("door", seed=9, shift=4.0, spread=2.0, n=12, person=person)
        model = fitted(rows, Settings(n_clusters=2), FEATURES)
        named = [note for note in model.notes if note.startswith(f"“{person}”")]
        assert len(named) == (person == "Ben"), model.notes
    assert model.notes == tuple(named)
    ann, ben = people_of(model)
    assert ann.bpcer < MOST_REFUSED < ben.bpcer
