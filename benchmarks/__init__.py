import app  # noqa: F401  It configures OpenBLAS, so it must be imported before NumPy.
