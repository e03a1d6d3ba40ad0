"""Facts about a guided test, for the page, JSON and CSV."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Literal

from app.names import counted
from app.reports.words import grouped, score_text, spaced
from app.session.guided_test.details import DETAILS, SPECIES_DETAILS, Details
from app.session.guided_test.plans import PlanProgress
from app.session.guided_test.presentation import Presentation
from app.types import BONA_FIDE

if TYPE_CHECKING:
    from app.reports.guided_test import Report

Origin = Literal["measured", "stated", "missing", "not applicable"]

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


@dataclass(frozen=True)
class Fact:
    """A fact about a test or a species; its value is empty only if it is missing."""

    key: str
    group: str
    label: str
    value: str
    origin: Origin
    species: str = ""


def facts(report: "Report") -> tuple[Fact, ...]:
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


def _tested(report: "Report") -> Iterable[Fact]:
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
    told = ", ".join(score_text(one) for one in report.thresholds) or "none in force"
    yield fact("threshold", "Threshold", f"{told}; accepted when the score reaches it")
    origin = UNKNOWN_ORIGIN
    if model is not None:
        origin = spaced(f"{model.threshold.origin}. {model.threshold.statement}")
    yield fact("threshold_origin", "Its origin", re.sub(r"\s+", " ", origin))


def few(names: Iterable[str]) -> str:
    """Return distinct names, abridged."""
    known = [name for name in dict.fromkeys(names) if name]
    if len(known) <= MOST_NAMES:
        return ", ".join(known)
    return f"{len(known)} different ones: {known[0]}, ..., {known[-1]}"


def _range(values: Sequence[float], form: str) -> str:
    low, high = f"{min(values):{form}}", f"{max(values):{form}}"
    return low if low == high else f"{low} to {high}"
