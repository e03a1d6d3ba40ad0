"""Conversion between a fitted model and its manifest and tensors."""

import math
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from importlib import metadata
from typing import Any

import msgspec
import numpy as np

from lmkl_core.calibration.threshold import Calibration
from lmkl_core.clusters import Clusters
from lmkl_core.errors import InvalidInputError
from lmkl_core.estimator import LocalisedMKL
from lmkl_core.fitting.exact import ExactFit
from lmkl_core.fitting.fit import Settings
from lmkl_core.fitting.inducing import InducingBasis, InducingProblem
from lmkl_core.fitting.streamed import StreamedFit
from lmkl_core.kernels import ViewKernel
from lmkl_core.model_file.container import Refused, checked
from lmkl_core.model_file.manifest import (
    EXACT,
    INDUCING,
    SETTINGS,
    CertificateEntry,
    Manifest,
    ThresholdEntry,
    ViewEntry,
    plain,
    restored_parameters,
)
from lmkl_core.model_file.tensors import Tensors
from lmkl_core.scorer import SupportKernels
from lmkl_core.solver.problem import Solution
from lmkl_core.validation import Views

PROBED_ROWS = 64
"""Number of support rows that a loaded model must score."""


def describe(
    model: LocalisedMKL, created: datetime | None, extra: Mapping[str, Any] | None
) -> tuple[Manifest, Tensors]:
    """Return the manifest of a fitted model, and its tensors as stored."""
    fitted, calibration = model._fitted, model.calibration_
    inducing = isinstance(fitted, StreamedFit)
    tensors = _tensors(fitted, calibration)
    if inducing:
        tensors |= _inducing_tensors(fitted)
    parameters = model.get_params()
    if isinstance(parameters["random_state"], np.random.RandomState):
        parameters["random_state"] = None
    support = fitted.support
    views = zip(support.names, support.n_columns, fitted.kernels, strict=True)
    names = getattr(model, "feature_names_in_", None) if model._single else None
    time = datetime.now(UTC) if created is None else created
    manifest = Manifest(
        kind=INDUCING if inducing else EXACT,
        library=_library_version(),
        created=time.astimezone(UTC).isoformat(timespec="seconds"),
        parameters={name: plain(value) for name, value in parameters.items()},
        settings={name: plain(getattr(fitted.settings, name)) for name in SETTINGS},
        views=tuple(ViewEntry(name, n, k.name, float(k.width)) for name, n, k in views),
        dtype=support.dtype.name,
        single_array=model._single,
        feature_names=None if names is None else tuple(str(name) for name in names),
        n_rows=len(fitted.takes),
        n_support=len(tensors["support.0"]),
        n_clusters=fitted.settings.n_clusters,
        takes=tuple(int(count) for count in np.bincount(fitted.takes)),
        conditions=tuple(int(number) for number in fitted.conditions),
        delta=float(fitted.delta),
        threshold=_threshold(calibration),
        certificate=_certificate(fitted),
        column_major=tuple(name for name, array in tensors.items() if _is_column_major(array)),
        extra={} if extra is None else plain(extra),
        digest="",
    )
    return manifest, transposed(manifest, tensors)


def transposed(manifest: Manifest, tensors: Tensors) -> Tensors:
    """Convert tensors from the model's memory layout to the stored one, or back."""
    column_major = set(manifest.column_major)
    return {name: array.T if name in column_major else array for name, array in tensors.items()}


def rebuild(manifest: Manifest, settings: Settings, tensors: Tensors) -> LocalisedMKL:
    """Make the model of a checked file, and check that it scores some of its own rows."""
    parameters = restored_parameters(manifest)
    names = manifest.view_names
    kernels = tuple(ViewKernel(view.kernel, view.width) for view in manifest.views)
    support = Views(names, tuple(tensors[f"support.{g}"] for g in range(len(names))))
    clusters = Clusters(tensors["clusters.coefficients"], tensors["clusters.square_norms"])
    common: dict[str, Any] = {
        "support": support,
        "clusters": clusters,
        "delta": manifest.delta,
        "takes": tensors["takes"],
        "conditions": np.array(manifest.conditions),
        "settings": settings,
        "kernels": kernels,
        "memberships": tensors["memberships"],
        "solution": _solution(manifest, tensors),
        "dual_coef": tensors["dual_coef"],
        "known_gap": manifest.certificate.gap,
    }
    with np.errstate(all="ignore"):
        fitted: ExactFit | StreamedFit
        if manifest.kind == EXACT:
            fitted = ExactFit(**common)
        else:
            fitted = _rebuild_inducing(manifest, tensors, common)
        model = LocalisedMKL.restored(
            parameters,
            fitted,
            _calibration(manifest, tensors),
            one_array=manifest.single_array,
            feature_names=manifest.feature_names,
        )
        _probe(fitted, support)
    return model


