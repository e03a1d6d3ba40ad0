"""Views of real recordings in one file, for ``python -m benchmarks real``.

    python -m benchmarks real_views RECORDINGS FILE.npz [--frames 20]

runs a folder of recordings, ``SUBJECT/bonafide/*`` and ``SUBJECT/attack-SPECIES/*`` (videos, or
folders of images), through the app's own pipeline: source, detector, quality gate, crops, network.
The file contains features only, no pictures. Subjects keep the names of their folders: use numbers.
The number of frames that the gate refused is printed by reason.

The file is a NumPy archive with one row per frame, in order of time inside a take:

==================  =================================================================
``person``          subject
``label``           ``bonafide`` or ``attack-SPECIES``
``take``            recording, unique for a person and label. Genuine takes that are
                    named ``LIGHT_NUMBER``, such as ``office_2``, say which light
                    they share
``split``           optional: ``train`` and ``devel``, for unseen people
``conditions``      light, distance, pose: 13 columns in the order of `app.vision.conditions.NAMES`
``view CROP/NET.L`` channel means, then channel standard deviations, not normalised
``liveness v2``     optional, with the networks' weights: their embeddings, 128 columns
``liveness v1se``   each, and the larger of their probabilities that the face is live
``liveness probability``
==================  =================================================================
"""

import argparse
from collections import Counter
from dataclasses import astuple, dataclass, field, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from app.cli.recorder import Recorder, TakeWanted
from app.settings import Settings
from app.vision.pipeline import Pipeline, make_pipeline
from lmkl_core.features.liveness import LIVE, LIVENESS, can_measure
from lmkl_core.features.presets import Branch, load_preset

BONA_FIDE = "bonafide"
VIEW = "view "
EMBEDDINGS = {"minifasnet-v2": "liveness v2", "minifasnet-v1se": "liveness v1se"}
LAYERS = ("block0", "block2", "block4", "block7")


@dataclass(frozen=True, eq=False)
class RealViews:
    """Rows of one file."""

    name: str
    person: np.ndarray
    label: np.ndarray
    take: np.ndarray
    split: np.ndarray | None
    pooled: dict[str, np.ndarray]
    conditions: np.ndarray | None = None
    embeddings: dict[str, np.ndarray] = field(default_factory=dict)
    """Of the liveness networks, by name."""

    @property
    def is_genuine(self):
        return self.label == BONA_FIDE

    @cached_property
    def recording(self):
        """Person, label and take of every row: takes of two people may share a name."""
        parts = (self.person, self.label, self.take)
        return np.array(["/".join(names) for names in zip(*parts, strict=True)])


def load(path) -> RealViews:
    """Read a file; exit with a message if something is missing."""
    with np.load(path, allow_pickle=False) as file:
        arrays = {key: file[key] for key in file.files}
    missing = [key for key in ("person", "label", "take") if key not in arrays]
    pooled = {k.removeprefix(VIEW): v for k, v in arrays.items() if k.startswith(VIEW)}
    if missing or not pooled:
        raise SystemExit(f"{path} lacks {', '.join(missing) or 'views'}: see {__name__}.")
    return RealViews(
        Path(path).stem,
        arrays["person"],
        arrays["label"],
        arrays["take"],
        arrays.get("split"),
        pooled,
        arrays.get("conditions"),
        {name: arrays[key] for name, key in EMBEDDINGS.items() if key in arrays},
    )


def pipeline() -> Pipeline:
    """The app's pipeline, with pooled `LAYERS` of the default preset's network and crops."""
    preset = load_preset("texture")
    crops = tuple(crop.name for crop in preset.crops)
    (network,) = preset.networks
    branch = Branch(network, crops, LAYERS, "mean+std", normalisation="none")
    everything = replace(preset, name="candidates", branches=(branch,))
    if can_measure():
        live = (replace(each, layers=("embedding", "live")) for each in LIVENESS.branches)
        everything = replace(
            everything,
            crops=(*everything.crops, *LIVENESS.crops),
            branches=(branch, *live),
        )
    return make_pipeline(everything)


def recordings(root: Path):
    """Subject, label and path of every recording."""
    for folder in sorted(path for path in root.glob("*/*") if path.is_dir()):
        if folder.name == BONA_FIDE or folder.name.startswith("attack-"):
            for path in sorted(folder.iterdir()):
                yield folder.parent.name, folder.name, path


def make(root: Path, target: Path, n_frames: int) -> None:
    """Send every recording through the pipeline and write the file."""
    rows, refused, n_seen = [], {}, Counter()
    app_pipeline = pipeline()
    for subject, label, path in recordings(root):
        take = Recorder(app_pipeline, Settings(), n_frames=n_frames).record(TakeWanted(str(path)))
        kind = "genuine" if label == BONA_FIDE else "attack"
        n_seen[kind] += take.n_seen
        refused.setdefault(kind, Counter()).update(take.refused)
        rows += [(subject, label, path.stem, sample) for sample in take.samples]
        print(f"{subject} {label} {path.name}: {len(take.samples)} of {take.n_seen} frames")
    if not rows:
        raise SystemExit(
            f"{root} gave no frame: it needs SUBJECT/{BONA_FIDE}/* and SUBJECT/attack-SPECIES/*."
        )
    person, label, take, samples = zip(*rows, strict=True)
    arrays = {"person": np.array(person), "label": np.array(label), "take": np.array(take)}
    arrays["conditions"] = np.array([astuple(s.condition) for s in samples], dtype=np.float32)
    live = []
    for name in samples[0].views:
        rows = np.concatenate([sample.views[name] for sample in samples])
        _, _, network = name.partition("/minifasnet-")
        if network.endswith(".live"):
            live.append(rows[:, LIVE])
            continue
        key = f"liveness {network.removesuffix('.embedding')}" if network else VIEW + name
        arrays[key] = rows.astype(np.float16)
    if live:
        arrays["liveness probability"] = np.max(live, axis=0)
    np.savez_compressed(target, **arrays)
    print(f"\n{len(rows)} frames of {len(set(person))} people in {target}")
    for kind, reasons in refused.items():
        print(f"{kind}: {reasons.total()} of {n_seen[kind]} frames refused")
        for reason, count in reasons.most_common():
            print(f"  {count} {reason}")


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m benchmarks real_views")
    parser.add_argument("recordings", type=Path)
    parser.add_argument("file", type=Path)
    parser.add_argument("--frames", type=int, default=20, help="frames of each recording")
    options = parser.parse_args(arguments)
    make(options.recordings, options.file, options.frames)


if __name__ == "__main__":
    main()
