"""Test plans: their files, what is left to do, and the bounds they promise."""

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


def test_that_the_built_in_plans_have_the_documented_volume():
    plans = {plan.name: plan.wanted for plan in built_in_plans()}
    assert list(plans["Quick look"].values()) == [5, 5, 5, 5]
    assert list(plans["Laboratory-like"].values()) == [50] + [150] * 6
    assert set(plans["Distance sweep"]) == {BONA_FIDE}


def test_that_a_plan_is_read_from_a_file(tmp_path):
    file = tmp_path / "own.toml"
    file.write_text(OWN, encoding="utf-8")
    plan = read_plan(file)
    wanted = {BONA_FIDE: 30, "print": 20, "silicone mask": 10}
    assert plan == TestPlan("Two instruments", "At arm's length.", wanted)
    assert plan_from(plan.as_dict()) == plan


def test_that_a_bad_file_is_refused_in_a_sentence_that_names_it(tmp_path):
    file = tmp_path / "bad.toml"
    for text, reason in (
        (None, "No such file"),
        ("", "`name`"),
        ("name = ", "TOML"),
        ('name = ""\nbona_fide = 1', "name is empty"),
        ('name = "a"', "1 to 10000"),
        ('name = "a"\nbonafide = 3', "`bonafide`"),
        ('name = "a"\nbona_fide = -1', "bona_fide: .* >= 0"),
        ('name = "a"\nbona_fide = true', "bona_fide: .* `bool`"),
        ('name = "a"\n[species]\nprint = 2.5', "print: .* `float`"),
        ('name = "a"\n[species]\nprint = 2\nPrint = 2', "print is listed twice"),
        ('name = "a"\n[species]\n"" = 2', "no name"),
        ('name = "a"\nspecies = 3', "species: "),
        ('name = "a"\nnote = 3', "note: "),
        ('name = "a"\n[species]\na = 9999\nb = 9999', "1 to 10000"),
        ("#" * 70_000, r"\(larger than 64 KiB\)"),
    ):
        if text is not None:
            file.write_text(text, encoding="utf-8")
        with pytest.raises(GuidedTestError, match=rf"^The test plan bad\.toml .*{reason}.*\.$"):
            read_plan(file)


def test_that_a_fresh_plan_promises_the_exact_bound_of_no_errors():
    progress = TestPlan("a", "", {BONA_FIDE: 50, "print": 150}).progress(())
    bounds = [clopper_pearson(0, n, 0.95)[1] for n in (50, 150)]
    assert [row.bound for row in progress.rows] == bounds
    assert (progress.n_wanted, progress.n_left) == (200, 200)


def test_that_presentations_reduce_what_is_left_and_errors_raise_the_bound():
    guided_test = GuidedTest()
    guided_test.plan = TestPlan("a", "", {BONA_FIDE: 5, "print": 3, "phone": 2})
    for species, score in [("print", 0.1), ("print", 0.9), ("mask", 0.1), (BONA_FIDE, 0.1)]:
        present(guided_test, species, [score] * 6)
    present(guided_test, "phone", [None] * 6)
    rows = {row.species: row for row in guided_test.state.plan.rows}
    assert set(rows) == {BONA_FIDE, "print", "phone"}  # others are extra
    assert [rows[name].n_left for name in rows] == [4, 1, 1]
    assert [rows[name].n_errors for name in rows] == [1, 1, 0]
    assert rows["print"].bound == clopper_pearson(1, 3, 0.95)[1]
    # One of two phones had no response, so only one can still have one.
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
    for part, value in (("plan", {"name": "a"}), ("details", {"x": 1})):
        with pytest.raises(GuidedTestError, match=f"^The {part} of this test session"):
            GuidedTest.from_dict(guided_test.as_dict() | {part: value})
