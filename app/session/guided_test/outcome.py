"""What became of a presentation, in one sentence; and of a species' presentations, in numbers."""

from collections.abc import Sequence

from app.session.guided_test.presentation import Presentation
from app.session.guided_test.state import TallyRow
from app.types import BONA_FIDE, SPECIES, Verdict

_TOLD = {
    Verdict.GENUINE: "was accepted",
    Verdict.ATTACK: "was refused",
    Verdict.UNFAMILIAR: "was refused, in a light that was not enrolled",
    Verdict.NO_FACE: "was not judged, because no face was found",
    Verdict.POOR_QUALITY: "was not judged, because the picture was too poor",
}


def outcome_sentence(presentation: Presentation) -> str:
    """Return whether the newest presentation was judged rightly, how, and with what score."""
    species = presentation.species
    if species == BONA_FIDE:
        what = "the genuine person"
    elif species in SPECIES:
        what = "the replayed video" if species == "replay" else f"the {species}"
    else:
        what = f"\N{LEFT DOUBLE QUOTATION MARK}{species}\N{RIGHT DOUBLE QUOTATION MARK}"
    verdict = presentation.verdict
    if not verdict.decides:
        judged = "No response"
    else:
        is_right = presentation.is_attack == verdict.refuses
        judged = "Right" if is_right else "Wrong"
    told = f"{judged}: {what} {_TOLD[verdict]}."
    if presentation.score is None or presentation.threshold is None:
        return told
    return f"{told} Mean score {presentation.score:.3f}, threshold {presentation.threshold:.3f}."


def tally_row(species: str, presentations: Sequence[Presentation]) -> TallyRow:
    """Count what became of one species' presentations."""
    # Imported late: the window is shown before the numerical libraries are loaded, and the first
    # presentation is judged long after that.
    from lmkl_core.metrics import Rate

    verdicts = [presentation.verdict for presentation in presentations]
    n_accepted, n_refused = (
        sum(verdict.accepts for verdict in verdicts),
        sum(verdict.refuses for verdict in verdicts),
    )
    n_errors = n_refused if species == BONA_FIDE else n_accepted
    rate = Rate(n_errors, n_accepted + n_refused)
    return TallyRow(
        species=species,
        n=len(verdicts),
        n_accepted=n_accepted,
        n_refused=n_refused,
        n_no_response=len(verdicts) - n_accepted - n_refused,
        rate=rate.value,
        interval=rate.interval,
    )
