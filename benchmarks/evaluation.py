"""Cost of parameter selection and evaluation, each against the straightforward way.

    python -m benchmarks evaluation

Parameter selection on development data, as in the paper: 384 cells, 216 of them distinct; baseline:
fit and score a model for every cell, timed on every n-th cell. Multiple-kernel SVDD: the certified
weights, against projected gradient steps (as in SimpleMKL) with as many inner solves. Bootstrap by
subject: against scikit-learn's AUC on every resample. ONNX scorer in onnxruntime: against the model
itself. Views of recordings: one job that reads each video twice (to count frames, then to take
them) and whose networks use all cores, against reading it once, and against two processes and two
threads, measured in turn after they have started. All else runs on one thread.
"""

import argparse
import os
import tempfile
import time
from functools import partial
from pathlib import Path

import joblib
import numpy as np
from sklearn.metrics import roc_auc_score
from threadpoolctl import threadpool_limits

from app.capture.opencv import cv2
from app.demo.script import Take
from app.evaluation.cache import Cache
from app.evaluation.extraction import FeaturePipeline, FeatureStore
from app.evaluation.protocols import recordings as reading
from app.evaluation.protocols.recordings import FileReader
from app.evaluation.protocols.types import Recording
from benchmarks.problems import generated_views
from lmkl_core import LocalisedMKL
from lmkl_core.baselines.simplemkl import distance_form, solve, solve_one_class
from lmkl_core.features.engines.onnx_engine import session_options
from lmkl_core.features.presets import load_preset, with_descriptors
from lmkl_core.features.scorer_onnx import scorer_graph
from lmkl_core.kernels import fit_kernel, gram
from lmkl_core.metrics import ScoreTable, bootstrap_auc
from lmkl_core.selection import score_grid
from tools.recordings import write_recordings

N_TRAIN, N_DEVELOPMENT = 300, 600
TIMED_CELLS = 12
VIDEO_FRAMES, VIEW_ROUNDS = 150, 3


def timed(function):
    start = time.perf_counter()
    value = function()
    return time.perf_counter() - start, value


def views_of(n, seed=0):
    return {f"view{g}": view for g, view in enumerate(generated_views(n, seed=seed))}


def split(n_train, n_rest):
    views = views_of(n_train + n_rest)
    return (
        {name: view[:n_train] for name, view in views.items()},
        {name: view[n_train:] for name, view in views.items()},
    )


def grid():
    train, development = split(N_TRAIN, N_DEVELOPMENT)
    model = LocalisedMKL(random_state=0)
    seconds, found = timed(lambda: score_grid(model, train, development))
    picked = np.linspace(0, len(found.cells) - 1, TIMED_CELLS).astype(int)
    single, largest = 0.0, 0.0
    for k in picked:
        cell = found.cells[k]

        def one(cell=cell):
            fitted = LocalisedMKL(random_state=0, **cell).fit(train)
            return fitted.score_samples(development)

        spent, scores = timed(one)
        single += spent
        largest = max(largest, float(np.max(np.abs(scores - found.scores[k]))))
    ratio = seconds / (single / TIMED_CELLS * len(found.cells))
    print(
        f"the paper's grid on development data, n={N_TRAIN}, G=12, C=3, {N_DEVELOPMENT} rows: "
        f"{len(found.cells)} problems in {ratio:.3f} of the time of fitting each; scores differ by "
        f"at most {largest:.0e}; largest certified gap {found.gaps.max():.0e}"
    )


def projected(weights):
    """The nearest point of the simplex."""
    ordered = np.sort(weights)[::-1]
    excess = (np.cumsum(ordered) - 1) / np.arange(1, len(weights) + 1)
    return np.maximum(weights - excess[np.flatnonzero(ordered > excess)[-1]], 0.0)


def projected_gradient(stack, nu, n_solves):
    """Projected gradient with backtracking, as many inner solves; return the best objective."""

    def value(weights):
        alpha = solve_one_class(np.einsum("g,gij->ij", weights, stack), nu)
        terms = -np.einsum("gij,i,j->g", stack, alpha, alpha)
        return float(weights @ terms), terms

    weights = np.full(len(stack), 1 / len(stack))
    (best, slope), step, used = value(weights), 1.0, 1
    while used < n_solves and step > 1e-12:
        trial = projected(weights - step * slope)
        there, gradient = value(trial)
        used += 1
        if there < best:
            weights, best, slope, step = trial, there, gradient, 2 * step
        else:
            step /= 4
    return best


