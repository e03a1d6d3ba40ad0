r"""Export a model's scorer as an ONNX graph that runs without this library, and compare the two.

The graph has one input per view, ``(batch, columns)`` in the model's precision. For every view

``K_g = exp(min(y x_i - |y|^2 / 2 - |x_i|^2 / 2, 0))``

with ``y`` and ``x_i`` centred on the mean support row and divided by the width, as in
`lmkl_core.scorer.SupportKernels`: without centring, the squares cancel against the product and
single precision loses the distance. A linear kernel is ``K_g = y x_i``. Then

* ``d_c^2 = |centre_c|^2 - 2 mean_g K_g a_c + mean_g k_g(y, y)``,
  ``p = softmax(-sqrt(max(d^2, 0)) / temperature)``;
* ``contributions_cg = mu_cg p_c K_g b_gc``, and ``score`` is their sum.

Kernel values have the model's precision and everything after them is double, again as in the
library: the sums cancel, and so does ``d^2`` near a centre. For a row that is not finite, or that
overflows when squared, the library raises; the graph returns the score NaN and does not accept.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import onnxruntime
from onnx import TensorProto, helper

from lmkl_core.errors import InvalidInputError
from lmkl_core.estimator import LocalisedMKL
from lmkl_core.features.engines.onnx_engine import session_options
from lmkl_core.features.onnx_parts import OnnxParts
from lmkl_core.kernels import ViewKernel
from lmkl_core.scorer import Scorer
from lmkl_core.validation import Views

OUTPUTS = ("score", "contributions", "memberships", "accepted")
"""Names of the outputs: ``(batch,)``, ``(batch, C, G)``, ``(batch, C)`` and ``(batch,)``."""

THRESHOLD = "threshold"
"""Name of the constant that holds the threshold."""

OPSET, IR_VERSION = 13, 7
"""Readable by onnxruntime since version 1.6 (2020)."""

SUPPORT_ROWS = 96
NOISE = (0.1, 1.0, 10.0, 1e4)
"""Noise in standard deviations of each column; the last is far from every support row."""

LIMITS = {np.dtype(np.float32): 1e-4, np.dtype(np.float64): 1e-9}
"""Largest accepted difference, by the model's precision. Rounding stays below 1e-6 and 1e-14 with
RBF kernels. Linear kernels of features far from zero lose more, depending on the BLAS."""

Rows: TypeAlias = dict[str, np.ndarray]


# ------------------------------------------------- building the graph


def scorer_graph(
    estimator: LocalisedMKL,
    *,
    metadata: Mapping[str, str] | None = None,
    description: str = "",
    version: str = "",
) -> bytes:
    """Return the scorer of a fitted model with RBF or linear kernels as an ONNX file.

    Raises `InvalidInputError` if a kernel or a view's name cannot be put into a graph.
    """
    fitted = estimator._fitted
    scorer, names = fitted.scorer, tuple(map(str, fitted.support.names))
    _check(names, scorer.support_kernels.kernels)
    parts = _Parts()
    _build(parts, scorer, fitted.support, float(estimator.offset_))
    n_clusters, n_views = scorer.weights.shape
    shapes = ((), (n_clusters, n_views), (n_clusters,), ())
    types = [TensorProto.DOUBLE] * 3 + [TensorProto.BOOL]
    element = helper.np_dtype_to_tensor_dtype(fitted.support.dtype)
    inputs = [
        helper.make_tensor_value_info(name, element, ["batch", columns])
        for name, columns in zip(names, fitted.support.n_columns, strict=True)
    ]
    outputs = [
        helper.make_tensor_value_info(name, kind, ["batch", *shape])
        for name, kind, shape in zip(OUTPUTS, types, shapes, strict=True)
    ]
    return parts.model(
        "scorer",
        inputs,
        outputs,
        opset=OPSET,
        ir_version=IR_VERSION,
        metadata=metadata,
        producer_name="lmkl-pad",
        producer_version=version,
        doc_string=description,
    )


def _check(names: Sequence[str], kernels: Sequence[ViewKernel]) -> None:
    for name, kernel in zip(names, kernels, strict=True):
        if kernel.name not in ("rbf", "linear"):
            raise InvalidInputError(
                f"View {name!r} has the kernel {kernel.name!r}, which cannot be exported to ONNX: "
                "fit the model with rbf or linear kernels."
            )
        if not name or name in (*OUTPUTS, THRESHOLD) or name.startswith(_Parts.PREFIX):
            raise InvalidInputError(
                f"A view named {name!r} cannot be an input of an ONNX graph: give it another name "
                "and fit again."
            )


class _Parts(OnnxParts):
    PREFIX = "scorer_"

    def __init__(self) -> None:
        super().__init__(self.PREFIX)

    def number(self, value: float) -> str:
        return self.constant(np.asarray(value), np.float64)

    def row_sums(self, values: str, columns: int, dtype: Any) -> str:
        """Add the row sums, ``(batch, 1)``.

        Computed as a product with ones: without rows, onnxruntime's sums keep all columns.
        """
        return self.node("MatMul", values, self.constant(np.ones((columns, 1)), dtype))

    def double(self, value: str) -> str:
        return self.node("Cast", value, to=TensorProto.DOUBLE)


def _build(parts: _Parts, scorer: Scorer, support: Views, threshold: float) -> None:
    n_clusters = len(scorer.weights)
    first, last = parts.int64(0), parts.int64(-1)
    rows, squares, diagonals = [], [], []
    kernels = scorer.support_kernels.kernels
    for kernel, name, X in zip(kernels, support.names, support.arrays, strict=True):
        add = _linear if kernel.name == "linear" else _rbf
        values, square, diagonal = add(parts, kernel, name, X)
        rows.append(parts.node("Unsqueeze", values, first))
        squares.append(square)
        diagonals.append(diagonal)
    block = parts.double(parts.node("Concat", *rows, axis=0))  # (G, batch, n)
    # Coefficients and centres in one product, as in the scorer.
    centres = np.broadcast_to(scorer.clusters.coefficients, scorer.coefficients.shape)
    both = parts.constant(np.concatenate([scorer.coefficients, centres], axis=-1), np.float64)
    joined = parts.node("MatMul", block, both)
    sums, products = (f"{parts.PREFIX}part_{len(parts.nodes)}_{part}" for part in range(2))
    lengths = parts.int64(n_clusters, n_clusters)
    parts.add("Split", [joined, lengths], [sums, products], axis=2)
    products = parts.node("ReduceMean", products, axes=[0], keepdims=0)
    share = parts.number(1.0 / len(diagonals))
    diagonal = parts.node("Mul", parts.node("Sum", *diagonals), share)
    memberships = _memberships(parts, products, diagonal, scorer)
    terms = parts.node("Transpose", sums, perm=[1, 2, 0])
    terms = parts.node("Mul", terms, parts.constant(scorer.weights, np.float64))
    terms = parts.node("Mul", terms, parts.node("Unsqueeze", memberships, last))
    _finish(parts, terms, memberships, parts.node("Sum", *squares), scorer.weights.size, threshold)


def _rbf(parts: _Parts, kernel: ViewKernel, view: str, X: np.ndarray) -> tuple[str, str, str]:
    """Add one view's kernel rows; return these, the squared norms of the rows and ``k(y, y)``."""
    dtype, centre = X.dtype, X.mean(axis=0)
    # One number per column: onnxruntime would fuse a single number into the product as an
    # attribute, which has only single precision.
    scale = np.full(X.shape[1], 1 / kernel.width, dtype)
    support = (X - centre) * scale
    halves = 0.5 * np.einsum("ij,ij->i", support, support)
    y = parts.node("Sub", view, parts.constant(centre))
    y = parts.node("Mul", y, parts.constant(scale))
    squares = parts.row_sums(parts.node("Mul", y, y), X.shape[1], dtype)
    half = parts.node("Mul", squares, parts.constant(np.asarray(0.5), dtype))
    exponent = parts.node("MatMul", y, parts.constant(support.T))
    exponent = parts.node("Sub", exponent, half)
    exponent = parts.node("Sub", exponent, parts.constant(halves, dtype))
    exponent = parts.node("Min", exponent, parts.constant(np.asarray(0.0), dtype))
    one = parts.constant(np.ones((1, 1)))
    return parts.node("Exp", exponent), parts.double(squares), one


