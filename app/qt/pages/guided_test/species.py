"""What the Test page calls species, outcomes and rates, and the icons of species."""

from app.session.guided_test.presentation import Presentation
from app.session.guided_test.tally import Tally
from app.types import BONA_FIDE, Verdict

NO_BREAK = "\N{NO-BREAK SPACE}"

_SPECIES = {
    BONA_FIDE: ("Genuine person", "the genuine person", "person"),
    "print": ("Print (matt)", "the print", "species-print"),
    "photo": ("Photo (glossy)", "the photo", "species-photo"),
    "phone": ("Phone", "the phone", "species-phone"),
    "tablet": ("Tablet", "the tablet", "species-tablet"),
    "replay": ("Replayed video", "the replayed video", "species-replay"),
    "monitor": ("Monitor", "the monitor", "species-monitor"),
    "paper mask": ("Paper mask", "the paper mask", "species-paper-mask"),
    "3-D mask": ("3-D mask", "the 3-D mask", "species-3d-mask"),
}
"""Names of buttons and rows, names within a sentence, and icons."""

_OUTCOMES = {
    Verdict.GENUINE: " was accepted",
    Verdict.ATTACK: " was refused",
    Verdict.UNFAMILIAR: " was refused, unfamiliar light",
    Verdict.NO_FACE: ", no face found",
}


def species_words(species: str) -> str:
    """Return a species as a button or a row names it; a person's own name as it was typed."""
    return _SPECIES[species][0] if species in _SPECIES else species


def species_icon_name(species: str) -> str:
    """Return the name of a species' icon; all that a person named share one."""
    return _SPECIES[species][2] if species in _SPECIES else "species-named"


def percent(share: float) -> str:
    """Return a share of 0 to 1 in per cent; what is not quite none or all is not rounded to it."""
    number = f"{100 * share:.1f}"
    if number == "0.0" and share > 0:
        number = "< 0.1"
    elif number == "100.0" and share < 1:
        number = "> 99.9"
    return f"{number}{NO_BREAK}%"


def rate_name(species: str) -> str:
    """Return what ISO/IEC 30107-3 calls the species' error rate."""
    return "BPCER" if species == BONA_FIDE else "APCER"


def is_error(presentation: Presentation) -> bool:
    """Return whether a presentation was judged wrongly; no response is not an error."""
    verdict = presentation.verdict
    return verdict.accepts if presentation.is_attack else verdict.refuses


def judgement(presentation: Presentation) -> tuple[str, str]:
    """Return the shape and the colour that say whether a presentation was judged rightly."""
    if not presentation.verdict.decides:
        return "dash", "muted"
    return ("cross", "bad") if is_error(presentation) else ("check", "good")


def outcome_words(presentation: Presentation) -> str:
    """Return whether a presentation was judged rightly, and what was done with it."""
    species = presentation.species
    what = _SPECIES[species][1] if species in _SPECIES else f"“{species}”"
    judged = "Wrong" if is_error(presentation) else "Right"
    if not presentation.verdict.decides:
        judged = "No response"
    return f"{judged}: {what}{_OUTCOMES.get(presentation.verdict, ', picture too poor')}"


def bound_words(row: Tally) -> str:
    """Return what a species' presentations so far say about its error rate at most."""
    n, wrong = row.errors.n, row.errors.n_errors
    what, at_most = species_words(row.species), percent(row.errors.interval[1])
    if n == 0:
        return f"{what}: no response yet, so every error rate is possible."
    if wrong == 0:
        return f"{what}: 0 errors in {n} still allow an error rate of up to {at_most}."
    errors = "1 error" if wrong == 1 else f"{wrong} errors"
    return f"{what}: {errors} in {n}, so the error rate may be as high as {at_most}."
