r"""Select delta, p, q, C and the temperature without attacks.

Left-out scores alone would favour a model that scores everything the same. The criterion is how far
a sample has to move before it is refused. For RBF kernels, moving a sample by ``rho`` kernel widths
in a direction in which no training sample varies, in every view, shrinks its score by the factor
``exp(-rho^2 / 2)``. With ``t`` the threshold that refuses the wanted share of left-out scores
(`SELECTION_BPCER` unless a target is set) and ``m`` their median, a typical genuine sample is
refused when it moves further than the *novelty radius* ``rho* = sqrt(2 log(m / t))``, which is
infinite if ``t`` is not positive. Widths do not depend on the parameters that are selected, so
radii can be compared; smaller is better. For other kernels the radius still ranks thresholds by how
far they lie below the median score.

With a small delta the model follows the enrolled frames so closely that another session of the same
person falls below the threshold, which the left-out scores of one session do not show. So the
*largest* delta is chosen whose best radius is at most `TOLERATED_RADIUS` times the smallest; the
other parameters are the best at that delta. On real people the defaults do as well
(``python -m benchmarks real``); this is for other kinds of data. `score_grid` scores development
data with every cell.

One task is one (C, temperature, delta). It visits the pairs (p, q) in a serpentine order, and each
solve starts from its neighbour's weights. The norm is symmetric in p and q, so the 64 pairs of the
paper are 36 problems. Tasks run on joblib's active backend, which can be a Dask or Ray cluster.
"""

import itertools
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone

from lmkl_core.calibration.left_out import choose_block_length, exact_calibration
from lmkl_core.calibration.threshold import Calibration, threshold_for
from lmkl_core.errors import Cancelled, InvalidInputError, asked_to_stop, raise_if_cancelled
from lmkl_core.fitting.exact import Localised, localise
from lmkl_core.fitting.fit import Settings, solve_settings
from lmkl_core.kernels import fit_kernels
from lmkl_core.scorer import BLOCK_BYTES, SupportKernels
from lmkl_core.solver.constraints import FIXED_FAMILIES
from lmkl_core.solver.problem import GramProblem, Solution
from lmkl_core.system.processes import preferred_workers
from lmkl_core.validation import (
    as_views,
    check_conditions,
    check_groups,
    check_integer,
    check_real,
    match_views,
)

DELTAS = (1e-3, 1e-2, 1e-1, 1.0, 1e1, 1e2)
"""The paper's grid for delta, divided by n."""

EXPONENTS = (32 / 31, 16 / 15, 8 / 7, 4 / 3, 2.0, 4.0, 8.0, 10.0)
"""The paper's grid for p and q."""

TOLERATED_RADIUS = 1.1
"""A larger delta may increase the novelty radius by this factor."""

GRID = ("n_clusters", "temperature", "delta", "p", "q")

SELECTION_BPCER = 0.05
"""Share of left-out scores refused at the radius, unless the estimator has a target."""


def novelty_radius(scores: np.ndarray, target_bpcer: float = SELECTION_BPCER) -> float:
    """Return the displacement, in kernel widths, beyond which a genuine sample is refused."""
    median, threshold = float(np.median(scores)), threshold_for(scores, target_bpcer)
    if not 0 < threshold or not median > 0:
        return float("inf")
    return float(np.sqrt(2 * np.log(max(median / threshold, 1.0))))


@dataclass(frozen=True)
class Cell:
    """A point of the grid with its novelty radius, calibration and solution."""

    n_clusters: int
    temperature: float
    delta: float
    p: float
    q: float
    radius: float
    calibration: Calibration = field(repr=False, compare=False)
    solution: Solution = field(repr=False, compare=False)

    @property
    def parameters(self) -> dict[str, float]:
        """Parameters of the cell, ready for ``LocalisedMKL(**parameters)``."""
        return {name: getattr(self, name) for name in GRID}


@dataclass(frozen=True)
class Selection:
    """Result of `select`.

    Attributes
    ----------
    cells : tuple of Cell
        Sorted by novelty radius; ties go to the larger delta, then to larger p and q.
    best : Cell
        The smallest radius at the largest delta that is good enough.
    """

    cells: tuple[Cell, ...] = field(repr=False)
    best: Cell


def serpentine_pairs(exponents: Sequence[float]) -> list[tuple[float, float]]:
    """Return the pairs ``p <= q`` in an order in which neighbours are close."""
    values = sorted(set(exponents))
    pairs = []
    for row, p in enumerate(values):
        tail = [(p, q) for q in values[row:]]
        pairs.extend(tail[::-1] if row % 2 else tail)
    return pairs


def exponent_pairs(constraint: str, exponents: Sequence[float]) -> list[tuple[float, float]]:
    """Return the pairs to solve for a constraint; vector norms have only one exponent."""
    if str(constraint).endswith("vector"):
        return [(p, p) for p in sorted(set(exponents))]
    return serpentine_pairs(exponents)


