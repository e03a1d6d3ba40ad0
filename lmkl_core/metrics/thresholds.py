"""Checks of scores, and thresholds chosen from them."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any, Literal, Protocol, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lmkl_core.errors import InvalidInputError

Scores: TypeAlias = NDArray[np.float64]
Attacks: TypeAlias = Mapping[str, ArrayLike] | ArrayLike
"""Scores of attacks, either by species or all together."""

ROUNDING = 1e-9
"""Tolerance in numbers of scores, so that a tenth of ten scores is one score."""

Rule: TypeAlias = Literal["eer", "bpcer", "apcer", "given", "enrolment"]
"""Rules of `threshold_from`."""


LARGEST_SCORE = float(np.nextafter(np.finfo(np.float64).max, 0))
"""Largest score: a threshold above it is still finite."""


def as_scores(
    values: Any, what: str, largest: float = LARGEST_SCORE, allow_nan: bool = False
) -> Scores:
    """Return scores as a flat array of finite numbers; ``what`` names them in errors."""
    try:
        scores = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidInputError(f"Scores of {what} must be numbers.") from error
    if scores.ndim != 1:
        raise InvalidInputError(
            f"Scores of {what} must be a flat list of numbers, not of shape {scores.shape}."
        )
    if np.isinf(scores).any() or (not allow_nan and np.isnan(scores).any()):
        raise InvalidInputError(
            f"Scores of {what} must be finite: count presentations without a score as non-response."
        )
    if np.any(np.abs(scores) > largest):
        raise InvalidInputError(
            f"Scores of {what} must be at most {largest:.1e} in magnitude: rescale them."
        )
    return scores


def by_species(attacks: Attacks) -> dict[str, Scores]:
    """Return attacks by species; a plain list is one species, ``"attack"``."""
    if isinstance(attacks, Mapping):
        return {name: as_scores(values, name) for name, values in attacks.items()}
    return {"attack": as_scores(attacks, "attacks")}


def pooled(attacks: Attacks) -> Scores:
    """Return the scores of all attacks of any species."""
    return np.concatenate([np.empty(0), *by_species(attacks).values()])


def n_accepted(scores: Scores, thresholds: ArrayLike) -> NDArray[np.int64]:
    """Count, for every threshold, the scores that reach it."""
    return len(scores) - n_refused(scores, thresholds)


def n_refused(scores: Scores, thresholds: ArrayLike) -> NDArray[np.int64]:
    """Count, for every threshold, the scores below it."""
    return np.asarray(np.searchsorted(np.sort(scores), thresholds, side="left"), dtype=np.int64)


def candidate_thresholds(*scores: Scores) -> Scores:
    """Return one threshold for every possible division of these scores, lowest first.

    The first accepts all, the last refuses all, and the others lie between neighbouring scores.
    """
    levels = np.unique(np.concatenate([np.empty(0), *scores]))
    if not len(levels):
        return levels
    # Halve first: the sum of two huge scores may overflow.
    between = levels[:-1] / 2 + levels[1:] / 2
    # Adjacent floating-point numbers have no midpoint.
    between = np.where(between > levels[:-1], between, levels[1:])
    return np.concatenate([levels[:1], between, [np.nextafter(levels[-1], np.inf)]])


@dataclass(frozen=True)
class Threshold:
    """A threshold and its origin; ``value`` is None if it could not be chosen."""

    value: float | None
    origin: str


class Calibrated(Protocol):
    """A threshold from enrolment, for example a `lmkl_core.Calibration`."""

    @property
    def threshold(self) -> float:
        """Accept when ``score >= threshold``."""

    @property
    def origin(self) -> str:
        """The rule and the scores behind the threshold."""


def threshold_from(
    rule: Rule,
    bona_fide: ArrayLike = (),
    attacks: Attacks = (),
    *,
    target: float | None = None,
    given: float | None = None,
    calibration: Calibrated | None = None,
    on: str = "the development set",
) -> Threshold:
    """Return a threshold by one of several rules, with its origin.

    Parameters
    ----------
    rule : {"eer", "bpcer", "apcer", "given", "enrolment"}
        The first three choose it on scores like `choose_threshold`; ``"given"`` uses the number
        ``given``; ``"enrolment"`` uses ``calibration``, without any attacks.
    bona_fide, attacks, target
        As in `choose_threshold`.
    given : float
    calibration : Calibration
        ``calibration_`` of an estimator.
    on : str
        Name of the data that the scores come from.
    """
    if rule == "given":
        if given is None or not isfinite(given):
            raise InvalidInputError(f"A given threshold must be a finite number, not {given!r}.")
        return Threshold(float(given), "given")
    if rule == "enrolment":
        if calibration is None:
            raise InvalidInputError(
                "The rule 'enrolment' needs calibration: pass calibration_ of a fitted estimator."
            )
        origin = f"calibrated on enrolment: {calibration.origin}"
        return Threshold(float(calibration.threshold), origin)
    if rule not in get_args(Rule):
        raise InvalidInputError(
            f"rule={rule!r} is unknown: choose one of {', '.join(get_args(Rule))}."
        )
    value = choose_threshold(bona_fide, attacks, by=rule, target=target)
    if value is None:
        needs_bona_fide = rule == "bpcer" or (rule == "eer" and not np.size(bona_fide))
        missing = "bona fide presentation" if needs_bona_fide else "attack"
        return Threshold(None, f"not chosen, because {on} has no {missing} with a score")
    if rule == "eer":
        return Threshold(value, f"equal errors on {on}")
    assert target is not None  # checked by choose_threshold
    limit = "BPCER" if rule == "bpcer" else "every species' APCER"
    return Threshold(value, f"{limit} at most {100 * target:g} % on {on}")


def choose_threshold(
    bona_fide: ArrayLike,
    attacks: Attacks = (),
    *,
    by: Literal["eer", "bpcer", "apcer"] = "eer",
    target: float | None = None,
) -> float | None:
    """Choose a threshold on development scores; None if the required scores are missing.

    Parameters
    ----------
    bona_fide, attacks : array-like, mapping of str to array-like
        Scores; ``"apcer"`` does not need bona fide scores, ``"bpcer"`` does not need attacks.
    by : {"eer", "bpcer", "apcer"}
        The threshold where APCER over all attacks is closest to BPCER; the highest with a BPCER of
        at most ``target``; the lowest at which the APCER of no species exceeds ``target``.
    target : float
        Between 0 and 1; not used by ``"eer"``.
    """
    genuine = as_scores(bona_fide, "bona fide presentations")
    species = {name: scores for name, scores in by_species(attacks).items() if len(scores)}
    if by not in ("eer", "bpcer", "apcer"):
        raise InvalidInputError(f"by={by!r} is unknown: choose one of eer, bpcer, apcer.")
    if by != "eer" and (target is None or not 0 <= target <= 1):
        raise InvalidInputError(f"target={target!r} must lie between 0 and 1.")
    if (by != "apcer" and not len(genuine)) or (by != "bpcer" and not species):
        return None
    candidates = candidate_thresholds(genuine, *species.values())
    if by == "eer":
        attacks = np.concatenate(list(species.values()))
        accepted = n_accepted(attacks, candidates) / len(attacks)
        refused = n_refused(genuine, candidates) / len(genuine)
        # Ties go to the fewest errors.
        difference = np.round(np.abs(accepted - refused), 12)
        return float(candidates[np.lexsort((accepted + refused, difference))[0]])
    assert target is not None  # checked above
    if by == "bpcer":
        n_errors = int(np.floor(target * len(genuine) + ROUNDING))
        if n_errors >= len(genuine):
            return float(np.nextafter(np.max(genuine), np.inf))
        return float(np.sort(genuine)[n_errors])
    allowed = np.ones(len(candidates), dtype=bool)
    for scores in species.values():
        allowed &= n_accepted(scores, candidates) <= target * len(scores) + ROUNDING
    # The last candidate refuses all, so one is always allowed.
    return float(candidates[np.argmax(allowed)])
