"""The engines that run networks: onnxruntime for ONNX graphs, torch as reference and fallback.

A child process (`probe`) makes a graph (`export`: `build` writes described networks, torch exports
the others) and stores it in the `cache`. It then has to run the graph without crashing and return
the reference values; only then does `choose` load the engine into this process. So the app imports
neither torch nor onnx.

Measured and rejected: OpenVINO with float32 took 0.92 to 1.16 times as long as onnxruntime on these
networks, and its default precision crashes the process on some machines.
"""