def solved_chain(
    problem: GramProblem,
    settings: Settings,
    pairs: Sequence[tuple[float, float]],
    cancel: Callable[[], bool] | None = None,
) -> Iterator[tuple[Settings, Solution]]:
    """Solve a chain of pairs (p, q), each from its neighbour's weights."""
    init = None
    for p, q in pairs:
        here = replace(settings, p=p, q=q)
        # The solution records whether the tolerance was met.
        solution = solve_settings(problem, here, init=init, cancel=cancel, warn=False)
        yield here, solution
        # The printed algorithm starts from uniform weights.
        init = solution.weights if settings.solver == "certified" else None


def walk(
    local: Localised,
    takes: np.ndarray,
    conditions: np.ndarray,
    settings: Settings,
    pairs: Sequence[tuple[float, float]],
    block_length: int,
    cancel: Callable[[], bool] | None = None,
) -> list[Cell]:
    """Calibrate every pair of a chain at one (C, temperature, delta)."""
    problem = GramProblem(local.grams, local.memberships, settings.delta * len(takes))
    cells = []
    for here, solution in solved_chain(problem, settings, pairs, cancel):
        calibration = exact_calibration(
            problem.cholesky(solution.evaluation),
            solution.dual_coef,
            problem.delta,
            takes,
            conditions,
            target_bpcer=settings.target_bpcer,
            block_length=block_length,
        )
        point = {name: getattr(here, name) for name in GRID}
        radius = novelty_radius(calibration.scores, settings.target_bpcer or SELECTION_BPCER)
        cells.append(
            Cell(**point, radius=radius, calibration=calibration, solution=solution.lean())
        )
    return cells


def _order(cell: Cell) -> tuple[float, ...]:
    return (round(cell.radius, 9), -cell.delta, -cell.p, -cell.q, cell.n_clusters, cell.temperature)


def choose(cells: Sequence[Cell]) -> Cell:
    """Return the cell with the smallest radius at the largest delta that has a tolerable one."""
    smallest = min(cell.radius for cell in cells)
    if not np.isfinite(smallest):  # no cell has a radius: take the highest threshold
        return max(cells, key=lambda cell: cell.calibration.threshold)
    limit = TOLERATED_RADIUS * smallest
    delta = max(cell.delta for cell in cells if cell.radius <= limit)
    return min((cell for cell in cells if cell.delta == delta), key=_order)


def select(
    estimator,
    X,
    *,
    groups=None,
    conditions=None,
    deltas: Sequence[float] = DELTAS,
    exponents: Sequence[float] = EXPONENTS,
    n_clusters: Sequence[int] = (3,),
    temperatures: Sequence[float] = (0.1,),
    n_jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    cancel: Callable[[], bool] | None = None,
) -> Selection:
    """Measure every cell of a grid on genuine samples only.

    Parameters
    ----------
    estimator : LocalisedMKL
        Provides the parameters that are not on the grid.
    X, groups, conditions : as in `LocalisedMKL.fit`
    deltas, exponents, n_clusters, temperatures : sequence
        The grid. The default is the paper's 6 x 8 x 8 = 384 cells.
    n_jobs : int, optional
        As in joblib, whose active backend is used.
    progress : callable, optional
        Called with the number of finished cells and their total.
    cancel : callable, optional
        Called whenever results arrive; `Cancelled` is raised when it returns ``True``.
    """
    views = as_views(X)
    takes = check_groups(groups, views.n_samples)
    condition_of_take = check_conditions(conditions, takes)
    deltas = [check_real("delta", value, 0, strict=True) for value in _axis("deltas", deltas)]
    exponents = [check_real("exponent", value, 1) for value in _axis("exponents", exponents)]
    counts = [check_integer("n_clusters", value, 1) for value in _axis("n_clusters", n_clusters)]
    temperatures = _axis("temperatures", temperatures)
    tasks: list[tuple[Any, ...]] = []
    pairs = exponent_pairs(estimator.constraint, exponents)
    cells_per_task = sum(1 if p == q else 2 for p, q in pairs)
    length: int | None = estimator.block_length
    kernels = fit_kernels(views, estimator.kernel, None if groups is None else takes)
    for count, temperature in itertools.product(counts, temperatures):
        grid = {"n_clusters": count, "temperature": temperature, "delta": 1.0}
        settings = clone(estimator).set_params(**grid).settings(views.names)
        local = localise(views, kernels, settings)
        if length is None:
            length = choose_block_length(local.mean_kernel, takes)
        cases = [replace(settings, delta=delta) for delta in deltas]
        tasks.extend((local, takes, condition_of_take, here, pairs, length) for here in cases)
    cells = _run(tasks, n_jobs, progress, cancel, cells_per_task)
    cells.extend(replace(c, p=c.q, q=c.p) for c in list(cells) if c.p != c.q)
    return Selection(tuple(sorted(cells, key=_order)), choose(cells))


