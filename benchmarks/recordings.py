"""Why a recording that is enrolled from a file is left out whole: the study behind it.

    python -m benchmarks recordings [--people 4] [--skip 0]

A take before the camera has parts with a pause between them; a file has not. Generated people are
enrolled from recordings of nine seconds, one or several in one light or in three, as
``lmkl-pad enrol`` does it, once with every recording cut into five stretches of time that are left
out in turn, once left out whole. What the threshold says of itself (the BPCER on left-out scores,
and whether the target is promised) is then held against other recordings in the same lights, and
attacks with each of seven instruments against the threshold.

Frames of one recording are alike, so a recording counts once, accepted when the mean of its scores
reaches the threshold; intervals are exact for that number, at 95 %.
"""

import argparse
import sys
import time
from dataclasses import dataclass, field

import numpy as np

from app.demo_video import PEOPLE
from app.demo_video.instruments import INSTRUMENTS
from app.demo_video.takes import Take
from app.faces.detector import make_detector
from app.faces.tracking import FaceTracker
from app.models.fitting import estimator_of
from app.models.operating_point import use_app_threshold
from app.pipeline import Pipeline
from app.samples import Samples
from app.settings import Settings
from benchmarks.enrolment import EVERY, Outcome, scores_of, share, views_of
from benchmarks.study_material import GENERATED
from lmkl_core.features.extractor import Extractor
from lmkl_core.features.presets import load_preset

LIGHTS = ("window", "lamp", "office")
ENROLLED = {"window": 5, "lamp": 2, "office": 2}
"""Recordings to enrol from, by light."""
TESTED = {"window": 5, "lamp": 3, "office": 3}
FRAMES, TEST_FRAMES = 35, 8
FIRST_TEST, FIRST_ATTACK = 9, 30
PARTS = 5

SETS = {
    "1 recording": {"window": 1},
    "3 of one light": {"window": 3},
    "5 of one light": {"window": 5},
    "1 in each of 3 lights": dict.fromkeys(LIGHTS, 1),
    "2 in each of 3 lights": dict.fromkeys(LIGHTS, 2),
}
WAYS = {"cut into 5": PARTS, "left out whole": 1}


@dataclass
class Told(Outcome):
    """What a set gives when recordings are left out one way, and what its thresholds promised."""

    bpcer: list = field(default_factory=list)
    promised: list = field(default_factory=list)

    def row(self, plan, name):
        promises = f"{sum(self.promised)} of {len(self.promised)}"
        return (
            f"| {plan} | {name} | {np.mean(self.bpcer):.0%} | {promises} | "
            f"{share(self.genuine)} | {share(self.attacks)} |"
        )


def gather(pipeline, person):
    """Recordings to enrol from by light, genuine ones to test by light, and attacks."""

    def record(light, seed, n_frames, instrument=None):
        kind = "bonafide" if instrument is None else "attack"
        return views_of(pipeline, Take(person, kind, instrument, light, seed, n_frames * EVERY))

    enrolled = {
        light: [record(light, seed, FRAMES) for seed in range(1, n + 1)]
        for light, n in ENROLLED.items()
    }
    tested = {
        light: [record(light, FIRST_TEST + number, TEST_FRAMES) for number in range(n)]
        for light, n in TESTED.items()
    }
    attacks = [
        record(LIGHTS[number % len(LIGHTS)], FIRST_ATTACK + number, TEST_FRAMES, name)
        for number, name in enumerate(INSTRUMENTS)
    ]
    return enrolled, tested, [one for one in attacks if one]


def fit(enrolled, counts, n_parts, settings):
    """The estimator that is fitted on so many recordings of each light, and its threshold."""
    samples = Samples()
    for light, n in counts.items():
        for number, rows in enumerate(enrolled[light][:n]):
            for part, places in enumerate(np.array_split(np.arange(len(rows)), n_parts)):
                for place in places:
                    views, condition = rows[place]
                    samples.add_views(views, f"{light} {number} #{part}", condition)
    estimator = samples.fit(estimator_of(settings))
    use_app_threshold(estimator)
    return estimator


def study(people, settings):
    """Outcomes by set and way."""
    pipeline = Pipeline(Extractor(load_preset("texture")), FaceTracker(make_detector()))
    outcomes = {(name, way): Told() for name in SETS for way in WAYS}
    for number, person in enumerate(people, start=1):
        began = time.monotonic()
        enrolled, tested, attacks = gather(pipeline, person)
        for (name, way), outcome in outcomes.items():
            estimator = fit(enrolled, SETS[name], WAYS[way], settings)
            calibration = estimator.calibration_
            genuine = [one for light in SETS[name] for one in tested[light] if one]
            outcome.add(
                float(calibration.threshold),
                scores_of(estimator, genuine),
                scores_of(estimator, attacks),
            )
            outcome.bpcer.append(float(calibration.bpcer))
            outcome.promised.append(bool(calibration.promised))
        took = time.monotonic() - began
        print(f"{number} of {len(people)} people, {took:.0f} s", file=sys.stderr, flush=True)
    return outcomes


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m benchmarks recordings")
    parser.add_argument("--people", type=int, default=4)
    parser.add_argument("--skip", type=int, default=0, help="people to leave out before these")
    options = parser.parse_args(arguments)
    people = PEOPLE[options.skip : options.skip + options.people]
    outcomes = study(people, Settings())
    print(GENERATED.format(people=len(people)))
    print("\n| enrolled | recordings are | BPCER told | target promised |", end="")
    print(" genuine recordings refused | of their frames | attacks accepted | of their frames |")
    print("|---|---|---|---|---|---|---|---|")
    for (name, way), outcome in outcomes.items():
        print(outcome.row(name, way))


if __name__ == "__main__":
    main()
