"""The lmkl-pad application: command line and, under ``app.qt``, the window.

Imports point downwards only: ``app.qt`` -> ``app`` -> ``lmkl_core``.
"""
