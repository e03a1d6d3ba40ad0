"""Selection without attacks: criterion, rule, grid, parallel runs."""

import threading
import warnings
from dataclasses import replace

import joblib
import numpy as np
import pytest
from scipy.optimize import brentq

from lmkl_core import Cancelled, LocalisedMKL, select, selection
from lmkl_core.calibration.threshold import LEAST_SHARE
from lmkl_core.kernels import fit_kernels
from lmkl_core.selection import Cell, choose, novelty_radius, score_grid, serpentine_pairs, walk
from tests.core.problems import PAPER_GRID
from tests.core.recordings import assert_same_selection, make, recording, refusal, takes_of

VIEWS = recording(n=24)
TAKES = takes_of(24, 3)
FITTED = make().fit(VIEWS)
SMALL = {"deltas": (0.01, 1.0), "exponents": (4 / 3, 2.0, 8.0), "n_clusters": (1, 2)}


def small_selection(**options):
    return select(make(), VIEWS, groups=TAKES, **{**SMALL, **options})


@pytest.fixture(scope="module")
def reference():
    return small_selection()


@pytest.fixture
def flat():
    """A model with one cluster, on views without variance in one direction."""
    views = {k: np.pad(v, ((0, 0), (0, 1))) for k, v in recording(n=41).items()}
    return make(n_clusters=1, delta=0.01, target_bpcer=0.05).fit(views), views


def displaced(model, row, rho):
    """Move a sample by ``rho`` kernel widths along the constant direction of every view."""
    moved = {name: array.copy() for name, array in row.items()}
    for name, kernel in zip(model.view_names_, model.kernels_, strict=True):
        moved[name][:, -1] += rho * kernel.width
    return moved


def test_that_a_displacement_in_a_constant_direction_shrinks_the_score_by_the_closed_form(flat):
    model, views = flat
    before = model.score_samples(views)
    for rho in (0.1, 1.0, 2.5):
        after = model.score_samples(displaced(model, views, rho))
        assert np.allclose(after, np.exp(-(rho**2) / 2) * before, rtol=1e-10)


def test_that_a_typical_sample_is_accepted_within_the_radius_and_refused_beyond(flat):
    model, views = flat
    median = np.median(model.calibration_.scores)
    radius = novelty_radius(model.calibration_.scores, 0.05)
    assert 0.05 < radius < np.sqrt(-2 * np.log(LEAST_SHARE))  # the target alone set the threshold

    # Move outwards from an enrolled sample until the score is the median.
    def sample(t):
        return {name: v[:1] + t * (v[:1] - v.mean(axis=0)) for name, v in views.items()}

    t = brentq(lambda t: model.score_samples(sample(t))[0] - median, 0, 50, xtol=1e-14)
    typical = sample(t)
    assert model.predict(displaced(model, typical, radius * (1 - 1e-6)))[0] == 1
    assert model.predict(displaced(model, typical, radius * (1 + 1e-6)))[0] == -1


def test_that_the_radius_is_infinite_without_a_positive_threshold():
    assert novelty_radius(np.array([0.0, 0.6, 0.7])) == np.inf
    assert novelty_radius(np.array([-0.1, 0.6, 0.7])) == np.inf
    assert novelty_radius(np.array([-0.5, -0.6, 0.7]), 0.8) == np.inf
    assert novelty_radius(np.array([0.5, 0.6, 0.7]), 0.5) == 0.0
    expected = np.sqrt(2 * np.log(0.6 / 0.5))
    assert novelty_radius(np.array([0.7, 0.5, 0.6])) == pytest.approx(expected)


def cell(radius, delta, p=2.0, q=2.0, n_clusters=3):
    return Cell(n_clusters, 0.1, delta, p, q, radius, FITTED.calibration_, FITTED.solution_)


def test_that_the_largest_delta_with_a_tolerable_radius_is_chosen():
    limit = selection.TOLERATED_RADIUS
    cells = [cell(1.0, 0.01), cell(limit, 1.0), cell(limit * 1.001, 10.0), cell(5.0, 100.0)]
    assert choose(cells) == cells[1]
    assert choose(cells[2:]) == cells[2]
    assert choose([cell(np.inf, 0.1), cell(2.0, 0.01)]).delta == 0.01
    assert choose([cell(np.inf, 0.1), cell(np.inf, 0.01)]).delta == 0.1
    # At that delta the smallest radius wins, and ties go to the smoother model.
    cells = [cell(1.05, 1.0, 4.0), cell(1.0, 1.0, 4 / 3), cell(1.0, 0.1), cell(1.02, 1.0)]
    assert choose(cells) == cells[1]
    tied = [cell(1.0, 1.0, 2.0, 4.0), cell(1.0, 1.0, 4.0, 2.0), cell(1.0, 1.0, 4.0, 4.0)]
    assert choose(tied) == tied[2]
    assert choose(tied[:2]) == tied[1]


