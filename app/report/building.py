"""From a session to its report."""

from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from app.presentation import Presentation
from app.report.brief import brief, limits
from app.report.conclusions import conclusions, simulated, warnings
from app.report.levels import APCER_TARGETS, HEADLINE_TARGET, Level, frame_level, presentation_level
from app.report.words import auc_text, estimate_text, rate_text, worst_text
from app.shown import ModelShown, ReportShown
from app.trial import Trial
from lmkl_core.metrics import Estimate, Rate

AUC = "AUC"
"""Name of the only figure that is no share of something."""


@dataclass(frozen=True)
class Context:
    """What a report says about the circumstances of a test.

    Attributes
    ----------
    source : str
        Name of the camera, file or demo.
    model : ModelShown or None
        The model that was tested, where it is at hand.
    version : str
        Of this software.
    created : datetime
        When the report was made.
    conditions : str
        What varied between the presentations, in words; empty where nobody said.
    """

    source: str
    model: ModelShown | None
    version: str
    created: datetime
    conditions: str = ""


@dataclass(frozen=True)
class Report:
    """A session's figures, with what they rest on and what they allow to conclude.

    Attributes
    ----------
    presentations : tuple of Presentation
        As they were when the report was made.
    by_presentation, by_frame : Level
        The figures at both levels.
    html : str
        Path of the page; empty before it was written.
    """

    context: Context
    presentations: tuple[Presentation, ...]
    by_presentation: Level
    by_frame: Level
    html: str = ""

    @cached_property
    def simulated(self) -> str:
        """Sentence of the banner; empty when nothing was simulated."""
        return simulated(self.presentations)

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """What a reader must know before the figures."""
        return warnings(self.presentations, self.by_presentation, self.context.model)

    @cached_property
    def brief(self) -> tuple[str, ...]:
        """The test in a few sentences."""
        return brief(self.by_presentation)

    @cached_property
    def limits(self) -> tuple[str, ...]:
        """What the test cannot tell."""
        return limits(self.presentations, self.by_presentation)

    @cached_property
    def conclusions(self) -> tuple[str, ...]:
        """What the number of presentations allows to conclude."""
        return conclusions(self.by_presentation)

    @cached_property
    def digests(self) -> tuple[str, ...]:
        """Digests of the models that judged, in order; the described one's without a test."""
        tested = dict.fromkeys(one.digest for one in self.presentations if one.digest)
        if not tested and self.context.model is not None and self.context.model.digest:
            return (self.context.model.digest,)
        return tuple(tested)

    @cached_property
    def thresholds(self) -> tuple[float, ...]:
        """Thresholds that were in force, in order."""
        return tuple(
            dict.fromkeys(one.threshold for one in self.presentations if one.threshold is not None)
        )

    @cached_property
    def shown(self) -> ReportShown:
        """Headline figures as a view shows them."""
        figures = headline(self.by_presentation)
        return ReportShown(figures=figures, warnings=self.warnings, html=self.html)


def build(trial: Trial, context: Context) -> Report:
    """Make the report of a session.

    Parameters
    ----------
    trial : Trial
        The session; later changes to it do not reach the report.
    context : Context
        What was tested, with what, and when.
    """
    presentations = trial.presentations
    return Report(
        context=context,
        presentations=presentations,
        by_presentation=presentation_level(presentations),
        by_frame=frame_level(presentations),
    )


def headline(level: Level) -> tuple[tuple[str, str], ...]:
    """Return names and values, the most important first."""
    errors = level.errors
    return (
        ("APCER, worst species", worst_text(errors)),
        *((f"APCER, {row.species}", rate_text(row.errors)) for row in level.attacks),
        ("BPCER", rate_text(errors.bpcer)),
        *summary(level, targets=(HEADLINE_TARGET,)),
    )


def summary(
    level: Level, targets: tuple[float, ...] = APCER_TARGETS
) -> tuple[tuple[str, str], ...]:
    """Return the figures over all species, as names and values.

    Parameters
    ----------
    level : Level
        What they are of.
    targets : tuple of float
        At which APCER to tell BPCER.
    """
    return tuple((name, _text(figure, name)) for name, figure in overall(level, targets))


def overall(
    level: Level, targets: tuple[float, ...] = APCER_TARGETS
) -> tuple[tuple[str, Rate | Estimate], ...]:
    """Return the same figures as numbers."""
    errors = level.errors
    return (
        ("APNRR (attacks without a response)", errors.apnrr),
        ("BPNRR (bona fide without a response)", errors.bpnrr),
        ("Bona fide not accepted for any reason", level.not_accepted),
        (AUC, level.auc),
        ("EER", level.eer),
        *((f"BPCER at APCER {100 * target:.0f} %", level.bpcer_at[target]) for target in targets),
        ("HTER", errors.hter),
        ("ACER (legacy)", errors.acer),
    )


def _text(figure: Rate | Estimate, name: str) -> str:
    if isinstance(figure, Rate):
        return rate_text(figure)
    return auc_text(figure) if name == AUC else estimate_text(figure)
