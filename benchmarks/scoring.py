"""Cost of one score against the matrix products it needs.

    python -m benchmarks scoring

n = 500 support samples, G = 12 views, C = 3 clusters. The baseline is the products of one sample
with the support rows of every view, and of the kernel rows with the coefficients, on arrays of the
same shape, in the same run.
"""

import argparse
import time

import numpy as np
from threadpoolctl import threadpool_limits

from lmkl_core import LocalisedMKL

N_SAMPLES = 500
SIZES = {"12 views of 160 columns": [160] * 12, "the paper's 12 views": [2048, 1024, 4096] * 4}


def median_time(function, repeats=200):
    times = np.empty(repeats)
    for i in range(repeats):
        start = time.perf_counter()
        function()
        times[i] = time.perf_counter() - start
    return float(np.median(times))


def measure(name, columns):
    rng = np.random.default_rng(0)
    arrays = [rng.standard_normal((N_SAMPLES + 1, width)) for width in columns]
    train = {f"view{g}": array[:-1] for g, array in enumerate(arrays)}
    sample = {f"view{g}": array[-1:] for g, array in enumerate(arrays)}
    model = LocalisedMKL(delta=0.1, random_state=0).fit(train)
    # In the memory layout in which the products are fastest.
    supports = [np.ascontiguousarray(array.T) for array in train.values()]
    rows = list(sample.values())
    block = np.empty((len(columns), 1, N_SAMPLES))
    coefficients = model.memberships_ * model.dual_coef_[:, None]
    centres = model.clusters_.coefficients

    def bare_products():
        for row, support, out in zip(rows, supports, block, strict=True):
            np.matmul(row, support, out=out)
        block.reshape(len(columns), N_SAMPLES) @ coefficients
        block[0] @ centres

    model.score_samples(sample)
    # Alternating rounds, so that a busy machine disturbs both alike.
    pairs = [
        (median_time(lambda: model.score_samples(sample)), median_time(bare_products))
        for _ in range(15)
    ]
    ratio = float(np.median([score / bare for score, bare in pairs]))
    score, bare = np.median(pairs, axis=0) * 1e6
    print(f"{name}: score {score:.0f} us, bare products {bare:.0f} us, ratio {ratio:.2f} (<= 2)")
    return ratio


def main(arguments=None):
    argparse.ArgumentParser(prog="python -m benchmarks scoring").parse_args(arguments)
    print(f"one sample against n={N_SAMPLES}, G=12, C=3")
    with threadpool_limits(1):
        return [measure(name, columns) for name, columns in SIZES.items()]


if __name__ == "__main__":
    main()
