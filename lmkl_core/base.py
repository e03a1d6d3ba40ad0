"""Base class of all estimators: input checks, outlier interface, all-or-nothing fits."""

from collections.abc import Mapping
from contextlib import contextmanager
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, OutlierMixin
from sklearn.utils.validation import validate_data

from lmkl_core.errors import InvalidInputError
from lmkl_core.validation import Check, Views, as_views, is_single_view

OUT_OF_RANGE = (
    "The values of these views are too large, too small or too far apart for floating-point "
    "arithmetic: rescale the views or leave out outliers."
)
TOO_LARGE = "Some values are too large to be scored: drop those rows."


def refuse_unless_finite(*values, sentence: str = OUT_OF_RANGE) -> None:
    """Raise `InvalidInputError` unless all numbers are finite."""
    if not all(np.all(np.isfinite(value)) for value in values):
        raise InvalidInputError(sentence)


class ViewsEstimator(OutlierMixin, BaseEstimator):
    """One-class estimator on views; subclasses add ``fit``, ``score_samples`` and ``offset_``."""

    parameter_checks: ClassVar[Mapping[str, Check]] = {}

    def decision_function(self, X) -> np.ndarray:
        """Return ``score_samples(X) - offset_``, which is at least 0 for accepted samples."""
        return self.score_samples(X) - self.offset_

    def predict(self, X) -> np.ndarray:
        """Return 1 for accepted (bona fide) samples, -1 for refused ones."""
        return np.where(self.decision_function(X) >= 0, 1, -1)

    def _checked_parameters(self) -> dict[str, Any]:
        return {
            name: check(name, getattr(self, name)) for name, check in self.parameter_checks.items()
        }

    @contextmanager
    def _unchanged_on_failure(self):
        before = self.__dict__.copy()
        try:
            yield
        except BaseException:
            self.__dict__.clear()
            self.__dict__.update(before)
            raise

    @contextmanager
    def _overflow_refused(self, sentence: str = OUT_OF_RANGE):
        """Turn arithmetic errors into `InvalidInputError` and silence NumPy's warnings."""
        try:
            with np.errstate(all="ignore"):
                yield
        except (ArithmeticError, np.linalg.LinAlgError) as error:
            raise InvalidInputError(sentence) from error

    def _training_views(self, X) -> Views:
        self._single = is_single_view(X)
        views = as_views(self._validated(X) if self._single else X)
        if views.n_samples < 2:
            raise InvalidInputError("n_samples=1 is too few to learn from: enrol more samples.")
        self.n_features_in_ = sum(array.shape[1] for array in views.arrays)
        return views

    def _validated(self, X, reset: bool = True) -> np.ndarray:
        """Check one array as scikit-learn does, with a one-sentence error."""
        try:
            return validate_data(self, X, reset=reset, dtype=[np.float64, np.float32])
        except ValueError as error:
            lines = str(error).split("\n")
            message = f"{lines[0]} {lines[-1]}" if lines[0].endswith(":") else lines[0]
            raise InvalidInputError(message) from error
