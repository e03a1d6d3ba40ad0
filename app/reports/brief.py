"""The test in a few sentences, for whoever reads nothing else; and what it cannot tell."""

from collections.abc import Sequence

from app.names import counted
from app.reports.levels import Level, SpeciesCounts
from app.reports.words import ALL_EQUAL, listed, percent, span, worst_species
from app.session.guided_test.presentation import Presentation
from lmkl_core.metrics import Rate

WANTED = 0.05
"""An error rate that a reader may want to see undercut."""


def brief(level: Level) -> tuple[str, ...]:
    """Return what was presented, and what became of attacks and of bona fide.

    Parameters
    ----------
    level : Level
        Of the presentations.
    """
    n_attacks = sum(row.n for row in level.attacks)
    if not level.bona_fide.n and not n_attacks:
        return ("Nothing was presented yet.",)
    return (_presented(level, n_attacks), *_attacks(level, n_attacks), *_bona_fide(level.bona_fide))


def _presented(level: Level, n_attacks: int) -> str:
    n = level.bona_fide.n + n_attacks
    were = "was" if n == 1 else "were"
    told = f"{counted(n, 'presentation')} {were} made: {level.bona_fide.n} bona fide"
    if not n_attacks:
        return f"{told} and no attack."
    names = listed([row.species for row in level.attacks])
    kinds = "" if len(level.attacks) == 1 else f"{len(level.attacks)} species: "
    return f"{told} and {counted(n_attacks, 'attack')} ({kinds}{names})."


def _attacks(level: Level, n_attacks: int) -> list[str]:
    if not n_attacks:
        return []
    n_accepted = sum(row.n_accepted for row in level.attacks)
    n_silent = sum(row.n_no_response for row in level.attacks)
    silent = f" {counted(n_silent, 'attack')} had no response." if n_silent else ""
    if level.errors.worst.value is None:
        return [f"No attack had a response, so it is not known how many are accepted.{silent}"]
    if not n_accepted:
        told = f"No attack was accepted: 0 of {n_attacks - n_silent}."
    else:
        verb = "was" if n_accepted == 1 else "were"
        told = f"{n_accepted} of {n_attacks - n_silent} attacks {verb} accepted.{_worst(level)}"
    return [told + silent + _bound(level)]


def _worst(level: Level) -> str:
    """Return which species was accepted most often, where several can be compared."""
    worst, species = level.errors.worst, worst_species(level.errors)
    if worst.value is None or len(_answered(level)) < 2:
        return ""
    if species == ALL_EQUAL:
        return f" Of every species with a response {percent(worst.value)} were."
    rate = worst.rate
    return (
        f" The worst species is {species}, with {rate.n_errors} of {rate.n} "
        f"({percent(worst.value)})."
    )


def _bound(level: Level) -> str:
    """Return how high the true rates may be, and of which species that is not known."""
    known = _answered(level)
    unknown = [row.species for row in level.attacks if row not in known]
    told = f" Of {listed(unknown)} none had one, so nothing is known." if unknown else ""
    highest = level.errors.worst.interval[1]
    if highest >= 1:
        return f"{told} So few do not exclude a true rate of 100 %."
    if len(known) == 1:
        which = f"the true rate of {known[0].species} is not" if unknown else "its true rate is not"
    else:
        which = "no other species' true rate is" if unknown else "no species' true rate is"
    return f"{told} With 95 % confidence {which} above {percent(highest)}."


def _answered(level: Level) -> list[SpeciesCounts]:
    return [row for row in level.attacks if row.errors.n]


def _bona_fide(row: SpeciesCounts) -> list[str]:
    if not row.n:
        return []
    verb = "was" if row.n_accepted == 1 else "were"
    unfamiliar = f" ({row.n_unfamiliar} in a light not enrolled)" if row.n_unfamiliar else ""
    parts = [f"{row.n_refused} refused{unfamiliar}"]
    if row.n_no_response:
        parts.append(f"{row.n_no_response} without a usable face")
    told = f"{row.n_accepted} of {row.n} bona fide presentations {verb} accepted, {listed(parts)}."
    if row.errors.value is not None:
        told += (
            f" With 95 % confidence the true rate of refusals is from {span(row.errors.interval)}."
        )
    return [told]


def limits(presentations: Sequence[Presentation], level: Level) -> tuple[str, ...]:
    """Return what the test cannot tell, the weightiest first.

    Parameters
    ----------
    presentations : sequence of Presentation
        All of them.
    level : Level
        What they amount to.
    """
    found = []
    n_simulated = sum(one.is_simulated for one in presentations)
    if n_simulated:
        why = (
            "generated ones stand in for them here, and no real camera, print, screen or mask was "
            "used."
        )
        if n_simulated < len(presentations):
            why = "the figures count them together with generated ones."
        found.append(f"How well real attacks are detected: {why}")
    found += _too_few(level)
    found.append(
        "How instruments, people, cameras and light fare that were not part of the test. A session "
        "does not record who was presented, so it says nothing about differences between people."
    )
    if level.auc.value is not None:
        found.append(
            "How another threshold would do on other recordings: AUC, EER and BPCER at a fixed "
            "APCER are read off these very scores."
        )
    return tuple(found)


def _too_few(level: Level) -> list[str]:
    rates = [row.errors for row in level.counts if row.n]
    open_ones = [rate for rate in rates if rate.interval[1] >= WANTED]
    if not open_ones:
        return []
    which = "any error rate" if len(open_ones) == len(rates) else "every error rate"
    return [
        f"That {which} is below {100 * WANTED:.0f} %: with {_range(rates)} presentations of a kind "
        "that had a response, the intervals reach beyond it."
    ]


def _range(rates: Sequence[Rate]) -> str:
    low, high = min(rate.n for rate in rates), max(rate.n for rate in rates)
    return str(low) if low == high else f"{low} to {high}"
