"""A model and its name: the digest of the file it would be exported to."""

from dataclasses import replace
from datetime import UTC, datetime

import numpy as np

from app.vision.conditions import NAMES
from tests.app.models.small_models import window_model


def test_that_the_digest_follows_what_the_file_holds_and_not_where_it_is():
    model = window_model()
    moved = replace(model, path="/elsewhere", notes=("A note.",))
    assert moved.named().digest == model.digest
    others = [
        replace(model, is_simulated=True),
        replace(model, takes=("a", "b", "c")),
        replace(model, features={}),
        replace(model, conditions=None),
        replace(model, created=datetime(2020, 1, 1, tzinfo=UTC)),
    ]
    digests = {other.named().digest for other in others}
    assert len(digests) == len(others)
    assert model.digest not in digests


def test_that_rounded_ranges_still_begin_before_they_end():
    model = window_model()
    ends = np.random.default_rng(0).normal(size=(3, len(NAMES)))
    narrow = replace(model.conditions, low=ends, high=ends + 1e-9)
    stored = replace(model, conditions=narrow).extra["conditions"]
    assert (np.array(stored["low"]) <= np.array(stored["high"])).all()
