r"""Largest sums of kernel weights.

``|mu|_p |mu|_q <= 1`` implies ``|mu|_m <= 1`` for the harmonic mean ``m`` of
``p`` and ``q`` (norms are log-convex in ``1/p``). So every family is a family of vector norms of
order ``m`` (``m = p`` for the vector families), joint over ``N = C G`` weights or disjoint over
``C`` blocks of ``G``, and Hoelder gives ``sum mu <= N^(1-1/m)`` or ``C G^(1-1/m)``, both
attained by uniform weights.
"""

from dataclasses import dataclass

from lmkl_core.errors import InvalidInputError
from lmkl_core.theory.checks import norm_order, one_of, positive_integer

CONSTRAINTS = ("joint-matrix", "joint-vector", "disjoint-vector", "disjoint-matrix")


@dataclass(frozen=True)
class WeightSumBound:
    """Largest possible sum of kernel weights under one constraint family."""

    value: float
    constraint: str
    n_clusters: int
    n_views: int
    p: float
    q: float | None


def weight_sum_bound(
    constraint: str, n_clusters: int, n_views: int, p: float, q: float | None = None
) -> WeightSumBound:
    """Bound ``sum_cg mu_cg`` over a constraint family (proofs of Propositions 2 and 4).

    Parameters
    ----------
    constraint : {"joint-matrix", "joint-vector", "disjoint-vector", "disjoint-matrix"}
        ``|mu|_p |mu|_q <= 1``; ``|mu|_p <= 1``; ``|mu_c|_p <= 1`` for every cluster; and
        ``|mu_c|_p |mu_c|_q <= 1`` for every cluster.
    n_clusters, n_views : int
        ``C`` and ``G``.
    p, q : float
        Norm orders, at least 1. The vector families ignore ``q``.

    Returns
    -------
    WeightSumBound
        ``(CG)^(1-1/2p-1/2q)``, ``(CG)^(1-1/p)``, ``C G^(1-1/p)``, ``C G^(1-1/2p-1/2q)``. Each is
        attained by uniform weights.

    Examples
    --------
    >>> weight_sum_bound("joint-vector", n_clusters=2, n_views=8, p=2).value
    4.0
    """
    exponent = 1 - inverse_order(constraint, p, q)
    C = positive_integer(n_clusters, "n_clusters")
    G = positive_integer(n_views, "n_views")
    joint = constraint.startswith("joint")
    value = float(C * G) ** exponent if joint else C * float(G) ** exponent
    return WeightSumBound(value, constraint, C, G, p, q)


def inverse_order(constraint: str, p: float, q: float | None) -> float:
    """``1/m``: of ``p`` for vector families, of the harmonic mean of p and q for matrix ones."""
    one_of(constraint, CONSTRAINTS, "constraint")
    p = norm_order(p, "p")
    if constraint.endswith("vector"):
        return 1 / p
    if q is None:
        raise InvalidInputError(f"constraint {constraint!r} needs q: pass a norm order q >= 1.")
    return (1 / p + 1 / norm_order(q, "q")) / 2
