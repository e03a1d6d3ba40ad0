"""Caveats of an evaluation or a comparison of runs, and how they were measured."""

import re
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

from app.evaluation.protocols.types import Layout
from app.evaluation.result import DEMO_NOTE, FoldResult, MethodResult
from app.names import listed
from app.reports.evaluation import Comparison, Table
from app.reports.words import NOTHING, created_text
from lmkl_core.metrics.resampling import FEW_SUBJECTS

if TYPE_CHECKING:
    from app.evaluation.protocols.splits import Database

SIMULATED = (
    "The program generated all recordings, and no person in them is real: the figures compare "
    "methods on modelled attacks and say nothing about real ones. The recordings share people, "
    "rooms and instruments, and the intervals apply to these alone."
)

MODES = {
    "client-independent": "one model for all people (client-independent)",
    "client-specific": "one model for each person (client-specific)",
    "one-against-rest": "one model for each class, tested against the rest",
}

MOST_NAMED = 8
"""Splits named in a sentence; the JSON and CSV files name all."""


def known_database(layout: Layout) -> "Database | None":
    """Return the database of a layout, if it is a registered one."""
    # Imports OpenCV and the demo's renderer, which the report of a guided test does not need.
    from app.evaluation.protocols.registry import DATABASES

    return DATABASES.get(layout.database)


def simulated(table: Table) -> str:
    """Return the banner; empty when nothing was simulated."""
    return SIMULATED if table.evaluation.is_simulated else ""


def sentences(table: Table) -> list[str]:
    """Return all caveats, the banner first."""
    return [*filter(None, [simulated(table)]), *notices(table)]


def notices(table: Table) -> tuple[str, ...]:
    """Return the caveats without the banner, worst first."""
    found = [
        *_unmeasured(table),
        *shortfall(table),
        *_skipped(table),
        *unlike_the_paper(table),
        _repeated(table),
        _few_subjects(table),
    ]
    # The banner says it already.
    found += [note for note in table.evaluation.notes if note != DEMO_NOTE]
    failed = [row.title for row in table.rows if row.measured and not row.is_measured]
    if failed:
        found.append(
            f"{', '.join(failed)} could not be measured; the table of the evaluation gives the "
            "reason."
        )
    return tuple(dict.fromkeys(sentence for sentence in found if sentence))


def _unmeasured(table: Table) -> list[str]:
    if not table.measured:
        return ["No method could be measured."]
    found = []
    pooled = [row.by_presentation.pooled for row in table.measured]
    if not any(len(each.genuine_scores) for each in pooled):
        found.append("No bona fide presentation has a score, so BPCER and AUC are unknown.")
    if not any(len(scores) for each in pooled for scores in each.attack_scores.values()):
        found.append("No attack has a score, so APCER and AUC are unknown.")
    without = [
        row.title
        for row in table.measured
        if any(fold.threshold is None for fold in row.by_presentation.folds.values())
    ]
    if without:
        found.append(
            f"No threshold could be chosen for {listed(without, most=4)}: figures that need one "
            "are missing."
        )
    return found


def shortfall(table: Table) -> list[str]:
    """Say where the number of recordings differs from the published one."""
    found = [
        (f"fold {each.fold}, " if each.fold else "")
        + f"{each.split} {each.kind}: {each.found} found"
        + (f", {each.missing} missing" if each.missing else "")
        + ("" if each.published is None else f", {each.published} published")
        for each in table.layout.counts
        if each.missing or each.published not in (None, each.found)
    ]
    if not found:
        return []
    more = f"; {len(found) - MOST_NAMED} more" if len(found) > MOST_NAMED else ""
    return [
        "Recordings are missing or differ in number from the published ones "
        f"({'; '.join(found[:MOST_NAMED])}{more})."
    ]


def _skipped(table: Table) -> list[str]:
    """Name missing recordings and faults of the copy; the JSON and CSV files name all."""
    layout, found = table.layout, []
    if layout.missing:
        found.append(f"Missing: {listed(layout.missing, most=4)}.")
    if layout.passed_over:
        found.append(f"Skipped ({len(layout.passed_over)}): {layout.passed_over[0]}")
    return found


def unlike_the_paper(table: Table) -> list[str]:
    """Say why the published figures are not a target for the measured ones."""
    layout = table.layout
    if table.published is None:
        return []
    found = []
    preset = table.evaluation.settings.get("preset", "")
    if preset and not preset.startswith("paper-"):
        found.append(
            f"The views are those of the preset {preset}, not the paper's: the published figures "
            "are for orientation, not a target."
        )
    # The paper's protocol and mode come first.
    known = known_database(layout)
    if known is not None and layout.protocol not in ("", known.protocols[0]):
        found.append(
            f"The published figures are for protocol {known.protocols[0]}; protocol "
            f"{layout.protocol} was measured."
        )
    if known is not None and layout.mode != known.modes[0]:
        found.append(
            f"The published figures are for {known.modes[0]} models; {layout.mode} ones were "
            "measured."
        )
    return found


