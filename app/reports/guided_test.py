"""The report of a guided test: figures, facts and findings."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from statistics import median
from typing import Any, Literal

from app.models.summary import ModelSummary
from app.names import counted, listed
from app.reports import findings
from app.reports.figures import APCER_TARGETS, Figure, Figures
from app.reports.words import figure_text, score_text, span
from app.session.guided_test.details import DETAILS, SPECIES_DETAILS, Details
from app.session.guided_test.guided_test import GuidedTest
from app.session.guided_test.plans import PlanProgress
from app.session.guided_test.presentation import Presentation
from lmkl_core.metrics import Rate
from lmkl_core.metrics.rates import CONFIDENCE

Part = Literal["headline", "threshold", "legacy"]
Origin = Literal["measured", "stated", "missing", "not applicable"]

PART_TITLES: dict[Part, str] = {
    "headline": "Headline",
    "threshold": "At the threshold in force",
    "legacy": "Legacy, for comparison with older work",
}


@dataclass(frozen=True)
class ReportSummary:
    """Figures of a report by name, as text; ``html`` is the path of its page, once saved."""

    figures: tuple[tuple[str, str], ...] = ()
    warnings: tuple[str, ...] = ()
    n_missing: int = 0
    """Details that an evaluator expects but that were not given."""
    html: str = ""


@dataclass(frozen=True)
class Line:
    """A figure in a report: its key in JSON and CSV, its name for people, its part.

    ``species`` is empty for all species together. ``at_threshold`` counts errors at the threshold
    chosen on the scores; its interval ignores how uncertain that threshold is.
    """

    key: str
    name: str
    part: Part
    figure: Figure
    species: str = ""
    at_threshold: Figure | None = None

    def as_dict(self) -> dict[str, Any]:
        found = self.figure
        low, high = found.interval or (0.0, 1.0)
        species = found.species if self.key == "APCER_max" else self.species
        values = {"figure": self.key, "part": self.part, "species": species, "value": found.value}
        values |= {"low": low, "high": high, "confidence": CONFIDENCE}
        if found.n is not None:
            return {**values, "n_errors": found.n_errors, "n": found.n}
        values |= {"n_bona_fide": found.n_bona_fide, "n_attacks": found.n_attacks}
        if (fixed := self.at_threshold) is not None:
            low, high = fixed.interval or (0.0, 1.0)
            values |= {"n_errors": fixed.n_errors, "n": fixed.n}
            values |= {"low_at_threshold": low, "high_at_threshold": high}
        return values


def lines(level: Figures) -> tuple[Line, ...]:
    """Return every figure, the headline of ISO/IEC 30107-3 first.

    The headline is the APCER of the worst species at the threshold in force, and the BPCER at
    APCERs of 1, 5 and 10 %.
    """
    errors, bona_fide = level.errors, level.bona_fide
    not_accepted = Rate(bona_fide.n - bona_fide.n_accepted, bona_fide.n)

    def line(key: str, name: str, part: Part, figure: str) -> Line:
        return Line(key, name, part, level.figure(figure))

    def each(key: str, rates: Mapping[str, Rate]) -> list[Line]:
        return [
            Line(key, f"{key}, {name}", "threshold", Figure.of(key, rate), name)
            for name, rate in rates.items()
        ]

    return (
        line("APCER_max", "APCER, worst species", "headline", "APCER"),
        *(_bpcer_at(level, name, round(100 * apcer)) for name, apcer in APCER_TARGETS.items()),
        line("BPCER", "BPCER", "threshold", "BPCER"),
        *each("APCER", errors.apcers),
        *each("APNRR", errors.apnrrs),
        line("APNRR", "APNRR (attacks without a response)", "threshold", "APNRR"),
        line("BPNRR", "BPNRR (bona fide without a response)", "threshold", "BPNRR"),
        Line(
            "bona_fide_not_accepted",
            "Bona fide refused or without a response",
            "threshold",
            Figure.of("BPCER", not_accepted),
        ),
        line("EER", "EER", "legacy", "EER"),
        line("HTER", "HTER", "legacy", "HTER"),
        line("ACER_legacy", "ACER", "legacy", "ACER"),
        line("AUC", "AUC", "legacy", "AUC"),
    )


def _bpcer_at(level: Figures, name: str, apcer: int) -> Line:
    figure = level.figure(name)
    n = 0 if figure.value is None else figure.n_bona_fide or 0
    fixed = Figure.of("BPCER", Rate(round((figure.value or 0.0) * n), n))
    key, title = f"BPCER_at_APCER_{apcer}%", f"BPCER at APCER {apcer} %"
    return Line(key, title, "headline", figure, at_threshold=fixed)


@dataclass(frozen=True)
class Context:
    """What a report says about a test besides its presentations.

    ``source`` is for presentations that do not name theirs; ``conditions`` are the user's notes.
    """

    source: str
    model: ModelSummary | None
    version: str
    created: datetime
    conditions: str = ""


@dataclass(frozen=True)
class Fact:
    """A fact about a test or a species; an empty value means that it is missing."""

    key: str
    group: str
    label: str
    value: str
    origin: Origin
    species: str = ""


@dataclass(frozen=True)
class Report:
    """A session's figures and findings; ``session`` is the session as JSON values."""

    context: Context
    presentations: tuple[Presentation, ...]
    by_presentation: Figures
    by_frame: Figures
    details: Details
    plan: PlanProgress | None
    session: Mapping[str, Any]
    html: str = ""

    @cached_property
    def source(self) -> str:
        return (
            _few(presentation.capture.source for presentation in self.presentations)
            or self.context.source
        )

    @cached_property
    def facts(self) -> tuple[Fact, ...]:
        return facts(self)

    @property
    def missing(self) -> tuple[Fact, ...]:
        return tuple(fact for fact in self.facts if fact.origin == "missing")

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        return lines(self.by_presentation)

    @cached_property
    def frame_lines(self) -> tuple[Line, ...]:
        return lines(self.by_frame)

    @cached_property
    def bands(self) -> tuple[findings.Band, ...]:
        return findings.bands(self.presentations)

    @cached_property
    def simulated(self) -> str:
        return findings.simulated(self.presentations)

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        return findings.warnings(self.presentations, self.by_presentation, self.context.model)

    @cached_property
    def digests(self) -> tuple[str, ...]:
        """Digests of the tested models; before any test, that of the model in use."""
        tested = dict.fromkeys(
            presentation.digest for presentation in self.presentations if presentation.digest
        )
        if not tested and self.context.model is not None and self.context.model.digest:
            return (self.context.model.digest,)
        return tuple(tested)

    @cached_property
    def thresholds(self) -> tuple[float, ...]:
        found = (presentation.threshold for presentation in self.presentations)
        return tuple(dict.fromkeys(each for each in found if each is not None))

    @cached_property
    def summary(self) -> ReportSummary:
        figures = tuple(
            (f"{line.name} (legacy)" if line.part == "legacy" else line.name, self._text(line))
            for line in self.lines
            if not (line.key == "APNRR" and line.species)
        )
        return ReportSummary(figures, self.warnings, len(self.missing), self.html)

    def _text(self, line: Line) -> str:
        if line.at_threshold is None or line.figure.interval is None:
            return figure_text(line.figure)
        uncertain = span(line.figure.interval)
        return f"{figure_text(line.at_threshold)}; {uncertain} with the threshold's uncertainty"


