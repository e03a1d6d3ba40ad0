r"""LaTeX tables in the style of the paper's, for any document class and without packages.

Characters that LaTeX's fonts may lack are spelt out or become a question mark, so that any name
compiles.
"""

import unicodedata
from collections.abc import Iterable, Sequence

from app.reports.evaluation import Comparison, Row, Table
from app.reports.figures import FIGURES
from app.reports.notices import comparison_notices, shortfall, unlike_the_paper
from app.reports.words import (
    difference_text,
    interval_text,
    printed_text,
    share,
    with_interval,
)

MOST_IN_A_COLUMN = 3
"""Columns that fit one column of a two-column page."""

LONGEST_TITLE = 44
"""Characters of LaTeX in the first column that fit there too."""

_SPECIAL = {letter: f"\\{letter}" for letter in "{}$&#%_"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\ensuremath{<}",
    ">": r"\ensuremath{>}",
    "|": r"\ensuremath{|}",
    '"': "''",
    # At the beginning of a row, these would be arguments of the row before.
    "[": "{[}",
    "*": "{*}",
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
    letters = map(_letter, unicodedata.normalize("NFC", text))
    return "".join(letters).replace(r" \%", r"~\%")


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
    caption: str,
    label: str,
    heads: Sequence[Sequence[str]],
    rows: Iterable[Sequence[str]],
    n_left: int,
) -> str:
    """Return a table with ``n_left`` columns aligned left and the others centred.

    A row without a first cell belongs to the one above and is set close to it.
    """
    lines = list(rows)
    n_columns = len(heads[-1])
    fits = n_columns <= MOST_IN_A_COLUMN and all(len(row[0]) <= LONGEST_TITLE for row in lines)
    environment = "table" if fits else "table*"
    body: list[str] = []
    for row in lines:
        if body and not row[0]:
            body[-1] += "[-3pt]"
        body.append(" & ".join(row) + r"\\")
    return "\n".join(
        [
            rf"\begin{{{environment}}}[t]",
            r"\renewcommand{\arraystretch}{1.2}",
            r"\setlength{\tabcolsep}{4pt}",
            rf"\caption{{{caption}}}",
            r"\vspace{3pt}",
            rf"\label{{tab:{label}}}",
            r"\centering",
            r"\footnotesize",
            rf"\begin{{tabular}}{{@{{}}{'l' * n_left}{'c' * (n_columns - n_left)}@{{}}}}",
            r"\hline",
            *(" & ".join(head) + r"\\" for head in heads),
            r"\hline",
            *body,
            r"\hline",
            r"\end{tabular}",
            rf"\end{{{environment}}}",
            "",
        ]
    )


def _below(texts: Sequence[str], n_left: int, n_each: int) -> list[str]:
    """Return a row of small print below figures of ``n_each`` columns."""
    cells = [rf"{{\scriptsize {escaped(text)}}}" if text else "" for text in texts]
    if n_each > 1:
        cells = [rf"\multicolumn{{{n_each}}}{{r}}{{{cell}}}" for cell in cells]
    return [*[""] * n_left, *cells]


def evaluation_latex(table: Table) -> str:
    """Return a ``table`` environment: methods as rows, published beside measured.

    The caption holds the caveats, because captions are copied along with tables.
    """
    kinds = ["measured"] if table.published is None else ["published", "measured"]
    figures = [rf"\textbf{{{escaped(name)}}}" for name in table.headline]
    if len(kinds) > 1:
        figures = [rf"\multicolumn{{{len(kinds)}}}{{c}}{{{figure}}}" for figure in figures]
    heads = [[r"\textbf{Approach}", *figures]]
    if len(kinds) > 1:
        heads.append(["", *kinds * len(figures)])
    rows = [line for row in table.rows for line in _lines(row, table, len(kinds))]
    text = _environment(_caption(table), _label(table), heads, rows, 1)
    return f"% Made by lmkl-pad {' '.join(table.evaluation.version.split())}.\n{text}"


def _lines(row: Row, table: Table, n_kinds: int) -> list[list[str]]:
    found = [row.cell(name) for name in table.headline]
    cells = [_title(row)]
    for name, cell in zip(table.headline, found, strict=True):
        if table.published is not None:
            cells.append(escaped(printed_text(row.printed(name))))
        cells.append(escaped(cell.value))
    intervals = [cell.interval for cell in found]
    return [cells, _below(intervals, 1, n_kinds)] if any(intervals) else [cells]


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
    pooled = "the figure of all folds together with its" if over else "the"
    sentences = [
        f"{figures} in % on {table.title}, {table.layout.mode}{over}, by presentation. "
        f"Below each measured figure: {pooled} 95 % interval.",
        *shortfall(table),
        *unlike_the_paper(table),
    ]
    caption = escaped(" ".join(sentences))
    if any(row.is_measured and row.remark for row in table.rows):
        caption += " $^{*}$: the measured method differs from the published one."
    if table.evaluation.is_simulated:
        caption += r" \textbf{Simulated recordings: these figures say nothing about real attacks.}"
    return caption


def _label(table: Table) -> str:
    name = "-".join(filter(None, (table.layout.database, table.layout.protocol)))
    return "".join(each for each in name if each.isascii() and (each.isalnum() or each == "-"))


def comparison_latex(comparison: Comparison) -> str:
    """Return a ``table*`` environment: a row for each method and run, with differences."""
    rows = []
    for method, title in comparison.methods.items():
        for run, lines in comparison.lines_of(method).items():
            figures = [
                with_interval(share(line.figure.value), interval_text(line.figure))
                for line in lines
            ]
            rows.append([escaped(text) for text in (title, run, *figures)])
            if differences := [line.difference for line in lines if line.difference is not None]:
                texts = [difference_text(each.value, each.interval) for each in differences]
                rows.append(_below(texts, 2, 1))
    caption = (
        f"{'; '.join(FIGURES[name] for name in comparison.figures)} in %, by presentation, with "
        f"95 % intervals. Below: the difference from {comparison.runs[0].name} with its 95 % "
        "interval from resampling subjects. "
    ) + " ".join(comparison_notices(comparison))
    heads = [rf"\textbf{{{escaped(name)}}}" for name in ("Approach", "Run", *comparison.figures)]
    return _environment(escaped(caption), "comparison", [heads], rows, 2)