def _axis(name: str, values: Any) -> list[Any]:
    """Return one axis of the grid as a list that is not empty."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise InvalidInputError(f"{name}={values!r} must be a sequence of values.")
    axis = list(values)
    if not axis:
        raise InvalidInputError(f"The grid is empty: {name} needs at least one value.")
    return axis


def _run(tasks, n_jobs, progress, cancel, cells_per_task) -> list[Cell]:
    """Run the tasks with joblib and report progress as they finish."""
    cells: list[Cell] = []
    parallel = Parallel(n_jobs=n_jobs, prefer=preferred_workers(), return_as="generator_unordered")
    results = parallel(delayed(walk)(*task) for task in tasks)
    try:
        for done, result in enumerate(results, start=1):
            cells.extend(result)
            if progress is not None:
                progress(done * cells_per_task, len(tasks) * cells_per_task)
            if asked_to_stop(cancel) and done < len(tasks):
                raise Cancelled(f"The selection was cancelled after {done} of {len(tasks)} tasks.")
    finally:
        with warnings.catch_warnings():
            # Cancelling abandons tasks on purpose.
            warnings.filterwarnings("ignore", ".*still being processed by the workers")
            results.close()
    return cells


class GridScores(NamedTuple):
    """Scores of the same rows with every cell, ``(cells, rows)``, and certified relative gaps.

    ``cells`` hold ``delta`` and ``p <= q``, ready for ``LocalisedMKL(**cell)``.
    """

    cells: tuple[dict[str, float], ...]
    scores: np.ndarray
    gaps: np.ndarray


def score_grid(
    estimator,
    X,
    Y,
    *,
    groups=None,
    deltas: Sequence[float] = DELTAS,
    exponents: Sequence[float] = EXPONENTS,
    cancel: Callable[[], bool] | None = None,
) -> GridScores:
    """Fit every cell of a grid to the rows of ``X`` and score those of ``Y``.

    Only weights and dual coefficients depend on delta, p and q: everything else is computed once,
    and the scores of all cells are one matrix product per view. Parameters as in `select`.
    Constraints with one exponent, or none, have fewer cells.
    """
    views = as_views(X)
    others = match_views(Y, views)
    settings = clone(estimator).set_params(delta=1.0).settings(views.names)
    takes = None if groups is None else check_groups(groups, views.n_samples)
    local = localise(views, fit_kernels(views, settings.kernel, takes), settings)
    cells, weights, duals, gaps = [], [], [], []
    pairs = [(settings.p, settings.q)]
    if settings.constraint not in FIXED_FAMILIES:
        values = [check_real("exponent", value, 1) for value in exponents]
        pairs = exponent_pairs(settings.constraint, values)
    for delta in deltas:
        here = replace(settings, delta=check_real("delta", delta, 0, strict=True))
        problem = GramProblem(local.grams, local.memberships, here.delta * views.n_samples)
        for cell, solution in solved_chain(problem, here, pairs, cancel):
            cells.append({"delta": cell.delta, "p": cell.p, "q": cell.q})
            weights.append(solution.weights)
            duals.append(solution.dual_coef)
            gaps.append(solution.gap)
            raise_if_cancelled(cancel, "The selection was cancelled.")
    scores = _scores(local, settings, views.arrays, others.arrays, np.array(weights), duals)
    return GridScores(tuple(cells), scores, np.array(gaps))


def _scores(
    local: Localised, settings: Settings, support, arrays, weights: np.ndarray, duals
) -> np.ndarray:
    """Score rows with all cells, a block at a time."""
    n_cells, n_clusters, n_views = weights.shape
    n, m = len(support[0]), len(arrays[0])
    # Coefficients of the kernel rows, (n, cells, C).
    coefficients = np.stack([local.memberships * dual[:, None] for dual in duals], axis=1)
    flat = coefficients.reshape(n, n_cells * n_clusters)
    kernels = SupportKernels(local.kernels, support)
    size = max(1, BLOCK_BYTES // (8 * n_views * max(n, n_cells * n_clusters)))
    scores = np.zeros((n_cells, m))
    for start in range(0, m, size):
        rows = slice(start, start + size)
        block, diagonal = kernels(tuple(array[rows] for array in arrays))
        mean = block.mean(axis=0, dtype=np.float64)
        memberships = local.clusters.memberships(mean, diagonal, settings.temperature)
        for g in range(n_views):
            sums = (block[g].astype(np.float64) @ flat).reshape(-1, n_cells, n_clusters)
            scores[:, rows] += np.einsum("mkc,kc,mc->km", sums, weights[:, :, g], memberships)
    return scores
