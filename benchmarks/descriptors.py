"""Descriptors made by hand: how they tell live faces from attacks, in what size, and how long.

    python -m benchmarks descriptors [--people 10] [--frames 12] [--seed 0] [--store FILE.npz]
    python -m benchmarks descriptors --root DIR

On the recordings of the benchmark ``presets`` and in its columns (AUC of each person's own model,
and so on), but for the last, which is milliseconds a crop. Then the spread of every image quality
measure over genuine frames, beside the unit that the view counts it in.
"""

import argparse
import time
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.presets import GENUINE, HEADER, Study
from benchmarks.study_material import add_options, material_for
from lmkl_core.features.descriptors import DESCRIPTORS
from lmkl_core.features.descriptors.iqm import MEASURES
from lmkl_core.features.presets import Crop, DescriptorBranch, Preset

SIZES = (64, 128, 224)
CROPS = tuple(Crop(f"face{size}", size) for size in SIZES)
EVERY_SIZE = Preset(
    "descriptors",
    "",
    CROPS,
    tuple(DescriptorBranch(name, tuple(crop.name for crop in CROPS)) for name in DESCRIPTORS),
)
ROLES = ("enrol", *GENUINE)


def milliseconds(descriptor, size, rounds=15):
    """The median time of one crop, of noise: the slowest there is for branches and caches."""
    crop = np.random.default_rng(0).integers(0, 256, (size, size, 3)).astype(np.uint8)
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        descriptor.compute(crop)
        times.append(time.perf_counter() - start)
    return 1e3 * float(np.median(times))


def line(study, names, size):
    """One row of the table of presets."""
    arrays = {name: study.material.features[f"all:face{size}/{name}"] for name in names}
    areas, refused, accepted = study.own(arrays)
    cells = [
        f"{np.mean(areas[role]):.3f} ({np.min(areas[role]):.3f})" if role in areas else "-"
        for role in GENUINE
    ]
    rates = [f"{np.mean(refused[role]):.2f}" if role in refused else "-" for role in GENUINE]
    columns = sum(array.shape[1] for array in arrays.values())
    cost = sum(milliseconds(DESCRIPTORS[name], size) for name in names)
    row = [f"face {' + '.join(names)}, {size} pixels", str(len(names)), str(columns), *cells]
    row += [f"{study.unseen(arrays):.3f}", " / ".join(rates), f"{np.mean(accepted):.3f}"]
    print("| " + " | ".join([*row, f"{cost:.1f}"]) + " |", flush=True)


def units(material):
    """Spread of every measure over genuine frames at 64 pixels."""
    rows = material.features["all:face64/iqm"][np.isin(material.roles, ROLES)]
    print(f"\n{len(rows)} genuine frames\n\n| measure | mean | standard deviation | unit |")
    print("|---" * 4 + "|")
    for column, (name, measure) in zip(rows.T.astype(float), MEASURES.items(), strict=True):
        mean = column.mean() * measure.unit + measure.origin
        print(f"| {name} | {mean:.4g} | {column.std() * measure.unit:.2g} | {measure.unit:g} |")


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m benchmarks descriptors")
    parser.add_argument("--root", type=Path, help="folder of recordings instead of generated ones")
    add_options(parser)
    options = parser.parse_args(arguments)
    study = Study(material_for(options, {"all": EVERY_SIZE}, options.root))
    print(HEADER.replace("| time |", "| ms |"))
    with threadpool_limits(1):
        for size in SIZES:
            for names in (("lbp",), ("iqm",), ("lbp", "iqm")):
                line(study, names, size)
    units(study.material)


if __name__ == "__main__":
    main()
