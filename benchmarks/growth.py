"""Growing a model: rows appended to an exact fit, and inducing points for large N.

python -m benchmarks growth
"""

import resource
import time

import numpy as np

from benchmarks.problems import N_VIEWS, generated_views
from lmkl_core import LocalisedMKL
from lmkl_core.inducing import LARGEST_RANK, memory_bound

SIZES = (1000, 2000, 5000, 10_000, 20_000, 50_000)
N_INDUCING = 200


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
    """Exponent of the time of inducing-point fits in N, and peak memory."""
    arrays = generated_views(SIZES[-1], N_VIEWS)
    arrays = [array.astype(np.float32) for array in arrays]
    LocalisedMKL(n_inducing=N_INDUCING, delta=0.1, random_state=0).fit([a[:600] for a in arrays])
    base = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
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
    peak = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - base) / 1024
    bound = memory_bound(N_VIEWS, N_INDUCING) / 2**20
    print(f"time grows as N^{slope:.2f} over all sizes, N^{last:.2f} over the last three (<= 1.1)")
    print(
        f"peak memory above the first fit {peak:.0f} MiB; bound for the work space of one fit "
        f"{bound:.0f} MiB (rank {LARGEST_RANK})"
    )
    return slope, last, peak


def main(arguments=None):
    extend_ratio()
    print("inducing points, G=12, C=3")
    inducing_growth()


if __name__ == "__main__":
    main()
