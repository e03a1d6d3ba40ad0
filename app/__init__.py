"""The lmkl-pad application: command line and, under ``app.qt``, the window.

Imports point downwards only: ``app.qt`` -> ``app`` -> ``lmkl_core``.
"""

import os

# OpenBLAS's threads wait for more work by spinning, for tens of milliseconds after every score of
# a frame, and keep a core from the next frame's networks: on two cores, with wide views, these
# took twice as long. Now they sleep at once. It is read when NumPy is first imported, so this comes
# before that.
os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")