def build(guided_test: GuidedTest, context: Context) -> Report:
    """Report on a session as it is now."""
    found = guided_test.presentations
    frames = (
        (presentation.species, frame.verdict, frame.score)
        for presentation in found
        for frame in presentation.frames
    )
    return Report(
        context=context,
        presentations=found,
        by_presentation=Figures.of_verdicts(
            (presentation.species, presentation.verdict, presentation.score)
            for presentation in found
        ),
        by_frame=Figures.of_verdicts(frames, [presentation.species for presentation in found]),
        details=guided_test.details,
        plan=guided_test.state.plan,
        session=guided_test.as_dict(),
    )


# ------------------------------------------------------------------ facts

EVALUATION, SUBJECTS, CAPTURE, COMPUTER = "Evaluation", "Test subjects", "Capture", "Computer"
INSTRUMENTS, TESTED = "Attack instruments", "Tested system"
GROUPS = (EVALUATION, SUBJECTS, CAPTURE, COMPUTER, INSTRUMENTS, TESTED)
STATED = {
    "tester": EVALUATION,
    "organisation": EVALUATION,
    "potential": EVALUATION,
    "n_subjects": SUBJECTS,
    "consent": SUBJECTS,
    "distance": CAPTURE,
    "light": CAPTURE,
}
"""Groups of the details that people fill in."""

UNKNOWN_ORIGIN = "unknown: the model was not available when the report was made"
NO_COMPARISON = "not applicable to a PAD subsystem"


