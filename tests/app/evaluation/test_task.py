"""One task: a method fitted and scored, with the threshold that its enrolment gives."""

import numpy as np

from app.evaluation.dataset import PlanData, Rows
from app.evaluation.options import Options, rows
from app.evaluation.task import work
from lmkl_core.baselines import METHODS
from tests.core.recordings import recording

NAMES = ("eyes", "mouth", "skin")
MANNER = Options(selection="none", grid="small")


def material():
    views = {name: view.astype(np.float32) for name, view in recording(0, 36).items()}
    nothing = {name: view[:0] for name, view in views.items()}
    train = Rows(views, np.arange(36) // 6, conditions=np.zeros(36, int))
    return PlanData(train, Rows(nothing, np.arange(0)), views)


def test_that_thresholds_stay_as_the_models_set_them():
    for name in ("mk-svdd", "localised-mkl"):
        row = rows([METHODS[name]], NAMES)[0]
        alike = material()
        own = row.make(0).fit(
            alike.train.views, groups=alike.train.recordings, conditions=alike.train.conditions
        )
        enrolled = work(0, row, alike, MANNER)[1].enrolled
        assert enrolled.threshold == own.calibration_.threshold
