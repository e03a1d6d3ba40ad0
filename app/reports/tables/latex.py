r"""The table as LaTeX, in the form of the paper's: it compiles in any document class.

Only commands of LaTeX itself are used, no package. Characters that LaTeX's own fonts may lack are
spelt out or replaced by a question mark, so that any name compiles.
"""

import unicodedata

from app.evaluation.published import Figure
from app.reports.tables.building import Row, Singles, Table
from app.reports.tables.figures import FIGURES, Spread
from app.reports.tables.notices import shortfall, simulated, unlike_the_paper

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
    """Return text that LaTeX prints as it is written."""
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


def as_latex(table: Table) -> str:
    r"""Return a ``table`` environment: methods as rows, published beside measured.

    Intervals are those of all folds together, and stand behind the figure that they are about: it
    is not the mean over folds, and an interval need not hold that one. What a reader must know
    before comparing with published figures is in the caption, since captions travel with tables.
    """
    kinds = _kinds(table)
    n_columns = len(kinds) * len(table.headline)
    # One column of text has room for the paper's tables of one figure.
    environment = "table" if len(table.headline) == 1 else "table*"
    names = [
        rf"\multicolumn{{{len(kinds)}}}{{c}}{{\textbf{{{escaped(name)}}}}}"
        for name in table.headline
    ]
    heads = [escaped(kind) for _ in table.headline for kind in kinds]
    lines = [
        f"% Made by lmkl-pad {_comment(table.evaluation.version)}.",
        rf"\begin{{{environment}}}[t]",
        r"\renewcommand{\arraystretch}{1.2}",
        rf"\caption{{{_caption(table)}}}",
        rf"\label{{tab:{_label(table)}}}",
        r"\centering",
        r"\footnotesize",
        rf"\begin{{tabular}}{{l{'c' * n_columns}}}",
        r"\hline",
        " & ".join(["", *names]) + r"\\",
        " & ".join([r"\textbf{Approach}", *heads]) + r"\\",
        r"\hline",
        *(" & ".join(_line(line, table)) + r"\\" for line in table.lines),
        r"\hline",
        r"\end{tabular}",
        rf"\end{{{environment}}}",
    ]
    return "\n".join(lines) + "\n"


def _kinds(table: Table) -> tuple[str, ...]:
    kinds = ("measured", "95 % interval")
    if len(table.folds) > 1:
        kinds = ("measured", "all folds (95 % interval)")
    return kinds if table.published is None else ("published", *kinds)


def _line(line: Row | Singles, table: Table) -> list[str]:
    if isinstance(line, Row):
        return [_title(line), *_cells(line, table)]
    cells = []
    for name in table.headline:
        ends = line.ends(name)
        told = "--" if ends is None else f"${100 * ends[0]:.1f}$ to ${100 * ends[1]:.1f}$"
        cells += ["--", told, "--"] if table.published is not None else [told, "--"]
    return [escaped(line.title), *cells]


def _cells(row: Row, table: Table) -> list[str]:
    cells = []
    for name in table.headline:
        if table.published is not None:
            cells.append(_printed(row.printed(name)))
        level = row.by_presentation
        if level is None:
            cells += ["--", "--"]
            continue
        told = level.pooled.figure(name)
        interval = "--"
        if told.interval is not None:
            low, high = (100 * end for end in told.interval)
            interval = f"${low:.1f}$ to ${high:.1f}$"
            if len(table.folds) > 1 and told.value is not None:
                interval = f"${100 * told.value:.1f}$ ({interval})"
        cells += [_spread(level.spread(name)), interval]
    return cells


def _printed(figure: Figure | None) -> str:
    if figure is None:
        return "--"
    return (
        f"${figure.mean:.1f}$" if figure.std is None else f"${figure.mean:.1f}\\pm{figure.std:.1f}$"
    )


def _spread(found: Spread | None) -> str:
    if found is None:
        return "--"
    mean = f"{100 * found.mean:.1f}"
    return f"${mean}$" if found.std is None else f"${mean}\\pm{100 * found.std:.1f}$"


def _title(row: Row) -> str:
    if row.is_own:
        return f"{escaped(row.title)} (this work)"
    if row.published is None:
        return escaped(row.title)
    mark = "$^{*}$" if _differs(row) else ""
    return rf"{escaped(row.title)}{mark} \cite{{{row.published.citation}}}"


def _differs(row: Row) -> bool:
    return row.by_presentation is not None and bool(row.remark)


def _caption(table: Table) -> str:
    evaluation = table.evaluation
    where = escaped(evaluation.title)
    if evaluation.protocol:
        where += f", protocol {escaped(evaluation.protocol)}"
    told = [
        FIGURES[name].replace(", worst species", " of the worst species") for name in table.headline
    ]
    names = ", ".join(escaped(each) for each in told)
    over = f" (mean$\\pm$std over {len(table.folds)} folds)" if len(table.folds) > 1 else ""
    said = r" \textbf{Simulated recordings: nothing is said about real attacks.}"
    sentences = [rf"{names} in \% on {where}, {escaped(evaluation.mode)}{over}, by presentation."]
    sentences += map(escaped, (*shortfall(table), *unlike_the_paper(table)))
    if any(map(_differs, table.rows)):
        sentences.append("$^{*}$: what was measured differs from the published method.")
    if table.singles is not None:
        sentences.append("Of single kernels the lowest and the highest figure is told.")
    return " ".join(sentences) + (said if simulated(table) else "")


def _label(table: Table) -> str:
    parts = (table.evaluation.database, table.evaluation.protocol)
    told = "-".join(part for part in parts if part)
    return "".join(
        letter for letter in told if letter.isascii() and (letter.isalnum() or letter == "-")
    )


def _comment(text: str) -> str:
    return " ".join(text.split())
