"""The one-folder build: ``python -m bundling`` makes ``dist/lmkl-pad``, which needs no Python.

`collecting` says what goes in and what stays out, `licences` gathers the licences of everything
that went in, and `smoke` starts the result where there is no Python. `pipx_check` is the same for
``pipx install``, and `size` measures an installation.
"""
