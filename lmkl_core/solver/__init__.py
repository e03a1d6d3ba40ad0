"""The optimisation problem of the kernel weights: feasible sets, solvers, certificates."""
