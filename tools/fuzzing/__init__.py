"""Hostile files for every loader: ``python -m tools.fuzzing`` (``make fuzz``).

Each target is a loader of the product, fed with mutants of the files in ``corpus``. A mutant must
load and then work, or raise the loader's one documented error. The test suite tries some thousands
with hypothesis; the command tries many more, guided by coverage if atheris is installed. Inputs
that caused a failure in the past are in the corpus as ``once-...``.
"""
