"""The one-folder build: ``python -m bundling`` makes ``dist/lmkl-pad``, which needs no Python.

`collecting` decides which files are included, `licences` collects their licences, and `smoke` tests
the result without access to Python. `pipx_check` tests ``pipx install``, and `size` measures an
installation.
"""
