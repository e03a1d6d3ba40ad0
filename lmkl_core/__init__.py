"""Localised one-class multiple kernel learning with certified optimality.

Names are imported on first use: scikit-learn and SciPy take a second, and command-line programs
that only need `lmkl_core.errors` start without them.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sklearn.exceptions import ConvergenceWarning

    from lmkl_core.calibration.threshold import Calibration, calibrate, clopper_pearson
    from lmkl_core.errors import (
        Cancelled,
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
    "lmkl_core.calibration.threshold": ("Calibration", "calibrate", "clopper_pearson"),
    "lmkl_core.estimator": ("LocalisedMKL",),
    "lmkl_core.kernels": ("register_kernel",),
    "lmkl_core.model_file": ("load_model", "save_model"),
    "lmkl_core.selection": ("Selection", "select"),
    "lmkl_core.solver.problem": ("Solution",),
    "sklearn.exceptions": ("ConvergenceWarning",),
}
"""Module of every name that is not in `lmkl_core.errors`."""


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    modules = [module for module, names in _MODULES.items() if name in names]
    value = getattr(import_module(modules[0] if modules else "lmkl_core.errors"), name)
    globals()[name] = value  # cached, so that this runs once per name
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
