"""The pictures that are shipped: those the renderer makes, and never in the way."""

import numpy as np
import pytest

from app.demo.renderer.camera import unpacked
from app.demo.renderer.takes import record
from app.demo.script import script
from app.demo.source import OPENING, joined, opening_of

FIRST = script().loop[0]


def test_that_the_opening_is_the_whole_recording_of_the_first_chapter():
    assert len(opening_of(FIRST)) == FIRST.n_recorded


def test_that_the_opening_is_small_enough_to_ship():
    assert OPENING.stat().st_size < 2_500_000


def test_that_the_opening_shows_what_the_renderer_makes():
    # Another processor may round differently; another picture differs by far more (see below).
    for made, shipped in zip(record(FIRST), opening_of(FIRST)[:8], strict=False):
        assert difference(made, shipped) < 1.0


def test_that_another_take_would_be_noticed():
    other = next(record(script().enrolment[0]))
    assert difference(other, opening_of(FIRST)[0]) > 5.0


def difference(one, other):
    return np.abs(unpacked(one).astype(float) - unpacked(other)).mean()


@pytest.mark.parametrize(
    "other",
    [script().loop[1], script(seed=1).loop[0], script("P002").loop[0]],
    ids=["chapter", "seed", "person"],
)
def test_that_no_other_chapter_begins_with_the_opening(other):
    assert opening_of(other) == []


@pytest.mark.parametrize(
    "content",
    [b"\0", joined([b"\xff\xd8 a picture \xff\xd9"])[:-1], joined([b"not a picture"])],
    ids=["no length", "cut off", "no picture"],
)
def test_that_a_damaged_opening_is_left_out(tmp_path, content):
    path = tmp_path / "opening.bin"
    path.write_bytes(content)
    assert opening_of(FIRST, path) == []


def test_that_a_missing_opening_is_left_out(tmp_path):
    assert opening_of(FIRST, tmp_path / "nothing.bin") == []
