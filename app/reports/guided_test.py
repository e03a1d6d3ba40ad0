"""The report of a guided test: figures, facts and findings."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from statistics import median
from typing import Any, Literal

from app.models.summary import ModelSummary
from app.names import counted
from app.reports import findings
from app.reports.figures import APCER_TARGETS, Figure, Figures
from app.reports.words import figure_text, grouped, score_text, span, worst_text
from app.session.guided_test.details import DETAILS, SPECIES_DETAILS, Details
from app.session.guided_test.guided_test import GuidedTest
from app.session.guided_test.plans import PlanProgress
from app.session.guided_test.presentation import Presentation
from app.types import BONA_FIDE
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
    """Figures of a report by name, in words; ``html`` is the path of its page, once saved."""

    figures: tuple[tuple[str, str], ...] = ()
    warnings: tuple[str, ...] = ()
    n_missing: int = 0
    """Details that an evaluator expects and that were not given."""
    html: str = ""


@dataclass(frozen=True)
class Line:
    """A figure in a report: its key in JSON and CSV, its name for people, its part.

    ``species`` is empty for all together. ``at_threshold`` counts errors at the threshold that the
    scores chose; its interval ignores how uncertain that is.
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
        if (counted := self.at_threshold) is not None:
            low, high = counted.interval or (0.0, 1.0)
            values |= {"n_errors": counted.n_errors, "n": counted.n}
            values |= {"low_at_threshold": low, "high_at_threshold": high}
        return values


def lines(level: Figures) -> tuple[Line, ...]:
    """Return every figure, the headline of ISO/IEC 30107-3 first.

    That is APCER of the worst species at the threshold in force, and BPCER at APCERs of 1, 5 and
    10 %.
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
            "Bona fide not accepted for any reason",
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
    counted = Figure.of("BPCER", Rate(round((figure.value or 0.0) * n), n))
    key, title = f"BPCER_at_APCER_{apcer}%", f"BPCER at APCER {apcer} %"
    return Line(key, title, "headline", figure, at_threshold=counted)


@dataclass(frozen=True)
class Context:
    """The circumstances of a test.

    ``source`` is for presentations that do not name theirs; ``conditions`` are the user's notes.
    """

    source: str
    model: ModelSummary | None
    version: str
    created: datetime
    conditions: str = ""


@dataclass(frozen=True)
class Fact:
    """A fact about a test or a species; its value is empty only if it is missing."""

    key: str
    group: str
    label: str
    value: str
    origin: Origin
    species: str = ""


@dataclass(frozen=True)
class Report:
    """A session's figures and findings; ``session`` holds it as JSON values."""

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
        return few(one.capture.source for one in self.presentations) or self.context.source

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
        """Digests of the tested models; the described one's before any test."""
        tested = dict.fromkeys(one.digest for one in self.presentations if one.digest)
        if not tested and self.context.model is not None and self.context.model.digest:
            return (self.context.model.digest,)
        return tuple(tested)

    @cached_property
    def thresholds(self) -> tuple[float, ...]:
        found = (one.threshold for one in self.presentations)
        return tuple(dict.fromkeys(each for each in found if each is not None))

    @cached_property
    def summary(self) -> ReportSummary:
        figures = tuple(
            (f"{one.name} (legacy)" if one.part == "legacy" else one.name, self._text(one))
            for one in self.lines
            if not (one.key == "APNRR" and one.species)
        )
        return ReportSummary(figures, self.warnings, len(self.missing), self.html)

    def _text(self, line: Line) -> str:
        if line.key == "APCER_max":
            return worst_text(self.by_presentation.errors)
        if line.at_threshold is None or line.figure.interval is None:
            return figure_text(line.figure)
        uncertain = span(line.figure.interval)
        return f"{figure_text(line.at_threshold)}; {uncertain} with the threshold's uncertainty"


def build(guided_test: GuidedTest, context: Context) -> Report:
    """Report on a session as it is now."""
    found = guided_test.presentations
    frames = ((one.species, frame.verdict, frame.score) for one in found for frame in one.frames)
    return Report(
        context=context,
        presentations=found,
        by_presentation=Figures.of_verdicts((one.species, one.verdict, one.score) for one in found),
        by_frame=Figures.of_verdicts(frames, [one.species for one in found]),
        details=guided_test.details,
        plan=guided_test.state.plan,
        session=guided_test.as_dict(),
    )


# ------------------------------------------------------------------ facts

EVALUATION, SUBJECTS, CAPTURE, COMPUTER = "Evaluation", "Test subjects", "Capture", "Computer"
INSTRUMENTS, TESTED = "Attack instruments", "What was tested"
_GROUPS = {
    **dict.fromkeys(("tester", "organisation", "potential"), EVALUATION),
    **dict.fromkeys(("n_subjects", "consent"), SUBJECTS),
    **dict.fromkeys(("distance", "light"), CAPTURE),
}

UNKNOWN_ORIGIN = "not known: the model was not at hand when the report was made"
NO_COMPARISON = "not applicable to a PAD subsystem"
MOST_NAMES = 3


