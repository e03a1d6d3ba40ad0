"""A comparison for machines and for papers: JSON values, lines of CSV, and LaTeX."""

import csv
import io
from typing import Any

from app.reports.tables.comparing import Comparison, Difference, Line
from app.reports.tables.data import as_header, as_values, plain_line
from app.reports.tables.figures import FIGURES
from app.reports.tables.latex import escaped
from app.reports.tables.words import (
    difference_text,
    facts,
    interval_text,
    share,
)

FORMAT = "lmkl-pad comparison"
FORMAT_VERSION = 1

COLUMNS = (
    "run", "method", "title", "figure", "species", "value", "low", "high", "mean", "std",
    "n_errors", "n", "n_bona_fide", "n_attacks", "n_subjects_drawn", "difference",
    "difference_low", "difference_high", "difference_n_subjects_drawn", "difference_is_paired",
    "text",
)  # fmt: skip


def as_document(comparison: Comparison) -> dict[str, Any]:
    """Return a comparison as JSON values; shares from 0 to 1, differences from -1 to 1."""
    return {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "reference": comparison.runs[0].name,
        "is_simulated": comparison.is_simulated,
        "confidence": 0.95,
        "figures": list(comparison.figures),
        "notices": list(comparison.notices),
        "runs": [{"name": run.name, **as_header(run.table)} for run in comparison.runs],
        "lines": [_line(line) for line in comparison.lines],
    }


def _line(line: Line) -> dict[str, Any]:
    told: dict[str, Any] = {"run": line.run, "method": line.method, "title": line.title}
    told["figure"] = line.told.name
    if line.mean is not None:
        told |= {"mean": line.mean, "std": line.std}
    found = line.difference
    return {**told, **as_values(line.told), "difference": None if found is None else _told(found)}


def _told(found: Difference) -> dict[str, Any]:
    low, high = found.interval or (None, None)
    return {
        "value": found.value,
        "low": low,
        "high": high,
        "n_subjects_drawn": found.n_subjects,
        "is_paired": found.is_paired,
    }


def as_csv(comparison: Comparison) -> str:
    """Return a line for every figure of every method in every run, and then what is told of all."""
    stream = io.StringIO()
    writer = csv.DictWriter(stream, COLUMNS, restval="", lineterminator="\r\n")
    writer.writeheader()
    for line in comparison.lines:
        values = _line(line)
        found = values.pop("difference")
        if found is not None:
            values |= {f"difference_{name}": value for name, value in found.items()}
            values["difference"] = values.pop("difference_value")
        writer.writerow(plain_line(values))
    for run in comparison.runs:
        for name, text in facts(run.table):
            writer.writerow(plain_line({"run": run.name, "figure": name, "text": text}))
    for sentence in comparison.notices:
        writer.writerow(plain_line({"figure": "notice", "text": sentence}))
    return stream.getvalue()


def as_latex(comparison: Comparison) -> str:
    r"""Return a ``table*`` environment: a row for each method and run, and differences below it."""
    names = list(comparison.figures)
    rows = []
    for method, title in comparison.methods.items():
        for run in comparison.runs:
            found = [comparison.line(run.name, method, name) for name in names]
            if any(found):
                cells = [_cell(line) for line in found]
                rows.append(" & ".join([escaped(title), escaped(run.name), *cells]) + r"\\")
    told = ", ".join(FIGURES[name].replace(", worst species", " (worst)") for name in names)
    caption = (
        f"{told} in %, by presentation, with 95 % intervals; below, the difference to "
        f"{comparison.runs[0].name} with its interval from drawing subjects. "
    ) + " ".join(comparison.notices)
    heads = [rf"\textbf{{{escaped(name)}}}" for name in names]
    lines = [
        r"\begin{table*}[t]",
        rf"\caption{{{escaped(caption)}}}",
        r"\label{tab:comparison}",
        r"\centering",
        r"\footnotesize",
        rf"\begin{{tabular}}{{ll{'c' * len(names)}}}",
        r"\hline",
        " & ".join([r"\textbf{Approach}", r"\textbf{Run}", *heads]) + r"\\",
        r"\hline",
        *rows,
        r"\hline",
        r"\end{tabular}",
        r"\end{table*}",
    ]
    return "\n".join(lines) + "\n"


def _cell(line: Line | None) -> str:
    if line is None:
        return "--"
    interval = interval_text(line.told)
    cell = share(line.told.value) + (f" ({interval})" if interval else "")
    if line.difference is not None:
        cell += f"; {difference_text(line.difference.value, line.difference.interval)}"
    return escaped(cell)
