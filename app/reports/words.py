"""Figures as text: ``26.5 %`` with n and interval in a guided test, ``26.5`` in tables."""

from collections.abc import Sequence
from datetime import datetime
from itertools import groupby

from app.evaluation.published import PrintedFigure
from app.names import counted
from app.reports.figures import Figure, Spread
from lmkl_core.metrics import Errors

NO_DATA = "no data"
NOTHING = "–"
ALL_EQUAL = "all species equal"

Interval = tuple[float, float]


def percent(value: float) -> str:
    """Return a share as ``"26.5 %"``."""
    return f"{100 * value:.1f} %"


def span(interval: Interval) -> str:
    """Return an interval of shares as ``"0.0 to 26.5 %"``."""
    return f"{100 * interval[0]:.1f} to {percent(interval[1])}"


def cells(figure: Figure) -> tuple[str, str, str]:
    """Return value, interval and basis."""
    if figure.value is None:
        return NO_DATA, "", ""
    if figure.n is not None:
        basis = f"{figure.n_errors} of {figure.n}"
    else:
        basis = f"{figure.n_bona_fide} bona fide, {counted(figure.n_attacks or 0, 'attack')}"
    low, high = figure.interval or (0.0, 1.0)
    if figure.name == "AUC":
        return f"{figure.value:.3f}", f"{low:.3f} to {high:.3f}", basis
    return percent(figure.value), span((low, high)), basis


def figure_text(figure: Figure, basis: str = "") -> str:
    """Return ``"0.0 % (0 of 12, 95 % interval 0.0 to 26.5 %)"``."""
    value, interval, usual = cells(figure)
    return f"{value} ({basis or usual}, 95 % interval {interval})" if interval else value


def worst_text(errors: Errors) -> str:
    """Return the largest APCER with its species and the interval of the maximum."""
    species, figure = worst_species(errors), Figure.of("APCER", errors.worst)
    return figure_text(
        figure, species if species == ALL_EQUAL else f"{species}: {cells(figure)[2]}"
    )


def worst_species(errors: Errors) -> str:
    """Return the species with the largest APCER, or that none is worse than another."""
    rates = [rate.value for rate in errors.apcers.values() if rate.value is not None]
    return ALL_EQUAL if len(rates) > 1 and len(set(rates)) == 1 else errors.worst.species


def score_text(value: float | None) -> str:
    """Return a score with three decimals, more if those were all zero."""
    if value is None:
        return NOTHING
    text = f"{value:.3f}"
    return f"{value:.2g}" if value and not float(text) else text


def created_text(created: datetime) -> str:
    return created.strftime("%Y-%m-%d, %H:%M %Z").strip()


def grouped(names: Sequence[str]) -> str:
    """Join names, those that differ in a final number as one: ``"lamp 1 to 3, hat"``."""
    joined: list[str] = []
    for stem, members in groupby(names, key=_stem):
        found = list(members)
        if stem and len(found) > 2:
            joined.append(f"{found[0]} to {found[-1].rpartition(' ')[2]}")
        else:
            joined += found
    return ", ".join(joined)


def _stem(name: str) -> str:
    stem, _, number = name.rpartition(" ")
    return stem if number.isdecimal() else ""


# ------------------------------------------------------------------ tables


def share(value: float | None) -> str:
    """Return a share in per cent, without the sign: ``"26.5"``."""
    return NOTHING if value is None else f"{100 * value:.1f}"


def spread_text(found: Spread | None) -> str:
    """Return ``"5.6 ± 2.0"``; the mean alone with one fold."""
    if found is None:
        return NOTHING
    return share(found.mean) if found.std is None else f"{share(found.mean)} ± {share(found.std)}"


def printed_text(figure: PrintedFigure | None) -> str:
    """Return a published figure as ``"5.6 ± 2.0"``."""
    if figure is None:
        return NOTHING
    return f"{figure.mean:.1f}" if figure.std is None else f"{figure.mean:.1f} ± {figure.std:.1f}"


def ends_text(ends: Interval | None) -> str:
    """Return ``"12.5 to 50.0"``."""
    return NOTHING if ends is None else f"{share(ends[0])} to {share(ends[1])}"


def interval_text(figure: Figure) -> str:
    """Return ``"2.7 to 32.4"``; empty without an interval."""
    return ends_text(figure.interval) if figure.interval else ""


def basis_text(figure: Figure) -> str:
    """Return ``"3 of 24"`` or ``"80 + 400"``; empty without a value."""
    if figure.value is None:
        return ""
    if figure.n is not None:
        return f"{figure.n_errors} of {figure.n}"
    return f"{figure.n_bona_fide} + {figure.n_attacks}"


def difference_text(value: float | None, interval: Interval | None) -> str:
    """Return a difference in percentage points as ``"+1.5 (-0.2 to +3.1)"``."""
    if value is None:
        return NOTHING
    if interval is None:
        return _signed(value)
    return f"{_signed(value)} ({_signed(interval[0])} to {_signed(interval[1])})"


def _signed(value: float) -> str:
    text = f"{100 * value:+.1f}"
    return "0.0" if text in ("+0.0", "-0.0") else text
