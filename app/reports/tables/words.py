"""Cells of a table as a person reads them, in per cent with one decimal, as the paper prints."""

from collections.abc import Mapping

from app.evaluation.published import Figure
from app.evaluation.result import Evaluation, FoldResult, MethodResult
from app.reports.tables.building import Table
from app.reports.tables.figures import Spread, Told

NOTHING = "–"

MODES = {
    "client-independent": "one model for all people (client-independent)",
    "client-specific": "one model for each person (client-specific)",
    "one-against-rest": "one model for each class, tested against the rest",
}


def share(value: float | None) -> str:
    """Return a share in per cent, without the sign: ``"26.5"``."""
    return NOTHING if value is None else f"{100 * value:.1f}"


def spread_text(found: Spread | None) -> str:
    """Return ``"5.6 ± 2.0"``; the mean alone with one fold."""
    if found is None:
        return NOTHING
    return share(found.mean) if found.std is None else f"{share(found.mean)} ± {share(found.std)}"


def printed_text(figure: Figure | None) -> str:
    """Return a published figure as ``"5.6 ± 2.0"``."""
    if figure is None:
        return NOTHING
    return f"{figure.mean:.1f}" if figure.std is None else f"{figure.mean:.1f} ± {figure.std:.1f}"


def interval_text(told: Told) -> str:
    """Return ``"2.7 to 32.4"``; empty where no interval is told."""
    if told.interval is None:
        return ""
    low, high = told.interval
    return f"{share(low)} to {share(high)}"


def difference_text(value: float | None, interval: tuple[float, float] | None) -> str:
    """Return a difference in percentage points as ``"+1.5 (-0.2 to +3.1)"``."""
    if value is None:
        return NOTHING
    if interval is None:
        return _signed(value)
    return f"{_signed(value)} ({_signed(interval[0])} to {_signed(interval[1])})"


def _signed(value: float) -> str:
    text = f"{100 * value:+.1f}"
    return "0.0" if text in ("+0.0", "-0.0") else text


def ends_text(ends: tuple[float, float] | None) -> str:
    """Return the lowest and the highest of several figures as ``"12.5 to 50.0"``."""
    return NOTHING if ends is None else f"{share(ends[0])} to {share(ends[1])}"


def short_interval(told: Told) -> str:
    """Return ``"2.7-32.4"`` for narrow columns; empty where no interval is told."""
    return interval_text(told).replace(" to ", "-")


def basis_text(told: Told) -> str:
    """Return what a figure rests on: ``"3 of 24"`` or ``"80 + 400"``; empty without a value."""
    if told.value is None:
        return ""
    if told.n is not None:
        return f"{told.n_errors} of {told.n}"
    return f"{told.n_bona_fide} + {told.n_attacks}"


def counts_in_words(counts: Mapping[str, int]) -> list[tuple[str, str]]:
    """Return a line for each split and kind: its recordings, frames, and frames with views.

    What is named otherwise than ``"test attack recordings"`` is told as it is.
    """
    lines: dict[str, list[str]] = {}
    for name, count in counts.items():
        for ending in ("frames with views", "frames", "recordings"):
            if name.endswith(f" {ending}"):
                heading = name.removesuffix(f" {ending}")
                lines.setdefault(heading, []).append(f"{count} {ending}")
                break
        else:
            lines.setdefault(name, []).append(str(count))
    return [(f"{name[:1].upper()}{name[1:]}", ", ".join(told)) for name, told in lines.items()]


def created_text(evaluation: Evaluation) -> str:
    """Return when it was made."""
    return evaluation.created.strftime("%Y-%m-%d, %H:%M %Z").strip()


def title(table: Table) -> str:
    """Return what was measured, as a heading."""
    evaluation = table.evaluation
    protocol = f", protocol {evaluation.protocol}" if evaluation.protocol else ""
    return f"{evaluation.title}{protocol}"


def facts(table: Table) -> list[tuple[str, str]]:
    """Return how it was measured: names and what is told of them, for every kind of output."""
    evaluation = table.evaluation
    mode = MODES.get(evaluation.mode, evaluation.mode)
    found = [("Data", f"{title(table)}; {mode}")]
    found += [(f"{name[:1].upper()}{name[1:]}", text) for name, text in evaluation.settings.items()]
    found += counts_in_words(evaluation.counts)
    if table.published is not None:
        label, heading = table.published.label, table.published.title
        found.append(("Published figures", f"table {label} of the paper: {heading}"))
    return [
        *found,
        ("Software", f"lmkl-pad {evaluation.version}"),
        ("Date", created_text(evaluation)),
    ]


def threshold_text(result: MethodResult) -> str:
    """Return the origin of a method's thresholds, and their range over folds."""
    found = [fold.presentation_threshold for fold in result.folds]
    origins = "; ".join(dict.fromkeys(used.origin for used in found if used.origin))
    values = [used.value for used in found if used.value is not None]
    if not values:
        return f"none ({origins})" if origins else "none"
    low, high = min(values), max(values)
    told = f"{low:.4g}" if low == high else f"{low:.4g} to {high:.4g}"
    return f"{told} ({origins})" if origins else told


def parameters_text(folds: tuple[FoldResult, ...]) -> str:
    """Return what was chosen, the most frequent first, with the number of models that share it."""
    counts: dict[str, int] = {}
    for fold in folds:
        for chosen in fold.parameters.values():
            told = ", ".join(f"{name} = {_plain(value)}" for name, value in chosen.items())
            counts[told or "none"] = counts.get(told or "none", 0) + 1
    if not counts:
        return NOTHING
    if len(counts) == 1:
        return next(iter(counts))
    n_models = sum(counts.values())
    ranked = sorted(counts.items(), key=lambda pair: -pair[1])
    shown = [f"{told} ({count} of {n_models} models)" for told, count in ranked[:3]]
    more = [f"{len(ranked) - 3} more choices, see the JSON file"] if len(ranked) > 3 else []
    return "; ".join([*shown, *more])


def _plain(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
