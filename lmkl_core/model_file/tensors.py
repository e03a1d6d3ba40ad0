"""Checks of the tensors of a model: names, dtypes, shapes and values."""

from collections.abc import Mapping
from typing import TypeAlias

import numpy as np

from lmkl_core.calibration.threshold import least_threshold
from lmkl_core.errors import InvalidInputError
from lmkl_core.fitting.fit import Settings, weight_constraint
from lmkl_core.kernels import PRECOMPUTED, check_precomputed
from lmkl_core.model_file.container import Place, Refused, quoted
from lmkl_core.model_file.manifest import EXACT, INDUCING, LARGEST_NUMBER, Manifest

Tensors: TypeAlias = dict[str, np.ndarray]
Layout: TypeAlias = dict[str, tuple[str, tuple[int | None, ...]]]
"""Dtype and shape by name; None means any length."""

OPTIONAL = ("stress_scores", "solution.dual_coef")

LARGEST_RANK = 8192
"""Largest accepted rank of an inducing model, whose Cholesky factor is computed on loading."""

LARGEST_RATIO = 1e16
"""Largest accepted feature, in kernel widths. Larger ones have no precision left, and the square of
this ratio is still finite in float32."""

TOLERANCE = 1e-6
"""Tolerance of sums of memberships and norms of weights."""


def check_layout(manifest: Manifest, places: Mapping[str, Place]) -> None:
    """Refuse tensors that are unknown, missing or have a wrong dtype or shape."""
    shapes = _shapes(manifest, places)
    expected = _expected(manifest)
    if manifest.kind == INDUCING:
        expected |= _expected_inducing(manifest, shapes)
    for name, place in places.items():
        if name not in expected:
            raise Refused(f"it has the unknown tensor {quoted(name)}")
        (dtype, shape), found = expected[name], shapes[name]
        matches = len(shape) == len(found) and all(
            want in (None, got) for want, got in zip(shape, found, strict=True)
        )
        if dtype != place.dtype or not matches:
            wanted = ", ".join("any" if part is None else str(part) for part in shape)
            raise Refused(
                f"its tensor {name!r} is {place.dtype} {found} instead of {dtype} ({wanted})"
            )
    if missing := expected.keys() - places.keys() - set(OPTIONAL):
        raise Refused(f"its tensor {min(missing)!r} is missing")
    if ("stress_scores" in places) != (manifest.threshold.stress_bpcer is not None):
        raise Refused("it has stress scores without their error rate, or vice versa")


def _shapes(manifest: Manifest, places: Mapping[str, Place]) -> dict[str, tuple[int, ...]]:
    """Return shapes in the model's memory layout, not as stored."""
    shapes = {name: place.shape for name, place in places.items()}
    for name in manifest.column_major:
        if len(shapes.get(name, ())) != 2:
            raise Refused(
                f"{quoted(name)} is listed as stored by columns but is not one of its matrices"
            )
        shapes[name] = shapes[name][::-1]
    if len(set(manifest.column_major)) < len(manifest.column_major):
        raise Refused("it lists a tensor twice as stored by columns")
    return shapes


def _expected(manifest: Manifest) -> Layout:
    n, m, C = manifest.n_rows, manifest.n_support, manifest.n_clusters
    scores = (manifest.threshold.n_scores,)
    return {
        **_of_views("support", manifest, m),  # training rows or inducing points
        "memberships": ("F64", (n, C)),  # of the training rows
        "dual_coef": ("F64", (n,)),  # lambda
        "weights": ("F64", (C, len(manifest.views))),  # mu
        "clusters.coefficients": ("F64", (m, C)),  # cluster centres
        "clusters.square_norms": ("F64", (C,)),
        "takes": ("I64", (n,)),  # take of every row
        "scores": ("F64", scores),  # left-out scores that set the threshold
        "stress_scores": ("F64", scores),  # by whole conditions; absent where there is one
        "history.objective": ("F64", (None,)),  # of the solver
        "history.gap": ("F64", (None,)),
        "solution.dual_coef": ("F64", (None,)),  # of the solver, where rows were appended since
    }


def _expected_inducing(manifest: Manifest, shapes: Mapping[str, tuple[int, ...]]) -> Layout:
    names = [f"map.{g}" for g in range(len(manifest.views))]
    maps = [shapes.get(name, ()) for name in names]
    kept = shapes.get("calibration.takes", ())
    if any(len(shape) != 2 for shape in maps) or len(kept) != 1:
        raise Refused("its feature maps or its rows for calibration are missing")
    rank = manifest.n_clusters * sum(shape[1] for shape in maps)
    if rank > LARGEST_RANK or any(shape[1] > manifest.n_support for shape in maps):
        raise Refused(f"its feature maps have an impossible rank of {rank}")
    if not 1 <= kept[0] <= manifest.n_rows:
        raise Refused("its number of calibration rows is zero or exceeds its number of rows")
    return {
        **{name: ("F64", (manifest.n_support, None)) for name in names},
        "moments.first": ("F64", (rank,)),  # Z^T 1
        "moments.second": ("F64", (rank, rank)),  # Z^T Z, lower triangle
        "evaluation.projection": ("F64", (rank,)),  # Z^T lambda, what scoring uses
        "evaluation.direction": ("F64", (rank,)),  # gives the dual coefficients
        **_of_views("calibration", manifest, kept[0]),  # rows kept for calibration
        "calibration.takes": ("I64", (None,)),
    }


