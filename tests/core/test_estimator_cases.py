"""Cases that once went wrong: selection, fits and parameters at their limits."""

import numpy as np
import pytest

from lmkl_core import select
from lmkl_core.kernels import fit_kernel, gram
from lmkl_core.solver.certificate import support_bound
from lmkl_core.solver.constraints import make_constraint
from lmkl_core.solver.problem import LEAST_ROUNDING
from tests.core.recordings import make, recording, rows, takes_of

VIEWS = recording(seed=3, n=40)
TAKES = takes_of(40, 4)


@pytest.mark.parametrize("constraint", ["joint-vector", "disjoint-vector"])
def test_that_vector_families_are_selected_by_their_one_exponent(constraint):
    model = make(constraint=constraint)
    chosen = select(model, VIEWS, groups=TAKES, deltas=[0.1], exponents=[4 / 3, 10])
    assert [(cell.p, cell.q) for cell in sorted(chosen.cells, key=lambda c: c.p)] == [
        (4 / 3, 4 / 3),
        (10, 10),
    ]
    best = chosen.best
    refit = model.set_params(**best.parameters).fit(VIEWS, groups=TAKES)
    assert refit.offset_ == pytest.approx(best.calibration.threshold, rel=1e-3)


def test_that_a_precomputed_view_beside_others_keeps_the_memberships_of_its_own_rows():
    name, array = next(iter(VIEWS.items()))
    kernel = 100 * gram(fit_kernel("rbf", name, array), array)
    model = make(kernel=["rbf", "precomputed"]).fit([array, kernel])
    assert np.allclose(model.memberships([array, kernel]), model.memberships_, atol=1e-9)


def test_that_fixed_weights_report_the_rounding_of_their_own_problem():
    model = make(constraint="uniform", delta=1e-9).fit(rows(VIEWS, slice(30)))
    assert model.gap_ > LEAST_ROUNDING
    assert model.extend(rows(VIEWS, slice(30, None))).gap_ > LEAST_ROUNDING


def test_that_refining_keeps_the_rate_last_asked_for():
    model = make().fit(rows(VIEWS, slice(30)), groups=TAKES[:30]).calibrate(target_bpcer=0.2)
    model.extend(rows(VIEWS, slice(30, None)), refine=True)
    assert model.calibration_.target_bpcer == 0.2


def test_that_the_maximiser_is_feasible_for_exponents_near_one():
    u = np.random.default_rng(0).random((1, 6))
    for p in (1 + 1e-15, 1 + 1e-12, 1 + 1e-6, 1.1):
        _, weights = support_bound(u, p, p)
        assert make_constraint("joint-vector", p, p, 2, 3).norm(weights) <= 1 + 1e-9
