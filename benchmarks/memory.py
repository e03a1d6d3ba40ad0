"""Memory of the running pipeline over many frames.

    python -m benchmarks memory [--frames 10000]

Frames of the demo go through detection, quality, views and the scorer. The resident memory is
printed at ten points, with the slope over the last nine.
"""

import argparse
import gc
from itertools import islice

import numpy as np
import psutil

from app.demo.renderer.takes import frames
from app.demo.script import Take
from app.models.fitting import collect
from app.types import Frame
from app.vision.pipeline import make_pipeline
from lmkl_core import LocalisedMKL

POINTS = 10


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m benchmarks memory")
    parser.add_argument("--frames", type=int, default=10_000, help="frames to process")
    options = parser.parse_args(arguments)
    process = psutil.Process()
    pipeline = make_pipeline("texture")
    takes = [Take("P001", n_frames=60), Take("P001", "print", n_frames=60)]
    recorded = [list(frames(take)) for take in takes]
    enrolled = collect(pipeline, {"office": recorded[0]})
    model = LocalisedMKL(delta=0.1, random_state=0).fit(enrolled.views)
    every = options.frames // POINTS
    memory = []
    stream = (frame for _ in iter(int, 1) for take in recorded for frame in take)
    for number, frame in enumerate(islice(stream, options.frames), start=1):
        # As from a camera: a new array and a later time for every frame.
        result = pipeline.process(Frame(frame.image.copy(), number, number / 30))
        if result.views is not None:
            model.score_samples(result.views)
        if number % every == 0:
            gc.collect()
            memory.append(process.memory_info().rss / 2**20)
            print(f"{number} frames: {memory[-1]:.1f} MiB, {process.num_threads()} threads")
    slope = np.polyfit(np.arange(1, len(memory)), memory[1:], 1)[0] / every * 1000
    growth = memory[-1] - memory[1]
    print(f"from {2 * every} to {options.frames} frames {growth:+.1f} MiB", end="; ")
    print(f"slope {slope:+.2f} MiB per 1000 frames")


if __name__ == "__main__":
    main()
