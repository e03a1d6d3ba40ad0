r"""Figures of the paper's tables, as printed, in per cent.

Standard deviations are sample standard deviations (divided by the number of folds minus one): one
error in six folds of twenty presentations is printed as :math:`0.8 \pm 2.0`, and only
:math:`5 / \sqrt 6 = 2.04` rounds to that.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class PrintedFigure:
    """A published figure in per cent, with its standard deviation over folds where printed."""

    mean: float
    std: float | None = None


@dataclass(frozen=True)
class PublishedRow:
    """One method of a table, with its figures by column.

    The citation is empty for the paper's own method. ``why`` is the reason if the method is not
    measured.
    """

    title: str
    citation: str
    figures: Mapping[str, PrintedFigure]
    why: str

    @property
    def source(self) -> str:
        return f"[{self.citation}]" if self.citation else "this work"


@dataclass(frozen=True)
class PublishedTable:
    """One table of the paper, with its label, such as ``RM``; the paper's own method is last."""

    label: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[PublishedRow, ...]

    def row(self, title: str, citation: str = "") -> PublishedRow | None:
        """Return a method's row by its printed name and, unless empty, its citation."""
        wanted = plain_name(title)
        named = (row for row in self.rows if plain_name(row.title) == wanted)
        return next((row for row in named if citation in ("", row.citation)), None)


def plain_name(title: str) -> str:
    r"""Return the letters and digits of a name, so that ``$\ell_{p,q}$-MKL`` is ``ℓp,q-MKL``."""
    name = title.replace("(this work)", "").replace("\\ell", "l").replace("ℓ", "l")
    return "".join(letter for letter in name.casefold() if letter.isalnum())


OTHER = "not run here"
TRAINED = "trains a network of its own"
BSIF = "needs BSIF filters"
SLIM = "no exact public definition"
OWN = "this method"

