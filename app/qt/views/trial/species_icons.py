"""Icons of what a test presents: the person, and every attack instrument by its outline."""

from PySide6.QtGui import QIcon

from app.qt.icon_shapes import SHAPES, Shape
from app.qt.icons import icon
from app.shown import BONA_FIDE

_MASK = "M 5 5 C 9 3.2 15 3.2 19 5 L 19 12 C 19 17 15.5 20.8 12 21.8 C 8.5 20.8 5 17 5 12 Z"
_EYES = "M 8 10.5 L 10 10.5 M 14 10.5 L 16 10.5"
_MOUTH = "M 9.5 16 C 11 17 13 17 14.5 16"

_DRAWN = {
    "species-print": Shape(
        "M 5 2 L 15 2 L 19 6 L 19 22 L 5 22 Z"
        " O 12 10 2.4 M 8.2 18 C 8.2 15.6 9.8 14.8 12 14.8 C 14.2 14.8 15.8 15.6 15.8 18"
    ),
    "species-photo": Shape(
        "R 2 4.5 20 15 2 M 2.5 17 L 9 11.5 L 13.5 16 L 16.5 13.5 L 21.5 18 O 15.5 9 1.6"
    ),
    "species-phone": Shape("R 6.5 2 11 20 2.5 M 11 18.6 L 13 18.6"),
    "species-tablet": Shape("R 2 4.5 20 15 2.2 M 18.6 11 L 18.6 13"),
    "species-replay": Shape("R 2 4.5 20 15 2.2", areas="M 10 8.6 L 15.6 12 L 10 15.4 Z"),
    "species-monitor": Shape("R 2 3 20 13 1.8 M 12 16 L 12 21 M 7.5 21 L 16.5 21"),
    "species-paper-mask": Shape(f"{_MASK} {_EYES} {_MOUTH} M 5 9 L 1.5 8 M 19 9 L 22.5 8"),
    "species-3d-mask": Shape(areas=_MASK, cut=f"{_EYES} {_MOUTH} M 12 11 L 12 13.5"),
    "species-named": Shape("M 3 11 L 3 3 L 11 3 L 21.5 13.5 L 13.5 21.5 Z O 7.5 7.5 1.2"),
    "species-own": Shape("R 3 3 18 18 3 M 12 8 L 12 16 M 8 12 L 16 12"),
}

# The drawings join those that `app.qt.icons` knows, so that they follow the theme as all do.
SHAPES.update(_DRAWN)

_NAMES = {
    BONA_FIDE: "person",
    "print": "species-print",
    "photo": "species-photo",
    "phone": "species-phone",
    "tablet": "species-tablet",
    "replay": "species-replay",
    "monitor": "species-monitor",
    "paper mask": "species-paper-mask",
    "3-D mask": "species-3d-mask",
}


def species_icon_name(species: str) -> str:
    """Return the name of a species' icon; all that a person named share one."""
    return _NAMES.get(species, "species-named")


def species_icon(species: str) -> QIcon:
    """Return a species' icon in the colour of text."""
    return icon(species_icon_name(species))
