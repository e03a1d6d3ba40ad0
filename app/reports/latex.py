r"""Tables as LaTeX, in the form of the paper's, for any document class and without packages.

Characters that LaTeX's fonts may lack are spelt out or become a question mark: any name compiles.
"""

import unicodedata
from collections.abc import Iterable, Sequence

from app.reports.evaluation import Comparison, Line, Row, Table
from app.reports.figures import FIGURES
from app.reports.notices import comparison_notices, shortfall, unlike_the_paper
from app.reports.words import difference_text, interval_text, share

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
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


def _tabular(columns: str, heads: Iterable[str], rows: Iterable[Sequence[str]]) -> list[str]:
    return [
        r"\centering",
        r"\footnotesize",
        rf"\begin{{tabular}}{{{columns}}}",
        r"\hline",
        *heads,
        r"\hline",
        *(" & ".join(row) + r"\\" for row in rows),
        r"\hline",
        r"\end{tabular}",
    ]


def evaluation_latex(table: Table) -> str:
    """Return a ``table`` environment: methods as rows, published beside measured.

    An interval is that of all folds together and follows their figure, not the mean over folds.
    The caption holds the caveats, since captions travel with tables.
    """
    kinds = ["measured", "all folds (95 % interval)" if len(table.folds) > 1 else "95 % interval"]
    if table.published is not None:
        kinds = ["published", *kinds]
    # A table of one figure fits one column of text.
    environment = "table" if len(table.headline) == 1 else "table*"
    names = [
        rf"\multicolumn{{{len(kinds)}}}{{c}}{{\textbf{{{escaped(name)}}}}}"
        for name in table.headline
    ]
    heads = [escaped(kind) for _ in table.headline for kind in kinds]
    lines = [
        f"% Made by lmkl-pad {' '.join(table.evaluation.version.split())}.",
        rf"\begin{{{environment}}}[t]",
        r"\renewcommand{\arraystretch}{1.2}",
        rf"\caption{{{_caption(table)}}}",
        rf"\label{{tab:{_label(table)}}}",
        *_tabular(
            f"l{'c' * len(heads)}",
            [
                " & ".join(["", *names]) + r"\\",
                " & ".join([r"\textbf{Approach}", *heads]) + r"\\",
            ],
            (_line(row, table) for row in table.rows),
        ),
        rf"\end{{{environment}}}",
    ]
    return "\n".join(lines) + "\n"


def _line(row: Row, table: Table) -> list[str]:
    cells = [_title(row)]
    for name in table.headline:
        if table.published is not None:
            found = row.printed(name)
            cells.append("--" if found is None else _plus_minus(found.mean, found.std))
        cells += _measured(row, name, table)
    return cells


def _measured(row: Row, name: str, table: Table) -> list[str]:
    figure, spread = row.by_presentation.pooled.figure(name), row.by_presentation.spread(name)
    interval = _to(figure.interval)
    if figure.interval and len(table.folds) > 1 and figure.value is not None:
        interval = f"${100 * figure.value:.1f}$ ({interval})"
    if spread is None:
        return ["--", interval]
    return [_plus_minus(100 * spread.mean, spread.std and 100 * spread.std), interval]


def _to(ends: tuple[float, float] | None) -> str:
    return "--" if ends is None else f"${100 * ends[0]:.1f}$ to ${100 * ends[1]:.1f}$"


def _plus_minus(mean: float, std: float | None) -> str:
    return f"${mean:.1f}$" if std is None else f"${mean:.1f}\\pm{std:.1f}$"


def _title(row: Row) -> str:
    if row.is_own:
        return f"{escaped(row.title)} (this work)"
    if row.published is None:
        return escaped(row.title)
    mark = "$^{*}$" if row.is_measured and row.remark else ""
    return rf"{escaped(row.title)}{mark} \cite{{{row.published.citation}}}"


def _caption(table: Table) -> str:
    evaluation = table.evaluation
    figures = [
        FIGURES[name].replace(", worst species", " of the worst species") for name in table.headline
    ]
    over = f" (mean$\\pm$std over {len(table.folds)} folds)" if len(table.folds) > 1 else ""
    where = f"{escaped(table.title)}, {escaped(table.layout.mode)}"
    said = [rf"{escaped(', '.join(figures))} in \% on {where}{over}, by presentation."]
    said += map(escaped, (*shortfall(table), *unlike_the_paper(table)))
    if any(row.is_measured and row.remark for row in table.rows):
        said.append("$^{*}$: what was measured differs from the published method.")
    if evaluation.is_simulated:
        said.append(r"\textbf{Simulated recordings: nothing is said about real attacks.}")
    return " ".join(said)


def _label(table: Table) -> str:
    parts = (table.layout.database, table.layout.protocol)
    name = "-".join(part for part in parts if part)
    return "".join(each for each in name if each.isascii() and (each.isalnum() or each == "-"))


def comparison_latex(comparison: Comparison) -> str:
    """Return a ``table*`` environment: a row for each method and run, with differences."""
    names = comparison.figures
    rows = []
    for method, title in comparison.methods.items():
        for run in comparison.runs:
            found = [comparison.line(run.name, method, name) for name in names]
            if any(found):
                rows.append([escaped(title), escaped(run.name), *map(_compared, found)])
    figures = ", ".join(FIGURES[name].replace(", worst species", " (worst)") for name in names)
    caption = (
        f"{figures} in %, by presentation, with 95 % intervals; below, the difference to "
        f"{comparison.runs[0].name} with its interval from drawing subjects. "
    ) + " ".join(comparison_notices(comparison))
    heads = [r"\textbf{Approach}", r"\textbf{Run}"]
    heads += [rf"\textbf{{{escaped(name)}}}" for name in names]
    lines = [
        r"\begin{table*}[t]",
        rf"\caption{{{escaped(caption)}}}",
        r"\label{tab:comparison}",
        *_tabular(f"ll{'c' * len(names)}", [" & ".join(heads) + r"\\"], rows),
        r"\end{table*}",
    ]
    return "\n".join(lines) + "\n"


def _compared(line: Line | None) -> str:
    if line is None:
        return "--"
    interval = interval_text(line.figure)
    cell = share(line.figure.value) + (f" ({interval})" if interval else "")
    if line.difference is not None:
        cell += f"; {difference_text(line.difference.value, line.difference.interval)}"
    return escaped(cell)
