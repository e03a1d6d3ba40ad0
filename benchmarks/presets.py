"""The experiment behind the default preset: networks x layers x crops x pooling, AUC and cost.

    python -m benchmarks presets [--people 10] [--frames 12] [--seed 0] [--store FILE.npz]
    python -m benchmarks presets --root DIR

Without ``--root`` on generated recordings (see app/demo_video): these attacks are a proxy, a
picture of a person put through models of prints and screens, and a figure measured on them says
which views see such traces, not how well anything works on real attacks. With ``--root`` on a
folder of recordings in the layout ``subject/bonafide/*``, ``subject/attack-<species>/*``.

Frames go through the same pipeline as in the app. Takes are split whole. Printed per candidate:
AUC at the frame level of each person's own model (mean, worst person) when the genuine frames are
other takes of the enrolled session, of another day, and of the same day in conditions that were not
enrolled; of one model for all on people it never saw (two folds); frames refused (of these three
kinds) and attacks accepted at the threshold that the model set itself; columns of all views
together; and the time of its graphs over that of the reference set.
"""

import argparse
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.candidates import (
    CROPS,
    LAYERS,
    PHOTOMETRIES,
    POOLINGS,
    REFERENCE,
    SETS,
    View,
    everything,
)
from benchmarks.costs import Costs
from benchmarks.sessions import area_under_curve
from benchmarks.study_material import add_options, material_for
from lmkl_core import LocalisedMKL

GENUINE = ("genuine", "later", "new")


def cut_view(features, view):
    """The candidate's vectors, from means and standard deviations kept side by side."""
    both = features[view.source].astype(np.float64)
    half = both.shape[1] // 2
    parts = {"mean": both[:, :half], "std": both[:, half:]}
    chosen = [parts[name] for name in view.pooling.split("+")]
    if view.normalisation == "l2-each":
        return np.hstack([unit(part) for part in chosen]) / np.sqrt(len(chosen))
    return unit(np.hstack(chosen))


def unit(rows):
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)


class Study:
    """Scores of candidates on gathered material."""

    def __init__(self, material):
        self.material = material
        self.subjects = sorted(set(material.subjects))

    def rows(self, subjects, *roles):
        return np.flatnonzero(
            np.isin(self.material.subjects, subjects) & np.isin(self.material.roles, roles)
        )

    def fit(self, arrays, enrolled, conditions=None):
        return LocalisedMKL(random_state=0).fit(
            {name: array[enrolled] for name, array in arrays.items()},
            groups=self.material.takes[enrolled],
            conditions=conditions,
        )

    def own(self, arrays):
        """Each person's own model: AUC and error rates for every kind of genuine takes."""
        areas, refused, accepted = {}, {}, []
        for subject in self.subjects:
            enrolled = self.rows([subject], "enrol")
            model = self.fit(arrays, enrolled, self.material.circumstances(enrolled))
            attack = scores(model, arrays, self.rows([subject], "attack"))
            accepted.append(np.mean(attack >= model.offset_))
            for role in GENUINE:
                rows = self.rows([subject], role)
                if len(rows):
                    found = scores(model, arrays, rows)
                    areas.setdefault(role, []).append(area_under_curve(found, attack))
                    refused.setdefault(role, []).append(np.mean(found < model.offset_))
        return areas, refused, accepted

    def unseen(self, arrays):
        """AUC of one model for all on people who gave it no frame."""
        folds = [self.subjects[::2], self.subjects[1::2]]
        values = []
        for held_out, enrolled in (folds, folds[::-1]):
            if not held_out or not enrolled:
                return np.nan
            model = self.fit(arrays, self.rows(enrolled, "enrol"))
            found = [scores(model, arrays, self.rows(held_out, r)) for r in ("genuine", "attack")]
            values.append(area_under_curve(*found))
        return float(np.mean(values))

    def line(self, name, views, cost):
        arrays = {str(k): cut_view(self.material.features, view) for k, view in enumerate(views)}
        areas, refused, accepted = self.own(arrays)
        cells = [
            f"{np.mean(areas[role]):.3f} ({np.min(areas[role]):.3f})" if role in areas else "-"
            for role in GENUINE
        ]
        rates = [f"{np.mean(refused[role]):.2f}" if role in refused else "-" for role in GENUINE]
        columns = sum(array.shape[1] for array in arrays.values())
        row = [name, str(len(views)), str(columns), *cells, f"{self.unseen(arrays):.3f}"]
        row += [" / ".join(rates), f"{np.mean(accepted):.3f}", f"{cost:.2f}"]
        print("| " + " | ".join(row) + " |", flush=True)


def scores(model, arrays, rows):
    return model.score_samples({name: array[rows] for name, array in arrays.items()})


HEADER = (
    "| views | n | columns | same session: mean (worst) | another day | new condition "
    "| unseen people | refused | attacks accepted | time |\n" + "|---" * 10 + "|"
)


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m benchmarks presets")
    parser.add_argument("--root", type=Path, help="folder of recordings instead of generated ones")
    add_options(parser)
    parser.add_argument("--sets-only", action="store_true", help="leave the single views out")
    options = parser.parse_args(arguments)
    presets = {name: everything(name) for name in PHOTOMETRIES}
    study = Study(material_for(options, presets, options.root))
    with threadpool_limits(1):
        report(study, single=not options.sets_only)


def report(study, *, single):
    costs = Costs(SETS[REFERENCE])
    print("\nSets of views\n")
    print(HEADER)
    for name, views in SETS.items():
        study.line(name, views, costs.of(views))
    if not single:
        return
    print("\nSingle views, std\n")
    print(HEADER)
    for network, layers in LAYERS.items():
        for layer in layers:
            for crop in CROPS:
                view = View(crop.name, network, layer, "std")
                cost = costs.of([view])
                study.line(f"{crop.name} {network} {layer}", [view], cost)
    print("\nPooling and photometry, Lite0 blocks 2, 4 and 7 on the face\n")
    print(HEADER)
    for layer in ("block2", "block4", "block7"):
        for pooling in POOLINGS:
            for photometry in PHOTOMETRIES:
                view = View("face", "efficientnet-lite0", layer, pooling, photometry)
                name = f"{layer} {pooling} {photometry}"
                study.line(name, [view], costs.of([view]))


if __name__ == "__main__":
    main()
