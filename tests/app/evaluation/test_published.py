"""The paper's figures, as printed."""

import pytest

from app.evaluation.published import TABLES, plain_name


def test_that_rows_and_sums_match_the_paper():
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


def test_that_names_are_found_in_any_notation():
    written = ("$\\ell_{p,q}$-MKL", "ℓp,q-MKL", "lpq MKL")
    assert {plain_name(name) for name in written} == {"lpqmkl"}
    assert TABLES["RA"].row("Localised MKL (this work)").citation == ""
    assert TABLES["RA"].row("Nobody") is None
