"""Figures as a person reads them, always with what they rest on."""

from lmkl_core.metrics import Errors, Estimate, Rate

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


def counted(n: int, singular: str, plural: str = "") -> str:
    """Return ``"1 attack"``, ``"2 attacks"``."""
    return f"{n} {singular if n == 1 else plural or singular + 's'}"


def _basis(estimate: Estimate) -> str:
    attacks = counted(estimate.n_attacks, "attack")
    return f"{estimate.n_bona_fide} bona fide, {attacks}, {confidence(estimate)}"