def test_that_a_cell_has_the_calibration_of_a_fit_and_the_radius_of_its_target():
    options = {**SMALL, "exponents": (2.0,)}
    for target_bpcer, target in ((None, selection.SELECTION_BPCER), (0.3, 0.3)):
        estimator = make(target_bpcer=target_bpcer)
        for here in select(estimator, VIEWS, groups=TAKES, **options).cells:
            estimator.set_params(**here.parameters)
            expected = estimator.fit(VIEWS, groups=TAKES).calibration_
            assert here.radius == pytest.approx(novelty_radius(expected.scores, target), rel=1e-6)
            assert here.calibration.threshold == pytest.approx(expected.threshold, rel=1e-6)
            assert here.calibration.stress_bpcer == pytest.approx(expected.stress_bpcer, abs=1e-9)
    for constraint in ("joint-vector", "disjoint-vector"):
        estimator = make(constraint=constraint)
        result = select(estimator, VIEWS, groups=TAKES, deltas=[0.1], exponents=[4 / 3, 10])
        assert sorted((here.p, here.q) for here in result.cells) == [(4 / 3, 4 / 3), (10, 10)]
        refit = estimator.set_params(**result.best.parameters).fit(VIEWS, groups=TAKES)
        assert refit.offset_ == pytest.approx(result.best.calibration.threshold, rel=1e-3)


def test_that_the_papers_grid_is_covered_and_symmetric_twins_are_equal():
    assert list(selection.EXPONENTS) == PAPER_GRID
    assert len(selection.DELTAS) * len(PAPER_GRID) ** 2 == 384
    result = select(make(), VIEWS, groups=TAKES, deltas=(0.1, 10.0), n_clusters=(2,))
    cells = {(c.delta, c.p, c.q): c for c in result.cells}
    assert len(result.cells) == len(cells) == 128
    assert set(cells) == {(d, p, q) for d in (0.1, 10.0) for p in PAPER_GRID for q in PAPER_GRID}
    for (delta, p, q), here in cells.items():
        assert replace(here, p=q, q=p) == cells[delta, q, p]
    assert all(c.solution.gap <= 1e-4 for c in result.cells)
    assert np.mean([c.solution.gap <= 1e-6 for c in result.cells]) > 0.95
    assert [c.radius for c in result.cells] == sorted(c.radius for c in result.cells)
    assert result.best == choose(result.cells)


def test_that_every_combination_of_the_axes_is_measured(reference):
    extra = small_selection(temperatures=(0.1, 0.5), exponents=(2.0,))
    axes = {(c.n_clusters, c.temperature, c.delta) for c in extra.cells}
    assert axes == {(n, t, d) for n in (1, 2) for t in (0.1, 0.5) for d in (0.01, 1.0)}
    assert len(extra.cells) == 8
    assert len(reference.cells) == 2 * 2 * 9


def test_that_warm_starts_end_where_cold_starts_do(monkeypatch):
    solved = []

    def recorded(problem, settings, **options):
        solution = selection_solve(problem, settings, **options)
        solved.append((options["init"] is None, solution))
        return solution

    selection_solve = selection.solve_settings
    monkeypatch.setattr(selection, "solve_settings", recorded)
    views = selection.as_views(VIEWS)
    settings = make(delta=0.1).settings(views.names)
    local = selection.localise(views, fit_kernels(views, "rbf"), settings)
    pairs = serpentine_pairs((16 / 15, 4 / 3, 2.0, 8.0))
    walk(local, TAKES, np.arange(TAKES.max() + 1), settings, pairs, 4)
    for pair in pairs:
        walk(local, TAKES, np.arange(TAKES.max() + 1), settings, [pair], 4)
    warm, cold = solved[:10], solved[10:]
    assert [is_cold for is_cold, _ in solved] == [True] + [False] * 9 + [True] * 10
    for (_, from_neighbour), (_, from_uniform) in zip(warm, cold, strict=True):
        assert max(from_neighbour.gap, from_uniform.gap) <= 1e-6
        assert from_neighbour.objective == pytest.approx(from_uniform.objective, rel=1e-6)


def test_that_threads_give_the_same_selection_with_progress_on_the_callers_thread(reference):
    calls = []

    def progress(done, total):
        calls.append((done, total, threading.get_ident()))

    with joblib.parallel_config(backend="threading"):
        assert_same_selection(small_selection(n_jobs=2, progress=progress), reference)
    done, total, thread = zip(*calls, strict=True)
    assert set(total) == {36}
    assert list(done) == [9, 18, 27, 36]
    assert set(thread) == {threading.get_ident()}


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_that_cancelling_raises_before_the_grid_is_done(n_jobs):
    done = []
    with (
        joblib.parallel_config(backend="threading"),
        pytest.raises(Cancelled, match="2 of 4"),
    ):
        small_selection(
            n_jobs=n_jobs, progress=lambda d, _: done.append(d), cancel=lambda: len(done) == 2
        )
    assert done == [9, 18]


