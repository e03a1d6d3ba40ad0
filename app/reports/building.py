"""From a session to its report."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from app.models.summary import ModelSummary
from app.reports.brief import brief, limits
from app.reports.conclusions import conclusions, simulated, warnings
from app.reports.facts import Fact, facts, few
from app.reports.figures import Figure, figure_text, figures
from app.reports.levels import Level, frame_level, presentation_level
from app.reports.sweep import Band, bands
from app.session.guided_test.presentation import Presentation
from app.session.guided_test.state import Details, PlanProgress, ReportSummary
from app.session.guided_test.trial import Trial


@dataclass(frozen=True)
class Context:
    """What a report says about the circumstances of a test.

    Attributes
    ----------
    source : str
        Name of the camera, file or demo, for presentations that do not know it.
    model : ModelSummary or None
        The model that was tested, where it is at hand.
    version : str
        Of this software.
    created : datetime
        When the report was made.
    conditions : str
        What varied between the presentations, in words; empty where nobody said.
    """

    source: str
    model: ModelSummary | None
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
    details : Details
        What the people say about the test.
    plan : PlanProgress or None
        How far its plan is.
    session : mapping
        The session as JSON values.
    html : str
        Path of the page; empty before it was written.
    """

    context: Context
    presentations: tuple[Presentation, ...]
    by_presentation: Level
    by_frame: Level
    details: Details
    plan: PlanProgress | None
    session: Mapping[str, Any]
    html: str = ""

    @cached_property
    def source(self) -> str:
        """Where presentations came from, in a few words."""
        return few(one.capture.source for one in self.presentations) or self.context.source

    @cached_property
    def facts(self) -> tuple[Fact, ...]:
        """Everything to know about the test beside its figures."""
        return facts(
            self.presentations,
            self.details,
            self.plan,
            source=self.source,
            conditions=self.context.conditions,
            version=self.context.version,
            model=self.context.model,
            digests=self.digests,
            thresholds=self.thresholds,
        )

    @cached_property
    def sweep(self) -> tuple[Band, ...]:
        """How genuine frames fared by the size of the face."""
        return bands(self.presentations)

    @property
    def missing(self) -> tuple[Fact, ...]:
        """Facts that an evaluator expects and nobody gave."""
        return tuple(fact for fact in self.facts if fact.origin == "missing")

    @cached_property
    def figures(self) -> tuple[Figure, ...]:
        """Every figure by presentation."""
        return figures(self.by_presentation)

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
    def shown(self) -> ReportSummary:
        """Figures as a view shows them, the headline first."""
        told = tuple(
            (
                f"{one.name} (legacy)" if one.part == "legacy" else one.name,
                figure_text(one, self.by_presentation),
            )
            for one in self.figures
            if not (one.key == "APNRR" and one.species)
        )
        return ReportSummary(told, self.warnings, len(self.missing), self.html)


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
        details=trial.details,
        plan=trial.shown.plan,
        session=trial.as_dict(),
    )
