"""The picture of the README: every light and every kind of attack, once."""

import numpy as np

from app.demo.renderer.instruments import INSTRUMENTS
from app.demo.renderer.sheet import COLUMNS, LIGHTS, sheet


def test_that_every_light_and_every_attack_has_its_place():
    picture = sheet("P002")
    rows = (len(LIGHTS) + len(INSTRUMENTS)) // COLUMNS
    assert picture.shape == (rows * 240, COLUMNS * 320, 3)
    places = picture.reshape(rows, 240, COLUMNS, 320, 3).swapaxes(1, 2).reshape(-1, 240, 320, 3)
    assert len(np.unique(places.mean(axis=(1, 2, 3)))) == len(LIGHTS) + len(INSTRUMENTS)
