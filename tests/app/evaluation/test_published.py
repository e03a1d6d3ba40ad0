"""The paper's figures, as printed."""

import pytest

from app.evaluation.published import TABLES, PrintedFigure, plain_name


def test_that_rows_and_sums_are_the_papers():
    sums = [
        ("ImageNovelty", 12, "AUC", 1113.7, 49.6),
        ("ImageAbnormality", 12, "AUC", 1084.2, 7.0),
        ("RM", 10, "HTER", 93.8, 0),
        ("ONC", 11, "BPCER", 33.1, 36.0),
        ("ONC", 11, "APCER", 97.8, 78.9),
        ("ONC", 11, "ACER", 64.6, 45.8),
        ("MSU", 14, "AUC", 1271.3, 0),
        ("RA", 15, "AUC", 1417.4, 0),
    ]
    for label, n_rows, column, means, deviations in sums:
        found = [row.figures[column] for row in TABLES[label].rows]
        assert len(found) == n_rows
        assert sum(figure.mean for figure in found) == pytest.approx(means)
        assert sum(figure.std or 0 for figure in found) == pytest.approx(deviations)


def test_that_every_table_ends_with_the_papers_own_method():
    for table in TABLES.values():
        assert [row.title for row in table.rows if not row.citation] == ["Localised MKL"]
        assert table.rows[-1].source == "this work"
        assert all(tuple(row.figures) == table.columns for row in table.rows)


def test_that_single_figures_are_the_papers():
    for label, title, column, *figure in (
        ("RM", "Localised MKL", "HTER", 5.6),
        ("RM", "ℓp,q-MKL", "HTER", 6.7),
        ("ONC", "Localised MKL", "ACER", 1.6, 2.0),
        ("ONC", "Multiple Kernel-OCSVM", "APCER", 13.3, 11.7),
        ("ImageAbnormality", "OC-CNN", "AUC", 84.3),
        ("ImageNovelty", "DOC-VGG16", "AUC", 98.1, 2.2),
        ("MSU", "LBP+AE", "AUC", 87.6),
        ("RA", "LBP+AE", "AUC", 86.1),
    ):
        assert TABLES[label].row(title).figures[column] == PrintedFigure(*figure)


def test_that_acer_is_the_mean_of_both_errors_but_in_the_one_row_where_the_paper_differs():
    differ = [
        row.citation
        for row in TABLES["ONC"].rows
        if abs(
            row.figures["ACER"].mean - (row.figures["BPCER"].mean + row.figures["APCER"].mean) / 2
        )
        > 0.051
    ]
    assert differ == ["8737949"]


def test_that_a_name_is_found_however_its_symbols_are_written():
    written = ("$\\ell_{p,q}$-MKL", "ℓp,q-MKL", "lpq MKL")
    assert {plain_name(name) for name in written} == {"lpqmkl"}
    assert TABLES["RA"].row("Localised MKL (this work)").citation == ""
    assert TABLES["RA"].row("Nobody") is None
