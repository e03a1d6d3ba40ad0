"""Commands of ``lmkl-pad``: they parse, call ``app`` and print, nothing more."""
