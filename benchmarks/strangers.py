"""What becomes of another live person, and of the enrolled frames themselves: no face recognition.

    python -m benchmarks strangers [--people 8] [--hosts 4] [--skip 0] [--tests 3]

Generated people enrol as in the window (`benchmarks.enrolment`: five parts of seven frames by the
window and by a lamp), and the app's own code fits a model and sets its threshold. Held against it:

- the person in other recordings in the same lights;
- other people, live, at the same desk: in the enrolled person's room, light and camera;
- other people, live, each in a room of their own;
- the enrolled recordings played on a tablet before the same camera: the best a replay can know;
- the very frames that were enrolled, fed to the program once more, as a virtual camera can.

A recording counts once, accepted when the mean of its scores reaches the threshold; intervals are
exact for that number, at 95 %.
"""

import argparse
import sys
import time
from dataclasses import replace
from unittest.mock import patch

import numpy as np

from app.demo_video import PEOPLE, instruments
from app.demo_video.camera import WEBCAM, unpacked
from app.demo_video.scene import Scene
from app.demo_video.setting import Recording, genuine_scene, room_of, setting
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
    "the enrolled recordings on a tablet",
    "the enrolled frames once more",
)


class Stolen(Recording):
    """The very recording that was enrolled, in the hands of an attacker."""

    def __init__(self, take):
        self._place = setting(take.person, take.condition, SIZE, take.seed, take.label)
        self._scene = genuine_scene(self._place, room_of(self._place, take.condition))
        self._camera = self._place.camera(WEBCAM)
        home = self._place.motion.pose(0.0)
        self.origin, self.unit, self.size = (home.x, home.y), home.eyes, SIZE


def filmed(pipeline, place, scene):
    """Usable frames of a scene before a person's own camera."""
    camera = place.camera(WEBCAM)
    pipeline.reset()
    found = []
    for number in range(0, TEST_FRAMES * EVERY, EVERY):
        moment = number / RATE
        picture = unpacked(camera.shoot(scene.render(moment), moment))
        result = pipeline.process(Frame(picture, number, moment))
        if result.views is not None:
            found.append((result.views, result.condition))
    return found


def guest(pipeline, host, person, light):
    """Somebody live before another person's camera, in that person's room and light."""
    place = setting(host, light, SIZE, FIRST_TEST, "guest", person)
    scene = genuine_scene(replace(place, person=person), room_of(place, light))
    return filmed(pipeline, place, scene)


def replayed(pipeline, take):
    """An enrolled recording, played on a tablet where it was made."""
    place = setting(take.person, take.condition, SIZE, take.seed, "replayed")
    with patch.object(instruments, "footage", lambda *_: Stolen(take)):
        layers = instruments.replay(place)
    return filmed(pipeline, place, Scene(room_of(place, take.condition), layers))


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
        takes = {
            (light, part): Take(host, condition=light, seed=part, n_frames=n_frames * EVERY)
            for light in LIGHTS
            for part in range(1, parts + 1)
        }
        enrolled = {place: views_of(pipeline, take) for place, take in takes.items()}
        estimator = fit(enrolled, PLAN, Settings())
        threshold = max(float(estimator.calibration_.threshold), least_threshold(estimator))
        others = [person for person in people if person != host]
        presented = (
            own[host],
            [guest(pipeline, host, person, light) for person in others for light in LIGHTS],
            [rows for person in others for rows in own[person]],
            [replayed(pipeline, take) for take in takes.values()],
            list(enrolled.values()),
        )
        for kind, recordings in zip(KINDS, presented, strict=True):
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