def test_that_processes_give_the_same_selection(reference):
    with joblib.parallel_config(backend="loky", inner_max_num_threads=1):
        assert_same_selection(small_selection(n_jobs=2), reference)


@pytest.mark.parametrize("solver", ["certified", "algorithm-1"])
def test_that_unmet_tolerances_are_in_the_cells_and_the_warning_filters_unchanged(solver):
    before = list(warnings.filters)
    with joblib.parallel_config(backend="threading"):
        result = select(
            make(tol=1e-15, max_iter=5, solver=solver),
            VIEWS,
            deltas=(0.01, 0.1, 1.0),
            exponents=(10.0,),
            n_clusters=(1, 2, 3),
            n_jobs=2,
        )
    assert warnings.filters == before
    unmet = ("stalled", "iteration cap", "not finite")
    assert all(c.solution.stop_reason in unmet for c in result.cells)


def test_that_axes_may_be_numpy_arrays_and_repeated_values_count_once(reference):
    axes = {name: np.array(values) for name, values in SMALL.items()}
    assert select(make(), VIEWS, groups=TAKES, **axes).best.parameters == reference.best.parameters
    calls = []
    twice = small_selection(exponents=(2.0, 2.0), progress=lambda *call: calls.append(call))
    assert len(twice.cells) == 4 == calls[-1][0] == calls[-1][1]


def test_that_bad_grids_are_refused_by_name():
    for options, name in [
        ({"deltas": ()}, "deltas"),
        ({"deltas": (0.0,)}, "delta=0.0"),
        ({"deltas": 0.1}, "deltas"),
        ({"exponents": (0.5, 2.0)}, "exponent=0.5"),
        ({"n_clusters": (0,)}, "n_clusters=0"),
        ({"n_clusters": (25,)}, "n_clusters=25"),
        ({"temperatures": (0.0,)}, "temperature=0.0"),
        ({"groups": [1]}, "groups"),
    ]:
        assert name in refusal(select, make(), VIEWS, **{**SMALL, **options})


def test_that_the_estimator_is_not_changed(reference):
    model = make(delta=7.0, n_clusters=5)
    before = model.get_params()
    assert select(model, VIEWS, groups=TAKES, **SMALL) == reference
    assert model.get_params() == before
    assert not hasattr(model, "offset_")


@pytest.mark.parametrize("constraint", ["joint-matrix", "joint-vector", "uniform"])
def test_that_every_cell_scores_like_a_model_with_its_parameters(constraint):
    training, others = recording(n=40), recording(seed=3, n=25)
    estimator = make(constraint=constraint)
    grid = score_grid(estimator, training, others, deltas=(0.01, 1.0), exponents=(4 / 3, 8.0))
    assert len(grid.cells) == {"joint-matrix": 6, "joint-vector": 4, "uniform": 2}[constraint]
    assert (grid.gaps < 1e-6).all()
    for cell, scores in zip(grid.cells, grid.scores, strict=True):
        model = LocalisedMKL(**estimator.get_params() | cell).fit(training)
        # Cells start from their neighbours' weights and stop within the same certified gap.
        assert np.allclose(scores, model.score_samples(others), rtol=1e-2, atol=1e-4)


def test_that_takes_widen_the_kernels_of_a_grid_as_in_a_fit():
    training, others, takes = recording(n=40), recording(seed=3, n=25), np.zeros(40, int)
    grid = score_grid(
        make(), training, others, groups=takes, deltas=(0.1,), exponents=(4 / 3,)
    ).scores[0]
    assert np.allclose(grid, make().fit(training, groups=takes).score_samples(others))
    assert not np.allclose(grid, make().fit(training).score_samples(others), rtol=0.1)


def test_that_scores_of_a_grid_do_not_depend_on_the_block_size(monkeypatch):
    training, others = recording(n=30), recording(seed=3, n=25)
    whole = score_grid(make(), training, others, deltas=(0.1,), exponents=(2.0,))
    monkeypatch.setattr("lmkl_core.selection.BLOCK_BYTES", 8 * 3 * 30 * 4)
    parts = score_grid(make(), training, others, deltas=(0.1,), exponents=(2.0,))
    assert np.allclose(whole.scores, parts.scores, rtol=1e-10)


def test_that_the_grid_can_be_cancelled():
    with pytest.raises(Cancelled):
        score_grid(make(), recording(), recording(seed=3), cancel=lambda: True)
