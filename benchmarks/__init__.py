import app  # noqa: F401  Its settings of OpenBLAS have to come before NumPy.
