"""Hostile files for every loader: ``python -m tools.fuzzing`` (``make fuzz``).

Each target is a loader of the product. It is given mutants of the files in ``corpus``; each must
either load, and then work, or raise the loader's one documented error. The suite tries some
thousands with hypothesis; the command tries many more, guided by coverage where atheris is there.
Inputs that once failed are kept in the corpus as ``once-...``.
"""
