"""Why a take is recorded in parts, and why the threshold has a floor: the study behind both.

    python -m benchmarks enrolment [--people 4] [--skip 0] [--tests 3]

Generated people enrol in two lights, by the window and by a lamp, about as many frames in each, but
in one, two, three or five parts, each of which is a recording of its own. The app's own code fits a
model on them and sets its threshold. Other recordings in the same lights are then held against it,
and attacks with each of seven instruments, in one of the lights.

Two thresholds are compared: the one that the left-out scores and the target ask for, and that with
the app's floor under it, half of the median left-out score. Frames of one recording are alike, so a
recording counts once, accepted when the mean of its scores reaches the threshold; intervals are
exact for that number, at 95 %. The shares of frames are told beside, without an interval.

The number of parts and the floor were chosen on the first four people; ``--skip 4`` shows people on
whom nothing was chosen.
"""

import argparse
import sys
import time
from dataclasses import dataclass, field, replace

import numpy as np

from app.demo_video import PEOPLE
from app.demo_video.instruments import INSTRUMENTS
from app.demo_video.takes import Take, frames
from app.faces.detector import make_detector
from app.faces.tracking import FaceTracker
from app.models.fitting import estimator_of
from app.models.operating_point import least_threshold
from app.pipeline import Pipeline
from app.samples import Samples
from app.settings import Settings
from benchmarks.study_material import GENERATED
from lmkl_core.features.extractor import Extractor
from lmkl_core.features.presets import load_preset
from lmkl_core.metrics.rates import Rate

LIGHTS = ("window", "lamp")
PLANS = ((1, 35), (2, 18), (3, 12), (5, 7))
"""Parts of a take, and frames of each."""
EVERY = 8
"""Frames are kept a quarter of a second apart, as in the app."""
TEST_FRAMES = 8
FIRST_TEST, FIRST_ATTACK = 9, 30


@dataclass
class Outcome:
    """What one plan gives with one threshold, over all people."""

    thresholds: list = field(default_factory=list)
    genuine: list = field(default_factory=list)
    attacks: list = field(default_factory=list)

    def add(self, threshold, genuine, attacks):
        self.thresholds.append(threshold)
        self.genuine += [(np.mean(scores) < threshold, scores < threshold) for scores in genuine]
        self.attacks += [(np.mean(scores) >= threshold, scores >= threshold) for scores in attacks]

    def row(self, plan, name):
        low, high = min(self.thresholds), max(self.thresholds)
        return (
            f"| {plan[0]} x {plan[1]} | {name} | {np.median(self.thresholds):.2f} "
            f"({low:.2f} to {high:.2f}) | {share(self.genuine)} | {share(self.attacks)} |"
        )


def share(cases):
    """Errors among recordings with the exact interval, and among their frames."""
    rate = Rate(sum(bool(is_error) for is_error, _ in cases), len(cases))
    low, high = rate.interval
    by_frame = np.mean(np.concatenate([errors for _, errors in cases]))
    return f"{rate.n_errors} of {rate.n} ({low:.0%} to {high:.0%}) | {by_frame:.0%}"


def length(part):
    """Frames of a person's recording with this number: as many as the largest plan needs."""
    return max(n_frames for parts, n_frames in PLANS if part <= parts)


def views_of(pipeline, take):
    """Usable frames of a recording: their views, and their circumstances."""
    pipeline.reset()
    results = [pipeline.process(frame) for frame in frames(take, EVERY)]
    return [(one.views, one.condition) for one in results if one.views is not None]


def gather(pipeline, person, n_tests):
    """Recordings to enrol by light and part, genuine ones to test, and attacks."""
    n_parts = max(parts for parts, _ in PLANS)

    def record(light, seed, n_frames, instrument=None):
        kind = "bonafide" if instrument is None else "attack"
        return views_of(pipeline, Take(person, kind, instrument, light, seed, n_frames * EVERY))

    enrolled = {
        (light, part): record(light, part, length(part))
        for light in LIGHTS
        for part in range(1, n_parts + 1)
    }
    genuine = [
        record(light, FIRST_TEST + number, TEST_FRAMES)
        for light in LIGHTS
        for number in range(n_tests)
    ]
    attacks = [
        record(LIGHTS[number % 2], FIRST_ATTACK + number, TEST_FRAMES, name)
        for number, name in enumerate(INSTRUMENTS)
    ]
    return enrolled, [one for one in genuine if one], [one for one in attacks if one]


def fit(enrolled, plan, settings):
    """The estimator that the app would fit on so many parts of so many frames."""
    parts, n_frames = plan
    samples = Samples()
    for (light, part), rows in enrolled.items():
        if part <= parts:
            for views, condition in rows[:n_frames]:
                samples.add_views(views, f"{light} {part}", condition)
    return samples.fit(estimator_of(settings))


def scores_of(estimator, recordings):
    return [
        estimator.score_samples(
            {name: np.concatenate([views[name] for views, _ in rows]) for name in rows[0][0]}
        )
        for rows in recordings
    ]


def study(people, n_tests, settings):
    """Outcomes by plan and threshold."""
    pipeline = Pipeline(Extractor(load_preset("texture")), FaceTracker(make_detector()))
    outcomes = {(plan, name): Outcome() for plan in PLANS for name in ("target", "floor")}
    for number, person in enumerate(people, start=1):
        began = time.monotonic()
        enrolled, genuine, attacks = gather(pipeline, person, n_tests)
        for plan in PLANS:
            estimator = fit(enrolled, plan, settings)
            own = float(estimator.calibration_.threshold)
            floor = least_threshold(estimator)
            of_genuine, of_attacks = scores_of(estimator, genuine), scores_of(estimator, attacks)
            outcomes[plan, "target"].add(own, of_genuine, of_attacks)
            outcomes[plan, "floor"].add(max(own, floor), of_genuine, of_attacks)
        took = time.monotonic() - began
        print(f"{number} of {len(people)} people, {took:.0f} s", file=sys.stderr, flush=True)
    return outcomes


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m benchmarks enrolment")
    parser.add_argument("--people", type=int, default=4)
    parser.add_argument("--skip", type=int, default=0, help="people to leave out before these")
    parser.add_argument("--tests", type=int, default=3, help="genuine recordings in each light")
    parser.add_argument("--delta", help="the regulariser, or auto; the app's own by default")
    options = parser.parse_args(arguments)
    settings = Settings()
    if options.delta:
        delta = options.delta if options.delta == "auto" else float(options.delta)
        settings = replace(settings, delta=delta)
    people = PEOPLE[options.skip : options.skip + options.people]
    outcomes = study(people, options.tests, settings)
    print(GENERATED.format(people=len(people)))
    print("\n| parts x frames | threshold set by | threshold, median (range) |", end="")
    print(" genuine recordings refused | of their frames | attacks accepted | of their frames |")
    print("|---|---|---|---|---|---|---|")
    for (plan, name), outcome in outcomes.items():
        print(outcome.row(plan, "target alone" if name == "target" else "target and floor"))


if __name__ == "__main__":
    main()
