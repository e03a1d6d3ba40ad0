"""Small problems for comparing the bounds with exact values."""

import itertools

import numpy as np
from hypothesis import strategies as st

from lmkl_core import theory
from tests.core.problems import norm

PAIRS = [(1, 1), (32 / 31, 10), (10, 32 / 31), (4 / 3, 2), (2, 2), (8, 4)]

orders = st.floats(1, 20)
counts = st.integers(1, 40)


def feasible(weights, constraint, p, q):
    """Scale weights of shape (..., C, G) onto the boundary of their constraint set."""
    blocks = (
        weights
        if constraint.startswith("disjoint")
        else weights.reshape(*weights.shape[:-2], 1, -1)
    )
    if constraint.endswith("vector"):
        scale = norm(blocks, p)
    else:
        scale = np.sqrt(norm(blocks, p) * norm(blocks, q))
    return weights / scale[..., None]


def signs(n):
    """All 2^n sign vectors, so that the Rademacher expectation is an exact mean."""
    return np.array(list(itertools.product([-1.0, 1.0], repeat=n)))


def small_problem(rng, n=8, n_clusters=3, n_views=4, rank_one=False):
    """Memberships (n, C), base kernels (G, n, n) with unit diagonal, v of shape (2^n, C, G)."""
    memberships = rng.dirichlet(np.full(n_clusters, 0.5), size=n)
    if rank_one:
        y = rng.choice([-1.0, 1.0], size=(n_views, n))
        kernels = y[:, :, None] * y[:, None, :]
    else:
        points = rng.normal(size=(n_views, n, 2))
        squared = np.sum((points[:, :, None] - points[:, None]) ** 2, axis=-1)
        kernels = np.exp(-squared * rng.uniform(0.01, 2, size=(n_views, 1, 1)))
    weighted = signs(n)[:, None, :] * memberships.T
    v = np.einsum("sci,gij,scj->scg", weighted, kernels, weighted)
    return memberships, kernels, np.maximum(v, 0)


def sampled_weights(rng, constraint, p, q, n_clusters, n_views, size=300):
    """Feasible weights: dense, nearly sparse, sparse and uniform."""
    dense = rng.gamma(rng.choice([0.1, 1, 10], size=(size, 1, 1)), size=(size, n_clusters, n_views))
    single = np.eye(n_clusters * n_views).reshape(-1, n_clusters, n_views) + 1e-30
    uniform = np.ones((1, n_clusters, n_views))
    return feasible(np.concatenate([dense + 1e-30, single, uniform]), constraint, p, q)


def bound(memberships, n_views, p, q, constraint="joint-matrix", form="paper", Lambda=1.0, r=1.0):
    return theory.rademacher_bound(
        Lambda=Lambda,
        r=r,
        memberships=memberships,
        n_views=n_views,
        p=p,
        q=q,
        constraint=constraint,
        form=form,
    )
