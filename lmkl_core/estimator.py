"""`LocalisedMKL`: localised one-class multiple kernel learning, scikit-learn style."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from lmkl_core.base import TOO_LARGE, ViewsEstimator, refuse_unless_finite
from lmkl_core.errors import InvalidInputError
from lmkl_core.fitting import exact, streamed
from lmkl_core.fitting.fit import SOLVERS, Fit, Settings
from lmkl_core.kernels import fit_kernels
from lmkl_core.scorer import Scorer
from lmkl_core.solver.constraints import FAMILIES, FIXED_FAMILIES
from lmkl_core.validation import (
    Check,
    Views,
    check_choice,
    check_conditions,
    check_groups,
    check_integer,
    check_rate,
    check_real,
    check_seed,
    is_single_view,
    match_views,
    optional,
    warn_of_duplicates,
)

EXACT_ROWS = 4000
"""``n_inducing="auto"`` fits exactly up to this many rows."""

AUTO_INDUCING = 200
"""Number of inducing points for more rows than that."""

LEAST_TEMPERATURE = 1e-6
"""At lower temperatures the exponents of the softmax lose their precision."""


def _check_inducing(name: str, value: Any) -> Any:
    if isinstance(value, str):
        return check_choice(name, value, ("auto",))
    return None if value is None else check_integer(name, value, 1)


@dataclass(kw_only=True, eq=False, repr=False)
class LocalisedMKL(ViewsEstimator):
    """One-class classifier that weighs several kernels differently in different clusters.

    Learns from genuine samples only. Scores are near 1 for samples that resemble them in every view
    and fall towards 0 elsewhere; a sample is accepted when ``score >= offset_``.

    Parameters
    ----------
    n_clusters : int
        ``C``. With 1 the method is the non-localised l_{p,q} MKL of the literature.
    p, q : float
        Exponents of the norm on the weights, at least 1. Values near 1 give sparse weights, large
        values even ones. The vector families use ``p`` only.
    delta : float
        Regulariser, the paper's delta divided by ``n``. `lmkl_core.select` can choose it.
    temperature : float
        Temperature of the softmax of the memberships; `lmkl_core.clusters` describes its effect.
    constraint : str
        ``"joint-matrix"`` (the paper), ``"joint-vector"``, ``"disjoint-matrix"``,
        ``"disjoint-vector"``, ``"uniform"`` (equal weights) or ``"single"`` (one view).
    solver : str
        ``"certified"`` or ``"algorithm-1"`` (as printed in the paper; often does not converge).
    kernel : str, sequence or mapping
        ``"rbf"``, ``"linear"``, ``"precomputed"`` or a registered name, for all views or by view.
    view : str or int, optional
        The view of ``constraint="single"``; the first by default.
    tol : float
        Certified relative gap to reach.
    max_iter : int
        Maximum number of Newton steps per descent, or of iterations of Algorithm 1.
    n_inducing : int, None or "auto"
        Number of inducing points for large data. ``None`` fits exactly, and so does ``"auto"`` up
        to 4000 rows. With inducing points each kernel keeps a limited number of directions (50 at
        ``C G = 36``), and ``gap_`` refers to the approximated kernels.
    target_bpcer : float, optional
        Share of genuine samples that the threshold may refuse. By default the threshold is a
        fraction of the median left-out score instead
        (`lmkl_core.calibration.threshold.operating_point`).
    block_length : int or None
        Number of rows left out together for calibration; chosen from the data by default.
    random_state : int, RandomState or None
        Seeds the clustering and the choice of inducing points.

    Attributes
    ----------
    kernel_weights_ : ndarray (C, G)
    dual_coef_ : ndarray (n,)
        After `extend` of a model on inducing points, NaN for the earlier rows, which are not kept.
    memberships_ : ndarray (n, C)
    labels_ : ndarray (n,)
        Cluster with the largest membership.
    view_names_ : tuple of str
    gap_ : float
        Certified relative gap: no feasible weights are better by more than this.
    gap_history_, objective_history_ : ndarray
        One entry per iteration.
    solution_ : Solution
    offset_ : float
        The threshold.
    calibration_ : Calibration
        Origin and uncertainty of the threshold.
    takes_, calibration_takes_ : ndarray
        Take number of every row, and of every left-out score.
    delta_ : float
        The paper's delta, ``delta * n``.
    n_clusters_ : int

    References
    ----------
    Arashloo, "Unknown face presentation attack detection via localised learning of multiple
    kernels".

    Examples
    --------
    >>> import numpy as np
    >>> from lmkl_core import LocalisedMKL
    >>> rng = np.random.default_rng(0)
    >>> views = {"eyes": rng.normal(size=(90, 5)), "mouth": rng.normal(size=(90, 8))}
    >>> model = LocalisedMKL(random_state=0).fit(views)
    >>> model.kernel_weights_.shape
    (3, 2)
    >>> bool(model.gap_ <= 1e-6)
    True
    """

    n_clusters: int = 3
    p: float = 4 / 3
    q: float = 4 / 3
    delta: float = 0.01
    temperature: float = 0.1
    constraint: str = "joint-matrix"
    solver: str = "certified"
    kernel: Any = "rbf"
    view: str | int | None = None
    tol: float = 1e-6
    max_iter: int = 300
    n_inducing: Any = "auto"
    target_bpcer: float | None = None
    block_length: int | None = None
    random_state: Any = None

    parameter_checks: ClassVar[Mapping[str, Check]] = {
        "n_clusters": partial(check_integer, low=1),
        "p": partial(check_real, low=1),
        "q": partial(check_real, low=1),
        "delta": partial(check_real, low=0, strict=True),
        "temperature": partial(check_real, low=LEAST_TEMPERATURE),
        "constraint": partial(check_choice, choices=FAMILIES + FIXED_FAMILIES),
        "solver": partial(check_choice, choices=tuple(SOLVERS)),
        "tol": partial(check_real, low=0, strict=True),
        "max_iter": partial(check_integer, low=1),
        "n_inducing": _check_inducing,
        "target_bpcer": optional(check_rate),
        "block_length": optional(partial(check_integer, low=1)),
        "random_state": check_seed,
    }
    # `kernel` and `view` are checked against the views at fitting time.

    def fit(self, X, y=None, *, groups=None, conditions=None, init=None, cancel=None):
        """Learn from genuine samples.

        Parameters
        ----------
        X : array, mapping of arrays, or sequence of arrays or (name, array) pairs
            One 2-D array is one view. Several views need equal numbers of rows, in time
            order.
        y : ignored
        groups : array (n,), optional
            Take of every row; one take by default. If given, kernels are at least as wide as
            frames of one take vary (`lmkl_core.kernels.width_of`).
        conditions : array (n,), optional
            Condition of every row (light, room, camera): takes in the same condition are left out
            together for the stress figure. By default every take has its own.
        init : ndarray (C, G), optional
            Weights to start from.
        cancel : callable, optional
            Called regularly. When it returns ``True``, `lmkl_core.errors.Cancelled` is raised and
            the estimator is unchanged.

        Returns
        -------
        self
        """
        with self._unchanged_on_failure(), self._overflow_refused():
            views = self._training_views(X)
            takes = check_groups(groups, views.n_samples)
            condition_of_take = check_conditions(conditions, takes)
            settings = self.settings(views.names)
            kernels = fit_kernels(views, settings.kernel, None if groups is None else takes)
            n_inducing = self._inducing(views.n_samples)
            fitted: Fit
            arguments = (views, kernels, takes, condition_of_take, settings)
            if n_inducing is None:
                fitted = exact.fit(*arguments, init=init, cancel=cancel)
            else:
                fitted = streamed.fit(*arguments, n_inducing, init=init, cancel=cancel)
            warn_of_duplicates(views)
            self._store(fitted)
            self._set_calibration(fitted.calibrate(settings.target_bpcer, self.block_length))
            refuse_unless_finite(self.dual_coef_, self.gap_)
        return self

    def score_samples(self, X) -> np.ndarray:
        """Return the scores of ``X`` (as in `fit`), ``(m,)``; higher is more genuine."""
        return np.add.reduce(self.explain(X), axis=(1, 2))

    def explain(self, X, *, return_memberships=False):
        """Return the contribution of every cluster and view, ``(m, C, G)``; they sum to the scores.

        With ``return_memberships``, also the memberships ``(m, C)``.
        """
        explained = self._scored(X, Scorer.explain)
        return explained if return_memberships else explained[0]

    def memberships(self, X) -> np.ndarray:
        """Return ``p_c`` of new samples, ``(m, C)``."""
        return self._scored(X, Scorer.memberships)

    def calibrate(self, *, target_bpcer=None, block_length=None):
        """Set the threshold again; rate and block length default to the constructor's."""
        check_is_fitted(self)
        target = self.target_bpcer if target_bpcer is None else target_bpcer
        length = self.block_length if block_length is None else block_length
        for name, value in (("target_bpcer", target), ("block_length", length)):
            self.parameter_checks[name](name, value)
        self._set_calibration(self._fitted.calibrate(target, length))
        return self

    def extend(self, X, *, groups=None, refine=False):
        """Append genuine samples, in time quadratic in the number of rows.

        Kernel widths, cluster centres, kernel weights and the paper's delta stay the same; only
        the dual coefficients are recomputed. The threshold stays until `calibrate` is called.

        Parameters
        ----------
        X : as in `fit`
        groups : array (m,), optional
            Takes of the new rows, one by default. They count as new takes, even if a name is used
            again.
        refine : bool
            Also optimise the weights again, and calibrate for the last requested rate.
        """
        check_is_fitted(self)
        views = self._scoring_views(X, check_finite=True)
        takes = check_groups(groups, views.n_samples) + 1 + self._fitted.takes.max()
        with self._unchanged_on_failure(), self._overflow_refused():
            grown = self._fitted.extend(views, takes)
            self._store(grown.refine() if refine else grown)
            if refine:
                target = self.calibration_.target_bpcer
                self._set_calibration(self._fitted.calibrate(target, self.block_length))
            refuse_unless_finite(self._fitted.scorer.coefficients)
        return self

    def support_views(self) -> dict[str, np.ndarray]:
        """Return the rows that scoring uses (all, or the inducing points) by view, read-only."""
        check_is_fitted(self)
        views, support = self._fitted.support, {}
        for name, array in zip(views.names, views.arrays, strict=True):
            support[name] = array.view()
            support[name].flags.writeable = False
        return support

    @property
    def gap_(self) -> float:
        """Certified relative gap of the weights in use."""
        check_is_fitted(self)
        return self._fitted.gap

    @classmethod
    def restored(
        cls, parameters, fitted, calibration, *, one_array: bool, feature_names=None
    ) -> "LocalisedMKL":
        """Make a fitted estimator from the contents of a model file."""
        model = cls(**parameters)
        model._single = one_array
        model.n_features_in_ = sum(fitted.support.n_columns)
        if feature_names is not None:
            model.feature_names_in_ = np.array(feature_names, dtype=object)
        model._store(fitted)
        model._set_calibration(calibration)
        return model

    def _store(self, fitted) -> None:
        solution = fitted.solution
        self._fitted = fitted
        self.view_names_ = fitted.support.names
        self.kernels_ = fitted.kernels
        self.clusters_ = fitted.clusters
        self.memberships_ = fitted.memberships
        self.labels_ = np.argmax(fitted.memberships, axis=1)
        self.kernel_weights_ = solution.weights
        self.dual_coef_ = fitted.dual_coef
        self.delta_ = fitted.delta
        self.n_clusters_ = fitted.memberships.shape[1]
        self.takes_ = fitted.takes
        self.calibration_takes_ = fitted.calibration_takes
        self.solution_ = solution
        self.objective_history_ = solution.objective_history
        self.gap_history_ = solution.gap_history
        self.n_iter_ = solution.n_iter
        refuse_unless_finite(self.memberships_, self.kernel_weights_)

    def _set_calibration(self, calibration) -> None:
        refuse_unless_finite(calibration.threshold)
        self.calibration_ = calibration
        self.offset_ = calibration.threshold

    def _scored(self, X, method):
        """Call a method of the scorer and refuse non-finite results."""
        views = self._scoring_views(X)
        try:
            with np.errstate(over="ignore", invalid="ignore", under="ignore"):
                result = method(self._fitted.scorer, views.arrays)
        except InvalidInputError:
            self._scoring_views(X, check_finite=True)  # raises with the name of the view
            raise
        values = result[0] if isinstance(result, tuple) else result
        if not math.isfinite(np.add.reduce(values, axis=None)):
            raise InvalidInputError(TOO_LARGE)
        return result

    def _scoring_views(self, X, check_finite: bool = False) -> Views:
        """Return views that match the model; for RBF kernels the scorer itself detects NaN."""
        if not hasattr(self, "_fitted"):
            check_is_fitted(self)
        if self._single and is_single_view(X):
            X = self._validated(X, reset=False)
        check_finite = check_finite or not self._fitted.scorer.support_kernels.all_rbf
        return match_views(X, self._fitted.support, check_finite)

    def _inducing(self, n_samples: int) -> int | None:
        if self.n_inducing != "auto":
            return self.n_inducing
        exact_fit = n_samples <= EXACT_ROWS or self.kernel == "precomputed"
        return None if exact_fit else AUTO_INDUCING

    def settings(self, view_names: tuple[str, ...]) -> Settings:
        """Return the checked parameters for a fit on these views."""
        checked = self._checked_parameters()
        del checked["n_inducing"]
        view = self.view
        if view is None:
            view = 0
        elif isinstance(view, str):
            view = view_names.index(check_choice("view", view, view_names))
        elif check_integer("view", view, 0) >= len(view_names):
            raise InvalidInputError(f"view={view} must be at most {len(view_names) - 1}.")
        return Settings(**checked, kernel=self.kernel, view=int(view))
