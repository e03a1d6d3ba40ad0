"""The page of an evaluation."""

import re
from dataclasses import replace

import pytest

from app.reports.error_charts import Curves
from app.reports.html import chosen_curves, forest
from app.reports.html import evaluation_page as render
from tests.app.pages import outline
from tests.app.reports.example_tables import fold, method, scores, table


def page_of(*methods, **changes):
    return render(table(*methods, **changes))


def text_of(page):
    return re.sub(r"\s+", " ", " ".join(outline(page).text)).replace("\u00a0", " ")


@pytest.mark.parametrize(
    "methods",
    [
        (method(folds=(), failure="It failed."),),
        (method(folds=(fold(table=scores([])),)),),
        (method(folds=(fold(table=scores([0.9, 0.8])),)),),
        (method(folds=(fold(table=scores([], print=[0.9, None])),)),),
        (method(folds=(fold(table=scores([0.5], print=[0.5])),)),),
        (method(folds=(fold(threshold=None), fold("b"))),),
    ],
    ids=["failed", "empty", "no attacks", "no bona fide", "ties", "no threshold"],
)
def test_that_any_evaluation_has_a_page(methods):
    for label in ("", "RM", "ONC"):
        page = page_of(*methods, table=label)
        outline(page)
        assert not re.search(r"\b(nan|inf|None)\b", page)


def test_that_many_species_and_folds_continue_below():
    many = {f"species {k}": [0.1, 0.2] for k in range(30)}
    folds = tuple(fold(f"fold {k}", scores([0.9, 0.8], **many)) for k in range(11))
    text = text_of(page_of(method(folds=folds)))
    assert "fold 10" in text
    assert "species 29" in text


def test_that_long_names_keep_both_ends_in_the_forest():
    title = "Single kernel: face/efficientnet-lite0.block"
    rows = [method(f"single:{k}", f"{title}{k}") for k in (2, 4)]
    found = re.findall(r">(Single[^<]+)<", forest(table(*rows)))
    assert found == [
        "Single kern…fficientnet-lite0.block2",
        "Single kern…fficientnet-lite0.block4",
    ]


def test_that_curves_show_the_papers_method_and_the_three_best_others():
    bad = scores([0.4, 0.3], print=[0.9, 0.8])
    methods = [method(f"m{k}", f"m{k}") for k in range(3)]
    worst = method("bad", "bad", (fold(table=bad),))
    drawn = chosen_curves(table(worst, *methods, method()))
    assert [name for _, name in drawn.legend] == ["Localised MKL", "m0", "m1", "m2"]
    # Without both classes there are none.
    assert chosen_curves(table(method(folds=(fold(table=scores([0.9])),)))) == Curves()


def test_that_chosen_parameters_are_counted_over_models():
    plans = {"anna": {"delta": 0.1}, "ben": {"delta": 0.1}, "eva": {"delta": 10.0}}
    text = text_of(page_of(method(folds=(replace(fold(), parameters=plans),))))
    assert "delta = 0.1 (2 of 3 models); delta = 10 (1 of 3 models)" in text