def _repeated(table: Table) -> str:
    """Warn of presentations that are counted more than once."""
    if not table.measured:
        return ""
    seen: Counter[str] = Counter()
    for fold in table.measured[0].folds:
        names = set(fold.at("presentation")[0].presentations.tolist())
        if fold.presentations is not None:  # named "plan: recording"
            names = {name.partition(": ")[2] or name for name in names}
        seen.update(names)
    n_repeated = sum(count > 1 for count in seen.values())
    if not n_repeated:
        return ""
    return (
        f"Presentations judged by more than one model: {n_repeated} of {len(seen)}. Pooled counts "
        "are not independent, and their intervals are too narrow: quote the mean and standard "
        "deviation over folds."
    )


def _few_subjects(table: Table) -> str:
    counts = [row.by_presentation.pooled.n_subjects for row in table.measured]
    n = min((count for count in counts if count), default=FEW_SUBJECTS)
    if n >= FEW_SUBJECTS:
        return ""
    return (
        f"Too few subjects to resample: {n}. All intervals treat presentations as independent, "
        "which those of one subject are not, so they are too narrow."
    )


@lru_cache(maxsize=1)
def comparison_notices(comparison: Comparison) -> tuple[str, ...]:
    """Return the caveats; those of some runs begin with the run's name."""
    few = dict.fromkeys(
        f"Too few subjects: {found.n_subjects}. Intervals of differences are too narrow."
        for line in comparison.lines
        if (found := line.difference) is not None and found.has_few_subjects
    )
    # Published figures are not on this page.
    own_notices = {
        run.name: [s for s in sentences(run.table) if s not in unlike_the_paper(run.table)]
        for run in comparison.runs
    }
    first, *others = own_notices.values()
    shared = [each for each in first if all(each in own for own in others)]
    alone = [
        f"{name}: {each}" for name, own in own_notices.items() for each in own if each not in shared
    ]
    return (*shared, *few, *alone)


# ------------------------------------------------------------------ how it was measured

_HEADINGS = {
    "frames a recording": "Frames per recording",
    "training frames a model, at most": "Training frames per model, at most",
}
"""Better names than the keys of JSON files."""


def facts(table: Table) -> list[tuple[str, str]]:
    """Return names and texts that say how it was measured."""
    evaluation, layout = table.evaluation, table.layout
    mode = MODES.get(layout.mode, layout.mode)
    found = [("Data", f"{table.title}; {mode}")]
    found += [
        (_HEADINGS.get(name) or _capitalised(name), text)
        for name, text in evaluation.settings.items()
    ]
    found += _counts(evaluation.counts)
    if table.published is not None:
        label, heading = table.published.label, table.published.title
        found.append(("Published figures", f"table {label} of the paper: {heading}"))
    software = f"lmkl-pad {evaluation.version}"
    return [*found, ("Software", software), ("Date", created_text(evaluation.created))]


def comparison_facts(
    comparison: Comparison,
) -> tuple[list[tuple[str, str]], list[tuple[str, list[str]]]]:
    """Return the facts that all runs share, and the others by run."""
    each = [dict(facts(run.table)) for run in comparison.runs]
    names = dict.fromkeys(name for own in each for name in own)
    found = [(name, [own.get(name, "") for own in each]) for name in names]
    shared = [(name, texts[0]) for name, texts in found if len(set(texts)) == 1]
    return shared, [(name, texts) for name, texts in found if len(set(texts)) > 1]


def _counts(counts: Mapping[str, int]) -> list[tuple[str, str]]:
    """Return one line per split and kind."""
    lines: dict[str, list[str]] = {}
    for name, count in counts.items():
        match = re.fullmatch(r"(.+) (frames with views|frames|recordings)", name)
        heading, what = match.groups() if match else (name, "")
        lines.setdefault(heading, []).append(f"{count} {what}".strip())
    return [(_capitalised(name), ", ".join(parts)) for name, parts in lines.items()]


def _capitalised(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"


def threshold_text(result: MethodResult) -> str:
    """Return the range of a method's thresholds over folds, and their origin."""
    found = [fold.presentation_threshold for fold in result.folds]
    origins = "; ".join(dict.fromkeys(used.origin for used in found if used.origin))
    values = [used.value for used in found if used.value is not None]
    ends = dict.fromkeys(f"{value:.4g}" for value in (min(values), max(values))) if values else ()
    text = " to ".join(ends) or "none"
    return f"{text} ({origins})" if origins else text


def parameters_text(folds: tuple[FoldResult, ...]) -> str:
    """Return the chosen parameters with their counts of models, the most frequent first."""
    counts = Counter(
        ", ".join(f"{name} = {_plain(value)}" for name, value in chosen.items()) or "none"
        for fold in folds
        for chosen in fold.parameters.values()
    )
    if len(counts) < 2:
        return next(iter(counts), NOTHING)
    shown = [f"{text} ({n} of {counts.total()} models)" for text, n in counts.most_common(3)]
    more = [f"{len(counts) - 3} more choices, see the JSON file"] if len(counts) > 3 else []
    return "; ".join([*shown, *more])


def _plain(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
