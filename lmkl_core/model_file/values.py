"""Whether the numbers of a file can come from a fit: finite, in range, and in agreement."""

import numpy as np

from lmkl_core.calibration.threshold import least_threshold
from lmkl_core.errors import InvalidInputError
from lmkl_core.fitting.fit import Settings, weight_constraint
from lmkl_core.kernels import PRECOMPUTED, check_precomputed
from lmkl_core.model_file.fields import LARGEST_NUMBER
from lmkl_core.model_file.manifest import INDUCING, Manifest
from lmkl_core.model_file.refusal import Refused, shown

LARGEST_RATIO = 1e16
"""Features this many kernel widths from zero have lost all their digits; and the squares of such
ratios are still finite in float32."""

TOLERANCE = 1e-6
"""For sums of memberships and norms of weights."""


def check_values(manifest: Manifest, settings: Settings, tensors: dict[str, np.ndarray]) -> None:
    """Refuse values that no fit produces."""
    for name, array in tensors.items():
        if name == "dual_coef" and manifest.kind == INDUCING:
            # Unknown for rows that were streamed before others were appended.
            array = array[~np.isnan(array)]
        # NaN fails the comparison too.
        if array.dtype.kind == "f" and not _largest(array) <= LARGEST_NUMBER:
            raise Refused(f"its tensor {name!r} contains NaN, infinity or absurdly large numbers")
    _check_memberships(tensors["memberships"])
    _check_weights(tensors["weights"], settings)
    _check_clusters(tensors["clusters.square_norms"])
    _check_takes(manifest, tensors)
    _check_threshold(manifest, tensors)
    _check_features(manifest, tensors)
    if np.any(tensors["history.gap"] < 0) or np.any(tensors["history.objective"] <= 0):
        raise Refused("its history has negative gaps or objectives")


def _largest(array: np.ndarray) -> float:
    return float(np.max(np.abs(array), initial=0))


def _check_memberships(memberships: np.ndarray) -> None:
    sums = memberships.sum(axis=1)
    if np.any(memberships < 0) or np.any(np.abs(sums - 1) > TOLERANCE):
        raise Refused("its memberships are not probabilities that sum to 1 in every row")


def _check_weights(weights: np.ndarray, settings: Settings) -> None:
    if np.any(weights < 0):
        raise Refused("its kernel weights are negative")
    with np.errstate(all="ignore"):
        norm = weight_constraint(settings, *weights.shape).norm(weights)
    if not norm <= 1 + TOLERANCE:
        raise Refused(f"its kernel weights have norm {norm:g}, above the constraint's 1")


def _check_clusters(square_norms: np.ndarray) -> None:
    if np.min(square_norms) < -TOLERANCE * max(1.0, float(np.max(square_norms))):
        raise Refused("its cluster centres have negative norms")


def _check_takes(manifest: Manifest, tensors: dict[str, np.ndarray]) -> None:
    takes = tensors["takes"]
    if np.min(takes) < 0 or np.max(takes) >= len(manifest.takes):
        raise Refused("its rows belong to takes that it does not list")
    if not np.array_equal(np.bincount(takes), manifest.takes):
        raise Refused("its takes do not have the rows that it lists")
    if manifest.kind == INDUCING:
        kept = tensors["calibration.takes"]
        if np.min(kept) < 0 or np.max(kept) >= len(manifest.takes):
            raise Refused("its rows for calibration belong to takes that it does not list")


def _check_threshold(manifest: Manifest, tensors: dict[str, np.ndarray]) -> None:
    """The stored scores must allow the threshold, and give its error rates."""
    told = manifest.threshold
    least = least_threshold(tensors["scores"], told["target_bpcer"])
    if told["threshold"] < least - 1e-9 * abs(least):
        raise Refused(f"its threshold is {told['threshold']:g} and its scores ask for {least:g}")
    rates = {"bpcer": "scores", "stress_bpcer": "stress_scores"}
    for rate, name in rates.items():
        if name in tensors:
            measured = float(np.mean(tensors[name] < told["threshold"]))
            if abs(measured - told[rate]) > 1e-9:
                raise Refused(f"its {rate} is {told[rate]:g} and its scores give {measured:g}")


def _check_features(manifest: Manifest, tensors: dict[str, np.ndarray]) -> None:
    for g, view in enumerate(manifest.views):
        support = tensors[f"support.{g}"]
        # Kernels that do not divide by the width multiply features as they are.
        scale = view.width if view.kernel == "rbf" else 1.0
        limit = LARGEST_RATIO if view.kernel == "rbf" or manifest.dtype == "float32" else np.inf
        for name in (f"support.{g}", f"calibration.{g}"):
            if name in tensors and _largest(tensors[name]) > limit * scale:
                raise Refused(f"the features of view {shown(view.name)} exceed its kernel's range")
        if view.kernel == PRECOMPUTED:
            try:
                check_precomputed(view.name, support)
            except InvalidInputError as error:
                raise Refused(f"its kernel is refused ({str(error).rstrip('.')})") from None
