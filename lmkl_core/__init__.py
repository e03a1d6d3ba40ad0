"""Localised one-class multiple kernel learning with certified optimality.

Importing this package loads neither torch nor OpenCV nor Qt.
"""

from lmkl_core.calibration import Calibration, calibrate, clopper_pearson
from lmkl_core.errors import (
    Cancelled,
    ConvergenceWarning,
    DuplicateRowsWarning,
    InvalidInputError,
    ModelFileError,
)
from lmkl_core.estimator import LocalisedMKL
from lmkl_core.kernels import register_kernel
from lmkl_core.modelfile import load_model, save_model
from lmkl_core.selection import Selection, select
from lmkl_core.solution import Solution

__all__ = [
    "Calibration",
    "Cancelled",
    "ConvergenceWarning",
    "DuplicateRowsWarning",
    "InvalidInputError",
    "LocalisedMKL",
    "ModelFileError",
    "Selection",
    "Solution",
    "calibrate",
    "clopper_pearson",
    "load_model",
    "register_kernel",
    "save_model",
    "select",
]
