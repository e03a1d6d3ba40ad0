"""What a threshold means for genuine people, in plain words."""

from PySide6.QtCore import QCoreApplication

from app.models.summary import ThresholdSummary
from app.qt.views.charts.wording import decimals, percent

_SOME, _MANY = 0.005, 0.5


def threshold_mark(threshold: ThresholdSummary) -> tuple[str, str]:
    """Return icon and colour of what is said: a target that is promised, one that is not, none."""
    if threshold.promised is None:
        return "info", "muted"
    return ("genuine", "good") if threshold.promised else ("warning", "caution")


def threshold_words(threshold: ThresholdSummary) -> str:
    """Return where it stands, how many genuine frames may be refused, and what would help."""
    low, high = (decimals(100 * end, 1) for end in threshold.interval)
    span = _tr("with {n} independent frames, anything from {low} to {high} %").format(
        n=_about(threshold.n_effective), low=low, high=high
    )
    sentences = []
    if threshold.share_of_level is not None:
        sentences.append(
            _tr("The threshold is {share} % of the usual score of genuine frames.").format(
                share=round(100 * threshold.share_of_level)
            )
        )
    sentences.append(
        _tr("{share} genuine frames may be refused ({rate}; {span}).").format(
            share=_share(threshold.bpcer), rate=percent(threshold.bpcer), span=span
        )
    )
    target = threshold.target_bpcer
    if target is not None and not threshold.promised and threshold.bpcer > target:
        sentences.append(
            _tr("You asked for {target}: record more takes.").format(target=percent(target))
        )
    if threshold.stress_bpcer is not None:
        sentences.append(
            _tr("In a light that was never enrolled about {rate} would be refused.").format(
                rate=percent(threshold.stress_bpcer)
            )
        )
    return " ".join(sentences)


def _tr(text: str) -> str:
    return QCoreApplication.translate("ThresholdWords", text)


def _about(n_effective: float) -> str:
    return _tr("about {n}").format(n=max(1, round(n_effective)))


def _share(rate: float) -> str:
    """Return a share as a person would say it, such as *About 1 in 10*."""
    if rate < _SOME:
        return _tr("Hardly any")
    if rate >= _MANY:
        return _tr("About {n} in 10").format(n=round(10 * rate))
    return _tr("About 1 in {n}").format(n=round(1 / rate))
