"""Icons of what a test presents: the person, and every attack instrument by its outline."""

from PySide6.QtGui import QIcon

from app.qt.icons import icon
from app.types import BONA_FIDE

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
