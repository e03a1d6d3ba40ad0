"""Cost of one score against the matrix products it cannot do without.

    python -m benchmarks scoring

n = 500 support samples, G = 12 views, C = 3 clusters. The baseline is the bare products of one
sample with the support rows of every view, and of the kernel rows with the coefficients,
on arrays of the same shape, in the same run.
"""

import time

import numpy as np

from benchmarks.problems import N_VIEWS, generated_views
from lmkl_core import LocalisedMKL

N_SAMPLES, COLUMNS = 500, 160


def median_time(function, repeats=2000):
    times = np.empty(repeats)
    for i in range(repeats):
        start = time.perf_counter()
        function()
        times[i] = time.perf_counter() - start
    return float(np.median(times))


def main(arguments=None):
    arrays = generated_views(N_SAMPLES + 1, N_VIEWS, columns=(COLUMNS, COLUMNS + 1))
    train = {f"view{g}": array[:-1] for g, array in enumerate(arrays)}
    sample = {f"view{g}": array[-1:] for g, array in enumerate(arrays)}
    model = LocalisedMKL(random_state=0).fit(train)
    supports = [np.ascontiguousarray(array) for array in train.values()]
    rows = [array for array in sample.values()]
    block = np.empty((N_VIEWS, 1, N_SAMPLES))
    coefficients = model.memberships_ * model.dual_coef_[:, None]
    centres = model.clusters_.coefficients

    def bare_products():
        for g in range(N_VIEWS):
            np.matmul(rows[g], supports[g].T, out=block[g])
        block.reshape(N_VIEWS, N_SAMPLES) @ coefficients
        block[0] @ centres

    model.score_samples(sample)
    # Alternating rounds, so that a busy machine disturbs both alike.
    pairs = [
        (median_time(lambda: model.score_samples(sample), 200), median_time(bare_products, 200))
        for _ in range(15)
    ]
    ratios = [score / bare for score, bare in pairs]
    print(f"score of one sample, n={N_SAMPLES}, G={N_VIEWS}, C=3, {COLUMNS} columns a view")
    print(
        f"  score {np.median([p[0] for p in pairs]) * 1e6:.0f} us, "
        f"bare products {np.median([p[1] for p in pairs]) * 1e6:.0f} us"
    )
    print(f"ratio    {np.median(ratios):.2f} (must be <= 2)")
    return float(np.median(ratios))


if __name__ == "__main__":
    main()
