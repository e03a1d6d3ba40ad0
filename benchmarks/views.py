"""From a frame to views: the default preset, the paper's, and the rest of the live pipeline.

    python -m benchmarks views [--frames 120]

The baseline is the paper's method in torch, one crop at a time: ResNet50, GoogLeNet and VGG16 on
four regions. Their weights are random, because the real ones cannot be fetched everywhere; time
does not depend on their values. The same holds for the liveness networks where their weights are
missing. Ratios are medians over rounds that alternate within this run.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file

from app.demo.renderer.takes import frames
from app.demo.script import Take
from app.types import Status
from app.vision.faces.detector import make_detector
from app.vision.faces.tracking import FaceTracker
from app.vision.pipeline import Pipeline
from benchmarks.minifasnet import minifasnet_state, minifasnet_widths
from lmkl_core import LocalisedMKL
from lmkl_core.features.extractor import Extractor, plan
from lmkl_core.features.liveness import LIVENESS, LivenessMeter
from lmkl_core.features.networks.registry import NETWORKS, Graph
from lmkl_core.features.presets import load_preset

N_ENROLLED = 500


def seconds(run):
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


@dataclass(frozen=True)
class RandomWeights:
    path: Path
    sha256: str


def random_weights(folder):
    """Return a `find` that makes files of the right shape with weights drawn at random."""
    import torch

    from lmkl_core.features.networks.torch_networks import build_network

    def find(name, _folder=None):
        path = Path(folder) / f"{name}.pth"
        if not path.exists():
            if name.startswith("minifasnet"):
                save_file(minifasnet_state(name, minifasnet_widths(name)), path)
            else:
                torch.manual_seed(0)
                torch.save(build_network(NETWORKS[name])[0].state_dict(), path)
        return RandomWeights(path, name.encode().hex().ljust(64, "0"))

    return find


def crop_by_crop(preset, find):
    """The paper's way: each network on each crop, one after another, in torch."""
    from lmkl_core.features.engines.torch_engine import TorchEngine

    engines = []
    for group in plan(preset):
        graph = Graph(group.source.network, group.source.size, "none", group.source.outputs)
        path = find(graph.network).path
        engine = TorchEngine(graph, path, threads=os.cpu_count(), channels_last=False)
        engines += [(engine, name) for name in group.crops]

    def run(crops):
        for engine, name in engines:
            engine.run(crops[name][None])

    return run


def random_crops(preset):
    rng = np.random.default_rng(0)
    return {
        crop.name: rng.integers(0, 256, (crop.size, crop.size, 3), dtype=np.uint8)
        for crop in preset.crops
    }


def ratios(rounds, baseline, *others):
    """Median time of the baseline, and medians of the others' times over it."""
    for run in (baseline, *others):
        run()
    rows = []
    for _ in range(rounds):
        base = seconds(baseline)
        rows.append([base, *(seconds(run) for run in others)])
    times = np.array(rows)
    return np.median(times[:, 0]), *np.median(times[:, 1:] / times[:, :1], axis=0)


def compare_presets(rounds):
    paper, texture = load_preset("paper-pad"), load_preset("texture")
    paper_crops, texture_crops = random_crops(paper), random_crops(texture)
    with tempfile.TemporaryDirectory() as folder:
        find = random_weights(folder)
        baseline = crop_by_crop(paper, find)
        ours = Extractor(paper, find=find, cache=folder)
        default = Extractor(texture)
        base, paper_ratio, texture_ratio = ratios(
            rounds,
            lambda: baseline(paper_crops),
            lambda: ours(paper_crops),
            lambda: default(texture_crops),
        )
    print(f"paper-pad, crop by crop in torch: {base * 1e3:.0f} ms, the baseline")
    print(f"paper-pad, {'/'.join(ours.engine_names)}: {paper_ratio:.2f} of it (<= 0.6)")
    print(
        f"texture, {'/'.join(default.engine_names)}: {texture_ratio:.4f} of it, "
        f"{1 / texture_ratio:.0f} times faster (>= 100)"
    )
    return default


