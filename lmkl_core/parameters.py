"""Range checks of the estimator's parameters, all of them, once."""

from collections.abc import Mapping
from typing import Any

from sklearn.utils import check_random_state

from lmkl_core.errors import InvalidInputError
from lmkl_core.fitting.fit import SOLVERS, Settings
from lmkl_core.solver.constraints import FAMILIES, FIXED_FAMILIES
from lmkl_core.validation import check_choice, check_integer, check_rate, check_real

LEAST_TEMPERATURE = 1e-6
"""Below this, distances divided by the temperature lose their digits."""


def check_parameters(given: Mapping[str, Any], view_names: tuple[str, ...]) -> Settings:
    """Turn the parameters of a `LocalisedMKL` into checked settings."""
    target = given["target_bpcer"]
    if given["block_length"] is not None:
        check_integer("block_length", given["block_length"], 1)
    return Settings(
        n_clusters=check_integer("n_clusters", given["n_clusters"], 1),
        p=check_real("p", given["p"], 1),
        q=check_real("q", given["q"], 1),
        delta=check_real("delta", given["delta"], 0, strict=True),
        temperature=check_real("temperature", given["temperature"], LEAST_TEMPERATURE),
        constraint=check_choice("constraint", given["constraint"], FAMILIES + FIXED_FAMILIES),
        solver=check_choice("solver", given["solver"], tuple(SOLVERS)),
        kernel=given["kernel"],
        view=_view_number(given["view"], view_names),
        tol=check_real("tol", given["tol"], 0, strict=True),
        max_iter=check_integer("max_iter", given["max_iter"], 1),
        target_bpcer=None if target is None else check_rate("target_bpcer", target),
        block_length=given["block_length"],
        random_state=check_seed(given["random_state"]),
    )


def check_seed(value: Any) -> Any:
    """Return what scikit-learn takes for a seed."""
    try:
        check_random_state(value)
    except ValueError:
        raise InvalidInputError(
            f"random_state={value!r} must be None, an integer from 0 to 2**32 - 1 or a RandomState."
        ) from None
    return value


def _view_number(view: Any, names: tuple[str, ...]) -> int:
    if view is None:
        return 0
    if isinstance(view, str):
        return names.index(check_choice("view", view, names))
    if check_integer("view", view, 0) >= len(names):
        raise InvalidInputError(f"view={view} but there are only {len(names)} views.")
    return int(view)
