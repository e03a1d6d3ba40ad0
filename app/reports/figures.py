"""The one list of figures that the page, the window, JSON and CSV are made from."""

from dataclasses import dataclass
from typing import Any, Literal

from app.reports.levels import Level
from app.reports.words import auc_text, estimate_text, rate_text, span, worst_text
from lmkl_core.metrics import Estimate, Rate, Worst

Part = Literal["headline", "threshold", "legacy"]

PART_TITLES: dict[Part, str] = {
    "headline": "Headline",
    "threshold": "At the threshold in force",
    "legacy": "Legacy, for comparison with older work",
}


@dataclass(frozen=True)
class Figure:
    """A measured figure.

    Attributes
    ----------
    key : str
        In JSON and CSV.
    name : str
        For people.
    value : Rate, Estimate or Worst
        With n and interval.
    part : {"headline", "threshold", "legacy"}
        Where it stands.
    species : str
        Whose it is; empty for all together.
    is_share : bool
        Whether it is told in per cent.
    counted : Rate or None
        Errors at the threshold that the scores themselves chose, taken as given; its interval
        leaves out how uncertain that threshold is.
    """

    key: str
    name: str
    value: Rate | Estimate | Worst
    part: Part
    species: str = ""
    is_share: bool = True
    counted: Rate | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the figure as JSON values; what is not known is None."""
        value, (low, high) = self.value.value, self.value.interval
        figure = self.value.rate if isinstance(self.value, Worst) else self.value
        species = self.value.species if isinstance(self.value, Worst) else self.species
        told: dict[str, Any] = {"figure": self.key, "part": self.part, "species": species}
        told |= {"value": value, "low": low, "high": high, "confidence": figure.confidence}
        if not isinstance(figure, Estimate):
            return {**told, "n_errors": figure.n_errors, "n": figure.n}
        told |= {"n_bona_fide": figure.n_bona_fide, "n_attacks": figure.n_attacks}
        if (rate := self.counted) is not None:
            low, high = rate.interval
            told |= {"n_errors": rate.n_errors, "n": rate.n}
            told |= {"low_at_threshold": low, "high_at_threshold": high}
        return told


def figures(level: Level) -> tuple[Figure, ...]:
    """Return every figure of a level, the most important first.

    The headline is what ISO/IEC 30107-3 asks for: APCER of the worst species at the threshold in
    force, and BPCER where APCER is 1, 5 and 10 %. Means of both errors, the equal error rate and
    the area under the curve come last.
    """
    errors = level.errors
    return (
        Figure("APCER_max", "APCER, worst species", errors.worst, "headline"),
        *(
            Figure(
                f"BPCER_at_APCER_{100 * target:.0f}%",
                f"BPCER at APCER {100 * target:.0f} %",
                estimate,
                "headline",
                counted=_counted(estimate),
            )
            for target, estimate in level.bpcer_at.items()
        ),
        Figure("BPCER", "BPCER", errors.bpcer, "threshold"),
        *(
            Figure("APCER", f"APCER, {name}", rate, "threshold", name)
            for name, rate in errors.apcers.items()
        ),
        *(
            Figure("APNRR", f"APNRR, {name}", rate, "threshold", name)
            for name, rate in errors.apnrrs.items()
        ),
        Figure("APNRR", "APNRR (attacks without a response)", errors.apnrr, "threshold"),
        Figure("BPNRR", "BPNRR (bona fide without a response)", errors.bpnrr, "threshold"),
        Figure(
            "bona_fide_not_accepted",
            "Bona fide not accepted for any reason",
            level.not_accepted,
            "threshold",
        ),
        Figure("EER", "EER", level.eer, "legacy"),
        Figure("HTER", "HTER", errors.hter, "legacy"),
        Figure("ACER_legacy", "ACER", errors.acer, "legacy"),
        Figure("AUC", "AUC", level.auc, "legacy", is_share=False),
    )


def _counted(bpcer: Estimate) -> Rate:
    n = bpcer.n_bona_fide if bpcer.value is not None else 0
    return Rate(round((bpcer.value or 0.0) * n), n, bpcer.confidence)


def figure_text(figure: Figure, level: Level) -> str:
    """Return value, n and interval in one line."""
    value = figure.value
    if isinstance(value, Worst):
        return worst_text(level.errors)
    if isinstance(value, Rate):
        return rate_text(value)
    if figure.counted is not None and value.value is not None:
        told = rate_text(figure.counted)
        return f"{told}; {span(value.interval)} with the threshold's uncertainty"
    return estimate_text(value) if figure.is_share else auc_text(value)
