"""What runs networks: ONNX graphs in onnxruntime, torch as reference and fallback.

A child process (`probe`) makes a graph (`export`: described networks are written by `build`, others
come from torch), puts it into the `cache`, and has to survive it and give the reference values;
only then `choose` lets an engine into this process. So the app imports neither torch nor onnx.

Measured and left out: OpenVINO with float32 took 0.92 to 1.16 times as long as onnxruntime on the
networks here, and its default precision ends the process on some machines.
"""
