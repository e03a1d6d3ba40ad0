"""Localised one-class multiple kernel learning with certified optimality.

Importing this package loads neither torch nor OpenCV nor Qt; scikit-learn and SciPy are loaded
when the first of its names is used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lmkl_core.calibration.threshold import Calibration, calibrate, clopper_pearson
    from lmkl_core.errors import (
        Cancelled,
        ConvergenceWarning,
        DuplicateRowsWarning,
        InvalidInputError,
        ModelFileError,
        PassphraseNeeded,
        WrongPassphrase,
    )
    from lmkl_core.estimator import LocalisedMKL
    from lmkl_core.kernels import register_kernel
    from lmkl_core.model_file import load_model, save_model
    from lmkl_core.selection import Selection, select
    from lmkl_core.solver.problem import Solution

__all__ = [
    "Calibration",
    "Cancelled",
    "ConvergenceWarning",
    "DuplicateRowsWarning",
    "InvalidInputError",
    "LocalisedMKL",
    "ModelFileError",
    "PassphraseNeeded",
    "Selection",
    "Solution",
    "WrongPassphrase",
    "calibrate",
    "clopper_pearson",
    "load_model",
    "register_kernel",
    "save_model",
    "select",
]

_MODULES = {
    "Calibration": "calibration.threshold",
    "Cancelled": "errors",
    "ConvergenceWarning": "errors",
    "DuplicateRowsWarning": "errors",
    "InvalidInputError": "errors",
    "LocalisedMKL": "estimator",
    "ModelFileError": "errors",
    "PassphraseNeeded": "errors",
    "Selection": "selection",
    "Solution": "solver.problem",
    "WrongPassphrase": "errors",
    "calibrate": "calibration.threshold",
    "clopper_pearson": "calibration.threshold",
    "load_model": "model_file",
    "register_kernel": "kernels",
    "save_model": "model_file",
    "select": "selection",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"lmkl_core.{_MODULES[name]}"), name)
    # Found at once from now on; the module __getattr__ is asked only for what is missing.
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
