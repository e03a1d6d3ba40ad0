"""Which part of the picture makes a score low, in a plain sentence."""

from PySide6.QtCore import QCoreApplication

from app.session.explanation import Explanation

_PLURAL = ("wide", "eyes")


def plain_words(explanation: Explanation | None, *, is_accepted: bool) -> str:
    """Return which region is least like the enrolment; empty where what is usual is not known."""
    if explanation is None or explanation.usual is None:
        return ""
    lowest = explanation.lowest_region
    if lowest is None:
        return _tr("Every part of the picture looks like the enrolment.")
    what = region_words(lowest.name)
    if is_accepted:
        return _tr("Like the enrolment on the whole, least so {what}.").format(what=what)
    if lowest.name in _PLURAL:
        return _tr("Mostly {what} look unlike the enrolment.").format(what=what)
    return _tr("Mostly {what} looks unlike the enrolment.").format(what=what)


def region_words(region: str) -> str:
    """Return what a region shows, with its name where that is another word."""
    known = {
        "face": _tr("the face"),
        "wide": _tr("the surroundings of the face (wide)"),
        "eyes": _tr("the eyes"),
        "mouth": _tr("the mouth"),
        "nose": _tr("the skin around the nose"),
        "cheek": _tr("the skin of the cheek"),
    }
    return known.get(region, region)


def _tr(text: str) -> str:
    return QCoreApplication.translate("RegionWords", text)