_ROWS: Mapping[str, tuple[tuple[Any, ...], ...]] = {
    "ImageNovelty": (
        ("OCNN-AlexNet", "DBLP:journals/corr/abs-1802-06360", TRAINED, (82.6, 15.3)),
        ("OCNN-VGG16", "DBLP:journals/corr/abs-1802-06360", TRAINED, (88.5, 14.4)),
        ("Autoencoder", "1640964", OTHER, (62.3, 7.2)),
        ("OCSVM-VGG16", "8721681", OTHER, (90.2, 5.0)),
        ("DOC-VGG16", "8721681", TRAINED, (98.1, 2.2)),
        ("DOC-AlexNet", "8721681", TRAINED, (95.9, 2.1)),
        ("Multiple Kernel-SVDD", "9535490", OTHER, (99.1, 0.7)),
        ("Multiple Kernel-SVDD-Slim", "9535490", SLIM, (99.2, 0.6)),
        ("Multiple Kernel-OCSVM", "9535490", OTHER, (99.1, 0.8)),
        ("Multiple Kernel-OCSVM-Slim", "9535490", SLIM, (99.1, 0.8)),
        ("ℓp,q-MKL", "9535490", OTHER, (99.6, 0.5)),
        ("Localised MKL", "", OWN, (100.0, 0.0)),
    ),
    "ImageAbnormality": (
        ("Graphical Model", "6618951", OTHER, (87.0,)),
        ("Adj. Graphical Model", "6618951", OTHER, (91.1,)),
        ("OCNN", "DBLP:journals/corr/abs-1802-06360", TRAINED, (88.5, 1.4)),
        ("Autoencoder", "1640964", OTHER, (67.4, 1.2)),
        ("OC-CNN", "8586962", TRAINED, (84.3,)),
        ("DOC", "8721681", TRAINED, (95.6, 3.1)),
        ("Multiple Kernel-SVDD", "9535490", OTHER, (92.3, 0.2)),
        ("Multiple Kernel-SVDD-Slim", "9535490", SLIM, (94.1, 0.1)),
        ("Multiple Kernel-OCSVM", "9535490", OTHER, (91.4, 0.3)),
        ("Multiple Kernel-OCSVM-Slim", "9535490", SLIM, (93.9, 0.1)),
        ("ℓp,q-MKL", "9535490", OTHER, (99.2, 0.2)),
        ("Localised MKL", "", OWN, (99.4, 0.4)),
    ),
    "RM": (
        ("The work in", "FATEMIFAR2021107696", OTHER, (8.5,)),
        ("Weighted-Fusion", "8987326", OTHER, (9.9,)),
        ("GoogleNet+MD", "8682253", OTHER, (13.7,)),
        ("The work in", "9303455", OTHER, (11.8,)),
        ("Multiple Kernel-SVDD", "9535490", OTHER, (11.1,)),
        ("Multiple Kernel-SVDD-Slim", "9535490", SLIM, (7.6,)),
        ("Multiple Kernel-OCSVM", "9535490", OTHER, (10.8,)),
        ("Multiple Kernel-OCSVM-Slim", "9535490", SLIM, (8.1,)),
        ("ℓp,q-MKL", "9535490", OTHER, (6.7,)),
        ("Localised MKL", "", OWN, (5.6,)),
    ),
    "ONC": (
        ("SAPLC", "9056824", TRAINED, (6.6, 5.5), (11.9, 6.9), (9.3, 4.4)),
        ("OCA-FAS", "QIN2020384", TRAINED, (5.9, 4.5), (2.3, 2.5), (4.1, 2.7)),
        ("The work in", "feng2020learning2", OTHER, (1.7, 2.6), (5.8, 4.9), (3.7, 2.1)),
        ("The work in", "8737949", OTHER, (9.7, 4.8), (11.3, 3.9), (9.8, 4.2)),
        ("The work in", "9303455", OTHER, (0.8, 2.0), (11.6, 13.6), (6.2, 6.8)),
        ("Multiple Kernel-SVDD", "9535490", OTHER, (2.5, 4.2), (11.7, 10.8), (7.1, 6.2)),
        ("Multiple Kernel-SVDD-Slim", "9535490", SLIM, (1.7, 4.1), (10.8, 8.0), (6.2, 4.4)),
        ("Multiple Kernel-OCSVM", "9535490", OTHER, (2.5, 4.2), (13.3, 11.7), (7.9, 6.4)),
        ("Multiple Kernel-OCSVM-Slim", "9535490", SLIM, (1.7, 4.1), (10.8, 8.0), (6.2, 4.4)),
        ("ℓp,q-MKL", "9535490", OTHER, (0.0, 0.0), (5.0, 4.5), (2.5, 2.2)),
        ("Localised MKL", "", OWN, (0.0, 0.0), (3.3, 4.1), (1.6, 2.0)),
    ),
    "MSU": (
        ("IMQ+OCSVM", "7984788", OTHER, (67.7,)),
        ("BSIF+OCSVM", "7984788", BSIF, (75.6,)),
        ("LBP+NN", "8698574", OTHER, (81.6,)),
        ("LBP+GMM", "8698574", OTHER, (81.3,)),
        ("LBP+OCSVM", "8698574", OTHER, (84.5,)),
        ("LBP+AE", "8698574", OTHER, (87.6,)),
        ("DTL", "8953776", TRAINED, (93.0,)),
        ("The work in", "9303455", OTHER, (100.0,)),
        ("Multiple Kernel-SVDD", "9535490", OTHER, (100.0,)),
        ("Multiple Kernel-SVDD-Slim", "9535490", SLIM, (100.0,)),
        ("Multiple Kernel-OCSVM", "9535490", OTHER, (100.0,)),
        ("Multiple Kernel-OCSVM-Slim", "9535490", SLIM, (100.0,)),
        ("ℓp,q-MKL", "9535490", OTHER, (100.0,)),
        ("Localised MKL", "", OWN, (100.0,)),
    ),
    "RA": (
        ("IMQ+OCSVM", "7984788", OTHER, (80.7,)),
        ("BSIF+OCSVM", "7984788", BSIF, (81.9,)),
        ("LBP+NN", "8698574", OTHER, (91.2,)),
        ("LBP+GMM", "8698574", OTHER, (90.1,)),
        ("LBP+OCSVM", "8698574", OTHER, (87.9,)),
        ("LBP+AE", "8698574", OTHER, (86.1,)),
        ("DTL", "8953776", TRAINED, (99.8,)),
        ("MD", "8682253", OTHER, (99.7,)),
        ("The work in", "9303455", OTHER, (100.0,)),
        ("Multiple Kernel-SVDD", "9535490", OTHER, (100.0,)),
        ("Multiple Kernel-SVDD-Slim", "9535490", SLIM, (100.0,)),
        ("Multiple Kernel-OCSVM", "9535490", OTHER, (100.0,)),
        ("Multiple Kernel-OCSVM-Slim", "9535490", SLIM, (100.0,)),
        ("ℓp,q-MKL", "9535490", OTHER, (100.0,)),
        ("Localised MKL", "", OWN, (100.0,)),
    ),
}
"""Name, citation, reason if not measured, and mean and deviation of each column."""

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
        for name, citation, why, *pairs in _ROWS[label]
    )
    return PublishedTable(label, title, columns, rows)


TABLES: Mapping[str, PublishedTable] = {label: _table(label) for label in _TITLES}
"""The paper's tables by their labels."""
