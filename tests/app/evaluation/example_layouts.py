"""Recordings, layouts and options for tests of the evaluation."""

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
    """What is recorded of a person: two takes to learn from, and a pair each to choose and test."""

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
    """One model for both people."""
    one, other = (recordings(folder, person) for person in PEOPLE)
    plan = Plan("", *(one[part] + other[part] for part in ("train", "development", "test")))
    return Layout("plain", "Own recordings", "", "client-independent", (Fold("", (plan,)),))


def each(folder):
    """One model for each person."""
    plans = tuple(Plan(person, **recordings(folder, person)) for person in PEOPLE)
    return Layout("plain", "Own recordings", "", "client-specific", (Fold("", plans),))


def picture_of_noise(path):
    """Write a picture without a face, and return it as a recording."""
    noise = np.random.default_rng(0).integers(0, 255, (240, 320, 3), dtype=np.uint8)
    cv2.imwrite(str(path), noise)
    return Recording(path.name, "nobody", BONA_FIDE, FileReader(path))


def without_development(layout):
    folds = tuple(
        replace(fold, plans=tuple(replace(plan, development=()) for plan in fold.plans))
        for fold in layout.folds
    )
    return replace(layout, folds=folds)


def options(folder, **changes):
    """Options of little work; the cache is of the test alone."""
    settings = {
        "methods": ("md", "localised-mkl"),
        "n_frames": N_FRAMES,
        "grid": "small",
        "cache": folder,
        "gate": False,
    }
    return Options(**settings | changes)


def assert_equal(one, other, exactly=True):
    """Hold two evaluations against each other: all but when they were made."""
    assert [m.method for m in one.methods] == [m.method for m in other.methods]
    assert one.counts == other.counts
    assert one.notes == other.notes
    for a, b in zip(one.methods, other.methods, strict=True):
        assert a.failure == b.failure
        for here, there in zip(a.folds, b.folds, strict=True):
            assert here.parameters == there.parameters
            assert here.notes == there.notes
            for level in ("frame", "presentation"):
                (table, threshold), (expected, wanted) = here.at(level), there.at(level)
                assert threshold.origin == wanted.origin
                assert table.presentations.tolist() == expected.presentations.tolist()
                assert table.species.tolist() == expected.species.tolist()
                if exactly:
                    assert threshold.value == wanted.value
                    assert np.array_equal(table.scores, expected.scores, equal_nan=True)
                else:
                    # Other workers may use other numbers of threads for a product.
                    assert np.isclose(threshold.value, wanted.value, rtol=1e-5, atol=1e-7)
                    assert np.allclose(
                        table.scores, expected.scores, rtol=1e-5, atol=1e-7, equal_nan=True
                    )
