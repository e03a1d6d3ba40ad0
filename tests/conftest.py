"""Settings that every test shares."""

import os

from hypothesis import settings

# Before anything imports Qt: tests run on machines without a screen.
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

# A shared machine makes single examples slow now and then, which says nothing
# about the code; the same examples every time keep a failure reproducible.
settings.register_profile("lmkl-pad", deadline=None, derandomize=True)
settings.load_profile("lmkl-pad")
