"""Small recordings, layouts and options for tests of the evaluation."""

from dataclasses import replace

import cv2
import numpy as np

from app.demo.script import Take
from app.evaluation.options import Options
from app.evaluation.protocols.recordings import FileReader
from app.evaluation.protocols.splits import Database
from app.evaluation.protocols.types import Fold, Layout, Plan, Recording
from app.types import BONA_FIDE
from tools.recordings import recording_path, write_recordings

PEOPLE = ("P001", "P002")
N_FRAMES = 4

DATABASE = Database("plain", "Own recordings", gather=None, preset="tiny")


def takes(person):
    """Return a person's takes by part: two for training, a pair each for development and test."""

    def take(seed, instrument=None):
        return Take(person, instrument, "office", seed, n_frames=5)

    return {
        "train": [take(1), take(2)],
        "development": [take(3), take(4, "print")],
        "test": [take(5), take(6, "phone")],
    }


def record(folder):
    write_recordings(folder, [t for p in PEOPLE for part in takes(p).values() for t in part])


def recordings(folder, person):
    """Return a person's recordings by part."""
    return {
        part: tuple(
            Recording(
                name=recording_path(folder, take).relative_to(folder).as_posix(),
                subject=person,
                species=take.instrument or BONA_FIDE,
                reader=FileReader(recording_path(folder, take)),
            )
            for take in each
        )
        for part, each in takes(person).items()
    }


def together(folder):
    """Return a layout with one model for both people."""
    one, other = (recordings(folder, person) for person in PEOPLE)
    plan = Plan("", *(one[part] + other[part] for part in ("train", "development", "test")))
    return Layout("plain", "Own recordings", "", "client-independent", (Fold("", (plan,)),))


def each(folder):
    """Return a layout with one model per person."""
    plans = tuple(Plan(person, **recordings(folder, person)) for person in PEOPLE)
    return Layout("plain", "Own recordings", "", "client-specific", (Fold("", plans),))


def picture_of_noise(path):
    """Write a picture without a face and return it as a recording."""
    noise = np.random.default_rng(0).integers(0, 255, (240, 320, 3), dtype=np.uint8)
    cv2.imwrite(str(path), noise)
    return Recording(path.name, "nobody", BONA_FIDE, FileReader(path))


def changed(layout, **parts):
    """Return the layout with parts of all plans changed by functions."""

    def new(plan):
        return replace(plan, **{name: part(getattr(plan, name)) for name, part in parts.items()})

    folds = (replace(fold, plans=tuple(map(new, fold.plans))) for fold in layout.folds)
    return replace(layout, folds=tuple(folds))


def without_development(layout):
    return changed(layout, development=lambda _: ())


def options(folder, **changes):
    """Return options that mean little work."""
    settings = {
        "methods": ("md", "localised-mkl"),
        "n_frames": N_FRAMES,
        "grid": "small",
        "cache": folder,
        "gate": False,
    }
    return Options(**settings | changes)


def assert_equal(one, other, exactly=True):
    """Compare two evaluations, except for their dates."""
    assert [m.method for m in one.methods] == [m.method for m in other.methods]
    assert one.counts == other.counts
    assert one.notes == other.notes
    for method, other_method in zip(one.methods, other.methods, strict=True):
        assert method.failure == other_method.failure
        for fold, other_fold in zip(method.folds, other_method.folds, strict=True):
            assert fold.parameters == other_fold.parameters
            assert fold.notes == other_fold.notes
            for level in ("frame", "presentation"):
                table, threshold = fold.at(level)
                expected, expected_threshold = other_fold.at(level)
                assert threshold.origin == expected_threshold.origin
                assert table.presentations.tolist() == expected.presentations.tolist()
                assert table.species.tolist() == expected.species.tolist()
                if exactly:
                    assert threshold.value == expected_threshold.value
                    assert np.array_equal(table.scores, expected.scores, equal_nan=True)
                else:
                    # Workers may use other numbers of threads for a product.
                    close = {"rtol": 1e-5, "atol": 1e-7, "equal_nan": True}
                    assert np.isclose(threshold.value, expected_threshold.value, **close)
                    assert np.allclose(table.scores, expected.scores, **close)
