"""Compare an exported scorer, run by onnxruntime, with the model it was made from.

Both score the model's own support rows, the same with noise of several sizes, rows put together
from views of different ones (so that memberships are torn), and rows far from all; together and one
at a time. Rows that are not finite must not be accepted, and no rows have no scores.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import onnxruntime

from lmkl_core.estimator import LocalisedMKL
from lmkl_core.features.engines.onnx_engine import session_options
from lmkl_core.features.scorer_onnx.graph import OUTPUTS

SUPPORT_ROWS = 96
"""Support rows, evenly over all of them, that every kind of row is made from."""

NOISE = (0.1, 1.0, 10.0, 1e4)
"""Sizes of the noise, in standard deviations of each column; the last leaves nothing near."""

ALONE = 8
"""Rows that are scored one at a time as well."""

LIMITS = {np.dtype(np.float32): 1e-4, np.dtype(np.float64): 1e-9}
"""Largest difference that passes, by the model's precision.

Rounding alone stays below: about 1e-7 in single precision, 2e-5 where kernels are nearly singular;
1e-15 in double, and 1e-10 for rows far out in a linear kernel.
"""

Rows = dict[str, np.ndarray]


class ParityError(ValueError):
    """An exported graph that differs from its model; the message has no full stop."""


@dataclass(frozen=True)
class Parity:
    """The largest difference of each output.

    As a share of the row's terms where these sum (as absolute values) to more than 1.
    """

    n_rows: int
    score: float
    contributions: float
    memberships: float
    limit: float  # what would still have passed

    @property
    def largest(self) -> float:
        """Largest difference of all."""
        return max(self.score, self.contributions, self.memberships)


def compare(graph: bytes, estimator: LocalisedMKL, seed: int = 0) -> Parity:
    """Compare a graph with its model on rows drawn by ``seed``.

    Raises
    ------
    ParityError
        If they differ by more than rounding, or the graph cannot be run.
    """
    rows = probing_rows(estimator, seed)
    run = _runner(graph)
    terms, memberships = estimator.explain(rows), estimator.memberships(rows)
    scale = np.maximum(np.abs(terms).sum(axis=(1, 2)), 1.0)
    found = run(rows)
    limit = LIMITS[np.dtype(estimator._fitted.dtype)]
    parity = Parity(
        len(terms),
        _difference(found["score"], terms.sum(axis=(1, 2)), scale),
        _difference(found["contributions"], terms, scale),
        _difference(found["memberships"], memberships, np.ones(len(terms))),
        limit,
    )
    if not parity.largest <= limit:
        raise ParityError(
            f"The exported graph differs from the model by {parity.largest:.1e}, more than "
            f"{limit:.0e}"
        )
    _check_decisions(found, terms.sum(axis=(1, 2)), float(estimator.offset_), limit * scale)
    _check_alone(run, rows, found, limit * scale)
    _check_refusals(run, rows)
    _check_nothing(run, rows, found)
    return parity


def probing_rows(estimator: LocalisedMKL, seed: int = 0) -> Rows:
    """Return the rows that both score."""
    rng = np.random.default_rng(seed)
    support = estimator.support_views()
    n = len(next(iter(support.values())))
    # A few several times, if there are few.
    chosen = np.linspace(0, n - 1, SUPPORT_ROWS).astype(int)
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


def _difference(found: np.ndarray, expected: np.ndarray, scale: np.ndarray) -> float:
    """Return the largest difference; infinite where shapes differ or something is not a number."""
    if found.shape != expected.shape:
        return float("inf")
    scale = scale.reshape(-1, *(1,) * (expected.ndim - 1))
    largest = float(np.max(np.abs(found - expected) / scale))
    return largest if np.isfinite(largest) else float("inf")


def _check_decisions(found: Rows, scores: np.ndarray, threshold: float, slack: np.ndarray) -> None:
    is_clear = np.abs(scores - threshold) > slack
    follows = found["accepted"] == (found["score"] >= threshold)
    agrees = found["accepted"] == (scores >= threshold)
    if not (follows.all() and agrees[is_clear].all()):
        raise ParityError("The exported graph decides otherwise than the model")


def _check_alone(run, rows: Rows, found: Rows, slack: np.ndarray) -> None:
    for row in np.linspace(0, len(slack) - 1, ALONE).astype(int):
        (score,) = run({name: array[row : row + 1] for name, array in rows.items()})["score"]
        if not abs(score - found["score"][row]) <= slack[row]:
            raise ParityError("The exported graph scores a row alone otherwise than among others")


def _check_refusals(run, rows: Rows) -> None:
    for name in rows:
        for value in (np.nan, np.inf):
            spoilt = {other: array[:1].copy() for other, array in rows.items()}
            spoilt[name][0, -1] = value
            found = run(spoilt)
            if found["accepted"][0] or not np.isnan(found["score"][0]):
                raise ParityError("The exported graph scores a row that is not finite")


def _check_nothing(run, rows: Rows, found: Rows) -> None:
    nothing = run({name: array[:0] for name, array in rows.items()})
    if any(nothing[name].shape != array[:0].shape for name, array in found.items()):
        raise ParityError("The exported graph has scores of no rows")


def _runner(graph: bytes):
    try:
        session = onnxruntime.InferenceSession(
            graph, session_options(), providers=["CPUExecutionProvider"]
        )
    except Exception as error:  # its own kinds of errors differ between versions
        raise _failed("read", error) from error

    def run(rows: Rows) -> Rows:
        try:
            found = session.run(list(OUTPUTS), rows)
        except Exception as error:
            raise _failed("run", error) from error
        return dict(zip(OUTPUTS, found, strict=True))

    return run


def _failed(what: str, error: Exception) -> ParityError:
    reason = str(error).strip().partition("\n")[0]
    return ParityError(f"onnxruntime cannot {what} the exported graph ({reason})")
