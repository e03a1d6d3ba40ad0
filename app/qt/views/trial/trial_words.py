"""How the Test page says things: species, outcomes and rates in plain words."""

from PySide6.QtCore import QCoreApplication

from app.session.guided_test.state import PresentationSummary, TallyRow
from app.types import BONA_FIDE, Verdict

NO_BREAK = "\N{NO-BREAK SPACE}"


def _tr(text: str) -> str:
    return QCoreApplication.translate("TestPage", text)


def species_words(species: str) -> str:
    """Return a species as a button or a row names it; a person's own name as it was typed."""
    known = {
        BONA_FIDE: _tr("Genuine person"),
        "print": _tr("Print (matt)"),
        "photo": _tr("Photo (glossy)"),
        "phone": _tr("Phone"),
        "tablet": _tr("Tablet"),
        "replay": _tr("Replayed video"),
        "monitor": _tr("Monitor"),
        "paper mask": _tr("Paper mask"),
        "3-D mask": _tr("3-D mask"),
    }
    return known.get(species, species)


def percent(share: float) -> str:
    """Return a share of 0 to 1 in per cent; what is not quite none or all is not rounded to it."""
    number = f"{100 * share:.1f}"
    if number == "0.0" and share > 0:
        number = "< 0.1"
    elif number == "100.0" and share < 1:
        number = "> 99.9"
    return f"{number}{NO_BREAK}%"


def n_errors(row: TallyRow) -> int:
    """Return how many of a species' presentations were judged wrongly."""
    return row.n_refused if row.species == BONA_FIDE else row.n_accepted


def n_responses(row: TallyRow) -> int:
    """Return how many of a species' presentations were accepted or refused."""
    return row.n_accepted + row.n_refused


def rate_name(row: TallyRow) -> str:
    """Return what ISO/IEC 30107-3 calls the species' error rate."""
    return "BPCER" if row.species == BONA_FIDE else "APCER"


def is_error(presentation: PresentationSummary) -> bool:
    """Return whether a presentation was judged wrongly; having no response is no error."""
    verdict = presentation.verdict
    return verdict.accepts if presentation.is_attack else verdict.refuses


def judgement(presentation: PresentationSummary) -> tuple[str, str]:
    """Return the shape and the colour that say whether a presentation was judged rightly."""
    if not presentation.verdict.decides:
        return "dash", "muted"
    return ("cross", "bad") if is_error(presentation) else ("check", "good")


def outcome_words(presentation: PresentationSummary) -> str:
    """Return whether a presentation was judged rightly, and what was done with it."""
    what = _subject(presentation.species)
    match presentation.verdict:
        case Verdict.GENUINE:
            told = _tr("{what} was accepted")
        case Verdict.ATTACK:
            told = _tr("{what} was refused")
        case Verdict.UNFAMILIAR:
            told = _tr("{what} was refused, unfamiliar light")
        case Verdict.NO_FACE:
            told = _tr("{what}, no face found")
        case _:
            told = _tr("{what}, picture too poor")
    if not presentation.verdict.decides:
        judged = _tr("No response")
    else:
        judged = _tr("Wrong") if is_error(presentation) else _tr("Right")
    return f"{judged}: {told.format(what=what)}"


def _subject(species: str) -> str:
    """Return a species as a sentence names it; a person's own name between quotation marks."""
    known = {
        BONA_FIDE: _tr("the genuine person"),
        "print": _tr("the print"),
        "photo": _tr("the photo"),
        "phone": _tr("the phone"),
        "tablet": _tr("the tablet"),
        "replay": _tr("the replayed video"),
        "monitor": _tr("the monitor"),
        "paper mask": _tr("the paper mask"),
        "3-D mask": _tr("the 3-D mask"),
    }
    quoted = f"\N{LEFT DOUBLE QUOTATION MARK}{species}\N{RIGHT DOUBLE QUOTATION MARK}"
    return known.get(species, quoted)


def bound_words(row: TallyRow) -> str:
    """Return what a species' presentations so far say about its error rate at most."""
    n, wrong = n_responses(row), n_errors(row)
    what, at_most = species_words(row.species), percent(row.interval[1])
    if n == 0:
        return _tr("{what}: no response yet, so every error rate is possible.").format(what=what)
    if wrong == 0:
        text = _tr("{what}: 0 errors in {n} still allow an error rate of up to {at_most}.")
    elif wrong == 1:
        text = _tr("{what}: 1 error in {n}, so the error rate may be as high as {at_most}.")
    else:
        text = _tr("{what}: {wrong} errors in {n}, so the error rate may be as high as {at_most}.")
    return text.format(what=what, n=n, wrong=wrong, at_most=at_most)
