"""What a guided test shows, in sentences: summary, conclusions, limits and warnings."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

from app.models.summary import ModelSummary
from app.names import counted, listed
from app.reports.figures import Figures
from app.reports.words import ALL_EQUAL, percent, span, worst_species
from app.session.guided_test.presentation import Presentation, Tally

WANTED = 0.05
"""An error rate that a reader may want to see undercut."""


# ------------------------------------------------------------------ summary


def brief(level: Figures) -> tuple[str, ...]:
    """Summarise what was presented, accepted and refused."""
    n_attacks = sum(row.n for row in level.attacks)
    if not level.bona_fide.n and not n_attacks:
        return ("Nothing was presented yet.",)
    return (_presented(level, n_attacks), *_attacks(level, n_attacks), *_bona_fide(level.bona_fide))


def _presented(level: Figures, n_attacks: int) -> str:
    n = level.bona_fide.n + n_attacks
    were = "was" if n == 1 else "were"
    said = f"{counted(n, 'presentation')} {were} made: {level.bona_fide.n} bona fide"
    if not n_attacks:
        return f"{said} and no attack."
    names = listed([row.species for row in level.attacks])
    kinds = "" if len(level.attacks) == 1 else f"{len(level.attacks)} species: "
    return f"{said} and {counted(n_attacks, 'attack')} ({kinds}{names})."


def _attacks(level: Figures, n_attacks: int) -> list[str]:
    if not n_attacks:
        return []
    n_accepted = sum(row.n_accepted for row in level.attacks)
    n_silent = sum(row.n_no_response for row in level.attacks)
    silent = f" {counted(n_silent, 'attack')} had no response." if n_silent else ""
    if level.errors.worst.value is None:
        return [f"No attack had a response, so it is not known how many are accepted.{silent}"]
    if not n_accepted:
        said = f"No attack was accepted: 0 of {n_attacks - n_silent}."
    else:
        verb = "was" if n_accepted == 1 else "were"
        said = f"{n_accepted} of {n_attacks - n_silent} attacks {verb} accepted.{_worst(level)}"
    return [said + silent + _bound(level)]


def _worst(level: Figures) -> str:
    """Name the species that was accepted most often, if several had a response."""
    worst, species = level.errors.worst, worst_species(level.errors)
    if worst.value is None or len(_answered(level)) < 2:
        return ""
    if species == ALL_EQUAL:
        return f" Of every species with a response {percent(worst.value)} were."
    counts = f"{worst.rate.n_errors} of {worst.rate.n}"
    return f" The worst species is {species}, with {counts} ({percent(worst.value)})."


def _bound(level: Figures) -> str:
    """Bound the true rates, and name species without a bound."""
    known = _answered(level)
    unknown = [row.species for row in level.attacks if row not in known]
    said = f" Of {listed(unknown)} none had one, so nothing is known." if unknown else ""
    highest = level.errors.worst.interval[1]
    if highest >= 1:
        return f"{said} So few do not exclude a true rate of 100 %."
    if len(known) == 1:
        which = f"the true rate of {known[0].species} is not" if unknown else "its true rate is not"
    else:
        which = "no other species' true rate is" if unknown else "no species' true rate is"
    return f"{said} With 95 % confidence {which} above {percent(highest)}."


def _answered(level: Figures) -> list[Tally]:
    return [row for row in level.attacks if row.errors.n]


def _bona_fide(row: Tally) -> list[str]:
    if not row.n:
        return []
    verb = "was" if row.n_accepted == 1 else "were"
    unfamiliar = f" ({row.n_unfamiliar} in a light not enrolled)" if row.n_unfamiliar else ""
    parts = [f"{row.n_refused} refused{unfamiliar}"]
    if row.n_no_response:
        parts.append(f"{row.n_no_response} without a usable face")
    said = f"{row.n_accepted} of {row.n} bona fide presentations {verb} accepted, {listed(parts)}."
    if row.errors.value is not None:
        interval = span(row.errors.interval)
        said += f" With 95 % confidence the true rate of refusals is from {interval}."
    return [said]


# ------------------------------------------------------------------ conclusions and limits


def conclusions(level: Figures) -> tuple[str, ...]:
    """Say what the numbers show; species with the same counts share a sentence."""
    alike: dict[object, list[Tally]] = {}
    for row in level.tallies:
        if row.n:
            alike.setdefault((row.is_attack, row.n, row.errors), []).append(row)
    if not alike:
        return ("Nothing was presented yet, so nothing can be concluded.",)
    needed = {rate: presentations_needed(rate) for rate in (0.05, 0.1, 0.01)}
    return (
        *map(_about, alike.values()),
        f"To show an error rate below 5 % takes {needed[0.05]} presentations without an error "
        f"(below 10 %: {needed[0.1]}, below 1 %: {needed[0.01]}), for each species and for bona "
        "fide.",
    )


def _about(rows: Sequence[Tally]) -> str:
    row, is_one = rows[0], len(rows) == 1
    names = ", ".join(each.species if each.is_attack else "bona fide" for each in rows)
    rate, error = row.errors, "accepted" if row.is_attack else "refused"
    subject = names[:1].upper() + names[1:]
    if not rate.n:
        n = counted(row.n, "presentation") + ("" if is_one else " of each")
        they = "it is" if is_one else "they are"
        return f"{subject}: no response to {n}, so it is not known how often {they} {error}."
    said = f"{subject}: {_of(rate.n_errors, rate.n, is_one=is_one)} wrongly {error}."
    if rate.n_errors:
        return f"{said} The true rate may lie anywhere from {span(rate.interval)}."
    said += f" The true rate may still be as high as {percent(rate.interval[1])}"
    # The approximation is useful only near the exact bound.
    rough = f"; rule of three, one-sided: about {percent(3 / rate.n)}" if rate.n >= 10 else ""
    return f"{said} (upper end of the exact 95 % interval{rough})."


def _of(count: int, n: int, *, is_one: bool) -> str:
    if n == 1:
        what = "the one presentation" if is_one else "the one presentation of each"
        return f"{what} was" + ("" if count else " not")
    each = "" if is_one else " each"
    return f"{count or 'none'} of {n}{each} {'were' if count > 1 else 'was'}"


def presentations_needed(rate: float) -> int:
    """Return how many presentations without an error show a rate, at 95 %."""
    return math.ceil(math.log(0.025) / math.log(1 - rate))


def limits(presentations: Sequence[Presentation], level: Figures) -> tuple[str, ...]:
    """Say what the test cannot show, the most important first."""
    found = []
    if n_simulated := sum(one.is_simulated for one in presentations):
        why = (
            "generated ones stand in for them here, and no real camera, print, screen or mask was "
            "used."
        )
        if n_simulated < len(presentations):
            why = "the figures count them together with generated ones."
        found.append(f"How well real attacks are detected: {why}")
    rates = [row.errors for row in level.tallies if row.n]
    if open_ones := [rate for rate in rates if rate.interval[1] >= WANTED]:
        which = "any error rate" if len(open_ones) == len(rates) else "every error rate"
        low, high = min(rate.n for rate in rates), max(rate.n for rate in rates)
        n = str(low) if low == high else f"{low} to {high}"
        found.append(
            f"That {which} is below {100 * WANTED:.0f} %: with {n} presentations of a kind that "
            "had a response, the intervals reach beyond it."
        )
    found.append(
        "How instruments, people, cameras and light fare that were not part of the test. A session "
        "does not record who was presented, so it says nothing about differences between people."
    )
    if level.value("AUC") is not None:
        found.append(
            "How another threshold would do on other recordings: AUC, EER and BPCER at a fixed "
            "APCER are read off these very scores."
        )
    return tuple(found)


# ------------------------------------------------------------------ warnings


def warnings(
    presentations: Sequence[Presentation], level: Figures, model: ModelSummary | None
) -> tuple[str, ...]:
    """Return caveats, worst first."""
    found = [simulated(presentations), *_changes(presentations, model)]
    n_simulated = sum(one.is_simulated for one in presentations)
    if 0 < n_simulated < len(presentations):
        found.append(
            "Simulated and real presentations are counted together here: for figures about real "
            "ones, clear the session and present only those."
        )
    if not level.bona_fide.n:
        found.append("No bona fide presentation was made, so BPCER is not known: add some.")
    if not level.attacks:
        found.append("No attack was presented, so APCER is not known: add some.")
    if n := level.bona_fide.n_unfamiliar:
        found.append(
            f"{counted(n, 'bona fide presentation')} of those refused came in a light that was not "
            "enrolled: enrol it, or test in enrolled light."
        )
    target = None if model is None else model.threshold.target_bpcer
    if model is not None and target is not None and not model.threshold.promised:
        found.append(
            f"The wanted BPCER of {percent(target)} cannot be promised at this threshold: enrol "
            "more takes."
        )
    return tuple(sentence for sentence in found if sentence)


def simulated(presentations: Sequence[Presentation]) -> str:
    """Return the banner; empty when nothing was simulated."""
    n_simulated = sum(one.is_simulated for one in presentations)
    if not n_simulated:
        return ""
    verb = "was" if n_simulated == 1 else "were"
    which = f"{n_simulated} of {len(presentations)} presentations {verb}"
    if n_simulated == len(presentations):
        which = "All presentations were"
    return (
        f"{which} generated by the program and not held before a camera: the figures show that "
        "the test works, not how well real attacks are detected. Generated recordings resemble "
        "each other, and in the window they repeat, so the intervals are too narrow."
    )


def _changes(presentations: Sequence[Presentation], model: ModelSummary | None) -> list[str]:
    scored = [one for one in presentations if one.threshold is not None]
    digests = {one.digest for one in scored}
    thresholds = {one.threshold for one in scored}
    found = []
    if len(digests) > 1:
        found.append(
            f"The model changed during the session ({len(digests)} models): the figures mix them, "
            "so repeat the test with one model."
        )
    elif model is not None and model.digest and digests and model.digest not in digests:
        found.append(
            "The model described here is not the one that was tested: repeat the test with it."
        )
    if len(thresholds) > 1:
        found.append(
            f"The threshold changed during the session ({len(thresholds)} values): every "
            "presentation was judged by the one in force, and score curves mix them."
        )
    return found


# ------------------------------------------------------------------ size of the face

EDGES = (80, 100, 120, 140, 160, 180, 200, 240, 280, 320, 400, math.inf)
"""Pixels at which bands begin; smaller faces are not scored."""


@dataclass(frozen=True)
class Band:
    """Genuine frames with a face of ``low`` to less than ``high`` pixels.

    Counts frames, since one presentation may have many sizes; they are dependent, so there is no
    interval.
    """

    low: int
    high: int | None
    n_presentations: int
    n_frames: int
    n_refused: int
    mean_score: float

    @property
    def refused(self) -> float:
        return self.n_refused / self.n_frames

    @property
    def name(self) -> str:
        return f"{self.low} and more" if self.high is None else f"{self.low} to {self.high}"

    @property
    def answer(self) -> str:
        return "refused" if self.refused > 0.5 else "accepted"

    def as_dict(self) -> dict[str, Any]:
        return {**asdict(self), "refused": self.refused}


def genuine_sizes(presentations: Iterable[Presentation]) -> list[tuple[float, float]]:
    """Return size and score of genuine frames that have both."""
    return [(size, score) for size, _, _, score in _genuine_frames(presentations)]


def _genuine_frames(
    presentations: Iterable[Presentation],
) -> list[tuple[float, int, bool, float]]:
    """Return size, presentation, refusal and score of genuine frames."""
    return [
        (frame.size, one.number, frame.verdict.refuses, frame.score)
        for one in presentations
        if not one.is_attack
        for frame in one.frames
        if frame.size is not None and frame.score is not None
    ]


def bands(presentations: Iterable[Presentation]) -> tuple[Band, ...]:
    """Return the bands that have genuine frames, the smallest first."""
    rows = _genuine_frames(presentations)
    found = []
    for low, high in pairwise(EDGES):
        if inside := [row for row in rows if low <= row[0] < high]:
            _, numbers, refused, scores = zip(*inside, strict=True)
            end = None if math.isinf(high) else int(high)
            mean = math.fsum(scores) / len(scores)
            counts = (len(set(numbers)), len(inside), sum(refused))
            found.append(Band(int(low), end, *counts, mean))
    return tuple(found)


def size_statement(found: Sequence[Band]) -> str:
    """Say at which sizes most genuine frames are refused."""
    if not found:
        return ""
    flips = [
        f"{before.answer} at {before.name} pixels and {after.answer} at {after.name}"
        for before, after in pairwise(found)
        if before.answer != after.answer
    ]
    if flips:
        return f"Most genuine frames are {'; '.join(flips)}."
    where = f"at {found[0].name} pixels" if len(found) == 1 else "at every size that was seen"
    return f"Most genuine frames are {found[0].answer} {where}."
