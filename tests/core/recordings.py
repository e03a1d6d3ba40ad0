"""Small recordings for the estimator's tests, and the paper's formulas written out in loops.

Nothing below calls the library's own numerics.
"""

import re

import numpy as np
import pytest

from lmkl_core import InvalidInputError, LocalisedMKL

NAMES = ("eyes", "mouth", "skin")


def recording(seed=0, n=36, columns=(4, 3, 5), noise=(0.3, 0.6, 1.2)):
    """Rows around three places, in views of different noise, in time order."""
    rng = np.random.default_rng(seed)
    place = np.arange(n) * 3 // n
    return {
        name: 2.0 * rng.normal(size=(3, d))[place] + s * rng.normal(size=(n, d))
        for name, d, s in zip(NAMES, columns, noise, strict=False)
    }


def takes_of(n, n_takes):
    """Takes of about equal length, one after the other."""
    return np.arange(n) * n_takes // n


def rows(views, index):
    return {name: array[index] for name, array in views.items()}


def joined(*recordings):
    return {name: np.concatenate([r[name] for r in recordings]) for name in recordings[0]}


def make(**parameters):
    """A small estimator with a fixed seed."""
    return LocalisedMKL(**({"n_clusters": 2, "delta": 0.1, "random_state": 0} | parameters))


def width_rule(X):
    """Half the mean distance over pairs of different rows."""
    pairs = [np.linalg.norm(X[i] - X[j]) for i in range(len(X)) for j in range(i)]
    return 0.5 * float(np.mean(pairs))


def rbf(x, y, width):
    return float(np.exp(-np.sum((x - y) ** 2) / (2 * width**2)))


def kernel_matrix(X, Y, width):
    return np.exp(-np.sum((X[:, None] - Y[None]) ** 2, axis=-1) / (2 * width**2))


def kernel_stack(model, views, others):
    """``k_g(x, y)``, shape ``(G, n, m)``, with the widths of the model."""
    names, kernels = model.view_names_, model.kernels_
    parts = zip(names, kernels, strict=True)
    return np.array([kernel_matrix(views[g], others[g], kernel.width) for g, kernel in parts])


def memberships_of(model, training, views):
    """Softmax of minus the distance to the mean of each cluster's members, in kernel space."""
    n_clusters = model.kernel_weights_.shape[0]
    cross = kernel_stack(model, views, training).mean(axis=0)
    inner = kernel_stack(model, training, training).mean(axis=0)
    exponents = np.empty((len(cross), n_clusters))
    for c in range(n_clusters):
        members = np.flatnonzero(model.clusters_.coefficients[:, c] > 0)
        within = inner[np.ix_(members, members)].mean()
        squares = 1.0 - 2 * cross[:, members].mean(axis=1) + within
        exponents[:, c] = -np.sqrt(np.maximum(squares, 0)) / model.temperature
    odds = np.exp(exponents - exponents.max(axis=1, keepdims=True))
    return odds / odds.sum(axis=1, keepdims=True)


def weighted_kernel(weights, stack, left, right):
    """``sum_cg mu_cg p_c(x) k_g(x, y) p_c(y)``, term by term."""
    total = np.zeros(stack.shape[1:])
    for c in range(weights.shape[0]):
        for g in range(weights.shape[1]):
            total += weights[c, g] * np.outer(left[:, c], right[:, c]) * stack[g]
    return total


def refitted_without(kernel, delta, block):
    """Scores of a block by a model fitted to the other rows."""
    rest = np.setdiff1d(np.arange(len(kernel)), block)
    reduced = kernel[np.ix_(rest, rest)] + delta * np.eye(len(rest))
    return kernel[np.ix_(block, rest)] @ np.linalg.solve(reduced, np.ones(len(rest)))


def left_out_by_refitting(kernel, delta, blocks):
    scores = np.full(len(kernel), np.nan)
    for block in blocks:
        scores[block] = refitted_without(kernel, delta, block)
    return scores


def is_one_sentence(text):
    return text.endswith(".") and not re.search(r"\n|[.!?] [A-Z]", text)


def refusal(call, *arguments, **options):
    """Return the message of a call that must be refused in one sentence."""
    with pytest.raises(InvalidInputError) as caught:
        call(*arguments, **options)
    assert is_one_sentence(str(caught.value)), str(caught.value)
    return str(caught.value)


def assert_same_selection(selection, expected):
    """Equal up to rounding, which depends on the number of threads."""
    assert selection.best.parameters == expected.best.parameters
    cells = {tuple(cell.parameters.values()): cell for cell in selection.cells}
    assert len(cells) == len(selection.cells) == len(expected.cells)
    for cell in expected.cells:
        here = cells[tuple(cell.parameters.values())]
        numbers = [
            (c.radius, c.calibration.threshold, c.calibration.stress_bpcer) for c in (here, cell)
        ]
        assert np.allclose(*numbers, rtol=1e-6, atol=1e-7)
