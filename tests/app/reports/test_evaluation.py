"""Rows: measured methods merged with the paper's."""

import pytest

from app.reports.notices import notices
from lmkl_core.baselines import METHODS
from tests.app.reports.example_tables import fold, method, scores, table


def test_that_measured_and_published_figures_of_a_method_share_a_row():
    (row,) = [row for row in table().rows if row.title == "Localised MKL"]
    assert row.printed("HTER").mean == 5.6
    assert row.by_presentation.pooled.figure("HTER").value == pytest.approx(5 / 24)
    assert row.source == "this work"


def test_that_rows_follow_the_paper_with_others_before_its_own():
    made = table(
        method("single:face/x", "Single kernel: face/x"),
        method("lpq", "ℓp,q-MKL"),
        method("localised", "Localised MKL"),
    )
    titles = [row.title for row in made.rows]
    assert titles[0] == "The work in"
    assert titles.index("ℓp,q-MKL") == 8
    assert titles[-2:] == ["Single kernel: face/x", "Localised MKL"]
    assert len(titles) == 11


def test_that_rows_of_one_name_are_told_apart_by_citation():
    made = table(method("fusion", "Unweighted kernel fusion"))
    (row,) = [row for row in made.rows if row.measured is not None]
    assert row.published.citation == "9303455"
    assert row.remark == "equal weights"
    assert made.rows.index(row) == 3


def test_that_a_failed_method_keeps_its_row_and_says_why():
    made = table(method("lpq", "ℓp,q-MKL", (), failure="There are no views for it."))
    (row,) = [row for row in made.rows if row.title == "ℓp,q-MKL"]
    assert not row.is_measured
    assert row.remark == "There are no views for it."
    assert any("ℓp,q-MKL could not be measured" in sentence for sentence in notices(made))


def test_that_the_papers_figures_come_first():
    assert table().headline == ("HTER",)
    assert table(table="ONC", protocol="IV").headline == ("BPCER", "APCER", "ACER")
    assert table(table="").headline == ("APCER", "BPCER", "AUC")
    assert "HTER" not in table().others


def test_that_every_published_name_of_a_method_is_in_some_table():
    from app.evaluation.published import TABLES

    for each in METHODS.values():
        if each.published:
            found = [t.row(each.published, each.citation) for t in TABLES.values()]
            assert any(found), each.name


def told(made):
    return " ".join(notices(made))


def test_that_what_differs_from_the_paper_is_told():
    assert "preset texture, not the paper's" in told(table(settings={"preset": "texture"}))
    assert "not the paper's" not in told(table())
    made = table(table="ONC", database="oulu-npu", protocol="I")
    assert "those of protocol IV; protocol I was" in told(made)
    made = table(mode="client-specific")
    assert "client-independent models; client-specific ones" in told(made)


def test_that_presentations_judged_by_several_models_are_told():
    again = table(method(folds=(fold("a"), fold("b"))))
    assert "judged by more than one model: 10 of 10" in told(again)
    assert "judged by more" not in told(table())


def test_that_missing_classes_and_few_subjects_are_told():
    made = table(method(folds=(fold(table=scores([0.9, 0.8])),)))
    assert "No attack has a score" in told(made)
    assert "Too few subjects to draw from: 4" in told(table())
    many = scores([0.9, 0.8] * 8, print=[0.1, 0.85] * 8)
    assert "Too few" not in told(table(method(folds=(fold(table=many),))))


def singles(*values):
    return [
        method(
            f"single:face/x{n}",
            f"Single kernel: face/x{n}",
            (fold(table=scores([v], print=[0.1])),),
        )
        for n, v in enumerate(values)
    ]


def test_that_many_single_views_have_a_table_of_their_own():
    made = table(
        method("mk-svdd", "Multiple Kernel-SVDD"),
        *singles(0.9, 0.0, 0.9),
        method("localised", "Localised MKL"),
        table="",
    )
    assert [row.title for row in made.lines] == ["Multiple Kernel-SVDD", "Localised MKL"]
    assert [row.view for row in made.singles] == ["face/x0", "face/x1", "face/x2"]
    assert made.compared == made.lines
    # Files for machines have them all.
    assert len(made.rows) == len(made.measured) == 5


@pytest.mark.parametrize("others", [(), (method("lpq", "ℓp,q-MKL"),)])
def test_that_single_views_stay_rows_where_they_are_few_or_all_there_is(others):
    few = singles(0.9, 0.8, 0.7)[: 2 if others else 3]
    made = table(*few, *others, table="")
    assert made.singles == ()
    assert made.lines == made.rows == made.compared


def test_that_the_papers_own_method_is_known_and_last_without_its_table():
    made = table(method("localised", "Localised MKL"), method("single:a", "One"), table="")
    assert [row.title for row in made.rows] == ["One", "Localised MKL"]
    assert [row.is_own for row in made.rows] == [False, True]