def learned_weights():
    views = generated_views(300)
    stack = np.stack(
        [distance_form(gram(fit_kernel("rbf", "view", view), view)) for view in views]
    ).astype(float)
    found = solve(stack, nu=0.1)
    plain = projected_gradient(stack, 0.1, found.n_solves)
    left = (plain - found.lower_bound) / abs(found.objective)
    print(
        f"multiple-kernel SVDD, n=300, G=12: certified gap {found.gap:.0e} after {found.n_solves} "
        f"inner solves; projected gradient after as many: {left:.0e} above the bound"
    )


def bootstrap():
    rng = np.random.default_rng(0)
    n, n_resamples = 4000, 2000
    attack = rng.random(n) < 0.5
    subjects = rng.integers(0, 40, n)
    scores = rng.normal(size=n) - attack
    table = ScoreTable.of(
        scores, ["print" if one else "" for one in attack], [str(one) for one in subjects]
    )
    fast, _ = timed(lambda: bootstrap_auc(table, n_resamples=n_resamples))
    rows = [np.flatnonzero(subjects == one) for one in range(40)]

    def plain():
        for _ in range(20):
            drawn = np.concatenate([rows[one] for one in rng.integers(0, 40, 40)])
            roc_auc_score(~attack[drawn], scores[drawn])

    slow = timed(plain)[0] / 20 * n_resamples
    print(
        f"bootstrap of the AUC by subject, {n} rows, 40 subjects, {n_resamples} resamples: "
        f"{fast / slow:.4f} of the time of scikit-learn's AUC on every resample"
    )


def onnx_scorer():
    import onnxruntime

    train, rest = split(500, 200)
    model = LocalisedMKL(delta=0.1, random_state=0).fit(train)
    graph = scorer_graph(model)
    session = onnxruntime.InferenceSession(graph, session_options())
    names = {one.name for one in session.get_inputs()}
    inputs = {name: view for name, view in rest.items() if name in names}
    pairs = [
        (timed(lambda: session.run(None, inputs))[0], timed(lambda: model.explain(rest))[0])
        for _ in range(31)
    ]
    ratio = float(np.median([onnx / own for onnx, own in pairs]))
    print(f"ONNX scorer, n=500, G=12, C=3, 200 rows: {ratio:.2f} of the model's own time")


def views():
    """Time views of videos: counting frames and then taking them, reading once, and two jobs."""
    takes = [
        Take(person, None, "office", seed, n_frames=VIDEO_FRAMES)
        for person in ("P001", "P002", "P003", "P004")
        for seed in range(3)
    ]
    pipeline = FeaturePipeline(with_descriptors(load_preset("texture")), gate=False)
    n_threads, limit = cv2.getNumThreads(), reading.MOST_HELD
    ways = {
        "plain": ("threading", 1, 0),
        "one job": ("threading", 1, limit),
        "two processes": ("loky", 2, limit),
        "two threads": ("threading", 2, limit),
    }
    seconds = {name: [] for name in ways}
    with tempfile.TemporaryDirectory() as place:
        paths = write_recordings(Path(place) / "takes", takes)
        recordings = [Recording(str(path), "", "bona fide", FileReader(path)) for path in paths]
        for number in range(1 + VIEW_ROUNDS):
            for name, (backend, jobs, most) in ways.items():
                # With a limit of 0 frames in memory, every video is read twice.
                reading.MOST_HELD = most
                cv2.setNumThreads(n_threads)
                cache = Cache("views", Path(place) / f"{name}-{number}")
                store = FeatureStore(pipeline, cache, 20)
                with joblib.parallel_config(backend=backend):
                    spent, _ = timed(partial(store.prepare, recordings, n_jobs=jobs))
                seconds[name].append(spent)
    reading.MOST_HELD = limit
    # The first round starts the workers.
    found = {name: np.array(spent[1:]) for name, spent in seconds.items()}
    speeds = ", ".join(
        f"{name} {np.median(found['plain'] / spent):.2f} times as fast"
        for name, spent in found.items()
        if name != "plain"
    )
    print(
        f"views of {len(takes)} videos of {VIDEO_FRAMES} frames, 640 x 480, 20 of each, texture, "
        f"against one job that counts frames first: {speeds} "
        f"(load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores)"
    )


def main(arguments=None):
    argparse.ArgumentParser(prog="python -m benchmarks evaluation").parse_args(arguments)
    views()
    with threadpool_limits(1):
        grid()
        learned_weights()
        bootstrap()
        onnx_scorer()


if __name__ == "__main__":
    main()
