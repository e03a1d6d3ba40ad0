"""Which tensors a model of a given manifest has, with dtype and shape.

========================== ====== ============= ==========================================
name                       dtype  shape         what
========================== ====== ============= ==========================================
support.g                  views  (n_support,d) training rows or inducing points of view g
memberships                F64    (n, C)        of the training rows
dual_coef                  F64    (n,)          ``lambda``
weights                    F64    (C, G)        ``mu``
clusters.coefficients      F64    (n_support,C) cluster centres
clusters.square_norms      F64    (C,)
takes                      I64    (n,)          take of every row
scores                     F64    (n_scores,)   left-out scores that set the threshold
stress_scores              F64    (n_scores,)   by whole conditions; absent where there is one
history.objective          F64    (any,)        of the solver
history.gap                F64    (any,)
solution.dual_coef         F64    (any,)        of the solver, where rows were appended since
map.g                      F64    (n_support,r) inducing: feature map of view g
moments.first              F64    (R,)          inducing: ``Z^T 1``
moments.second             F64    (R, R)        inducing: ``Z^T Z``, lower triangle
evaluation.projection      F64    (R,)          inducing: ``Z^T lambda``, what scoring uses
evaluation.direction       F64    (R,)          inducing: what dual coefficients come from
calibration.g              views  (m, d)        inducing: rows kept for calibration
calibration.takes          I64    (m,)
========================== ====== ============= ==========================================
"""

from collections.abc import Mapping
from dataclasses import dataclass

from lmkl_core.model_file.container import Place
from lmkl_core.model_file.manifest import EXACT, Manifest
from lmkl_core.model_file.refusal import Refused, shown

LARGEST_RANK = 8192
"""Rank of an inducing model that is read; its Cholesky factor is made on loading."""

ANY = -1
"""Stands for a length that the manifest does not give."""


@dataclass(frozen=True)
class Expected:
    """Dtype and shape that a tensor must have."""

    dtype: str
    shape: tuple[int, ...]
    optional: bool = False

    def fits(self, dtype: str, shape: tuple[int, ...]) -> bool:
        """Whether a tensor is as expected."""
        return (
            dtype == self.dtype
            and len(shape) == len(self.shape)
            and all(want in (ANY, got) for want, got in zip(self.shape, shape, strict=True))
        )


def check_layout(manifest: Manifest, places: Mapping[str, Place]) -> None:
    """Refuse tensors that are unknown, missing or of another dtype or shape."""
    shapes = _shapes(manifest, places)
    expected = _expected(manifest)
    if manifest.kind != EXACT:
        expected |= _expected_inducing(manifest, shapes)
    for name, place in places.items():
        if name not in expected:
            raise Refused(f"it has the unknown tensor {shown(name)}")
        wanted = expected[name]
        if not wanted.fits(place.dtype, shapes[name]):
            told = ", ".join("any" if part == ANY else str(part) for part in wanted.shape)
            raise Refused(
                f"its tensor {name!r} is {place.dtype} {shapes[name]} and not "
                f"{wanted.dtype} ({told})"
            )
    missing = [name for name, wanted in expected.items() if not wanted.optional]
    missing = [name for name in missing if name not in places]
    if missing:
        raise Refused(f"its tensor {missing[0]!r} is missing")
    if ("stress_scores" in places) != (manifest.threshold["stress_bpcer"] is not None):
        raise Refused("its stress scores and their error rate do not go together")


def _shapes(manifest: Manifest, places: Mapping[str, Place]) -> dict[str, tuple[int, ...]]:
    """Shapes as the model has them, not as they are stored."""
    shapes = {name: place.shape for name, place in places.items()}
    for name in manifest.column_major:
        if len(shapes.get(name, ())) != 2:
            raise Refused(f"{shown(name)} is said to be stored by columns and is no matrix of its")
        shapes[name] = shapes[name][::-1]
    if len(set(manifest.column_major)) < len(manifest.column_major):
        raise Refused("it names a tensor twice as stored by columns")
    return shapes


def _expected(manifest: Manifest) -> dict[str, Expected]:
    n, m, C = manifest.n_rows, manifest.n_support, manifest.n_clusters
    scores = (manifest.threshold["n_scores"],)
    expected = {
        "memberships": Expected("F64", (n, C)),
        "dual_coef": Expected("F64", (n,)),
        "weights": Expected("F64", (C, len(manifest.views))),
        "clusters.coefficients": Expected("F64", (m, C)),
        "clusters.square_norms": Expected("F64", (C,)),
        "takes": Expected("I64", (n,)),
        "scores": Expected("F64", scores),
        "stress_scores": Expected("F64", scores, optional=True),
        "history.objective": Expected("F64", (ANY,)),
        "history.gap": Expected("F64", (ANY,)),
        "solution.dual_coef": Expected("F64", (ANY,), optional=True),
    }
    dtype = _view_dtype(manifest)
    for g, view in enumerate(manifest.views):
        expected[f"support.{g}"] = Expected(dtype, (m, view.columns))
    return expected


def _expected_inducing(
    manifest: Manifest, shapes: Mapping[str, tuple[int, ...]]
) -> dict[str, Expected]:
    maps = [shapes.get(f"map.{g}", ()) for g in range(len(manifest.views))]
    kept = shapes.get("calibration.takes", ())
    if any(len(shape) != 2 for shape in maps) or len(kept) != 1:
        raise Refused("its feature maps or its rows for calibration are missing")
    rank = manifest.n_clusters * sum(shape[1] for shape in maps)
    if rank > LARGEST_RANK or any(shape[1] > manifest.n_support for shape in maps):
        raise Refused(f"its feature maps have an impossible rank of {rank}")
    if not 1 <= kept[0] <= manifest.n_rows:
        raise Refused("its rows for calibration are none, or more than its rows")
    expected = {
        "moments.first": Expected("F64", (rank,)),
        "moments.second": Expected("F64", (rank, rank)),
        "evaluation.projection": Expected("F64", (rank,)),
        "evaluation.direction": Expected("F64", (rank,)),
        "calibration.takes": Expected("I64", (ANY,)),
    }
    for g, view in enumerate(manifest.views):
        expected[f"map.{g}"] = Expected("F64", (manifest.n_support, ANY))
        expected[f"calibration.{g}"] = Expected(_view_dtype(manifest), (kept[0], view.columns))
    return expected


def _view_dtype(manifest: Manifest) -> str:
    return "F32" if manifest.dtype == "float32" else "F64"
