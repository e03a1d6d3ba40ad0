"""What runs networks: ONNX graphs in onnxruntime, torch as reference and fallback.

The way of a graph: `export` makes it in a child process (described networks are written by `build`,
others come from torch) and puts it into the `cache`; `probe` runs it in another child process,
which has to survive and to give the same values; only then `choose` lets an engine into this
process. So the app imports neither torch nor onnx.

Measured and left out: OpenVINO with float32 took 0.92 to 1.16 times as long as onnxruntime on the
networks here, and its default precision ends the process on some machines.
"""
