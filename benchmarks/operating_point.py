"""What the threshold is worth on other sessions: which blocks to leave out, which delta.

    python -m benchmarks operating_point [--seeds 10]

For every scenario a person enrols one session; the threshold aims at BPCER 5 % and is then applied
to another session of the same conditions and to four species of attack. Printed are mean APCER /
BPCER over seeds, at the frame level, for four ways of leaving out and several deltas; then how
often the true BPCER lay inside the stated 95 % interval, and the AUC. Generated vectors, no
faces: see benchmarks/sessions.py.
"""

import argparse
import warnings

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.sessions import SCENARIOS, SPECIES, World, area_under_curve
from lmkl_core import LocalisedMKL
from lmkl_core.calibration import threshold_for

DELTAS = (0.01, 0.1, 1.0, "auto")
WAYS = ("single frames", "chosen blocks", "half a take", "whole takes")


def one_person(scenario, seed, options):
    """Errors of every way and delta for one generated person."""
    world = World(scenario, seed, options.strength, options.shift)
    takes = np.repeat(np.arange(scenario.n_takes), scenario.rows)
    enrolled = world.session(scenario.rows)
    other = world.session(max(scenario.rows, 20))
    attacks = [world.session(12, species) for species in range(SPECIES)]
    result = {}
    for delta in DELTAS:
        model = LocalisedMKL(
            delta=delta,
            n_clusters=options.clusters,
            temperature=options.temperature,
            random_state=0,
        )
        model.fit(enrolled, groups=takes)
        genuine = model.score_samples(other)
        spoofed = np.concatenate([model.score_samples(attack) for attack in attacks])
        result["auc", delta] = area_under_curve(genuine, spoofed)
        for way in WAYS:
            length = {"single frames": 1, "half a take": scenario.rows // 2}.get(way)
            calibration = model.calibrate(block_length=length).calibration_
            threshold = calibration.threshold
            if way == "whole takes":
                threshold = threshold_for(calibration.stress_scores, 0.05)
            bpcer = float(np.mean(genuine < threshold))
            low, high = calibration.interval
            inside = low <= bpcer <= high
            result[way, delta] = (float(np.mean(spoofed >= threshold)), bpcer, inside)
    return result


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m benchmarks operating_point")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--strength", type=float, default=2.0, help="of the attacks' texture")
    parser.add_argument("--shift", type=float, default=0.15, help="between sessions")
    parser.add_argument("--temperature", type=float, default=0.1)
    parser.add_argument("--clusters", type=int, default=3)
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    with threadpool_limits(1):
        for scenario in SCENARIOS:
            people = [one_person(scenario, seed, options) for seed in range(options.seeds)]
            report(scenario, people)


def report(scenario, people):
    print(f"{scenario.name}: mean APCER/BPCER, target BPCER 0.05, {len(people)} people")
    print("  left out        " + "".join(f"delta={delta!s:<10}" for delta in DELTAS))
    for way in WAYS:
        cells = []
        for delta in DELTAS:
            apcer, bpcer, _ = np.mean([person[way, delta] for person in people], axis=0)
            cells.append(f"{apcer:.2f}/{bpcer:.2f}")
        print(f"  {way:<16}" + "".join(f"{cell:<16}" for cell in cells))
    covered = [np.mean([p["chosen blocks", d][2] for p in people]) for d in DELTAS]
    print("  in the interval " + "".join(f"{value:<16.2f}" for value in covered))
    areas = [np.mean([p["auc", d] for p in people]) for d in DELTAS]
    print("  AUC             " + "".join(f"{value:<16.3f}" for value in areas), flush=True)


if __name__ == "__main__":
    main()
