r"""The scorer as a graph of standard operators.

One input a view, ``(batch, columns)`` in the model's own precision; for every view

``K_g = exp(min(y x_i - |y|^2 / 2 - |x_i|^2 / 2, 0))``

with ``y`` and ``x_i`` moved to the middle of the support rows and divided by the width, as
`lmkl_core.scorer.SupportKernels` does it: without that the two squares cancel against the product
and in single precision leave little of the distance. A linear kernel is ``K_g = y x_i``. Then

* ``d_c^2 = |centre_c|^2 - 2 mean_g K_g a_c + mean_g k_g(y, y)``,
  ``p = softmax(-sqrt(max(d^2, 0)) / temperature)``;
* ``contributions_cg = mu_cg p_c K_g b_gc``, and ``score`` is their sum.

Kernel values are of the model's precision and everything after them is double, again as in the
library: the sums cancel, and so does ``d^2`` near a centre.

A row with a number that is not finite, or whose squares are not, has the score NaN and is not
accepted; the library raises for such a row, which a graph cannot do.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from onnx import TensorProto, checker, helper

from lmkl_core.errors import InvalidInputError
from lmkl_core.estimator import LocalisedMKL
from lmkl_core.features.onnx_parts import OnnxParts
from lmkl_core.kernels import ViewKernel
from lmkl_core.scorer import Scorer
from lmkl_core.validation import Views

OUTPUTS = ("score", "contributions", "memberships", "accepted")
"""Names of the outputs: ``(batch,)``, ``(batch, C, G)``, ``(batch, C)`` and ``(batch,)``."""

THRESHOLD = "threshold"
"""Name of the constant that scores are held against."""

OPSET, IR_VERSION = 13, 7
"""What onnxruntime has read since version 1.6, of 2020."""

LARGEST_GRAPH = 2_000_000_000
"""Bytes; protobuf's own limit is little above."""

PRODUCER = "lmkl-pad"


def scorer_graph(
    estimator: LocalisedMKL,
    *,
    metadata: Mapping[str, str] | None = None,
    description: str = "",
    version: str = "",
) -> bytes:
    """Return a fitted model's scorer, of RBF or linear kernels, as an ONNX file.

    Metadata, description and the version of the program are kept in the file.

    Raises
    ------
    InvalidInputError
        If a kernel, a view's name or the size cannot be put into a graph.
    """
    fitted = estimator._fitted
    scorer, names = fitted.scorer, tuple(map(str, fitted.view_names))
    _check(names, scorer.support_kernels.kernels, fitted.support.arrays)
    element = helper.np_dtype_to_tensor_dtype(np.dtype(fitted.dtype))
    parts = _Parts()
    _build(parts, scorer, fitted.support, float(estimator.offset_))
    n_clusters, n_views = scorer.weights.shape
    shapes = ((), (n_clusters, n_views), (n_clusters,), ())
    outputs = [
        helper.make_tensor_value_info(
            name, TensorProto.BOOL if name == "accepted" else TensorProto.DOUBLE, ["batch", *shape]
        )
        for name, shape in zip(OUTPUTS, shapes, strict=True)
    ]
    inputs = [
        helper.make_tensor_value_info(name, element, ["batch", columns])
        for name, columns in zip(names, fitted.n_features, strict=True)
    ]
    graph = helper.make_graph(parts.nodes, "scorer", inputs, outputs, parts.constants)
    model = helper.make_model(
        graph,
        producer_name=PRODUCER,
        producer_version=version,
        doc_string=description,
        opset_imports=[helper.make_opsetid("", OPSET)],
        ir_version=IR_VERSION,
    )
    helper.set_model_props(model, dict(metadata or {}))
    checker.check_model(model, full_check=True)
    return bytes(model.SerializeToString())


def _check(
    names: Sequence[str], kernels: Sequence[ViewKernel], support: Sequence[np.ndarray]
) -> None:
    for name, kernel in zip(names, kernels, strict=True):
        if kernel.name not in ("rbf", "linear"):
            raise InvalidInputError(
                f"View {name!r} has the kernel {kernel.name!r}, which cannot be put into an ONNX "
                "graph: fit the model with rbf or linear kernels."
            )
        if not name or name in (*OUTPUTS, THRESHOLD) or name.startswith(_Parts.PREFIX):
            raise InvalidInputError(
                f"A view named {name!r} cannot be an input of an ONNX graph: give it another name "
                "and fit again."
            )
    if sum(array.nbytes for array in support) > LARGEST_GRAPH:
        raise InvalidInputError(
            "The model's support rows take more than the 2 GB an ONNX file can hold: fit it with "
            "inducing points (n_inducing=200)."
        )