def _of_views(name: str, manifest: Manifest, n_rows: int) -> Layout:
    dtype = "F32" if manifest.dtype == "float32" else "F64"
    return {f"{name}.{g}": (dtype, (n_rows, v.columns)) for g, v in enumerate(manifest.views)}


def check_values(manifest: Manifest, settings: Settings, tensors: Tensors) -> None:
    """Refuse values that no fit produces: non-finite, out of range or inconsistent."""
    for name, array in tensors.items():
        if name == "dual_coef" and manifest.kind == INDUCING:
            # NaN for rows that were streamed before others were appended.
            array = array[~np.isnan(array)]
        # NaN fails this comparison as well.
        if array.dtype.kind == "f" and not _largest(array) <= LARGEST_NUMBER:
            raise Refused(f"its tensor {name!r} contains NaN, infinity or absurdly large numbers")
    memberships, norms = tensors["memberships"], tensors["clusters.square_norms"]
    if np.any(memberships < 0) or np.any(np.abs(memberships.sum(axis=1) - 1) > TOLERANCE):
        raise Refused("its memberships are not probabilities that sum to 1 in every row")
    if np.min(norms) < -TOLERANCE * max(1.0, float(np.max(norms))):
        raise Refused("its cluster centres have negative norms")
    if np.any(tensors["history.gap"] < 0) or np.any(tensors["history.objective"] <= 0):
        raise Refused("its history has negative gaps or objectives")
    _check_weights(tensors["weights"], settings)
    _check_takes(manifest, tensors)
    _check_threshold(manifest, tensors)
    _check_features(manifest, tensors)


def _largest(array: np.ndarray) -> float:
    return float(np.max(np.abs(array), initial=0))


def _check_weights(weights: np.ndarray, settings: Settings) -> None:
    if np.any(weights < 0):
        raise Refused("some of its kernel weights are negative")
    with np.errstate(all="ignore"):
        norm = weight_constraint(settings, *weights.shape).norm(weights)
    if not norm <= 1 + TOLERANCE:
        raise Refused(f"its kernel weights have norm {norm:g}, above the limit of 1")


def _check_takes(manifest: Manifest, tensors: Tensors) -> None:
    names = ["takes"] if manifest.kind == EXACT else ["takes", "calibration.takes"]
    for name in names:
        if np.min(tensors[name]) < 0 or np.max(tensors[name]) >= len(manifest.takes):
            raise Refused("its rows belong to takes that it does not list")
    if not np.array_equal(np.bincount(tensors["takes"]), manifest.takes):
        raise Refused("its takes do not have the numbers of rows that it lists")


def _check_threshold(manifest: Manifest, tensors: Tensors) -> None:
    """Refuse a threshold or error rates that do not follow from the stored scores."""
    entry = manifest.threshold
    least = least_threshold(tensors["scores"], entry.target_bpcer)
    if entry.threshold < least - 1e-9 * abs(least):
        raise Refused(f"its threshold is {entry.threshold:g} but its scores require {least:g}")
    for rate, name in (("bpcer", "scores"), ("stress_bpcer", "stress_scores")):
        if name in tensors:
            stored, measured = getattr(entry, rate), float(np.mean(tensors[name] < entry.threshold))
            if abs(measured - stored) > 1e-9:
                raise Refused(f"its {rate} is {stored:g} but its scores give {measured:g}")


def _check_features(manifest: Manifest, tensors: Tensors) -> None:
    for g, view in enumerate(manifest.views):
        # Only RBF kernels divide by the width.
        scale = view.width if view.kernel == "rbf" else 1.0
        limit = LARGEST_RATIO if view.kernel == "rbf" or manifest.dtype == "float32" else np.inf
        for name in (f"support.{g}", f"calibration.{g}"):
            if name in tensors and _largest(tensors[name]) > limit * scale:
                raise Refused(f"the features of view {quoted(view.name)} exceed its kernel's range")
        if view.kernel == PRECOMPUTED:
            try:
                check_precomputed(view.name, tensors[f"support.{g}"])
            except InvalidInputError as error:
                raise Refused(f"its kernel is not valid ({str(error).rstrip('.')})") from None
