"""One task: a method fitted and scored, with the threshold that its enrolment gives."""

import numpy as np
import pytest

from app.evaluation.dataset import PlanData, Rows
from app.evaluation.options import Options, rows
from app.evaluation.task import work
from lmkl_core.baselines import METHODS
from lmkl_core.calibration.threshold import LEVEL_SHARE
from tests.core.recordings import recording

NAMES = ("eyes", "mouth", "skin")
MANNER = Options(selection="none", grid="small")


def material(n_apart=0):
    """Five alike recordings, and one some of whose rows lie apart."""
    views = {name: view.astype(np.float32) for name, view in recording(0, 36).items()}
    for view in views.values():
        view[len(view) - n_apart :] += 2.0
    nothing = {name: view[:0] for name, view in views.items()}
    train = Rows(views, np.arange(36) // 6, conditions=np.zeros(36, int))
    return PlanData(train, Rows(nothing, np.arange(0)), views)


@pytest.mark.parametrize("name", ["localised-mkl", "lpq-mkl", "fusion"])
def test_that_one_recording_unlike_the_others_does_not_pull_the_threshold_down(name):
    row = rows([METHODS[name]], NAMES)[0]
    apart = material(n_apart=4)
    own = row.make(0).fit(
        apart.train.views, groups=apart.train.recordings, conditions=apart.train.conditions
    )
    enrolled = work(0, row, apart, MANNER)[1].enrolled
    assert enrolled.threshold == pytest.approx(LEVEL_SHARE * own.calibration_.level)
    assert enrolled.origin == own.calibration_.origin


def test_that_thresholds_stay_as_the_models_set_them():
    for name in ("mk-svdd", "localised-mkl"):
        row = rows([METHODS[name]], NAMES)[0]
        alike = material()
        own = row.make(0).fit(
            alike.train.views, groups=alike.train.recordings, conditions=alike.train.conditions
        )
        enrolled = work(0, row, alike, MANNER)[1].enrolled
        assert enrolled.threshold == own.calibration_.threshold