def _tensors(fitted: ExactFit | StreamedFit, calibration: Calibration) -> Tensors:
    solution = fitted.solution
    tensors = {f"support.{g}": array for g, array in enumerate(fitted.support.arrays)}
    tensors |= {
        "memberships": fitted.memberships,
        "dual_coef": fitted.dual_coef,
        "weights": solution.weights,
        "clusters.coefficients": fitted.clusters.coefficients,
        "clusters.square_norms": fitted.clusters.square_norms,
        "takes": np.asarray(fitted.takes, dtype=np.int64),
        "scores": calibration.scores,
        "history.objective": solution.objective_history,
        "history.gap": solution.gap_history,
    }
    if not math.isnan(calibration.stress_bpcer):
        tensors["stress_scores"] = calibration.stress_scores
    if not np.array_equal(solution.dual_coef, fitted.dual_coef):
        tensors["solution.dual_coef"] = solution.dual_coef
    return tensors


def _inducing_tensors(fitted: StreamedFit) -> Tensors:
    problem = fitted.problem
    tensors = {f"map.{g}": array for g, array in enumerate(problem.basis.maps)}
    kept = fitted.calibration_views.arrays
    tensors |= {f"calibration.{g}": array for g, array in enumerate(kept)}
    projection, direction = fitted.evaluation.state[:2]
    return tensors | {
        "moments.first": problem.first_moments,
        "moments.second": problem.second_moments,
        "evaluation.projection": projection,
        "evaluation.direction": direction,
        "calibration.takes": np.asarray(fitted.calibration_takes, dtype=np.int64),
    }


def _is_column_major(array: np.ndarray) -> bool:
    return array.ndim == 2 and array.flags.f_contiguous and not array.flags.c_contiguous


def _library_version() -> str:
    try:
        return metadata.version("lmkl-pad")
    except metadata.PackageNotFoundError:
        return "unknown"


def _threshold(calibration: Calibration) -> ThresholdEntry:
    scalars = {name: plain(getattr(calibration, name)) for name in ThresholdEntry.__struct_fields__}
    if math.isnan(calibration.stress_bpcer):
        scalars["stress_bpcer"] = None
    return checked(scalars, ThresholdEntry, "its threshold")


def _calibration(manifest: Manifest, tensors: Tensors) -> Calibration:
    scalars, scores = msgspec.structs.asdict(manifest.threshold), tensors["scores"]
    if scalars["stress_bpcer"] is None:
        scalars["stress_bpcer"] = math.nan
    stress = tensors.get("stress_scores", np.full(len(scores), np.nan))
    return Calibration(**scalars, scores=scores, stress_scores=stress)


def _certificate(fitted: ExactFit | StreamedFit) -> CertificateEntry:
    names = CertificateEntry.__struct_fields__
    scalars = {name: plain(getattr(fitted.solution, name, None)) for name in names}
    scalars |= {"gap": float(fitted.gap), "solution_gap": float(fitted.solution.gap)}
    return checked(scalars, CertificateEntry, "its certificate")


def _solution(manifest: Manifest, tensors: Tensors) -> Solution:
    scalars = msgspec.structs.asdict(manifest.certificate)
    scalars["gap"] = scalars.pop("solution_gap")
    return Solution(
        weights=tensors["weights"],
        dual_coef=tensors.get("solution.dual_coef", tensors["dual_coef"]),
        objective_history=tensors["history.objective"],
        gap_history=tensors["history.gap"],
        **scalars,
    )


def _rebuild_inducing(manifest: Manifest, tensors: Tensors, common: dict[str, Any]) -> StreamedFit:
    count = len(manifest.views)
    maps = tuple(tensors[f"map.{g}"] for g in range(count))
    kernels = SupportKernels(common["kernels"], common["support"].arrays)
    temperature = common["settings"].temperature
    basis = InducingBasis(common["support"], kernels, maps, common["clusters"], temperature)
    problem = InducingProblem(basis, manifest.delta)
    problem.first_moments = tensors["moments.first"]
    problem.second_moments = np.asfortranarray(tensors["moments.second"])
    problem.n_samples = manifest.n_rows
    try:
        evaluation = problem.evaluate(tensors["weights"])
    except (InvalidInputError, ArithmeticError):
        raise Refused("its moments cannot come from any data") from None
    _, _, lower, root = evaluation.state
    if not np.all(np.isfinite(lower)):
        raise Refused("its moments cannot come from any data")
    # Use the stored values: another machine or number of threads may round differently.
    state = (tensors["evaluation.projection"], tensors["evaluation.direction"], lower, root)
    kept = tuple(tensors[f"calibration.{g}"] for g in range(count))
    return StreamedFit(
        problem=problem,
        evaluation=replace(evaluation, state=state),
        calibration_views=Views(manifest.view_names, kept),
        calibration_takes=tensors["calibration.takes"],
        **common,
    )


def _probe(fitted: ExactFit | StreamedFit, support: Views) -> None:
    """Refuse a model whose scores of its own support rows are not finite."""
    rows = np.unique(np.linspace(0, support.n_samples - 1, PROBED_ROWS).astype(int))
    try:
        terms, _ = fitted.scorer.explain(support.rows(rows).arrays)
    except Exception as error:  # registered kernels may raise anything
        raise Refused(f"it cannot score its own rows ({error})") from None
    if not np.all(np.isfinite(terms.sum(axis=(1, 2)))):
        raise Refused("it gives its own rows scores that are not finite")
