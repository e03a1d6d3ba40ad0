"""Growing a model: rows appended to an exact fit, and inducing points for large N.

python -m benchmarks growth
"""

import argparse
import time
import tracemalloc

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.problems import N_VIEWS, generated_views
from lmkl_core import LocalisedMKL
from lmkl_core.fitting.inducing import CHUNK_ROWS, LARGEST_RANK, SAMPLE_ROWS

SIZES = (1000, 2000, 5000, 10_000, 20_000, 50_000)
N_INDUCING = 200


def memory_bound(n_rows: int, n_views: int, n_inducing: int, n_clusters: int = 3) -> int:
    """Bytes that a fit may take besides its input.

    Moments, factor and their work space; one chunk of rows; the kernels of the sample from
    which landmarks are chosen; and a few numbers per row (memberships, coefficients, digests).
    """
    moments = 5 * LARGEST_RANK**2
    chunk = CHUNK_ROWS * (3 * LARGEST_RANK + 3 * n_views * n_inducing)
    sample = 5 * max(SAMPLE_ROWS, 2 * n_inducing) ** 2
    return 8 * (moments + chunk + sample + n_rows * (2 * n_clusters + 30))


def extend_ratio(n=1000, rows=10, rounds=5):
    """Time of ``extend`` by ten rows over time of a refit on all rows."""
    arrays = generated_views(n + rows, N_VIEWS)
    old = {f"view{g}": array[:n] for g, array in enumerate(arrays)}
    new = {f"view{g}": array[n:] for g, array in enumerate(arrays)}
    everything = {f"view{g}": array for g, array in enumerate(arrays)}
    ratios = []
    for _ in range(rounds):
        model = LocalisedMKL(delta=0.1, random_state=0).fit(old)
        model.score_samples(new)
        start = time.perf_counter()
        model.extend(new)
        grown = time.perf_counter() - start
        start = time.perf_counter()
        LocalisedMKL(delta=0.1, random_state=0).fit(everything)
        ratios.append(grown / (time.perf_counter() - start))
    print(f"extend by {rows} rows at n={n}: {np.median(ratios):.3f} of a refit (must be <= 0.1)")
    return float(np.median(ratios))


def inducing_growth():
    """Exponent of the time of inducing-point fits in N."""
    arrays = float_views(SIZES[-1])
    LocalisedMKL(n_inducing=N_INDUCING, delta=0.1, random_state=0).fit([a[:600] for a in arrays])
    seconds = []
    for size in SIZES:
        start = time.perf_counter()
        model = LocalisedMKL(n_inducing=N_INDUCING, delta=0.1, random_state=0).fit(
            [a[:size] for a in arrays]
        )
        seconds.append(time.perf_counter() - start)
        print(f"  N={size:6d}  {seconds[-1]:6.2f} s  gap {model.gap_:.0e}")
    slope = np.polyfit(np.log(SIZES), np.log(seconds), 1)[0]
    last = np.log(seconds[-1] / seconds[-3]) / np.log(SIZES[-1] / SIZES[-3])
    print(f"time grows as N^{slope:.2f} over all sizes, N^{last:.2f} over the last three (<= 1.1)")
    return slope, last


def inducing_memory(size=SIZES[-1]):
    """Peak memory that one fit allocates besides its input, and the stated bound."""
    arrays = float_views(size)
    tracemalloc.start()
    LocalisedMKL(n_inducing=N_INDUCING, delta=0.1, random_state=0).fit(arrays)
    peak = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    bound = memory_bound(size, N_VIEWS, N_INDUCING) / 2**20
    print(f"N={size}: peak memory {peak:.0f} MiB beside the input; stated bound {bound:.0f} MiB")
    return peak, bound


def float_views(size):
    return [array.astype(np.float32) for array in generated_views(size, N_VIEWS)]


def main(arguments=None):
    argparse.ArgumentParser(prog="python -m benchmarks growth").parse_args(arguments)
    with threadpool_limits(1):
        extend_ratio()
        print("inducing points, G=12, C=3")
        inducing_growth()
        inducing_memory()


if __name__ == "__main__":
    main()
