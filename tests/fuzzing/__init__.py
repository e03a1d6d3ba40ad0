"""Hostile files by the hundred thousand: ``python -m tests.fuzzing`` (``make fuzz``).

Each target is a loader of the product. It is given mutants of the files in ``corpus``; each must
either load, and then work, or raise the loader's one documented error. An input is decided by the
target, the seed and its number alone, so a failure can be made again anywhere.
"""
