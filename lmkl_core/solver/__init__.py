"""The convex problem of the kernel weights: its sets, its solvers and their certificates."""