def _linear(parts: _Parts, _kernel: ViewKernel, view: str, X: np.ndarray) -> tuple[str, str, str]:
    """Add one view's products; return these and the rows' squared norms, which are ``k(y, y)``."""
    double = parts.double(view)
    squares = parts.row_sums(parts.node("Mul", double, double), X.shape[1], np.float64)
    return parts.node("MatMul", view, parts.constant(X.T)), squares, squares


def _memberships(parts: _Parts, products: str, diagonal: str, scorer: Scorer) -> str:
    twice = parts.node("Mul", products, parts.number(2.0))
    norms = parts.constant(scorer.clusters.square_norms, np.float64)
    squares = parts.node("Add", parts.node("Sub", norms, twice), diagonal)
    squares = parts.node("Max", squares, parts.number(0.0))
    rate = parts.number(-1.0 / scorer.temperature)
    exponents = parts.node("Mul", parts.node("Sqrt", squares), rate)
    return parts.node("Softmax", exponents, axis=1)


def _finish(
    parts: _Parts, terms: str, memberships: str, squares: str, n_terms: int, threshold: float
) -> None:
    """Add the outputs, NaN where a row is not finite: no comparison with NaN is true."""
    infinity, nan = parts.number(np.inf), parts.number(np.nan)
    is_finite = parts.node("Less", squares, infinity)  # (batch, 1)
    score, contributions, memberships_output, accepted = OUTPUTS
    is_finite_3d = parts.node("Unsqueeze", is_finite, parts.int64(2))
    parts.node("Where", is_finite_3d, terms, nan, name=contributions)
    parts.node("Where", is_finite, memberships, nan, name=memberships_output)
    flat = parts.node("Flatten", contributions, axis=1)
    sums = parts.row_sums(flat, n_terms, np.float64)
    parts.node("Squeeze", sums, parts.int64(1), name=score)
    limit = parts.constant(np.asarray(threshold), np.float64, name=THRESHOLD)
    reaches = parts.node("GreaterOrEqual", score, limit)
    parts.node("And", reaches, parts.node("Less", score, infinity), name=accepted)


