r"""Tables as LaTeX, in the form of the paper's, for any document class and without packages.

Characters that LaTeX's fonts may lack are spelt out or become a question mark: any name compiles.
"""

import unicodedata
from collections.abc import Iterable, Sequence

from app.reports.evaluation import Comparison, Line, Row, Table
from app.reports.figures import FIGURES
from app.reports.notices import comparison_notices, shortfall, unlike_the_paper
from app.reports.words import (
    NOTHING,
    difference_text,
    interval_text,
    printed_text,
    share,
    with_interval,
)

MOST_IN_A_COLUMN = 4
"""Columns that fit one column of text."""

_SPECIAL = {letter: f"\\{letter}" for letter in "{}$&#%_"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\ensuremath{<}",
    ">": r"\ensuremath{>}",
    "|": r"\ensuremath{|}",
    '"': "''",
    "ℓ": r"\ensuremath{\ell}",
    "±": r"\ensuremath{\pm}",
    "·": r"\ensuremath{\cdot}",
    "–": "--",
    "—": "---",
    "‘": "`",
    "’": "'",
    "“": "``",
    "”": "''",
    "…": r"\ldots{}",
    "ß": r"\ss{}",
}
_ACCENTS = {
    "\u0300": "`", "\u0301": "'", "\u0302": "^", "\u0303": "~", "\u0308": '"',
    "\u030c": "v ", "\u0327": "c ", "\u0306": "u ", "\u030a": "r ",
}  # fmt: skip


def escaped(text: str) -> str:
    return "".join(_letter(letter) for letter in unicodedata.normalize("NFC", text))


def _letter(letter: str) -> str:
    if letter in _SPECIAL:
        return _SPECIAL[letter]
    if " " <= letter <= "~":
        return letter
    if letter.isspace():
        return " "
    parts = unicodedata.normalize("NFD", letter)
    base, mark = parts[0], parts[1:]
    if base.isascii() and base.isalpha() and mark in _ACCENTS:
        return f"\\{_ACCENTS[mark]}{{{base}}}"
    return "?"


def _environment(
    caption: str, label: str, heads: Sequence[Sequence[str]], rows: Iterable[Sequence[str]], n: int
) -> str:
    """Return a table whose last ``n`` columns are centred."""
    n_columns = len(heads[-1])
    environment = "table" if n_columns <= MOST_IN_A_COLUMN else "table*"
    lines = [
        rf"\begin{{{environment}}}[t]",
        r"\renewcommand{\arraystretch}{1.2}",
        rf"\caption{{{caption}}}",
        rf"\label{{tab:{label}}}",
        r"\centering",
        r"\footnotesize",
        rf"\begin{{tabular}}{{{'l' * (n_columns - n)}{'c' * n}}}",
        r"\hline",
        *(" & ".join(head) + r"\\" for head in heads),
        r"\hline",
        *(" & ".join(row) + r"\\" for row in rows),
        r"\hline",
        r"\end{tabular}",
        rf"\end{{{environment}}}",
    ]
    return "\n".join(lines) + "\n"


def evaluation_latex(table: Table) -> str:
    """Return a ``table`` environment: methods as rows, published beside measured.

    The caption holds the caveats, since captions travel with tables.
    """
    kinds = ["measured", "all folds (95 % interval)" if len(table.folds) > 1 else "95 % interval"]
    if table.published is not None:
        kinds = ["published", *kinds]
    figures = [
        rf"\multicolumn{{{len(kinds)}}}{{c}}{{\textbf{{{escaped(name)}}}}}"
        for name in table.headline
    ]
    columns = [escaped(kind) for _ in table.headline for kind in kinds]
    heads = [["", *figures], [r"\textbf{Approach}", *columns]]
    rows = [_line(row, table) for row in table.rows]
    text = _environment(_caption(table), _label(table), heads, rows, len(columns))
    return f"% Made by lmkl-pad {' '.join(table.evaluation.version.split())}.\n{text}"


def _line(row: Row, table: Table) -> list[str]:
    cells = [_title(row)]
    for name in table.headline:
        if table.published is not None:
            cells.append(escaped(printed_text(row.printed(name))))
        found = row.cell(name)
        cells += [escaped(found.value), escaped(found.interval or NOTHING)]
    return cells


def _title(row: Row) -> str:
    if row.is_own:
        return f"{escaped(row.title)} (this work)"
    if row.published is None:
        return escaped(row.title)
    mark = "$^{*}$" if row.is_measured and row.remark else ""
    return rf"{escaped(row.title)}{mark} \cite{{{row.published.citation}}}"


def _caption(table: Table) -> str:
    figures = "; ".join(FIGURES[name] for name in table.headline)
    over = f" (mean ± std over {len(table.folds)} folds)" if len(table.folds) > 1 else ""
    said = [f"{figures} in % on {table.title}, {table.layout.mode}{over}, by presentation."]
    said += [*shortfall(table), *unlike_the_paper(table)]
    caption = escaped(" ".join(said))
    if any(row.is_measured and row.remark for row in table.rows):
        caption += " $^{*}$: what was measured differs from the published method."
    if table.evaluation.is_simulated:
        caption += r" \textbf{Simulated recordings: nothing is said about real attacks.}"
    return caption


def _label(table: Table) -> str:
    name = "-".join(filter(None, (table.layout.database, table.layout.protocol)))
    return "".join(each for each in name if each.isascii() and (each.isalnum() or each == "-"))


def comparison_latex(comparison: Comparison) -> str:
    """Return a ``table*`` environment: a row for each method and run, with differences."""
    rows = [
        [escaped(title), escaped(run), *(escaped(_compared(line)) for line in lines)]
        for method, title in comparison.methods.items()
        for run, lines in comparison.lines_of(method).items()
    ]
    caption = (
        f"{'; '.join(FIGURES[name] for name in comparison.figures)} in %, by presentation, with "
        f"95 % intervals; behind them, the difference to {comparison.runs[0].name} with its "
        "interval from drawing subjects. "
    ) + " ".join(comparison_notices(comparison))
    heads = [rf"\textbf{{{escaped(name)}}}" for name in ("Approach", "Run", *comparison.figures)]
    return _environment(escaped(caption), "comparison", [heads], rows, len(comparison.figures))


def _compared(line: Line) -> str:
    text = with_interval(share(line.figure.value), interval_text(line.figure))
    if line.difference is not None:
        text += f"; {difference_text(line.difference.value, line.difference.interval)}"
    return text
