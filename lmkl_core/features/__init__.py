"""From crops to views: presets, networks, weights and the engines that run them.

Arrays in, arrays out: neither Qt nor OpenCV is imported here, and torch and onnxruntime only by
the modules that run networks, so that importing this package stays cheap.
"""
