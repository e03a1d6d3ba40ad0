"""Errors at a given threshold, wherever that came from."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from lmkl_core.errors import InvalidInputError
from lmkl_core.metrics.rates import CONFIDENCE, Estimate, Rate, Worst, acer, hter, pooled, worst
from lmkl_core.metrics.scores import Attacks, as_scores, by_species, n_accepted, n_refused


def apcer(threshold: float, attacks: ArrayLike, confidence: float = CONFIDENCE) -> Rate:
    """Share of one species' attacks that are accepted: ``score >= threshold``."""
    _check(threshold)
    scores = as_scores(attacks, "attacks")
    return Rate(int(n_accepted(scores, threshold)), len(scores), confidence)


def bpcer(threshold: float, bona_fide: ArrayLike, confidence: float = CONFIDENCE) -> Rate:
    """Share of bona fide presentations that are refused: ``score < threshold``."""
    _check(threshold)
    scores = as_scores(bona_fide, "bona fide presentations")
    return Rate(int(n_refused(scores, threshold)), len(scores), confidence)


def _check(threshold: float) -> None:
    if np.isnan(threshold):
        raise InvalidInputError("Errors need a threshold that is a number, not NaN.")


@dataclass(frozen=True)
class Errors:
    """Counted errors of a test, and all that follows from them.

    Non-response is counted over all presentations, errors over those with a response.

    Parameters
    ----------
    bpcer : Rate
        Refused among the bona fide presentations with a response.
    apcers : mapping of str to Rate
        Accepted among the attacks with a response, by species.
    bpnrr : Rate
        Bona fide presentations without a response, among all of them.
    apnrrs : mapping of str to Rate
        Attacks without a response, among all of them, by species.
    """

    bpcer: Rate
    apcers: Mapping[str, Rate]
    bpnrr: Rate
    apnrrs: Mapping[str, Rate]
    confidence: float = CONFIDENCE

    @property
    def worst(self) -> Worst:
        """The largest APCER of all species, with the interval of the maximum."""
        return worst(self.apcers, self.confidence)

    @property
    def apcer(self) -> Rate:
        """APCER over all attacks together; it depends on how many of each species there are."""
        return pooled(self.apcers.values(), self.confidence)

    @property
    def apnrr(self) -> Rate:
        """Non-response over all attacks together."""
        return pooled(self.apnrrs.values(), self.confidence)

    @property
    def acer(self) -> Estimate:
        """Mean of the largest APCER and BPCER (legacy)."""
        return acer(self.apcers, self.bpcer, self.confidence)

    @property
    def hter(self) -> Estimate:
        """Mean of the pooled APCER and BPCER."""
        return hter(self.apcer, self.bpcer, self.confidence)


def measure(
    threshold: float,
    bona_fide: ArrayLike,
    attacks: Attacks,
    *,
    n_bona_fide_without: int = 0,
    n_attacks_without: Mapping[str, int] | None = None,
    confidence: float = CONFIDENCE,
) -> Errors:
    """Count the errors at a threshold.

    Parameters
    ----------
    threshold : float
        Accept when ``score >= threshold``.
    bona_fide : array-like
        Scores of the bona fide presentations with a response.
    attacks : mapping of str to array-like, or array-like
        Scores of the attacks with a response, by species.
    n_bona_fide_without : int
        Bona fide presentations without a response.
    n_attacks_without : mapping of str to int, optional
        Attacks without a response, by species; a species may occur here only.
    confidence : float
        Of all intervals.
    """
    species = by_species(attacks)
    without = dict(n_attacks_without or {})
    refused = bpcer(threshold, bona_fide, confidence)
    names = list(dict.fromkeys([*species, *without]))
    apcers = {name: apcer(threshold, species.get(name, ()), confidence) for name in names}
    return Errors(
        bpcer=refused,
        apcers=apcers,
        bpnrr=Rate(n_bona_fide_without, refused.n + n_bona_fide_without, confidence),
        apnrrs={
            name: Rate(without.get(name, 0), apcers[name].n + without.get(name, 0), confidence)
            for name in names
        },
        confidence=confidence,
    )