class _Parts(OnnxParts):
    """The scorer's parts."""

    PREFIX = "scorer_"

    def __init__(self) -> None:
        super().__init__(self.PREFIX)

    def split(self, whole: str, sizes: Sequence[int], axis: int) -> list[str]:
        named = [f"{self.PREFIX}part_{len(self.nodes)}_{part}" for part in range(len(sizes))]
        lengths = self.whole(*sizes)
        self.add("Split", [whole, lengths], named, axis=axis)
        return named

    def row_sums(self, values: str, columns: int, dtype: Any) -> str:
        """Add the sums of rows, ``(batch, 1)``.

        As a product with ones: onnxruntime's own sums keep all columns where there are no rows.
        """
        return self.node("MatMul", values, self.constant(np.ones((columns, 1)), dtype))

    def double(self, value: str) -> str:
        return self.node("Cast", value, to=TensorProto.DOUBLE)


def _build(parts: _Parts, scorer: Scorer, support: Views, threshold: float) -> None:
    kernels, clusters = scorer.support_kernels.kernels, scorer.clusters
    n_clusters = len(scorer.weights)
    first = parts.whole(0)
    last = parts.whole(-1)
    rows, squares, diagonals = [], [], []
    for kernel, name, X in zip(kernels, support.names, support.arrays, strict=True):
        add = _linear if kernel.name == "linear" else _rbf
        values, square, diagonal = add(parts, kernel, name, X)
        rows.append(parts.node("Unsqueeze", values, first))
        squares.append(square)
        diagonals.append(diagonal)
    block = parts.double(parts.node("Concat", *rows, axis=0))  # (G, batch, n)
    # Coefficients and centres in one product, as the scorer has them.
    centres = np.broadcast_to(clusters.coefficients, scorer.coefficients.shape)
    both = parts.constant(np.concatenate([scorer.coefficients, centres], axis=-1), np.float64)
    whole = parts.node("MatMul", block, both)
    sums, products = parts.split(whole, [n_clusters, n_clusters], axis=2)
    products = parts.node("ReduceMean", products, axes=[0], keepdims=0)
    memberships = _memberships(parts, products, _mean(parts, diagonals), scorer)
    terms = parts.node("Transpose", sums, perm=[1, 2, 0])
    terms = parts.node("Mul", terms, parts.constant(scorer.weights, np.float64))
    terms = parts.node("Mul", terms, parts.node("Unsqueeze", memberships, last))
    _finish(parts, terms, memberships, parts.node("Sum", *squares), scorer.weights.size, threshold)


def _rbf(parts: _Parts, kernel: ViewKernel, view: str, X: np.ndarray) -> tuple[str, str, str]:
    """Add one view's kernel rows; return them, the rows' squares and ``k(y, y)``."""
    dtype, centre = X.dtype, X.mean(axis=0)
    # A number for every column: onnxruntime would fuse a single one into the product, as an
    # attribute, and attributes have single precision.
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
    """Add one view's products; return them, the rows' squares and ``k(y, y)``, which these are."""
    exact = parts.double(view)
    squares = parts.row_sums(parts.node("Mul", exact, exact), X.shape[1], np.float64)
    return parts.node("MatMul", view, parts.constant(X.T)), squares, squares


def _mean(parts: _Parts, diagonals: Sequence[str]) -> str:
    share = parts.constant(np.asarray(1.0 / len(diagonals)), np.float64)
    return parts.node("Mul", parts.node("Sum", *diagonals), share)


def _memberships(parts: _Parts, products: str, diagonal: str, scorer: Scorer) -> str:
    twice = parts.node("Mul", products, parts.constant(np.asarray(2.0), np.float64))
    norms = parts.constant(scorer.clusters.square_norms, np.float64)
    squares = parts.node("Add", parts.node("Sub", norms, twice), diagonal)
    squares = parts.node("Max", squares, parts.constant(np.asarray(0.0), np.float64))
    colder = parts.constant(np.asarray(-1.0 / scorer.temperature), np.float64)
    exponents = parts.node("Mul", parts.node("Sqrt", squares), colder)
    return parts.node("Softmax", exponents, axis=1)


def _finish(
    parts: _Parts, terms: str, memberships: str, squares: str, n_terms: int, threshold: float
) -> None:
    """Add the outputs, NaN where a row is not finite: no comparison with NaN is true."""
    infinite = parts.constant(np.asarray(np.inf), np.float64)
    unknown = parts.constant(np.asarray(np.nan), np.float64)
    known = parts.node("Less", squares, infinite)  # (batch, 1)
    score, contributions, outer, accepted = OUTPUTS
    deep = parts.node("Unsqueeze", known, parts.whole(2))
    parts.node("Where", deep, terms, unknown, name=contributions)
    parts.node("Where", known, memberships, unknown, name=outer)
    flat = parts.node("Flatten", contributions, axis=1)
    sums = parts.row_sums(flat, n_terms, np.float64)
    parts.node("Squeeze", sums, parts.whole(1), name=score)
    limit = parts.constant(np.asarray(threshold), np.float64, name=THRESHOLD)
    enough = parts.node("GreaterOrEqual", score, limit)
    parts.node("And", enough, parts.node("Less", score, infinite), name=accepted)
