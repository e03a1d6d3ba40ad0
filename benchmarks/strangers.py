"""What becomes of another live person, and of the enrolled frames themselves: no face recognition.

    python -m benchmarks strangers [--people 8] [--hosts 4] [--skip 0] [--tests 3]

Generated people enrol as in the window (`benchmarks.enrolment`: five parts of seven frames by the
window and by a lamp), and the app's own code fits a model and sets its threshold. Held against it:

- the person in other recordings in the same lights;
- other people, live, at the same desk: in the enrolled person's room, light and camera;
- other people, live, each in a room of their own;
- the very frames that were enrolled, fed to the program once more, as a virtual camera can.

A recording counts once, accepted when the mean of its scores reaches the threshold; intervals are
exact for that number, at 95 %.
"""

import argparse
import sys
import time
from dataclasses import replace

import numpy as np

from app.demo_video import PEOPLE
from app.demo_video.camera import WEBCAM, unpacked
from app.demo_video.setting import genuine_scene, room_of, setting
from app.demo_video.takes import RATE, SIZE, Take
from app.faces.detector import make_detector
from app.faces.tracking import FaceTracker
from app.models.operating_point import least_threshold
from app.pipeline import Pipeline
from app.settings import Settings
from app.types import Frame
from benchmarks.enrolment import EVERY, FIRST_TEST, LIGHTS, TEST_FRAMES, fit, scores_of, views_of
from benchmarks.study_material import GENERATED
from lmkl_core.features.extractor import Extractor
from lmkl_core.features.presets import load_preset
from lmkl_core.metrics.rates import Rate

PLAN = (5, 7)
"""Parts of a take and frames of each, as in the app."""

KINDS = (
    "the enrolled person, other recordings",
    "other people at the same desk",
    "other people in rooms of their own",
    "the enrolled frames once more",
)


def guest_frames(host, guest, light, seed, n_frames):
    """Somebody live before another person's camera, in that person's room and light."""
    place = setting(host, light, SIZE, seed, "guest", guest)
    scene = genuine_scene(replace(place, person=guest), room_of(place, light))
    camera = place.camera(WEBCAM)
    for number in range(0, n_frames * EVERY, EVERY):
        moment = number / RATE
        yield Frame(unpacked(camera.shoot(scene.render(moment), moment)), number, moment)


def guests_views(pipeline, *where):
    """Usable frames of a guest's recording."""
    pipeline.reset()
    results = [pipeline.process(frame) for frame in guest_frames(*where)]
    return [(one.views, one.condition) for one in results if one.views is not None]


def genuine(pipeline, person, n_tests):
    """A person's own recordings to test with."""
    return [
        views_of(pipeline, Take(person, condition=light, seed=seed, n_frames=TEST_FRAMES * EVERY))
        for light in LIGHTS
        for seed in range(FIRST_TEST, FIRST_TEST + n_tests)
    ]


def study(people, hosts, n_tests):
    """For each kind, one pair for each recording: was it accepted, and which of its frames."""
    pipeline = Pipeline(Extractor(load_preset("texture")), FaceTracker(make_detector()))
    own = {person: genuine(pipeline, person, n_tests) for person in people}
    found = {kind: [] for kind in KINDS}
    parts, n_frames = PLAN
    for host in hosts:
        began = time.monotonic()
        enrolled = {
            (light, part): views_of(
                pipeline, Take(host, condition=light, seed=part, n_frames=n_frames * EVERY)
            )
            for light in LIGHTS
            for part in range(1, parts + 1)
        }
        estimator = fit(enrolled, PLAN, Settings())
        threshold = max(float(estimator.calibration_.threshold), least_threshold(estimator))
        others = [person for person in people if person != host]
        guests = [
            guests_views(pipeline, host, guest, light, FIRST_TEST, TEST_FRAMES)
            for guest in others
            for light in LIGHTS
        ]
        elsewhere = [rows for person in others for rows in own[person]]
        for kind, recordings in zip(
            KINDS, (own[host], guests, elsewhere, list(enrolled.values())), strict=True
        ):
            for scores in scores_of(estimator, [rows for rows in recordings if rows]):
                found[kind].append((np.mean(scores) >= threshold, scores >= threshold))
        print(f"{host}: {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
    return found


def row(kind, cases):
    """One line of the table."""
    rate = Rate(sum(bool(accepted) for accepted, _ in cases), len(cases))
    low, high = rate.interval
    frames = np.mean(np.concatenate([accepted for _, accepted in cases]))
    return f"| {kind} | {rate.n_errors} of {rate.n} ({low:.0%} to {high:.0%}) | {frames:.0%} |"


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m benchmarks strangers")
    parser.add_argument("--people", type=int, default=8)
    parser.add_argument("--hosts", type=int, default=4, help="how many of them enrol")
    parser.add_argument("--skip", type=int, default=0, help="people to leave out before these")
    parser.add_argument("--tests", type=int, default=3, help="genuine recordings in each light")
    options = parser.parse_args(arguments)
    people = PEOPLE[options.skip : options.skip + options.people]
    found = study(people, people[: options.hosts], options.tests)
    print(GENERATED.format(people=len(people)))
    print("\n| presented | recordings accepted | of their frames |\n|---|---|---|")
    for kind, cases in found.items():
        print(row(kind, cases))


if __name__ == "__main__":
    main()