# ------------------------------------------------- comparing it with the model


class ParityError(ValueError):
    """An exported graph differs from its model; the message has no full stop."""


@dataclass(frozen=True)
class Parity:
    """The largest difference of each output.

    Relative to the sum of the row's absolute terms if that is more than 1.
    """

    n_rows: int
    score: float
    contributions: float
    memberships: float
    limit: float  # largest accepted difference

    @property
    def largest(self) -> float:
        """The largest of the three."""
        return max(self.score, self.contributions, self.memberships)


def compare(graph: bytes, estimator: LocalisedMKL) -> Parity:
    """Compare a graph, run by onnxruntime, with its model.

    Both score the rows of `probing_rows`, and rows that are not finite must not be accepted. Raises
    `ParityError` if they differ by more than rounding or the graph cannot be run.
    """
    rows = probing_rows(estimator)
    terms, memberships = estimator.explain(rows), estimator.memberships(rows)
    scores = terms.sum(axis=(1, 2))
    scale = np.maximum(np.abs(terms).sum(axis=(1, 2)), 1.0)
    found, not_finite = _run(graph, rows, _not_finite(rows))
    limit = LIMITS[estimator._fitted.support.dtype]
    parity = Parity(
        len(terms),
        _difference(found["score"], scores, scale),
        _difference(found["contributions"], terms, scale),
        _difference(found["memberships"], memberships, np.ones(len(terms))),
        limit,
    )
    if not parity.largest <= limit:
        raise ParityError(
            f"The exported graph differs from the model by {parity.largest:.1e}, more than "
            f"{limit:.0e}"
        )
    threshold = float(estimator.offset_)
    is_clear = np.abs(scores - threshold) > limit * scale
    is_consistent = found["accepted"] == (found["score"] >= threshold)
    agrees = found["accepted"] == (scores >= threshold)
    if not (is_consistent.all() and agrees[is_clear].all()):
        raise ParityError("The exported graph decides differently from the model")
    if not_finite["accepted"].any() or not np.isnan(not_finite["score"]).all():
        raise ParityError("The exported graph scores a row that is not finite")
    return parity


def probing_rows(estimator: LocalisedMKL) -> Rows:
    """Return support rows (unchanged, with views shuffled, with noise) and a row of zeros."""
    rng = np.random.default_rng(0)
    support = estimator.support_views()
    n = len(next(iter(support.values())))
    chosen = np.linspace(0, n - 1, SUPPORT_ROWS).astype(int)  # repeated if there are few
    return {
        name: np.concatenate(list(_variations(array, chosen, rng)))
        for name, array in support.items()
    }


def _variations(
    array: np.ndarray, chosen: np.ndarray, rng: np.random.Generator
) -> Iterator[np.ndarray]:
    rows = array[chosen]
    yield rows
    yield rows[rng.permutation(len(rows))]  # each view in an order of its own
    spread = array.std(axis=0, dtype=np.float64)
    for size in NOISE:
        yield (rows + size * spread * rng.standard_normal(rows.shape)).astype(array.dtype)
    yield np.zeros_like(rows[:1])


def _not_finite(rows: Rows) -> Rows:
    """Return two rows for each view, with NaN and infinity in its last column."""
    bad = {name: np.repeat(array[:1], 2 * len(rows), axis=0) for name, array in rows.items()}
    for number, array in enumerate(bad.values()):
        array[2 * number : 2 * number + 2, -1] = np.nan, np.inf
    return bad


def _difference(found: np.ndarray, expected: np.ndarray, scale: np.ndarray) -> float:
    """Return the largest difference; infinite if shapes differ or a value is not finite."""
    if found.shape != expected.shape:
        return float("inf")
    scale = scale.reshape(-1, *(1,) * (expected.ndim - 1))
    largest = float(np.max(np.abs(found - expected) / scale))
    return largest if np.isfinite(largest) else float("inf")


def _run(graph: bytes, *batches: Rows) -> list[Rows]:
    try:
        session = onnxruntime.InferenceSession(
            graph, session_options(), providers=["CPUExecutionProvider"]
        )
        found = [session.run(list(OUTPUTS), rows) for rows in batches]
    except Exception as error:  # onnxruntime's exceptions differ between versions
        reason = str(error).strip().partition("\n")[0]
        raise ParityError(f"onnxruntime cannot run the exported graph ({reason})") from error
    return [dict(zip(OUTPUTS, outputs, strict=True)) for outputs in found]
