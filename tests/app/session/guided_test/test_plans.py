"""Test plans: files, what is still to do, and what the test will be able to say."""

import pytest

from app.session.guided_test.guided_test import GuidedTest
from app.session.guided_test.plans import TestPlan, built_in_plans, plan_from, read_plan
from app.session.guided_test.presentation import GuidedTestError
from app.types import BONA_FIDE
from lmkl_core import clopper_pearson
from tests.app.guided_tests import present

OWN = """
name = "Two instruments"
note = "At arm's length."
bona_fide = 30

[species]
Print = 20
"silicone mask" = 10
"""


def test_that_the_plans_of_the_program_are_what_they_say():
    plans = {plan.name: plan.wanted for plan in built_in_plans()}
    quick, laboratory = plans["Quick look"], plans["Laboratory-like"]
    assert [n for name, n in quick.items() if name != BONA_FIDE] == [5, 5, 5]
    assert [n for name, n in laboratory.items() if name != BONA_FIDE] == [150] * 6
    assert laboratory[BONA_FIDE] == 50
    assert set(plans["Distance sweep"]) == {BONA_FIDE}


def test_that_a_plan_of_ones_own_is_read_from_its_file(tmp_path):
    file = tmp_path / "own.toml"
    file.write_text(OWN, encoding="utf-8")
    plan = read_plan(file)
    wanted = {BONA_FIDE: 30, "print": 20, "silicone mask": 10}
    assert plan == TestPlan("Two instruments", "At arm's length.", wanted)
    assert plan_from(plan.as_dict()) == plan


def test_that_other_files_are_refused_in_one_sentence_that_names_them(tmp_path):
    for text, why in (
        ("", "missing required field `name`"),
        ("name = ", "TOML"),
        ('name = "a"', "1 to 10000 presentations"),
        ('name = "a"\nbonafide = 3', "unknown field `bonafide`"),
        ('name = "a"\nbona_fide = -1', "bona_fide: Expected `int` >= 0"),
        ('name = "a"\nbona_fide = true', "bona_fide: Expected `int`, got `bool`"),
        ('name = "a"\n[species]\nprint = 2.5', "print: Expected `int`, got `float`"),
        ('name = "a"\n[species]\nprint = 2\nPrint = 2', "print is listed twice"),
        ('name = "a"\n[species]\n"" = 2', "no name"),
        ('name = "a"\nspecies = 3', "species: Expected `object`"),
        ('name = "a"\nnote = 3', "note: Expected `str`"),
        ('name = "a"\n[species]\na = 9999\nb = 9999', "1 to 10000 presentations"),
        ("#" * 70_000, "larger than 64 KiB"),
    ):
        file = tmp_path / "bad.toml"
        file.write_text(text, encoding="utf-8")
        sentence = (
            rf"^The test plan bad\.toml cannot be used \(.*{why}.*\): fix the file or choose an"
        )
        with pytest.raises(GuidedTestError, match=sentence):
            read_plan(file)


def test_that_a_file_that_is_not_there_is_told(tmp_path):
    with pytest.raises(GuidedTestError, match=r"none\.toml cannot be used"):
        read_plan(tmp_path / "none.toml")


def test_that_a_fresh_plan_promises_the_exact_bound_of_no_errors():
    shown = TestPlan("a", "", {BONA_FIDE: 50, "print": 150}).progress(())
    assert [row.bound for row in shown.rows] == [clopper_pearson(0, n, 0.95)[1] for n in (50, 150)]
    assert (shown.n_wanted, shown.n_left) == (200, 200)


def test_that_presentations_are_counted_off_and_errors_raise_the_bound():
    guided_test = GuidedTest()
    guided_test.plan = TestPlan("a", "", {BONA_FIDE: 5, "print": 3, "phone": 2})
    for species, score in [("print", 0.1), ("print", 0.9), ("mask", 0.1), (BONA_FIDE, 0.1)]:
        present(guided_test, species, [score] * 6)
    present(guided_test, "phone", [None] * 6)
    rows = {row.species: row for row in guided_test.state.plan.rows}
    assert set(rows) == {BONA_FIDE, "print", "phone"}  # what the plan does not name is extra
    assert [rows[name].n_left for name in rows] == [4, 1, 1]
    assert [rows[name].n_errors for name in rows] == [1, 1, 0]
    assert rows["print"].bound == clopper_pearson(1, 3, 0.95)[1]
    # One of two phones was made and had no response: only one can still have one.
    assert rows["phone"].bound == clopper_pearson(0, 1, 0.95)[1]
    for _ in range(3):
        present(guided_test, "print", [0.1] * 6)
    assert {row.species: row.n_left for row in guided_test.state.plan.rows}["print"] == 0


def test_that_a_session_keeps_its_plan():
    guided_test = GuidedTest()
    guided_test.plan = plan_from({"name": "a", "bona_fide": 2})
    assert GuidedTest.from_dict(guided_test.as_dict()).plan == guided_test.plan
    guided_test.clear()
    assert guided_test.plan is not None
    broken = guided_test.as_dict() | {"plan": {"name": "a"}}
    with pytest.raises(GuidedTestError, match=r"^The plan of this test session cannot be read"):
        GuidedTest.from_dict(broken)
    broken = guided_test.as_dict() | {"details": {"x": 1}}
    with pytest.raises(GuidedTestError, match=r"^The details of this test session cannot be read"):
        GuidedTest.from_dict(broken)
