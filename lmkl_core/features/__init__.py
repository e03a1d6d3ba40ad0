"""From crops to views: presets, networks, weights and the engines that run them.

Arrays in, arrays out: neither Qt nor OpenCV is imported here, and torch and onnxruntime only by
the modules that run networks, so that importing this package stays cheap.
"""

import os

# onnxruntime 1.29 and later report to Microsoft when they are loaded, on every system, and leave an
# identifier of the machine in the home folder. Asking it to stop is too late by then; this, before
# it is loaded by anything below here or in a child process, is heeded. The second name is that of
# some versions between.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
os.environ["ORT_TELEMETRY_DISABLED"] = "1"
