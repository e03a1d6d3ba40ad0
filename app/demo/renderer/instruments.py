"""Presentation attack instruments: each turns pictures of a person into something held up.

Every picture an instrument shows has itself been taken by a camera, of the genuine person, in
other light and another place; then it is printed or displayed, and recorded again.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType

import numpy as np

from app.capture.opencv import cv2
from app.demo.renderer.arrays import F32
from app.demo.renderer.gloss import both, glare, mirrored_room
from app.demo.renderer.grating import Grating
from app.demo.renderer.masks import paper_mask, soft_mask
from app.demo.renderer.plates import (
    Cut,
    Plate,
    halftone,
    light_on_plate,
    plate_layer,
    printed,
    subpixels,
    with_margin,
)
from app.demo.renderer.scene import Layer
from app.demo.renderer.setting import Recording, Setting, footage, photograph

Instrument = Callable[[Setting], list[Layer]]

_REPLAY_RATE = 15.0
_ON_A_STAND = 0.4


def _supported(place: Setting) -> Setting:
    """Put some plates on a stand: not all of them are held in a hand."""
    if place.rng.random() < _ON_A_STAND:
        return replace(place, motion=place.motion.calmed(0.1))
    return place


def office_print(place: Setting) -> list[Layer]:
    """A sheet from an office printer: matte, half of them with a halftone screen."""
    place = _supported(place)
    rng = place.rng
    laser = bool(rng.integers(2))
    plate = Plate(place, photograph(place.person, rng), Cut.draw(rng, (1.9, 4.0), 1.3))
    sheet = printed(plate.texture(0.0), rng, glossy=False)
    return [_sheet(place, plate, sheet, halftone(rng) if laser else None, glossy=False)]


def photo_print(place: Setting) -> list[Layer]:
    """A glossy photograph: better colours and blacks, and the lamp mirrored in it."""
    place = _supported(place)
    rng = place.rng
    plate = Plate(place, photograph(place.person, rng), Cut.draw(rng, (1.9, 3.4), 1.3))
    return [_sheet(place, plate, printed(plate.texture(0.0), rng, glossy=True), None, glossy=True)]


def _sheet(
    place: Setting, plate: Plate, sheet: F32, grating: Grating | None, *, glossy: bool
) -> Layer:
    rng = place.rng
    margin = round(float(rng.uniform(0.0, 0.35)) * plate.unit)
    framed = with_margin(sheet, margin, (0.84, 0.84, 0.82))
    bend = float(np.clip(rng.normal(0.0, 0.35 if glossy else 0.5), -0.8, 0.8))
    height, width = framed.shape[:2]
    framed *= light_on_plate(place, (width, height), bend)[..., None]
    return plate_layer(
        plate,
        framed,
        place,
        margin,
        bend=bend,
        sheen=glare(place, (0.03, 0.3), (0.5, 2.2)) if glossy else None,
        grating=grating,
    )


class _Panel:
    """A switched-on screen: its own light, raised black, its own white."""

    def __init__(self, place: Setting) -> None:
        rng, light = place.rng, place.light
        on_face = float(light.shade(np.array([0.0, 0.0, 1.0], np.float32)).mean())
        white = np.array([rng.uniform(0.88, 1.02), 1.0, rng.uniform(1.0, 1.2)])
        self._white = (white * on_face * float(rng.uniform(0.6, 1.2))).astype(np.float32)
        self._black = np.float32(rng.uniform(0.001, 0.006))
        self._power = float(rng.uniform(0.95, 1.25))
        leak = float(rng.uniform(-0.01, 0.04))
        self._mix = (np.eye(3) * (1.0 - 3.0 * leak) + leak).astype(np.float32)

    def show(self, texture: F32) -> F32:
        """Light the screen sends out where it shows these intensities."""
        scaled = np.clip(texture, 0.0, 1.0)
        lit = cv2.transform(cv2.pow(scaled, self._power), self._mix) + self._black
        return np.asarray(cv2.transform(lit, np.diag(self._white)), np.float32)


def _screen(
    place: Setting, source: Recording, cut: Cut, finest: float, bezel: tuple[float, float]
) -> tuple[Layer, Plate, _Panel, int]:
    rng = place.rng
    plate, panel = Plate(place, source, cut), _Panel(place)
    margin = round(float(rng.uniform(*bezel)) * plate.unit)
    frame = np.array([0.02, 0.02, 0.022], np.float32) * np.float32(place.light.level)
    colour = with_margin(panel.show(plate.texture(0.0)), margin, frame)
    gloss = both(
        mirrored_room(place, float(rng.uniform(0.005, 0.03))),
        glare(place, (0.0, 0.12), (0.3, 1.5)),
    )
    layer = plate_layer(
        plate,
        colour,
        place,
        margin,
        radius=round(0.12 * plate.unit),
        lit=False,
        sheen=gloss,
        grating=subpixels(rng, finest),
    )
    return layer, plate, panel, margin


def phone(place: Setting) -> list[Layer]:
    """A photograph on a phone held upright."""
    place = _supported(place)
    cut = Cut.draw(place.rng, (1.45, 2.3), 1.8)
    source = photograph(place.person, place.rng)
    return [_screen(place, source, cut, 420.0, (0.06, 0.2))[0]]


def tablet(place: Setting) -> list[Layer]:
    """A photograph on a tablet or a monitor."""
    place = _supported(place)
    cut = Cut.draw(place.rng, (2.4, 4.2), 0.75)
    source = photograph(place.person, place.rng)
    return [_screen(place, source, cut, 330.0, (0.2, 0.5))[0]]


def replay(place: Setting) -> list[Layer]:
    """A video of the person, played on a tablet."""
    place = _supported(place)
    cut = Cut.draw(place.rng, (2.2, 3.8), 0.75)
    source = footage(place.person, place.rng)
    layer, plate, panel, margin = _screen(place, source, cut, 330.0, (0.2, 0.5))
    shown: dict[int, F32] = {}

    def film(time: float) -> F32:
        number = int(time * _REPLAY_RATE)
        if number not in shown:
            inside = panel.show(plate.texture(number / _REPLAY_RATE))
            picture = layer.colour.copy()
            height, width = inside.shape[:2]
            rows, columns = slice(margin, margin + height), slice(margin, margin + width)
            picture[rows, columns] = inside
            picture[rows, columns] *= layer.alpha[rows, columns, None]
            shown.clear()
            shown[number] = picture
        return shown[number]

    return [replace(layer, film=film)]


def monitor(place: Setting) -> list[Layer]:
    """A photograph on a monitor: larger than a tablet, coarser pixels, on a foot of its own."""
    calm = replace(place, motion=place.motion.calmed(0.1))
    cut = Cut.draw(calm.rng, (3.2, 4.6), 0.62)
    source = photograph(calm.person, calm.rng)
    return [_screen(calm, source, cut, 240.0, (0.12, 0.3))[0]]


INSTRUMENTS: Mapping[str, Instrument] = MappingProxyType(
    {
        "print": office_print,
        "photo": photo_print,
        "phone": phone,
        "tablet": tablet,
        "replay": replay,
        "paper-mask": paper_mask,
        "soft-mask": soft_mask,
    }
)
"""The instruments by the name of their species."""
