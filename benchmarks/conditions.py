"""Unfamiliar or an attack? How often each is taken for the other, on generated takes.

    python -m benchmarks conditions [--people 10] [--frames 12] [--seed 0] [--store FILE.npz]
                                    [--alone]

Each person enrols three conditions, two takes of each. Judged are other genuine takes in these
conditions, of the same session and of another day, genuine takes in two conditions that were not
enrolled, and attacks of seven species in the enrolled conditions. Printed: what each was called,
with exact 95 % intervals that treat takes, not frames, as independent; for every dimension of the
condition, how well it alone tells new circumstances from attacks; and the same for the distance.
Generated attacks are a proxy.
"""

import argparse

import numpy as np
from threadpoolctl import threadpool_limits

from app.conditions import DIMENSIONS, NAMES
from app.types import Condition
from app.verdict import Verdict, judge
from benchmarks.sessions import area_under_curve
from benchmarks.study_material import add_options, material_for
from lmkl_core import LocalisedMKL, clopper_pearson
from lmkl_core.features.presets import load_preset

ROLES = {
    "genuine": "genuine, same session",
    "later": "genuine, another day",
    "new": "genuine, new conditions",
    "attack": "attacks, enrolled conditions",
}
CALLED = (Verdict.GENUINE, Verdict.ATTACK, Verdict.UNFAMILIAR)


def judged(material, alone=False):
    """Verdict and distance of every tested row, person by person."""
    verdicts = np.full(len(material.takes), "", dtype=object)
    distances = np.full(len(material.takes), np.nan)
    rows = [Condition(*values) for values in material.conditions]
    for person in sorted(set(material.subjects)):
        own = material.subjects == person
        enrolled = np.flatnonzero(own & (material.roles == "enrol"))
        tested = np.flatnonzero(own & (material.roles != "enrol"))
        takes = material.takes[enrolled]
        model = LocalisedMKL(random_state=0)
        model.fit(
            {k: v[enrolled] for k, v in material.features.items()},
            groups=takes,
            conditions=None if alone else material.circumstances(enrolled),
        )
        known = material.enrolled_conditions(person)
        scores = model.score_samples({k: v[tested] for k, v in material.features.items()})
        for i, score in zip(tested, scores, strict=True):
            familiarity = known.familiarity(rows[i])
            distances[i] = familiarity.distance
            verdicts[i] = judge(score, model.offset_, familiarity).verdict
    return verdicts, distances


def interval(hits, takes):
    """Exact interval that counts takes: a take's frames are hardly independent of each other."""
    n = len(set(takes))
    low, high = clopper_pearson(round(np.mean(hits) * n), n, confidence=0.95)
    return f"{np.mean(hits):.3f} [{low:.2f}, {high:.2f}]"


def print_table(material, verdicts):
    print(
        "| presented | frames | takes | " + " | ".join(f"called {v.value}" for v in CALLED) + " |"
    )
    print("|---|---|---|" + "---|" * len(CALLED))
    for role, name in ROLES.items():
        chosen = material.roles == role
        takes = material.takes[chosen]
        cells = [interval(verdicts[chosen] == verdict, takes) for verdict in CALLED]
        print(f"| {name} | {len(takes)} | {len(set(takes))} | " + " | ".join(cells) + " |")
    for species in sorted(set(material.species[material.roles == "attack"])):
        chosen = (material.roles == "attack") & (material.species == species)
        takes = material.takes[chosen]
        cells = [interval(verdicts[chosen] == verdict, takes) for verdict in CALLED]
        print(f"| - {species} | {len(takes)} | {len(set(takes))} | " + " | ".join(cells) + " |")


def print_dimensions(material, distances):
    """How often each dimension alone, and the distance, lie outside what was enrolled."""
    print("\n| dimension | AUC new over attack | genuine inside | new outside | attack outside |")
    print("|---|---|---|---|---|")
    measures = {name: outside_of(material, name) / DIMENSIONS[name].tolerance for name in NAMES}
    for name, outside in (measures | {"all, in the nearest take": distances}).items():
        genuine, new, attack = (
            outside[material.roles == role] for role in ("genuine", "new", "attack")
        )
        shares = (np.mean(genuine <= 1), np.mean(new > 1), np.mean(attack > 1))
        cells = [f"{area_under_curve(new, attack):.3f}", *(f"{share:.2f}" for share in shares)]
        print(f"| {name} | " + " | ".join(cells) + " |")


def outside_of(material, name):
    """How far each row lies outside the nearest enrolled range of one dimension."""
    column = NAMES.index(name)
    values = material.conditions[:, column]
    outside = np.zeros(len(values))
    for person in set(material.subjects):
        own = material.subjects == person
        known = material.enrolled_conditions(person)
        low, high = known.low[:, [column]], known.high[:, [column]]
        gaps = np.maximum(np.maximum(low - values[own], values[own] - high), 0)
        outside[own] = gaps.min(axis=0)
    return outside


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m benchmarks conditions")
    add_options(parser)
    parser.add_argument(
        "--alone", action="store_true", help="as if no two takes shared circumstances"
    )
    options = parser.parse_args(arguments)
    material = material_for(options, {"": load_preset("texture")})
    with threadpool_limits(1):
        verdicts, distances = judged(material, options.alone)
    print_table(material, verdicts)
    print_dimensions(material, distances)


if __name__ == "__main__":
    main()
