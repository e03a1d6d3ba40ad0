"""From crops to views: presets, networks, weights and the engines that run them.

Arrays in, arrays out: Qt and OpenCV are not imported here, and torch and onnxruntime only by the
modules that run networks, so importing this package is cheap.
"""

import os

# As soon as it is loaded, onnxruntime 1.29 and later sends telemetry to Microsoft, on every system,
# and stores an identifier of the machine in the home folder. Its API can only stop this afterwards;
# these variables prevent it, here and in child processes. Some versions read the second name.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
os.environ["ORT_TELEMETRY_DISABLED"] = "1"
