"""Everything that is told about one table of scores at one threshold.

Frames and presentations are two tables, ``table`` and ``table.by_presentation()``, and the same
call. The exact intervals take rows as independent. That holds for presentations of different
people at best and for frames never: there the intervals by subject are the honest ones.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from lmkl_core.metrics.bootstrap import N_RESAMPLES, bootstrap_acer, bootstrap_auc
from lmkl_core.metrics.curves import auc, bpcer_at_apcer, eer
from lmkl_core.metrics.measuring import Errors, measure
from lmkl_core.metrics.rates import CONFIDENCE, NOTHING_KNOWN, Estimate, Rate, Worst
from lmkl_core.metrics.resampling import Resampled
from lmkl_core.metrics.table import ScoreTable
from lmkl_core.metrics.thresholds import Threshold

APCER_TARGETS = (0.01, 0.05, 0.1)
"""At which BPCER is told unless others are asked for."""


@dataclass(frozen=True)
class Figures:
    """All figures of a table of scores.

    Attributes
    ----------
    threshold : Threshold
        At which errors were counted.
    errors : Errors
        BPCER, APCER by species, non-response; without a threshold all rates but the non-responses
        are over nothing, so that their values are None.
    auc, eer : Estimate
        What needs no threshold.
    bpcer_at : mapping of float to Estimate
        BPCER at each APCER that no species exceeds.
    auc_by_subject, acer_by_subject : Resampled
        The same AUC and ACER with intervals from drawing subjects.
    n_subjects : int
        Different subjects in the table.
    """

    threshold: Threshold
    errors: Errors
    auc: Estimate
    eer: Estimate
    bpcer_at: Mapping[float, Estimate]
    auc_by_subject: Resampled
    acer_by_subject: Resampled
    n_subjects: int

    @property
    def bpcer(self) -> Rate:
        """Bona fide refused."""
        return self.errors.bpcer

    @property
    def apcer(self) -> Worst:
        """Attacks accepted, of the worst species."""
        return self.errors.worst

    @property
    def acer(self) -> Estimate:
        """Mean of the largest APCER and BPCER (legacy), with the exact interval."""
        return self.errors.acer

    @property
    def hter(self) -> Estimate:
        """Mean of the pooled APCER and BPCER."""
        return self.errors.hter

    @property
    def bpnrr(self) -> Rate:
        """Bona fide without a response."""
        return self.errors.bpnrr

    @property
    def apnrr(self) -> Rate:
        """Attacks without a response, all species together."""
        return self.errors.apnrr


def measure_table(
    threshold: Threshold | float | None, table: ScoreTable, confidence: float = CONFIDENCE
) -> Errors:
    """Count the errors of a table at a threshold; without one, the non-responses alone.

    Parameters
    ----------
    threshold : Threshold, float or None
        Accept when ``score >= threshold``.
    table : ScoreTable
        Of frames or of presentations.
    confidence : float
        Of all intervals.
    """
    value = threshold.value if isinstance(threshold, Threshold) else threshold
    errors = measure(
        # Non-response is the same at any threshold.
        0.0 if value is None else value,
        table.bona_fide,
        table.attacks,
        n_bona_fide_without=table.n_bona_fide_without,
        n_attacks_without=table.n_attacks_without,
        confidence=confidence,
    )
    if value is not None:
        return errors
    nothing = Rate(0, 0, confidence)
    return replace(errors, bpcer=nothing, apcers=dict.fromkeys(errors.apcers, nothing))


def figures(
    table: ScoreTable,
    threshold: Threshold | float | None,
    *,
    targets: Iterable[float] = APCER_TARGETS,
    confidence: float = CONFIDENCE,
    n_resamples: int = N_RESAMPLES,
    seed: int = 0,
) -> Figures:
    """Return everything that is told about a table of scores at one threshold.

    Parameters
    ----------
    table : ScoreTable
        Of frames or of presentations.
    threshold : Threshold, float or None
        Accept when ``score >= threshold``. Without one, what needs one is None.
    targets : iterable of float
        APCERs at which BPCER is told.
    confidence : float
        Of all intervals.
    n_resamples, seed : int
        Of the intervals by subject.
    """
    if threshold is None:
        used = Threshold(None, "none")
    else:
        used = threshold if isinstance(threshold, Threshold) else Threshold(threshold, "given")
    genuine, attacks = table.bona_fide, table.attacks
    errors = measure_table(used, table, confidence)
    by_subject = bootstrap_auc(table, n_resamples=n_resamples, confidence=confidence, seed=seed)
    if used.value is None:
        acer = replace(
            by_subject, value=None, interval=NOTHING_KNOWN, n_resamples=0, note="No threshold."
        )
    else:
        acer = bootstrap_acer(
            table, used.value, n_resamples=n_resamples, confidence=confidence, seed=seed
        )
    return Figures(
        threshold=used,
        errors=errors,
        auc=auc(genuine, attacks, confidence),
        eer=eer(genuine, attacks, confidence),
        bpcer_at={
            target: bpcer_at_apcer(genuine, attacks, target, confidence) for target in targets
        },
        auc_by_subject=by_subject,
        acer_by_subject=acer,
        n_subjects=table.n_subjects,
    )
