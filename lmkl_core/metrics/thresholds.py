"""Choosing a threshold from scores; measuring errors at it is another matter, and other data."""

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from lmkl_core.errors import InvalidInputError
from lmkl_core.metrics.scores import (
    Attacks,
    Scores,
    as_scores,
    by_species,
    cuts,
    n_accepted,
    n_refused,
)

ROUNDING = 1e-9
"""Slack, in scores, so that a tenth of ten scores is one score."""


def choose_threshold(
    bona_fide: ArrayLike,
    attacks: Attacks = (),
    *,
    by: Literal["eer", "bpcer", "apcer"] = "eer",
    target: float | None = None,
) -> float | None:
    """Choose a threshold on development scores.

    Thresholds from enrolment alone, without attacks, come from `lmkl_core.calibrate`.

    Parameters
    ----------
    bona_fide : array-like
        Scores of bona fide presentations; not needed by ``"apcer"``.
    attacks : mapping of str to array-like, or array-like
        Scores of attacks, by species or all together; not needed by ``"bpcer"``.
    by : {"eer", "bpcer", "apcer"}
        Where APCER over all attacks is nearest to BPCER; the highest threshold with a BPCER of at
        most ``target``; the lowest at which no species' APCER exceeds ``target``.
    target : float
        Between 0 and 1; not used by ``"eer"``.

    Returns
    -------
    float or None
        Accept when ``score >= threshold``. None when the scores it is chosen by are missing.
    """
    genuine = as_scores(bona_fide, "bona fide presentations")
    species = {name: scores for name, scores in by_species(attacks).items() if len(scores)}
    if by == "eer":
        if not len(genuine) or not species:
            return None
        return _at_equal_errors(genuine, np.concatenate(list(species.values())))
    if by not in ("bpcer", "apcer"):
        raise InvalidInputError(f"A threshold is chosen by eer, bpcer or apcer, not by {by!r}.")
    if target is None or not 0 <= target <= 1:
        raise InvalidInputError(f"target={target!r} must lie between 0 and 1.")
    if by == "bpcer":
        return _at_bpcer(genuine, target) if len(genuine) else None
    return _at_apcer(species, genuine, target) if species else None


def _at_equal_errors(genuine: Scores, attacks: Scores) -> float:
    candidates = cuts(genuine, attacks)
    accepted = n_accepted(attacks, candidates) / len(attacks)
    refused = n_refused(genuine, candidates) / len(genuine)
    difference = np.abs(accepted - refused)
    # Among equally near ones, that with the fewest errors.
    best = np.lexsort((accepted + refused, np.round(difference, 12)))[0]
    return float(candidates[best])


def _at_bpcer(genuine: Scores, target: float) -> float:
    may_be_refused = int(np.floor(target * len(genuine) + ROUNDING))
    if may_be_refused >= len(genuine):
        return float(np.nextafter(np.max(genuine), np.inf))
    return float(np.sort(genuine)[may_be_refused])


def _at_apcer(species: dict[str, Scores], genuine: Scores, target: float) -> float:
    candidates = cuts(genuine, *species.values())
    allowed = np.ones(len(candidates), dtype=bool)
    for scores in species.values():
        allowed &= n_accepted(scores, candidates) <= target * len(scores) + ROUNDING
    # The last candidate refuses all, so that there always is one.
    return float(candidates[np.argmax(allowed)])
