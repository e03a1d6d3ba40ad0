"""What views show: frozen values of plain numbers and words, made for them by the layers below.

A view imports nothing of ours but this package, `app.types`, `app.settings` and `app.qt`; so it
cannot compute, and what it shows can be made by hand in a test.
"""

from app.shown.enrolment import CoverageItem, EnrolmentShown, SampleShown, TakeShown
from app.shown.frames import Decision, Point, Region, Scored
from app.shown.model import Bound, Interval, ModelShown, ThresholdShown
from app.shown.test import BONA_FIDE, SPECIES, PresentationShown, ReportShown, TallyRow, TrialShown
from app.shown.window import Choice, Notice, SourceShown, Throughput, Working

__all__ = [
    "BONA_FIDE",
    "SPECIES",
    "Bound",
    "Choice",
    "CoverageItem",
    "Decision",
    "EnrolmentShown",
    "Interval",
    "ModelShown",
    "Notice",
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