def compare_liveness(extractor, rounds):
    """Time that measuring liveness adds to the default views."""
    crops, boxes = random_crops(extractor.preset), random_crops(LIVENESS)
    with tempfile.TemporaryDirectory() as folder:
        meter = LivenessMeter.find()
        kind = "real weights" if meter else "random weights"
        meter = meter or LivenessMeter(
            Extractor(LIVENESS, find=random_weights(folder), cache=folder)
        )
        base, ratio = ratios(rounds, lambda: extractor(crops), lambda: meter(boxes))
    print(
        f"liveness of a frame, {kind}: {ratio:.2f} of texture's time, "
        f"{base * ratio * 1e3:.1f} ms (<= 5)"
    )


def sustain(extractor, n_frames):
    """Frames per second of the whole pipeline, and the time that the scorer adds."""
    video = list(frames(Take("P001", n_frames=n_frames)))
    pipeline = Pipeline(extractor, FaceTracker(make_detector()))
    results = [pipeline.process(frame) for frame in video]
    ready = [result for result in results if result.status is Status.READY]
    repeats = -(-N_ENROLLED // len(ready))
    rng = np.random.default_rng(0)
    enrolled = {}
    for name in extractor.view_names:
        rows = np.tile(np.concatenate([result.views[name] for result in ready]), (repeats, 1))
        noise = 1e-3 * rng.standard_normal(rows[:N_ENROLLED].shape)
        enrolled[name] = (rows[:N_ENROLLED] + noise).astype(np.float32)
    model = LocalisedMKL(delta=0.1, random_state=0).fit(enrolled)
    pipeline.reset()
    stages, scoring = {}, []
    start = time.perf_counter()
    for frame in video:
        result = pipeline.process(frame)
        if result.views is not None:
            scoring.append(seconds(lambda views=result.views: model.score_samples(views)))
        for stage, spent in result.seconds.items():
            stages.setdefault(stage, []).append(spent)
    total = time.perf_counter() - start
    unscored = total - sum(scoring)
    rate = len(video) / unscored
    print(f"\n{len(video)} frames of 640x480, {len(ready)} with views, {os.cpu_count()} cores")
    for stage, spent in stages.items():
        print(f"  {stage}: mean {np.mean(spent) * 1e3:.2f} ms, {sum(spent) / unscored:.0%}")
    print(f"  detection, alignment and views: {rate:.1f} frames a second (>= 60)")
    print(f"  scorer, n={N_ENROLLED}: {sum(scoring) / unscored:.1%} on top (<= 5 %)")


FIRST_VIEWS = """
from app.demo.renderer.takes import frames
from app.demo.script import Take
from app.vision.pipeline import make_pipeline

pipeline = make_pipeline("texture")
next(views for frame in frames(Take("P001")) if (views := pipeline.process(frame).views))
"""


def compare_starts(rounds):
    """From a fresh process to the first frame's views: with an empty cache, and with a full one."""

    def start(cache):
        environment = {**os.environ, "LMKL_PAD_CACHE": cache}
        return seconds(
            lambda: subprocess.run([sys.executable, "-c", FIRST_VIEWS], check=True, env=environment)
        )

    cold, warm = [], []
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as cache:
            cold.append(start(cache))
            warm.append(start(cache))
    more = np.median(np.subtract(cold, warm))
    print(
        f"\nfrom a new process to the first views: {np.median(warm):.2f} s with prepared networks, "
        f"{more:.2f} s more at the very first start (<= 3)"
    )


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m benchmarks views")
    parser.add_argument("--frames", type=int, default=120, help="frames of the pipeline")
    parser.add_argument("--rounds", type=int, default=7, help="rounds of each ratio")
    options = parser.parse_args(arguments)
    extractor = compare_presets(options.rounds)
    compare_liveness(extractor, 10 * options.rounds)
    sustain(extractor, options.frames)
    compare_starts(options.rounds)


if __name__ == "__main__":
    main()
