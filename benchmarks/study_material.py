"""Recordings for studies, generated or from a folder, as features and conditions of frames.

Every frame comes through the app's own pipeline: source, detector, tracker, quality gate, crops.
"""

import sys
import time
from collections.abc import Iterator
from dataclasses import astuple, dataclass
from itertools import islice
from pathlib import Path

import numpy as np

from app.conditions import EnrolledConditions, shared_circumstances
from app.faces.detector import make_detector
from app.faces.tracking import FaceTracker
from app.pipeline import Pipeline
from app.sources.opening import source_from
from app.types import Condition, Frame
from lmkl_core.features.extractor import Extractor

GENERATED = (
    "Generated recordings of {people} AI-generated people: a proxy. They show which views see the "
    "traces of modelled prints, screens and masks, not how well anything does on real attacks."
)
# A take's frames are alike: two a second show as much as thirty.
EVERY = 15


@dataclass(frozen=True)
class Recording:
    """One take and its part in the study: enrol, genuine, later, new or attack."""

    subject: str
    role: str
    species: str
    name: str
    frames: object

    def read(self, n_frames) -> Iterator[Frame]:
        return islice(self.frames(), n_frames)


@dataclass
class Material:
    """Rows of features with what they are rows of."""

    statement: str
    subjects: np.ndarray
    roles: np.ndarray
    species: np.ndarray
    takes: np.ndarray
    conditions: np.ndarray
    features: dict

    def circumstances(self, rows):
        """Which of these rows' takes share circumstances, as the app tells them."""
        return shared_circumstances(self._conditions(rows), self.takes[rows].tolist())

    def enrolled_conditions(self, subject):
        """The ranges of the takes that a subject enrolled."""
        rows = np.flatnonzero((self.subjects == subject) & (self.roles == "enrol"))
        return EnrolledConditions.of(self._conditions(rows), self.takes[rows].tolist())

    def _conditions(self, rows):
        return [Condition(*values) for values in self.conditions[rows]]


class Together:
    """Several extractors on the same crops, as one; views are named ``prefix:view``."""

    def __init__(self, extractors):
        self.extractors = extractors
        self.preset = next(iter(extractors.values())).preset

    def __call__(self, crops):
        return {
            f"{prefix}:{name}": row
            for prefix, extractor in self.extractors.items()
            for name, row in extractor(crops).items()
        }


def pipeline_for(presets):
    """A pipeline whose views are those of several presets with the same crops."""
    extractors = {prefix: Extractor(preset) for prefix, preset in presets.items()}
    return Pipeline(Together(extractors), FaceTracker(make_detector()))


def generated(n_people, n_frames, seed=0):
    """Three enrolled conditions, two takes of each; other roles have one take of each.

    Every species attacks each person once, in one of the enrolled conditions, which take turns.
    """
    from app.demo_video.people import PEOPLE
    from app.demo_video.study import study
    from app.demo_video.takes import frames

    people = PEOPLE[:n_people]
    plan = study(people, takes_per_condition=2, n_frames=n_frames * EVERY, seed=seed)
    firsts = {}
    for role, take in plan.roles():
        if role == "attacks_new":
            continue
        if role != "enrol":
            key = (role, take.person, take.instrument, take.condition)
            if firsts.setdefault(key, take) is not take:
                continue
        if role == "attacks" and take.condition != turn(take, people):
            continue
        name = f"{take.person} {take.label} {take.name}"
        species = take.instrument or "bonafide"
        role = "attack" if role == "attacks" else role
        yield Recording(take.person, role, species, name, lambda take=take: frames(take, EVERY))


def turn(take, people):
    """The condition in which this species attacks this person."""
    from app.demo_video.instruments import INSTRUMENTS

    place = tuple(INSTRUMENTS).index(take.instrument) + people.index(take.person)
    return ("office", "window", "lamp")[place % 3]


