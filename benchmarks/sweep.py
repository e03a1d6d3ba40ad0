"""Score against face size: a distance sweep on rendered people.

    python -m benchmarks sweep [--people 2]

Simulated people and camera (`app.demo.renderer`). Each person is enrolled at the seat, and again
with takes from further away; then the person and a print are presented at face sizes from 80
pixels, the smallest that is scored. Shown are shares of frames, and the largest step of the genuine
mean between neighbouring sizes, relative to the distance between the genuine and the print mean.
"""

import argparse
from copy import copy
from dataclasses import replace

import numpy as np

from app.demo.renderer.camera import WEBCAM, unpacked
from app.demo.renderer.instruments import INSTRUMENTS
from app.demo.renderer.people import PEOPLE
from app.demo.renderer.scene import Scene
from app.demo.renderer.setting import genuine_scene, room_of, setting
from app.demo.run import ENROLLED
from app.demo.script import RATE, SIZE
from app.models.fitting import collect, fitted
from app.settings import Settings
from app.types import Frame
from app.vision.pipeline import make_pipeline
from lmkl_core.features.presets import DEFAULT_PRESET

SIDES = (84, 96, 108, 121, 133, 145, 160, 180, 200, 225, 260)
"""Approximate sides of the face in pixels; the table shows what the detector measures."""

SIDE_PER_EYES = 2.98
"""Side of the aligned face in distances between the eyes."""

FAR = (100, 150)
"""Sides at which the second model is enrolled, besides the seat."""

N_FRAMES, EVERY = 60, 6


def frames(person, light, seed, instrument=None, side=None):
    """Yield frames of a take, with the face at the seat or at a given size."""
    place = setting(person, light, SIZE, seed, instrument or "bonafide")
    if side is not None:
        motion = copy(place.motion)
        motion.home = replace(motion.home, eyes=side / SIDE_PER_EYES)
        place = replace(place, motion=motion)
    room = room_of(place, light)
    if instrument is None:
        scene = genuine_scene(place, room)
    else:
        scene = Scene(room, INSTRUMENTS[instrument](place))
    camera = place.camera(WEBCAM)
    for number in range(0, N_FRAMES, EVERY):
        time = number / RATE
        yield Frame(unpacked(camera.shoot(scene.render(time), time)), number, time)


def enrolled(pipeline, person, sides):
    """Return a model enrolled in every light at each of these sizes; None is the seat."""
    takes = {
        f"{light} {side} {seed}": frames(person, light, seed, side=side)
        for light in ENROLLED
        for side in sides
        for seed in range(3)
    }
    samples = collect(pipeline, takes, is_simulated=True)
    return fitted(samples, Settings(), pipeline.extractor.fingerprint())


def swept(pipeline, models, person, instrument=None):
    """For every size, return the measured sizes, the number of frames, and scores by model."""
    rows = []
    for side in SIDES:
        found, n_seen, scores = [], 0, [[] for _ in models]
        for place, light in enumerate(ENROLLED):
            pipeline.reset()
            for frame in frames(person, light, 41 + place, instrument, side):
                n_seen += 1
                result = pipeline.process(frame)
                if result.views is None:
                    continue
                found.append(result.quality["size"].value)
                for model, own in zip(models, scores, strict=True):
                    terms, _ = model.explain(result.views)
                    own.append(float(terms.sum()) - model.threshold)
        rows.append((found, n_seen, scores))
    return rows


def merged(runs):
    """Return the rows of several people as one."""
    rows = []
    for same in zip(*runs, strict=True):
        sizes = [size for found, _, _ in same for size in found]
        by_model = zip(*(scores for _, _, scores in same), strict=True)
        scores = [[score for part in parts for score in part] for parts in by_model]
        rows.append((sizes, sum(n_seen for _, n_seen, _ in same), scores))
    return rows


def share(values, *, accepted):
    """Return the share of frames that are accepted, or refused, in percent."""
    return 100 * np.mean([(value >= 0) is accepted for value in values]) if values else float("nan")


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m benchmarks sweep", description=__doc__)
    parser.add_argument("--people", type=int, default=2, help="how many are enrolled")
    options = parser.parse_args(arguments)
    pipeline = make_pipeline(DEFAULT_PRESET)
    genuine, attacks = [], []
    for person in PEOPLE[: options.people]:
        models = [enrolled(pipeline, person, sides) for sides in ((None,), (None, *FAR))]
        genuine.append(swept(pipeline, models, person))
        attacks.append(swept(pipeline, models, person, "print"))
    genuine, attacks = merged(genuine), merged(attacks)
    print(f"simulated: {options.people} people in {len(ENROLLED)} lights, frames by size of face")
    print("size  scored |  enrolled at the seat        |  and further away")
    print("             |  score  refused  print in   |  score  refused  print in")
    for row, print_row in zip(genuine, attacks, strict=True):
        sizes, n_seen, scores = row
        columns = "  |".join(
            f" {np.mean(live) if live else float('nan'):+6.3f}"
            f"  {share(live, accepted=False):5.1f} %  {share(attack, accepted=True):5.1f} % "
            for live, attack in zip(scores, print_row[2], strict=True)
        )
        size = np.mean(sizes) if sizes else float("nan")
        print(f"{size:4.0f}  {100 * len(sizes) / n_seen:4.0f} % |{columns}")
    steps = [step_of(genuine, attacks, which) for which in (0, 1)]
    print(f"largest step between sizes / genuine to print: {steps[0]:.2f} and {steps[1]:.2f}")
    return steps


def step_of(genuine, attacks, which):
    """Return the largest step of the genuine mean, relative to its distance from the print mean."""
    means = [np.mean(row[2][which]) for row in genuine if row[2][which]]
    prints = [np.mean(row[2][which]) for row in attacks if row[2][which]]
    return float(np.max(np.abs(np.diff(means))) / (np.mean(means) - np.mean(prints)))


if __name__ == "__main__":
    main()
