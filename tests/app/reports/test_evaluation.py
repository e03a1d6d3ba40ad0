"""Tables of measured methods merged with the paper's, and their caveats."""

import pytest

from app.evaluation.protocols.types import SplitCount
from app.evaluation.published import TABLES
from app.evaluation.result import DEMO_NOTE
from app.reports.notices import notices
from lmkl_core.baselines import METHODS
from tests.app.reports.example_tables import fold, method, scores, table


def test_that_measured_and_published_figures_of_a_method_share_a_row():
    row = table().rows[-1]
    assert row.title == "Localised MKL"
    assert row.printed("HTER").mean == 5.6
    assert row.by_presentation.pooled.figure("HTER").value == pytest.approx(5 / 24)


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
    without_paper = table(method(), method("single:a", "One"), table="")
    assert [(row.title, row.is_own) for row in without_paper.rows] == [
        ("One", False),
        ("Localised MKL", True),
    ]


def test_that_published_rows_with_the_same_name_are_distinguished_by_citation():
    made = table(method("fusion", "Unweighted kernel fusion"))
    (row,) = [row for row in made.rows if row.measured is not None]
    assert row.published.citation == "9303455"
    assert row.remark == "equal weights"
    assert made.rows.index(row) == 3


def test_that_a_failed_method_keeps_its_row_with_the_reason():
    made = table(method("lpq", "ℓp,q-MKL", (), failure="There are no views for it."))
    (row,) = [row for row in made.rows if row.title == "ℓp,q-MKL"]
    assert not row.is_measured
    assert row.remark == "There are no views for it."
    assert any("ℓp,q-MKL" in sentence for sentence in notices(made))


def test_that_the_papers_figures_come_first():
    assert table().headline == ("HTER",)
    assert table(table="ONC", protocol="IV").headline == ("BPCER", "APCER", "ACER")
    assert table(table="").headline == ("APCER", "BPCER", "AUC")
    assert "HTER" not in table().others


def test_that_every_published_name_of_a_method_is_in_some_table():
    for each in METHODS.values():
        if each.published:
            found = [t.row(each.published, each.citation) for t in TABLES.values()]
            assert any(found), each.name


FEW = "Too few subjects"
REPEATED = "judged by more than one model: 10 of 10"


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (table(settings={"preset": "texture"}), "preset texture, not the paper's"),
        (table(table="ONC", database="oulu-npu", protocol="I"), "protocol I was measured"),
        (table(mode="client-specific"), "client-specific ones were measured"),
        (table(method(folds=(fold("a"), fold("b")))), REPEATED),
        (table(method(folds=(fold(table=scores([0.9, 0.8])),))), "No attack has a score"),
        (table(), f"{FEW} to resample: 4"),
        (table(recordings=(SplitCount("", "test", "attack", 6, 0, 7),)), "6 found, 7 published"),
    ],
    ids=["preset", "protocol", "mode", "repeated", "no attack", "few subjects", "counts"],
)
def test_that_caveats_are_reported_where_they_apply(made, words):
    assert words in " ".join(notices(made))
    many = scores([0.9, 0.8] * 8, print=[0.1, 0.85] * 8)
    assert notices(table(method(folds=(fold(table=many),)))) == ("Takes were divided by person.",)


def test_that_the_banner_alone_says_that_the_demo_is_simulated():
    made = table(notes=(DEMO_NOTE, "Takes were divided by person."))
    assert DEMO_NOTE not in notices(made)
    assert "Takes were divided by person." in notices(made)


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
    # JSON and CSV files have them all.
    assert len(made.rows) == len(made.measured) == 5


@pytest.mark.parametrize("others", [(), (method("lpq", "ℓp,q-MKL"),)])
def test_that_single_views_stay_rows_if_they_are_few_or_alone(others):
    few = singles(0.9, 0.8, 0.7)[: 2 if others else 3]
    made = table(*few, *others, table="")
    assert made.singles == ()
    assert made.lines == made.rows == made.compared