def facts(report: Report) -> tuple[Fact, ...]:
    """Return every fact about a test, missing ones included."""
    presentations, details = report.presentations, report.details
    found = [
        Fact("evaluation_type", EVALUATION, "Evaluation type", "PAD subsystem", "measured"),
        _measured("dates", EVALUATION, "Dates of the test", _dates(presentations)),
        *(_stated(key, details) for key in ("tester", "organisation", "potential")),
        _plan(report.plan),
        Fact("IAPAR", EVALUATION, "IAPAR", NO_COMPARISON, "not applicable"),
        Fact("RIAPAR", EVALUATION, "RIAPAR", NO_COMPARISON, "not applicable"),
        *(_stated(key, details) for key in ("n_subjects", "consent")),
        _measured("device", CAPTURE, "Capture device", report.source),
        _measured("resolution", CAPTURE, "Resolution", _resolutions(presentations)),
        _measured("rate", CAPTURE, "Frame rate", _rates(presentations)),
        _measured("face_size", CAPTURE, "Face size", _sizes(presentations)),
        *(_stated(key, details) for key in ("distance", "light")),
        *_computer(presentations),
        *_instruments(presentations, details),
    ]
    if conditions := report.context.conditions:
        found.append(Fact("conditions", TESTED, "Conditions", conditions, "stated"))
    return (*found, *_tested(report))


def _stated(key: str, details: Details) -> Fact:
    (question,) = (one for one in DETAILS if one.key == key)
    value = details.values.get(key, "")
    return Fact(key, _GROUPS[key], question.label, value, "stated" if value else "missing")


def _measured(key: str, group: str, label: str, value: str) -> Fact:
    return Fact(key, group, label, value, "measured" if value else "missing")


def _plan(plan: PlanProgress | None) -> Fact:
    if plan is None:
        return Fact("plan", EVALUATION, "Test plan", "none", "stated")
    done = f"{plan.name}: {plan.n_wanted - plan.n_left} of {plan.n_wanted} presentations made"
    return Fact("plan", EVALUATION, "Test plan", done, "measured")


def _dates(presentations: Sequence[Presentation]) -> str:
    days = sorted({one.capture.began[:10] for one in presentations if one.capture.began})
    if len(days) < 2:
        return "".join(days)
    return f"{days[0]} to {days[-1]} ({len(days)} days)"


def _resolutions(presentations: Sequence[Presentation]) -> str:
    found = dict.fromkeys(
        f"{one.capture.width} x {one.capture.height}" for one in presentations if one.capture.width
    )
    return f"{few(found)} pixels" if found else ""


def _rates(presentations: Sequence[Presentation]) -> str:
    rates = [one.capture.rate for one in presentations if one.capture.rate is not None]
    return f"{_range(rates, '.0f')} frames a second" if rates else ""


def _sizes(presentations: Sequence[Presentation]) -> str:
    sizes = [frame.size for one in presentations for frame in one.frames if frame.size is not None]
    return f"{_range(sizes, '.0f')} pixels" if sizes else ""


def _computer(presentations: Sequence[Presentation]) -> list[Fact]:
    systems = few(one.capture.system for one in presentations)
    processors = few(one.capture.processor for one in presentations)
    times = [one.seconds for one in presentations if one.seconds is not None]
    per_frame = [
        frame.seconds for one in presentations for frame in one.frames if frame.seconds is not None
    ]
    taken = ""
    if times and per_frame:
        taken = (
            f"{median(times):.2f} s (median; at most {max(times):.2f} s), "
            f"{1000 * median(per_frame):.0f} ms a frame"
        )
    label = "Processing time per presentation"
    return [
        _measured("operating_system", COMPUTER, "Operating system", systems),
        _measured("processor", COMPUTER, "Processor", processors),
        _measured("processing_time", COMPUTER, label, taken),
    ]


def _instruments(presentations: Sequence[Presentation], details: Details) -> Iterable[Fact]:
    names = dict.fromkeys(one.species for one in presentations if one.species != BONA_FIDE)
    for name in names:
        for question in SPECIES_DETAILS:
            value = details.of(name).get(question.key, "")
            origin: Origin = "stated" if value else "missing"
            yield Fact(question.key, INSTRUMENTS, question.label, value, origin, name)


def _tested(report: Report) -> Iterable[Fact]:
    model = report.context.model

    def fact(key: str, label: str, value: str) -> Fact:
        return _measured(key, TESTED, label, value)

    yield fact("software", "Software", f"lmkl-pad {report.context.version}")
    yield fact("model_digest", "Model digest", ", ".join(report.digests))
    if model is not None:
        takes = counted(len(model.takes), "take")
        enrolled = f"{model.n_samples} frames in {takes}: {grouped(model.takes)}"
        yield fact("enrolment", "Enrolment", enrolled)
        views = f", {counted(len(model.view_names), 'view')}" if model.view_names else ""
        yield fact("views", "Views", f"preset {model.preset}{views}")
        parameters = "; ".join(f"{name} = {value}" for name, value in model.parameters)
        yield fact("parameters", "Parameters", parameters)
    values = ", ".join(score_text(one) for one in report.thresholds) or "none in force"
    yield fact("threshold", "Threshold", f"{values}; accepted when the score reaches it")
    origin = UNKNOWN_ORIGIN
    if model is not None:
        origin = f"{model.threshold.origin}. {model.threshold.statement}"
        origin = re.sub(r"\s+", " ", re.sub(r"(?<=\d)%", " %", origin))
    yield fact("threshold_origin", "Its origin", origin)


def few(names: Iterable[str]) -> str:
    """Return distinct names, abridged."""
    known = [name for name in dict.fromkeys(names) if name]
    if len(known) <= MOST_NAMES:
        return ", ".join(known)
    return f"{len(known)} different ones: {known[0]}, ..., {known[-1]}"


def _range(values: Sequence[float], form: str) -> str:
    low, high = f"{min(values):{form}}", f"{max(values):{form}}"
    return low if low == high else f"{low} to {high}"
