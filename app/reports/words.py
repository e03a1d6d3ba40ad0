"""Figures as a person reads them, always with what they rest on."""

import re
from collections.abc import Sequence
from itertools import groupby

from app.names import counted
from lmkl_core.metrics import Errors, Estimate, Rate, Worst

NO_DATA = "no data"
ALL_EQUAL = "all species equal"


def percent(share: float) -> str:
    """Return a share as ``"26.5 %"``."""
    return f"{100 * share:.1f} %"


def span(interval: tuple[float, float]) -> str:
    """Return an interval of shares as ``"0.0 to 26.5 %"``."""
    return f"{100 * interval[0]:.1f} to {percent(interval[1])}"


def confidence(rate: Rate | Estimate) -> str:
    """Return the confidence as ``"95 %"``."""
    return f"{100 * rate.confidence:.0f} %"


def rate_text(rate: Rate) -> str:
    """Return ``"0.0 % (0 of 12, 95 % interval 0.0 to 26.5 %)"``."""
    if rate.value is None:
        return NO_DATA
    return (
        f"{percent(rate.value)} ({rate.n_errors} of {rate.n}, "
        f"{confidence(rate)} interval {span(rate.interval)})"
    )


def worst_text(errors: Errors) -> str:
    """Return the largest rate with its species and the interval of the maximum."""
    worst = errors.worst
    if worst.value is None:
        return NO_DATA
    rate, species = worst.rate, worst_species(errors)
    counts = "" if species == ALL_EQUAL else f": {rate.n_errors} of {rate.n}"
    return (
        f"{percent(worst.value)} ({species}{counts}, "
        f"{confidence(rate)} interval {span(worst.interval)})"
    )


def worst_species(errors: Errors) -> str:
    """Return the species with the largest rate, or that none is worse than another."""
    rates = [rate.value for rate in errors.apcers.values() if rate.value is not None]
    if len(rates) > 1 and len(set(rates)) == 1:
        return ALL_EQUAL
    return errors.worst.species


def estimate_text(estimate: Estimate) -> str:
    """Return a figure of both classes, as a percentage."""
    if estimate.value is None:
        return NO_DATA
    return f"{percent(estimate.value)} ({_basis(estimate)} interval {span(estimate.interval)})"


def score_text(value: float | None) -> str:
    """Return a score or threshold with three decimals, more only where those would all be zero."""
    if value is None:
        return "–"
    text = f"{value:.3f}"
    return f"{value:.2g}" if value and not float(text) else text


def auc_text(estimate: Estimate) -> str:
    """Return an area under a curve, as a number from 0 to 1."""
    if estimate.value is None:
        return NO_DATA
    low, high = estimate.interval
    return f"{estimate.value:.3f} ({_basis(estimate)} interval {low:.3f} to {high:.3f})"


def listed(items: Sequence[str]) -> str:
    """Return ``"a, b and c"``."""
    return " and ".join([", ".join(items[:-1]), items[-1]] if len(items) > 1 else items)


def grouped(names: Sequence[str]) -> str:
    """Return names with those that differ in a final number told as one: ``"lamp 1 to 3, hat"``."""
    told: list[str] = []
    for stem, members in groupby(names, key=_stem):
        found = list(members)
        first, last = found[0], found[-1]
        if stem and len(found) > 2:
            told.append(f"{first} to {last.rpartition(' ')[2]}")
        else:
            told += found
    return ", ".join(told)


def _stem(name: str) -> str:
    stem, _, number = name.rpartition(" ")
    return stem if number.isdecimal() else ""


def cells(figure: Rate | Estimate | Worst, *, is_share: bool = True) -> tuple[str, str, str]:
    """Return a figure as value, interval and what it rests on, for the columns of a table.

    Parameters
    ----------
    figure : Rate, Estimate or Worst
        The figure.
    is_share : bool
        Whether it is told in per cent; an area under a curve is not.
    """
    if figure.value is None:
        return NO_DATA, "", ""
    low, high = figure.interval
    if isinstance(figure, Estimate):
        basis = f"{figure.n_bona_fide} bona fide, {counted(figure.n_attacks, 'attack')}"
    else:
        rate = figure.rate if isinstance(figure, Worst) else figure
        basis = f"{rate.n_errors} of {rate.n}"
    if not is_share:
        return f"{figure.value:.3f}", f"{low:.3f} to {high:.3f}", basis
    return percent(figure.value), span(figure.interval), basis


def spaced(text: str) -> str:
    """Return text with a space before every per cent sign, as everywhere in a report."""
    return re.sub(r"(?<=\d)%", " %", text)


def _basis(estimate: Estimate) -> str:
    attacks = counted(estimate.n_attacks, "attack")
    return f"{estimate.n_bona_fide} bona fide, {attacks}, {confidence(estimate)}"
