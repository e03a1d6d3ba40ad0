"""Figures as text: ``26.5 %`` with n and interval in a guided test, ``26.5`` in tables."""

from datetime import datetime

from app.evaluation.published import PrintedFigure
from app.names import counted
from app.reports.figures import Figure, Spread
from lmkl_core.calibration.threshold import percent

NO_DATA = "no data"
NOTHING = "–"

Interval = tuple[float, float]


def span(interval: Interval) -> str:
    """Return an interval of shares as ``"0.0 to 26.5 %"``."""
    return f"{100 * interval[0]:.1f} to {percent(interval[1])}"


def basis_text(figure: Figure) -> str:
    """Return ``"3 of 24"`` or ``"80 bona fide, 400 attacks"``; empty without a value."""
    if figure.value is None:
        return ""
    if figure.n is not None:
        return f"{figure.n_errors} of {figure.n}"
    return f"{figure.n_bona_fide} bona fide, {counted(figure.n_attacks or 0, 'attack')}"


def cells(figure: Figure) -> tuple[str, str, str]:
    """Return value, interval and basis."""
    if figure.value is None:
        return NO_DATA, "", ""
    low, high = figure.interval or (0.0, 1.0)
    if figure.name == "AUC":
        return f"{figure.value:.3f}", f"{low:.3f} to {high:.3f}", basis_text(figure)
    return percent(figure.value), span((low, high)), basis_text(figure)


def figure_text(figure: Figure) -> str:
    """Return ``"0.0 % (0 of 12, 95 % interval 0.0 to 26.5 %)"``, with the species of an APCER."""
    value, interval, basis = cells(figure)
    if not interval:
        return value
    species = f"{figure.species}: " if figure.species else ""
    return f"{value} ({species}{basis}, 95 % interval {interval})"


def score_text(value: float | None) -> str:
    """Return a score with three decimals, or more if those are all zero."""
    if value is None:
        return NOTHING
    text = f"{value:.3f}"
    return f"{value:.2g}" if value and not float(text) else text


def created_text(created: datetime) -> str:
    return created.strftime("%Y-%m-%d, %H:%M %Z").strip()


# ------------------------------------------------------------------ tables


def share(value: float | None) -> str:
    """Return a share in per cent without the sign: ``"26.5"``."""
    return NOTHING if value is None else f"{100 * value:.1f}"


def spread_text(found: Spread | None) -> str:
    """Return ``"5.6 ± 2.0"``, or only the mean with one fold."""
    if found is None:
        return NOTHING
    return share(found.mean) if found.std is None else f"{share(found.mean)} ± {share(found.std)}"


def printed_text(figure: PrintedFigure | None) -> str:
    """Return a published figure as ``"5.6 ± 2.0"``."""
    if figure is None:
        return NOTHING
    return f"{figure.mean:.1f}" if figure.std is None else f"{figure.mean:.1f} ± {figure.std:.1f}"


def interval_text(figure: Figure) -> str:
    """Return ``"2.7 to 32.4"``; empty without an interval."""
    return " to ".join(map(share, figure.interval or ()))


def with_interval(value: str, interval: str) -> str:
    """Return ``"14.3 (2.7 to 32.4)"``, or whichever of the two is not empty."""
    return f"{value} ({interval})" if value and interval else value or interval


def difference_text(value: float | None, interval: Interval | None) -> str:
    """Return a difference in percentage points as ``"+1.5 (-0.2 to +3.1)"``."""
    if value is None:
        return NOTHING
    return with_interval(_signed(value), " to ".join(map(_signed, interval or ())))


def _signed(value: float) -> str:
    text = f"{100 * value:+.1f}"
    return "0.0" if text in ("+0.0", "-0.0") else text