def recorded(root):
    """A folder ``subject/bonafide/*``, ``subject/attack-<species>/*``; takes are split whole."""
    subjects = sorted(path for path in Path(root).glob("*") if path.is_dir())
    if not subjects:
        raise SystemExit(f"{root} holds no folders of subjects: name the folder that does.")
    for subject in subjects:
        genuine = sorted((subject / "bonafide").glob("*"))
        n_enrolled = (len(genuine) + 1) // 2
        if len(genuine) < 2:
            raise SystemExit(f"{subject / 'bonafide'} needs two takes: one to enrol, one to test.")
        if not any(subject.glob("attack-*/*")):
            raise SystemExit(f"{subject} needs attacks, in folders named attack-<species>.")
        for number, path in enumerate(genuine):
            role = "enrol" if number < n_enrolled else "genuine"
            yield Recording(subject.name, role, "bonafide", str(path), _reader(path))
        for folder in sorted(subject.glob("attack-*")):
            for path in sorted(folder.iterdir()):
                species = folder.name.removeprefix("attack-")
                yield Recording(subject.name, "attack", species, str(path), _reader(path))


def _reader(path):
    def read():
        with source_from(str(path), paced=False, loop=False) as source:
            yield from islice(source, 0, None, EVERY)

    return read


def add_options(parser):
    """What every study of material takes on the command line."""
    parser.add_argument("--people", type=int, default=10)
    parser.add_argument("--frames", type=int, default=12, help="frames of each take")
    parser.add_argument("--seed", type=int, default=0, help="another seed, other recordings")
    parser.add_argument("--store", type=Path, help="keep the features here, and use them if there")


def material_for(options, presets, root=None) -> Material:
    """The material that the options ask for: stored, or gathered now."""
    if options.store and options.store.exists():
        material = load(options.store)
    else:
        start = time.monotonic()
        pipeline = pipeline_for(presets)
        material = gather(root, options.people, options.frames, pipeline, options.seed)
        print(f"{len(material.takes)} frames in {time.monotonic() - start:.0f} s")
        if options.store:
            save(options.store, material)
    print(material.statement)
    return material


def gather(root, n_people, n_frames, pipeline, seed=0) -> Material:
    """Send every recording through the pipeline and keep what comes out."""
    recordings = list(recorded(root) if root else generated(n_people, n_frames, seed))
    rows, conditions, features, refused = [], [], {}, 0
    for number, recording in enumerate(recordings):
        pipeline.reset()
        for frame in recording.read(n_frames):
            result = pipeline.process(frame)
            if result.views is None:
                refused += 1
                continue
            rows.append((recording.subject, recording.role, recording.species, recording.name))
            conditions.append(astuple(result.condition))
            for name, row in result.views.items():
                features.setdefault(name, []).append(row[0])
        if sys.stdout.isatty():
            print(f"\r{number + 1} of {len(recordings)} recordings, {len(rows)} frames", end="")
    print(f"\n{len(rows)} frames of {len(recordings)} recordings, {refused} more were refused")
    subjects, roles, species, takes = (np.array([row[k] for row in rows]) for k in range(4))
    for subject in {recording.subject for recording in recordings}:
        seen = set(roles[subjects == subject])
        if missing := {"enrol", "genuine", "attack"} - seen:
            raise SystemExit(
                f"No frame of {subject} passed the quality gate for the role "
                f"{sorted(missing)[0]}: leave the subject out, or record it again."
            )
    people = len(set(subjects))
    statement = f"Recordings in {root}." if root else GENERATED.format(people=people)
    stacked = {name: np.array(values) for name, values in features.items()}
    return Material(statement, subjects, roles, species, takes, np.array(conditions), stacked)


def save(path, material):
    labels = {key: getattr(material, key) for key in ("subjects", "roles", "species", "takes")}
    features = {f"view {name}": rows for name, rows in material.features.items()}
    statement = np.array(material.statement)
    np.savez(path, statement=statement, conditions=material.conditions, **labels, **features)


def load(path):
    with np.load(path, allow_pickle=False) as stored:
        features = {k.removeprefix("view "): stored[k] for k in stored if k.startswith("view ")}
        labels = [stored[key] for key in ("subjects", "roles", "species", "takes", "conditions")]
        return Material(str(stored["statement"]), *labels, features)
