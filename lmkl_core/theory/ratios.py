"""The ratios of Proposition 4: which constraint family has the smallest printed bound."""

from dataclasses import dataclass

from lmkl_core.theory.checks import norm_order, positive_integer


@dataclass(frozen=True)
class ComplexityRatio:
    """Bound of the joint matrix family over that of ``against``: ``C^exponent_C G^exponent_G``.

    ``holds`` tells whether the paper's claim "lower" is true here, ties included: value <= 1.
    """

    value: float
    against: str
    exponent_C: float
    exponent_G: float
    holds: bool


@dataclass(frozen=True)
class ComplexityRatios:
    """The three ratios of Proposition 4, in its order (i), (ii), (iii)."""

    joint_vector: ComplexityRatio
    disjoint_vector: ComplexityRatio
    disjoint_matrix: ComplexityRatio
    n_clusters: int
    n_views: int
    p: float
    q: float


def complexity_ratios(n_clusters: int, n_views: int, p: float, q: float) -> ComplexityRatios:
    """Compare the printed bound of the joint matrix family with the other three (Prop. 4).

    (i) ``(CG)^(1/4p - 1/4q)`` against the joint vector family, (ii) ``C^(-1/4p - 1/4q)
    G^(1/4p - 1/4q)`` against the disjoint vector family, (iii) ``C^(-1/4p - 1/4q)`` against the
    disjoint matrix family. The printed exponents agree with the ratios of the square roots of the
    paper's own weight sum bounds (checked in the tests), so one value stands for both.

    "Lower" needs ``1 <= q <= p`` for (i); (iii) always holds; (ii) also holds for ``q > p`` as
    long as ``C`` outweighs ``G``. At ``p = q`` ratio (i) is 1: the two families are one. The
    ratios compare bounds at equal ``Lambda``, and of the printed form: not errors, and not the
    radii that fits under different constraints end with.

    Parameters
    ----------
    n_clusters, n_views : int
        ``C`` and ``G``.
    p, q : float
        Norm orders, at least 1.

    Returns
    -------
    ComplexityRatios
        Three ratios with their exponents, each with ``holds``: whether it is at most 1.
    """
    C = positive_integer(n_clusters, "n_clusters")
    G = positive_integer(n_views, "n_views")
    p, q = norm_order(p, "p"), norm_order(q, "q")
    difference, total = 1 / (4 * p) - 1 / (4 * q), 1 / (4 * p) + 1 / (4 * q)

    def ratio(against: str, exponent_C: float, exponent_G: float) -> ComplexityRatio:
        value = float(C) ** exponent_C * float(G) ** exponent_G
        return ComplexityRatio(value, against, exponent_C, exponent_G, value <= 1)

    return ComplexityRatios(
        ratio("joint-vector", difference, difference),
        ratio("disjoint-vector", -total, difference),
        ratio("disjoint-matrix", -total, 0.0),
        C,
        G,
        p,
        q,
    )