def facts(report: Report) -> tuple[Fact, ...]:
    """Return every fact about a test by group, missing ones included."""
    answers, conditions = report.details, report.context.conditions
    found = [
        Fact(key, group, label, value, "measured" if value else "missing")
        for group, key, label, value in (*_measured(report), *_tested(report))
    ]
    found += [
        Fact(each.key, STATED[each.key], each.label, *_answer(answers.values, each.key))
        for each in DETAILS
    ]
    for species in report.by_presentation.errors.apcers:
        own = answers.of(species)
        found += [
            Fact(each.key, INSTRUMENTS, each.label, *_answer(own, each.key), species)
            for each in SPECIES_DETAILS
        ]
    found += [
        Fact(name, EVALUATION, name, NO_COMPARISON, "not applicable")
        for name in ("IAPAR", "RIAPAR")
    ]
    if conditions:
        found.append(Fact("conditions", TESTED, "Conditions", conditions, "stated"))
    return tuple(sorted(found, key=lambda fact: GROUPS.index(fact.group)))


def _answer(answers: Mapping[str, str], key: str) -> tuple[str, Origin]:
    return (answers[key], "stated") if answers.get(key) else ("", "missing")


def _measured(report: Report) -> Iterable[tuple[str, str, str, str]]:
    """Return group, key, label and value of facts measured on presentations and frames."""
    found, plan = report.presentations, report.plan
    captures = [presentation.capture for presentation in found]
    frames = [frame for presentation in found for frame in presentation.frames]
    days = sorted(each.began[:10] for each in captures if each.began)
    planned = "none"
    if plan is not None:
        planned = (
            f"{plan.name}: {plan.n_wanted - plan.n_left} of {plan.n_wanted} presentations made"
        )
    sizes = [frame.size for frame in frames if frame.size is not None]
    rates = [each.rate for each in captures if each.rate is not None]
    resolutions = [f"{each.width} x {each.height}" for each in captures if each.width]
    times = [presentation.seconds for presentation in found if presentation.seconds is not None]
    taken = [frame.seconds for frame in frames if frame.seconds is not None]
    taking = ""
    if times and taken:
        taking = (
            f"{median(times):.2f} s (median; at most {max(times):.2f} s), "
            f"{1000 * median(taken):.0f} ms per frame"
        )
    return (
        (EVALUATION, "evaluation_type", "Evaluation type", "PAD subsystem"),
        (EVALUATION, "dates", "Dates of the test", _range(days, form="")),
        (EVALUATION, "plan", "Test plan", planned),
        (CAPTURE, "device", "Capture device", report.source),
        (CAPTURE, "resolution", "Resolution", _few(resolutions, " pixels")),
        (CAPTURE, "rate", "Frame rate", _range(rates, " frames a second")),
        (CAPTURE, "face_size", "Face size", _range(sizes, " pixels")),
        (COMPUTER, "operating_system", "Operating system", _few(each.system for each in captures)),
        (COMPUTER, "processor", "Processor", _few(each.processor for each in captures)),
        (COMPUTER, "processing_time", "Processing time per presentation", taking),
    )


def _tested(report: Report) -> Iterable[tuple[str, str, str, str]]:
    """Return group, key, label and value of facts about the model and its threshold."""
    model = report.context.model
    yield TESTED, "software", "Software", f"lmkl-pad {report.context.version}"
    yield TESTED, "model_digest", "Model digest", ", ".join(report.digests)
    origin = UNKNOWN_ORIGIN
    if model is not None:
        takes = f"{counted(len(model.takes), 'take')}: {', '.join(model.takes)}"
        yield TESTED, "enrolment", "Enrolment", f"{model.n_samples} frames in {takes}"
        views = f", {counted(len(model.view_names), 'view')}" if model.view_names else ""
        yield TESTED, "views", "Views", f"preset {model.preset}{views}"
        parameters = "; ".join(f"{name} = {value}" for name, value in model.parameters)
        yield TESTED, "parameters", "Parameters", parameters
        origin = f"{model.calibration.origin}. {model.calibration.statement}"
    values = ", ".join(score_text(threshold) for threshold in report.thresholds) or "none in force"
    yield TESTED, "threshold", "Threshold", f"{values}; accepted when the score reaches it"
    yield TESTED, "threshold_origin", "Origin of the threshold", origin


def _few(names: Iterable[str], unit: str = "") -> str:
    """Return distinct names, at most three of them; empty without any."""
    known = [name for name in dict.fromkeys(names) if name]
    return f"{listed(known, most=3)}{unit}" if known else ""


def _range(values: Sequence[Any], unit: str = "", form: str = ".0f") -> str:
    """Return the lowest and the highest value; empty without any."""
    if not values:
        return ""
    ends = dict.fromkeys(f"{each:{form}}" for each in (min(values), max(values)))
    return f"{' to '.join(ends)}{unit}"
