r"""Figures of the paper's tables, to stand beside measured ones.

Everything is as printed, in per cent, row by row. What the paper prints as ``n.a.`` or leaves out
is None. The standard deviations are those of samples (divided by the number of folds less one): an
error in one of six folds of twenty presentations is printed as :math:`0.8 \pm 2.0`, and only
:math:`5 / \sqrt 6 = 2.04` rounds to that.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from app.evaluation.published_rows import ROWS


@dataclass(frozen=True)
class PrintedFigure:
    """A published figure, in per cent.

    Attributes
    ----------
    mean : float
        As printed.
    std : float or None
        Standard deviation over folds, where it was printed.
    """

    mean: float
    std: float | None = None


@dataclass(frozen=True)
class PublishedRow:
    """One line of a table.

    Attributes
    ----------
    title : str
        Name of the method as printed.
    citation : str
        Key of the publication that it is from; empty for the paper's own method.
    figures : mapping of str to PrintedFigure
        By the names of the table's columns.
    why : str
        Why it may stand without a measured figure, as half a sentence.
    """

    title: str
    citation: str
    figures: Mapping[str, PrintedFigure]
    why: str

    @property
    def source(self) -> str:
        """Return where it is from, as ``"[9535490]"`` or ``"this work"``."""
        return f"[{self.citation}]" if self.citation else "this work"


@dataclass(frozen=True)
class PublishedTable:
    """One table of the paper.

    Attributes
    ----------
    label : str
        Its label, such as ``RM``.
    title : str
        What was measured on.
    columns : tuple of str
        Its figures, in order.
    rows : tuple of PublishedRow
        Its methods, the paper's own last.
    """

    label: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[PublishedRow, ...]

    def row(self, title: str, citation: str = "") -> PublishedRow | None:
        """Return the row of a method by its printed name, however its symbols are written.

        Parameters
        ----------
        title : str
            The name.
        citation : str
            Tells rows of one name apart; any will do when empty.
        """
        wanted = plain_name(title)
        named = (row for row in self.rows if plain_name(row.title) == wanted)
        return next((row for row in named if citation in ("", row.citation)), None)


def plain_name(title: str) -> str:
    r"""Return letters and digits of a name, so that ``$\ell_{p,q}$-MKL`` is ``ℓp,q-MKL``."""
    told = title.replace("(this work)", "").replace("\\ell", "l").replace("ℓ", "l")
    return "".join(letter for letter in told.casefold() if letter.isalnum())


_TITLES = {
    "ImageNovelty": ("Caltech-256, novelty detection", ("AUC",)),
    "ImageAbnormality": ("1001 Abnormal Objects", ("AUC",)),
    "RM": ("Replay-Mobile", ("HTER",)),
    "ONC": ("OULU-NPU, protocol IV", ("BPCER", "APCER", "ACER")),
    "MSU": ("MSU-MFSD", ("AUC",)),
    "RA": ("Replay-Attack", ("AUC",)),
}


def _table(label: str) -> PublishedTable:
    title, columns = _TITLES[label]
    rows = tuple(
        PublishedRow(
            name,
            citation,
            {column: PrintedFigure(*pair) for column, pair in zip(columns, pairs, strict=True)},
            why,
        )
        for name, citation, why, *pairs in ROWS[label]
    )
    return PublishedTable(label, title, columns, rows)


TABLES: Mapping[str, PublishedTable] = {label: _table(label) for label in _TITLES}
"""The paper's tables by their labels."""
