"""What views show: frozen values of plain numbers and words, made for them by the layers below.

A view imports nothing of ours but this package, `app.types`, `app.settings` and `app.qt`; so it
cannot compute, and what it shows can be made by hand in a test.

A name is looked up when it is first asked for: the window starts with few of them, and every
dataclass takes Python most of a millisecond to make.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from app.shown.details import Details
    from app.shown.enrolment import CoverageItem, EnrolmentShown, SampleShown, TakeShown
    from app.shown.frames import Decision, Point, Region, Scored
    from app.shown.model import (
        Bound,
        Interval,
        ModelShown,
        PassphraseAsked,
        PersonShown,
        ThresholdShown,
    )
    from app.shown.test import (
        BONA_FIDE,
        SPECIES,
        KeptTest,
        PlannedRow,
        PlanShown,
        PresentationShown,
        ReportShown,
        TallyRow,
        TrialShown,
    )
    from app.shown.window import (
        Choice,
        FileWanted,
        NetworksShown,
        Notice,
        SourceShown,
        Throughput,
        Working,
    )

__all__ = [
    "BONA_FIDE",
    "SPECIES",
    "Bound",
    "Choice",
    "CoverageItem",
    "Decision",
    "Details",
    "EnrolmentShown",
    "FileWanted",
    "Interval",
    "KeptTest",
    "ModelShown",
    "NetworksShown",
    "Notice",
    "PassphraseAsked",
    "PersonShown",
    "PlanShown",
    "PlannedRow",
    "Point",
    "PresentationShown",
    "Region",
    "ReportShown",
    "SampleShown",
    "Scored",
    "SourceShown",
    "TakeShown",
    "TallyRow",
    "ThresholdShown",
    "Throughput",
    "TrialShown",
    "Working",
]

_PARTS = ("window", "frames", "enrolment", "model", "details", "test")


def __getattr__(name: str) -> Any:
    if name in __all__:
        for part in _PARTS:
            module = import_module(f"app.shown.{part}")
            if name in vars(module):
                value = globals()[name] = getattr(module, name)
                return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
