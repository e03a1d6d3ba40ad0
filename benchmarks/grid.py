"""Certified solver against Algorithm 1 on the paper's grid.

    python -m benchmarks grid                       the table in docs/measurements.md
    python -m benchmarks grid --hostile             hard sets, all pairs, certified solver only
    python -m benchmarks grid --families            the other constraint families

Both solvers get the same Gram matrices (n = 300, G = 12, C = 3) in the same run. Algorithm 1 is
capped at 300 iterations and computes no certificates; it has solved a cell if it reaches its fixed
point and the certified gap there is at most 1e-6. The certified solver starts each cell from its
neighbour's weights. A "solve" is one Cholesky factorisation.
"""

import argparse
import time
import warnings

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.problems import N_CLUSTERS, N_VIEWS, PROBLEMS
from lmkl_core.selection import DELTAS, EXPONENTS
from lmkl_core.solver.algorithm1 import solve_as_printed
from lmkl_core.solver.constraints import make_constraint
from lmkl_core.solver.problem import GramProblem
from lmkl_core.solver.solve import solve

GAP = 1e-6


def all_pairs():
    """The 64 ordered pairs, row by row, every other row backwards."""
    pairs = []
    for row, p in enumerate(EXPONENTS):
        line = [(p, q) for q in EXPONENTS]
        pairs.extend(line[::-1] if row % 2 else line)
    return pairs


def run_certified(grams, memberships, delta, pairs, family):
    solutions, init = [], None
    start = time.perf_counter()
    for p, q in pairs:
        problem = GramProblem(grams, memberships, delta)
        constraint = make_constraint(family, p, q, N_CLUSTERS, N_VIEWS)
        solution = solve(problem, constraint, init=init)
        init = solution.weights
        solutions.append(solution)
    return solutions, time.perf_counter() - start


def run_printed(grams, memberships, delta, pairs, family, max_iter=300):
    solutions = []
    start = time.perf_counter()
    for p, q in pairs:
        problem = GramProblem(grams, memberships, delta)
        constraint = make_constraint(family, p, q, N_CLUSTERS, N_VIEWS)
        solutions.append(solve_as_printed(problem, constraint, max_iter=max_iter, track_gap=False))
    return solutions, time.perf_counter() - start


def describe(solutions):
    gaps = np.array([s.gap for s in solutions])
    solves = np.array([s.n_solves for s in solutions])
    proven = int(np.sum(gaps <= GAP))
    return (
        f"{proven:3d}/{len(gaps)} certified, worst gap {gaps.max():.1e}, "
        f"solves median {np.median(solves):.0f} max {solves.max()}"
    )


def compare(problem_name="plain", family="joint-matrix", n=300):
    grams, memberships = PROBLEMS[problem_name](n)
    pairs = all_pairs()
    print(f"{problem_name}, {family}, n={n}, G={N_VIEWS}, C={N_CLUSTERS}, {len(pairs)} pairs a row")
    print("delta/n  certified solver                                             Algorithm 1")
    everything, solved, times = [], 0, np.zeros(2)
    for delta in DELTAS:
        ours, our_time = run_certified(grams, memberships, delta * n, pairs, family)
        printed, printed_time = run_printed(grams, memberships, delta * n, pairs, family)
        good = sum(s.stop_reason == "fixed point" and s.gap <= GAP for s in printed)
        everything += ours
        solved += good
        times += our_time, printed_time
        print(
            f"{delta:7g}  {describe(ours)}, {our_time:5.1f} s   "
            f"{good:2d}/{len(pairs)} solved, {printed_time:5.1f} s"
        )
    not_convex = sum(s.constraint_is_convex is False for s in everything)
    print(f"total    {describe(everything)}; {not_convex} cells have a set proven not convex")
    print(f"         Algorithm 1 solves {solved}/{len(everything)} cells")
    print(f"ratio    certified / Algorithm 1 time = {times[0] / times[1]:.3f} (must be <= 0.5)")
    return everything, times[0] / times[1]


def certified_only(problem_name, family, n):
    grams, memberships = PROBLEMS[problem_name](n)
    # The norm is symmetric in p and q: half of the grid is enough.
    pairs = [pair for pair in all_pairs() if pair[0] <= pair[1]]
    if family.endswith("vector"):
        pairs = [pair for pair in pairs if pair[0] == pair[1]]
    everything, total = [], 0.0
    for delta in DELTAS:
        ours, seconds = run_certified(grams, memberships, delta * n, pairs, family)
        everything += ours
        total += seconds
    print(f"{problem_name:18s} {family:16s} n={n}  {describe(everything)}, {total:6.1f} s")
    return everything


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m benchmarks grid", description=__doc__)
    parser.add_argument("--hostile", action="store_true", help="hard sets, joint matrix norm")
    parser.add_argument("--families", action="store_true", help="the other families, all sets")
    parser.add_argument("--n", type=int, default=300, help="samples")
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    # Matrices of this size gain nothing from a second thread, and lose much on a busy machine.
    with threadpool_limits(1):
        run(options)


def run(options):
    if options.hostile:
        for name in PROBLEMS:
            certified_only(name, "joint-matrix", options.n)
    if options.families:
        for name in PROBLEMS:
            for family in ("joint-vector", "disjoint-vector", "disjoint-matrix"):
                certified_only(name, family, options.n)
    if not options.hostile and not options.families:
        compare(n=options.n)


if __name__ == "__main__":
    main()
